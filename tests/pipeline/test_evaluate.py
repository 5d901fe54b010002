"""The files that the stage `evaluate` leaves for `dvc exp show`."""

from retable.stages.evaluate import compared_first


def test_few_scores_are_compared_and_none_that_is_not_there():
    scores = {
        "dev": {"accuracy": 0.8, "loss": 0.4},
        "test": {"accuracy": 0.71236, "macro_f1": 0.7, "precision": 0.1},
        "test_clean": None,
    }
    assert compared_first(scores) == {"dev_accuracy": 0.8, "test_accuracy": 0.7124, "test_macro_f1": 0.7}
