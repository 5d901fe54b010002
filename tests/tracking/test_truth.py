"""Check imports against the local test texts: forged answers are refused, and missing comparisons are reported."""

from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest

from retable.errors import InputError
from retable.experiments import truth
from retable.experiments.truth import check_against_data
from retable.runs.bank import add_to_bank
from retable.runs.predictions import read_predictions, write_predictions
from retable.runs.record import read_run
from retable.text.grades import agreement
from retable.text.pairs import MARK
from retable.text.ranking import ranking_scores
from retable.text.splits import Split
from tests.tracking.conftest import write_run


@pytest.fixture
def run(tmp_path, monkeypatch):
    """Return a run from elsewhere, on data that are known here."""
    found = read_run(write_run(tmp_path / "theirs"))
    monkeypatch.setattr(truth, "TAGGED", tmp_path / "tagged")
    monkeypatch.setattr(truth, "data_of_run", lambda parameters, tagged, vectors: found.hashes["data"])
    return found


@pytest.fixture
def bank(tmp_path):
    """Return a bank with another row's run on the same test texts."""
    other = read_run(write_run(tmp_path / "ours", row="nb-svm"))
    add_to_bank(tmp_path / "bank", [other], "Ada")
    return tmp_path / "bank"


def forged(run, *, ids=None, classes=None, clean=None):
    """Write other ids, labels or clean marks into a run's predictions, with its own answers."""
    facts, old_ids, old_classes, old_clean, probabilities = read_predictions(run.predictions)
    pick = [new if new is not None else old for new, old in ((classes, old_classes), (clean, old_clean))]
    split = Split(facts, ids or old_ids, None, None, *pick)
    write_predictions(run.predictions, split, probabilities[: len(split.ids)])


def test_the_same_texts_pass_and_unknown_ones_are_told(run, bank, tmp_path):
    assert check_against_data(run, bank)
    assert not check_against_data(run, tmp_path / "no-bank")


def test_forged_answers_are_refused(run, bank):
    _, ids, classes, clean, _ = read_predictions(run.predictions)
    for forgery, message in (
        ({"classes": 1 - classes}, "has the label .* here it is the label "),
        ({"ids": [f"other-{text}" for text in ids]}, "has no such text for .* the test texts differ"),
        ({"clean": ~clean}, "the test texts differ"),
    ):
        forged(run, **forgery)
        with pytest.raises(InputError, match=message):
            check_against_data(run, bank)
        forged(run, ids=ids, classes=classes, clean=clean)
    assert check_against_data(run, bank)


def test_the_tagged_corpus_is_asked_before_the_bank(run, bank, tmp_path, monkeypatch):
    facts, ids, classes, clean, _ = read_predictions(run.predictions)
    here = Split(facts, ids, None, None, np.array(1 - classes), clean)
    (tmp_path / "tagged/sst-2").mkdir(parents=True)
    (tmp_path / "tagged/sst-2/test.parquet").touch()
    monkeypatch.setattr(truth, "splits_of_run", lambda parameters: (None, None, lambda: here))
    with pytest.raises(InputError, match="the test texts differ"):
        check_against_data(run, bank)
    monkeypatch.setattr(truth, "splits_of_run", lambda parameters: (None, None, lambda: replace(here, classes=classes)))
    assert check_against_data(run, tmp_path / "no-bank")


def test_other_data_are_refused_and_unknown_ones_are_not(run, bank, monkeypatch):
    monkeypatch.setattr(truth, "data_of_run", lambda parameters, tagged, vectors: "f" * 64)
    with pytest.raises(InputError, match=r"was trained on data that differ from those here: .* ours ffffffffffffffff"):
        check_against_data(run, bank)

    def unknown(*_):
        raise FileNotFoundError

    monkeypatch.setattr(truth, "data_of_run", unknown)
    assert check_against_data(run, bank)


def test_the_scores_of_a_ranking_are_made_again_from_the_texts_here(run, bank, tmp_path, monkeypatch):
    facts, ids, classes, clean, probabilities = read_predictions(run.predictions)
    tokens = pa.array([[f"question-{number // 10}", MARK, "answer"] for number in range(len(ids))])
    here = Split(replace(facts, ranked=True), ids, tokens, None, classes, clean)
    right = ranking_scores(probabilities[:, 1], classes == 1, np.arange(len(ids)) // 10)
    order = np.random.default_rng(1).permutation(len(ids))  # the order in the file does not matter
    write_predictions(
        run.predictions,
        Split(facts, [ids[n] for n in order], None, None, classes[order], clean[order]),
        probabilities[order],
    )

    def with_scores(**scores):
        return replace(run, metrics={**run.metrics, "test": {**run.metrics["test"], **scores}})

    assert not check_against_data(with_scores(**right), bank)  # only the texts show whose candidates they are
    (tmp_path / "tagged/sst-2").mkdir(parents=True)
    (tmp_path / "tagged/sst-2/test.parquet").touch()
    monkeypatch.setattr(truth, "splits_of_run", lambda parameters: (None, None, lambda: here))
    assert check_against_data(with_scores(**right), bank)
    for wrong in ({**right, "map": right["map"] + 0.01}, {**right, "mrr": 1.0}, {**right, "questions": 39}, {}):
        with pytest.raises(InputError, match=r"gives a test (map|mrr|questions) of .*, but metrics.json says"):
            check_against_data(with_scores(**wrong), bank)


def test_the_correlations_of_a_graded_corpus_are_made_again_from_the_scores_here(run, bank, tmp_path, monkeypatch):
    facts, ids, classes, clean, probabilities = read_predictions(run.predictions)
    scores = np.random.default_rng(1).uniform(0, 1, len(ids))
    here = Split(replace(facts, graded=True), ids, None, None, classes, clean, scores=scores)
    right = agreement(probabilities[:, 1].astype(np.float64), scores)

    clean_right = agreement(probabilities[clean, 1].astype(np.float64), scores[clean])

    def with_scores(found, of_clean=clean_right):
        test = {part: {**run.metrics[part], **of} for part, of in (("test", found), ("test_clean", of_clean))}
        return replace(run, metrics={**run.metrics, **test})

    assert not check_against_data(with_scores(right), bank)  # only the corpus has the scores
    (tmp_path / "tagged/sst-2").mkdir(parents=True)
    (tmp_path / "tagged/sst-2/test.parquet").touch()
    monkeypatch.setattr(truth, "splits_of_run", lambda parameters: (None, None, lambda: here))
    assert check_against_data(with_scores(right), bank)
    for wrong in ({**right, "pearson": 0.9}, {**right, "mse": right["mse"] + 0.01}, {}):
        with pytest.raises(InputError, match=r"gives a test (pearson|mse) of .*, but metrics.json says"):
            check_against_data(with_scores(wrong), bank)
    with pytest.raises(InputError, match=r"gives a test_clean pearson of .*, but metrics.json says 0.999"):
        check_against_data(with_scores(right, {"pearson": 0.999, "spearman": 0.9, "mse": 0.0}), bank)
