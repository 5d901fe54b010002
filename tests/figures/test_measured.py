from types import SimpleNamespace

import pytest

from retable.figures.measured import of_seeds


def run_of(accuracy, number, kind):
    metrics = {
        "test": {"accuracy": accuracy, "texts": 100}, "test_clean": None, "dev": {"accuracy": 0.5},
        "vectors": None, "epochs": {"run": 2, "chosen": 1, "turned": True},
        "parameters": {"training": {}, "corpus": {"folds": 2, "fold": number, "kind": kind}},
    }  # fmt: skip
    return SimpleNamespace(seed=1, cut=(kind, 2), metrics=metrics, cost={})


def test_of_dev_folds_the_shown_run_is_the_cells():
    assert [each.value for each in of_seeds([run_of(0.75, 2, "dev")])] == [0.75]


def test_of_test_folds_all_make_the_result():
    (both,) = of_seeds([run_of(0.75, 1, "test"), run_of(0.25, 2, "test")])
    assert both.value == pytest.approx(0.5)
    with pytest.raises(ValueError, match="each fold exactly once"):
        of_seeds([run_of(0.75, 2, "test")])
