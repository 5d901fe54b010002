import numpy as np
import pyarrow.parquet as pq
import pytest

from retable.papers.paper import Column
from retable.runs.bank import Entry, bank_predictions, read_bank, rescored, results_by_cell, write_bank
from retable.runs.folder import write_predictions
from retable.text.splits import Facts, Split

METRICS = {
    "row": "fcsr", "column": "sst-2", "seed": 1, "scale": "cpu", "git_commit": "abc", "device": "a processor",
    "threads": 2, "date": "2026-11-20", "hashes": {"parameters": "p", "data": "d", "recipe": "c 1.0"},
    "test": {"accuracy": 0.8341570565623284, "texts": 1821}, "test_clean": {"accuracy": 0.83}, "vectors": None,
    "epochs": {"run": 7, "turned": True}, "parameters": {"training": {"max_words": 0}},
}  # fmt: skip
SST_2, F1 = Column("sst-2", "SST"), Column("sst-2-f1", "SST, F1", metric="macro_f1", runs_of="sst-2")


def test_an_entry_keeps_every_digit(tmp_path):
    entry = Entry.from_metrics(METRICS, {}, "accuracy", "fcsr", SST_2)
    write_bank(tmp_path / "t.csv", [entry])
    (again,) = read_bank(tmp_path / "t.csv")
    assert again == entry
    result = again.result()
    assert (result.value, result.clean, result.texts, result.epochs, result.turned) == (
        0.8341570565623284, 0.83, 1821, 7, True,
    )  # fmt: skip
    assert list(results_by_cell([again])) == [("fcsr", "sst-2")]


def test_another_score_of_a_run_is_kept_under_the_column_that_shows_it():
    metrics = METRICS | {"test": METRICS["test"] | {"macro_f1": 0.8}, "test_clean": None}
    entry = Entry.from_metrics(metrics, {}, "macro_f1", "fcsr", F1)
    assert (entry.column, entry.metric, entry.value) == ("sst-2-f1", "macro_f1", "0.8")


def test_a_linear_run_has_no_epochs(tmp_path):
    entry = Entry.from_metrics(
        METRICS | {"epochs": {"run": None, "turned": None}, "test_clean": None}, {}, "accuracy", "fcsr", SST_2
    )
    write_bank(tmp_path / "t.csv", [entry])
    result = read_bank(tmp_path / "t.csv")[0].result()
    assert (result.clean, result.epochs, result.turned) == (None, None, None)


def test_a_missing_bank_is_empty(tmp_path):
    assert read_bank(tmp_path / "none.csv") == []


def test_banked_predictions_hold_ids_and_no_texts(tmp_path):
    split = Split(
        Facts("made-up", "en", ("no", "yes")), ["a/1", "a/2"], None, None, np.array([0, 1]), np.array([True, False])
    )
    write_predictions(tmp_path / "p.parquet", split, np.array([[0.75, 0.25], [0.4, 0.6]]))
    bank_predictions(tmp_path / "p.parquet", tmp_path / "bank/q.parquet")
    table = pq.read_table(tmp_path / "bank/q.parquet")
    assert table.column_names == ["id", "label", "predicted", "probabilities"]
    assert table.column("label").to_pylist() == ["no", "yes"]
    assert np.allclose(table.column("probabilities").to_pylist(), [[0.75, 0.25], [0.4, 0.6]], atol=1e-3)


def test_a_cost_of_a_run_is_shown_in_place_of_its_score():
    cost = {"peak_memory_mb": 812.5, "parameters": 7, "seconds_per_epoch": 2.0}
    entry = Entry.from_metrics(METRICS, cost, "accuracy", "fcsr", SST_2)
    assert (entry.cost["parameters"], entry.parameters) == ("7", "p")
    assert entry.of_cost("peak_memory_mb").result().value == 812.5


def test_another_score_of_a_banked_run_comes_from_its_predictions(tmp_path):
    facts = Facts("made-up", "en", ("no", "yes", "never"))
    ids, true = ["a/1", "a/2", "a/3", "a/4"], np.array([0, 0, 1, 1])
    split = Split(facts, ids, None, None, true, np.array([True] * 4))
    write_predictions(tmp_path / "p.parquet", split, np.eye(3)[[0, 1, 1, 1]])
    bank_predictions(tmp_path / "p.parquet", tmp_path / "q.parquet")
    entry = Entry.from_metrics(METRICS, {}, "accuracy", "fcsr", SST_2)
    again = rescored(entry, tmp_path / "q.parquet", "macro_f1", {"a/1", "a/3"})
    # F1 of no: 2 / 3; of yes: 4 / 5; of the label that no text has: 0. Both clean texts are answered rightly.
    assert float(again.value) == pytest.approx((2 / 3 + 4 / 5) / 3)
    assert float(again.clean) == pytest.approx(2 / 3)
    assert (again.metric, again.column, again.hashes) == ("macro_f1", "sst-2", entry.hashes)
    assert rescored(entry, tmp_path / "q.parquet", "macro_f1", ()).clean == ""
    with pytest.raises(ValueError, match="metric is 'macro_auc'; of banked answers are known: accuracy"):
        rescored(entry, tmp_path / "q.parquet", "macro_auc", ())
