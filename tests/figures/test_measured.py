from types import SimpleNamespace

import pytest

from retable.figures.measured import Measured, Panel, of_seeds
from retable.papers.paper import Column, ResultTable, Row


def run_of(accuracy, number, kind, seed=1):
    corpus = {"folds": 2, "fold": number, "kind": kind} if kind else {}
    metrics = {
        "test": {"accuracy": accuracy, "texts": 100}, "test_clean": None, "dev": {"accuracy": 0.5},
        "vectors": None, "epochs": {"run": 2, "chosen": 1, "turned": True},
        "parameters": {"training": {}, "corpus": corpus},
    }  # fmt: skip
    return SimpleNamespace(seed=seed, folding=(kind, 2), metrics=metrics, cost={})


def test_of_dev_folds_the_shown_run_is_the_cells():
    assert [each.value for each in of_seeds([run_of(0.75, 2, "dev")])] == [0.75]


def test_of_test_folds_all_make_the_result():
    (both,) = of_seeds([run_of(0.75, 1, "test"), run_of(0.25, 2, "test")])
    assert both.value == pytest.approx(0.5)
    with pytest.raises(ValueError, match="each fold exactly once"):
        of_seeds([run_of(0.75, 2, "test")])


def test_the_interval_of_a_mean_by_hand():
    columns = (Column("a", "A", "a", "paper"), Column("b", "B", "b", "paper", folds="test"))
    rows = (Row("cnn", "CNN", "textcnn"), Row("svm", "SVM", "tfidf-svm"), Row("lstm", "LSTM", "lstm"))
    table = ResultTable("t", "T", None, "accuracy", "%", rows, columns)
    folds = [run_of(0.69, 1, "test"), run_of(0.71, 2, "test")]  # 2e-4, one degree of freedom
    seeds = [run_of(accuracy, 0, "", seed) for seed, accuracy in enumerate((0.8, 0.8, 0.86))]  # of theirs 4e-4, two
    runs = {
        ("t", "cnn", "a"): seeds, ("t", "cnn", "b"): folds, ("t", "svm", "a"): seeds[:1], ("t", "svm", "b"): folds,
    }  # fmt: skip
    panels = (Panel("t", "a"), Panel("t", "b"))
    # Two folds hold out 1 / 0.9 of what they train on: their mean has 2e-4 (1 / 2 + 1 / 0.9) = 3.2222e-4.
    # CNN: 7.2222e-4 / 4, 2.8374 degrees of freedom, t 3.2881.
    # SVM: no spread on column a; 3.2222e-4 / 4, one degree of freedom, t 12.7062.
    cnn, svm = (76 - 4.4182, 76 + 4.4182), (75 - 11.4042, 75 + 11.4042)
    assert Measured({"t": table}, runs, {}).mean_interval(panels, "cnn") == pytest.approx(cnn, abs=1e-3)
    assert Measured({"t": table}, runs, {}).mean_interval(panels, "svm") == pytest.approx(svm, abs=1e-3)
    one_run = runs | {("t", "cnn", "a"): seeds[:1]}  # and no other network on its column
    assert Measured({"t": table}, one_run, {}).mean_interval(panels, "cnn") is None
