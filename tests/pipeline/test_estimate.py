"""The arithmetic of a scale: words x epochs / words per second."""

import pytest

from retable.experiments.estimate import rate_of, run_seconds
from retable.papers.paper import Row

SPEED = {
    "words": {"r8": 900.0}, "training_share": {"r8": 0.6}, "training_texts": {"r8": 4}, "epochs_share": 0.5,
    "words_per_second": {"lama": 2.0}, "stage_seconds": {"run": 10.0},
}  # fmt: skip
NO_LIMIT = {"seeds": [1], "epochs": 0, "max_words": 0}


def lama(**training) -> Row:
    return Row("lama-of-ours", "LAMA", model="lama", overrides={"training": training})


def test_epochs_and_length_are_those_of_the_row_before_the_presets():
    assert run_seconds(lama(epochs=3), "r8", NO_LIMIT, SPEED) == pytest.approx(10 + 540 * 3 / 2)
    assert run_seconds(lama(epochs=3, max_words=50), "r8", NO_LIMIT, SPEED) == pytest.approx(10 + 4 * 50 * 3 / 2)
    assert run_seconds(lama(epochs=3, max_words=500), "r8", NO_LIMIT, SPEED) == pytest.approx(10 + 540 * 3 / 2)


def test_a_scale_limits_both():
    assert run_seconds(lama(), "r8", NO_LIMIT | {"epochs": 2, "max_words": 20}, SPEED) == pytest.approx(10 + 80 * 2 / 2)


def test_the_rate_is_that_of_rows_of_the_same_family():
    rates = {"transformer": 1.0, "transformer-f": 2.0, "transformer-encoder": 3.0, "cnn": 4.0}
    of_rows = {"transformer-1x1": 1, "transformer-f": 2, "transformer-f-cor": 2, "transformer-encoder-50": 3, "cnns": 1}
    assert {row: rate_of(Row(row, "", model="transformer"), rates) for row in of_rows} == of_rows
