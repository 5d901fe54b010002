"""Numbers printed in a system's own source, beside ours."""

import csv
from dataclasses import replace

import pytest

from retable.corpora import corpus
from retable.models import MODELS, TRAINERS
from retable.papers import result_tables
from retable.papers.paper import Column, Row
from retable.project.paths import PUBLISHED
from retable.results.sources import FRACTIONS, MeasuredCell, beside_sources, nearest
from retable.tables.lines import Line

SCORES = {"accuracy", "map", "mrr", "pearson"}
ROWS = {(row.model, row.id) for table in result_tables() for row in table.rows}


def test_every_published_number_names_a_model_a_corpus_a_score_and_where_it_was_seen():
    with (PUBLISHED / "sources.csv").open(newline="", encoding="utf-8") as file:
        lines = list(csv.DictReader(file))
    for line in lines:
        assert line["model"] in MODELS | TRAINERS, line
        assert corpus(line["corpus"]), line
        assert line["metric"] in SCORES, line
        assert 0 < float(line["value"]) <= (1 if line["metric"] in FRACTIONS else 100), line
        assert (line["seen"] == "yes") == bool(line["where"]), line
        assert {(line["model"], row) for row in line["rows"].split()} <= ROWS, line
    places = [(line["model"], line["variant"], line["corpus"], line["metric"]) for line in lines]
    assert len(places) == len(set(places))


def cell(row="cnn", column="sst-2", measured="83.0", low="", high="", runs="1", model="textcnn", overrides=None):
    line = Line(row, column, "accuracy", measured, low, high, runs)
    return MeasuredCell(Row(row, row, model, overrides=overrides or {}), Column(column, column, column), line)


def source(value="87.2", **changes):
    line = {"model": "textcnn", "variant": "", "rows": "", "corpus": "sst-2", "metric": "accuracy", "value": value}
    return line | {"printed_in": "its own paper", "seen": "no", "where": ""} | changes


@pytest.mark.parametrize(
    ("value", "ours", "beside"),
    [
        ("87.2", cell(low="82.0", high="84.0"), "ours is lower"),
        ("84.0", cell(low="82.0", high="84.0"), "inside"),
        ("81.9", cell(low="82.0", high="84.0"), "ours is higher"),
        ("87.2", cell(), "no interval yet"),
    ],
)
def test_a_sources_number_lies_beside_the_interval_of_our_cell(value, ours, beside):
    (row,) = beside_sources([source(value)], [ours])
    assert (row[3], row[5], row[6]) == (value, "1", beside)


def test_an_accuracy_of_a_table_in_fractions_is_shown_in_percent():
    ours = cell(measured="0.9179", low="0.9150", high="0.9208")
    (row,) = beside_sources([source("91.2")], [ours._replace(line=replace(ours.line, unit="fraction"))])
    assert row[4:7] == ("91.79 (91.50 to 92.08)", "1", "ours is higher")


def test_a_system_without_a_run_is_shown_as_such():
    (row,) = beside_sources([source()], [cell(column="mr")])
    assert row[4:7] == ("–", "", "")


@pytest.mark.parametrize(
    ("corpus", "other"), [("sst-2", "sst-2-phrases"), ("sst-1", "sst-1-phrases"), ("sst-1", "sst-1-trees")]
)
def test_a_run_on_phrases_too_or_on_trees_stands_below_that_on_sentences(corpus, other):
    rows = list(beside_sources([source(corpus=corpus)], [cell(column=corpus), cell(column=other, measured="86.1")]))
    assert [(row[1], row[4]) for row in rows] == [(corpus, "83.00"), (other, "86.10")]


def test_the_row_of_a_systems_own_name_comes_before_one_of_more_runs_and_own_options_before_others():
    own, many, varied = cell("textcnn"), cell("cnn", runs="5"), cell("cnn-x", runs="9", overrides={"model": {"a": 1}})
    assert nearest(source(), "sst-2", [many, own, varied]) is own
    assert nearest(source(), "sst-2", [many, varied]) is many
    assert nearest(source(), "mr", [many]) is None


def test_a_variant_stands_beside_the_rows_that_it_names_and_no_other():
    tuned, random, fixed = (cell(name, runs=runs) for name, runs in (("textcnn", "9"), ("cnn-rand", "1"), ("x", "2")))
    named = source(variant="random", rows="cnn-rand cnn-random")
    assert nearest(named, "sst-2", [tuned, random, fixed]) is random
    assert nearest(named, "sst-2", [tuned, fixed]) is None
