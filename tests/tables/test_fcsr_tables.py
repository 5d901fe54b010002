"""FCSR's tables of scores: what was searched, the printed order, the joint corpus of table 5."""

from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from retable.corpora import corpus
from retable.experiments.cells import cells_of
from retable.experiments.scale import model_preset
from retable.models import TRAINERS
from retable.models.linear import train_tfidf_svm
from retable.papers import paper
from retable.papers.chosen import CHOSEN
from retable.papers.parameters import row_parameters
from retable.runs.folder import scores_of_splits
from retable.tables.published import read_published
from retable.text.splits import Facts, Split

ROOT = Path(__file__).parents[2]
PUBLISHED = ROOT / "data/published/fcsr.csv"
PAPER = paper("fcsr")
TABLES = dict(zip((3, 4, 5), PAPER.results[:3], strict=True))
PROTOCOL = {"epochs": 0, "device": "auto", "precision": "float32"}
JOINT = {"scale": "x", "corpora": {"fdu-16": {}}, "vectors": {}}


def parameters(table, row, column):
    asked = table.row(row)
    return row_parameters(model_preset(asked.model), asked, table.column(column), PROTOCOL, vectors="none", seed=1)


def test_what_was_searched_for_a_corpus_is_for_it_alone():
    covid, sst = (parameters(TABLES[3], "bilstm", column) for column in ("covid-sentiment", "sst-2"))
    assert (covid["model"]["dropout"], covid["training"]["batch_size"]) == (0.2, 20)
    preset = model_preset("bilstm")
    assert (sst["model"]["dropout"], sst["training"]["batch_size"]) == (0.5, 50)
    assert covid["training"] | {"batch_size": 50} == sst["training"] == preset["training"]


OF_CHAR_CNN = {  # the trainings that were tried: docs/readings/fcsr.md
    ("training", "optimiser"): ("sgd", "adam"),
    ("training", "learning_rate"): (0.01, 1e-3, 1e-4),
    ("training", "momentum"): (0.9, 0.0),
    ("training", "schedule"): ("halving", "constant"),
    **{("training", name): (value,) for name, value in (("epochs", 200), ("epochs_max", 200), ("patience", 25))},
}


@pytest.mark.parametrize("row", CHOSEN)
def test_what_was_searched_is_of_the_budget_and_of_a_corpus_of_the_table(row):
    of_row = [each for table in PAPER.results for each in table.rows if each.id == row]
    assert {id(each.chosen) for each in of_row} == {id(CHOSEN[row])}
    for name, sections in CHOSEN[row].items():
        assert corpus(name)
        options = {(section, name): value for section, each in sections.items() for name, value in each.items()}
        allowed = {("model", "dropout"): (0.2, 0.5), ("training", "batch_size"): (20, 50)}
        allowed = OF_CHAR_CNN if row == "char-cnn" else allowed
        assert options.keys() <= allowed.keys()
        assert all(value in allowed[option] for option, value in options.items())


def test_rows_and_columns_stand_in_the_order_of_the_print():
    for number in (4, 5):
        table, numbers = TABLES[number], read_published(PUBLISHED, f"table-{number}")
        assert [row.id for row in table.rows if not row.extra] == list(dict.fromkeys(n.row for n in numbers))
        assert [column.id for column in table.columns if not column.extra] == [
            *(f"fdu-{name}" for name in (
                "apparel", "baby", "books", "camera", "dvd", "electronic", "health", "imdb",
                "kitchen", "magazine", "mr", "music", "software", "sports", "toys", "video",
            )), "fdu-average",
        ]  # fmt: skip


def test_the_transformer_is_as_wide_as_the_word_vectors_with_six_heads_and_layers_and_stacked_lstms_have_two():
    for number, column in ((3, "sst-2"), (4, "fdu-apparel"), (5, "fdu-16")):
        asked = parameters(TABLES[number], "transformer", column)
        assert [asked["model"][name] for name in ("layers", "heads", "size")] == [6, 6, asked["embedding"]["size"]]
        assert asked["training"] | {"heads": "shared"} == model_preset("transformer")["training"]
    for row in ("lstm", "bilstm"):
        single, stacked = (parameters(TABLES[4], name, "fdu-mr")["model"] for name in (row, f"stacked-{row}"))
        assert (single["layers"], stacked) == (1, single | {"layers": 2})


@pytest.mark.parametrize("joint", ["fdu-16", "fdu-4"])
def test_table_5_runs_on_a_joint_corpus_with_a_classifier_for_each_domain(joint):
    table = TABLES[5]
    networks = [row for row in table.rows if row.model and row.model not in TRAINERS]
    heads = {row.id: parameters(table, row.id, joint)["training"]["heads"] for row in networks}
    shared = ("fcsr-shared-heads", "fasttext")
    own = ("cnn", "sp-mtl", "asp-mtl", "asp-mtl-sc", "asp-mtl-bc", "transformer", "s-lstm", "fcsr")
    assert heads == dict.fromkeys(own, "per-domain") | dict.fromkeys(shared, "shared")
    for row in networks:
        if row.id in [other.id for other in TABLES[4].rows]:
            alone, together = (parameters(TABLES[4], row.id, "fdu-mr"), parameters(table, row.id, joint))
            assert (alone["model"], alone["embedding"]) == (together["model"], together["embedding"])
            searched = row.chosen.get("fdu-mr", {}).get("training", {})  # for a domain; the joint corpus was not
            assert alone["training"] == together["training"] | {"heads": "shared"} | searched


def test_a_linear_model_of_a_joint_corpus_has_a_score_on_each_domain():
    texts = ["a fine film", "a dull film", "a fine book", "a dull book"] * 2
    ids = [f"fdu-{name}/{number}" for number in (1, 2) for name in ("mr", "mr", "books", "books")]
    facts = Facts("fdu-16", "en", ("bad", "good"), ("fdu-mr", "fdu-books"))
    tokens = pa.array([text.split() for text in texts], pa.list_(pa.string()))
    split = Split(facts, ids, tokens, None, np.array([1, 0] * 4), np.ones(8, bool))
    classifier, _ = train_tfidf_svm(split, split, lowercase=True, seed=1, features=["words-1"])
    answers = classifier.probabilities(split)
    scores = scores_of_splits((answers, split), (answers, split))["domains"]
    assert {name: of["test"]["texts"] for name, of in scores.items()} == {"fdu-mr": 4, "fdu-books": 4}


def test_table_5_shows_one_run_domain_by_domain():
    table = TABLES[5]
    shown = [column for column in table.showing("fdu-16") if column.domain]
    assert tuple(column.domain for column in shown) == corpus("fdu-16").domains
    assert all(column.id == column.domain and column.corpus == "fdu-16" for column in shown)
    assert table.column("fdu-average").mean_of == corpus("fdu-16").domains
    cells = cells_of(table, JOINT | {"cells": {table.name: {"vectors": "none", "columns": "at hand", "rows": "cnn"}}})
    assert list(cells) == ["cnn.fdu-16"]
    assert cells["cnn.fdu-16"]["corpus"] == "fdu-16"
