import math

import pytest

from retable.tables.intervals import prediction_interval, verdict


@pytest.mark.parametrize(
    ("scores", "seed_deviation", "half"),
    [
        ([0.8], 0.01, 1.959964 * math.sqrt(0.8 * 0.2 / 400 + 2 * 0.01**2)),
        ([0.79, 0.80, 0.81], None, 4.30265 * 0.01 * math.sqrt(1 / 3 + 1)),  # s = 0.01, t(0.975, 2) = 4.30265
    ],
)
def test_intervals_by_hand(scores, seed_deviation, half):
    low, high = prediction_interval(scores, 400, same_texts=True, seed_deviation=seed_deviation)
    assert (low, high) == pytest.approx((0.8 - half, 0.8 + half), abs=1e-6)


def test_other_test_texts_add_their_sampling():
    narrow = prediction_interval([0.79, 0.80, 0.81], 400, same_texts=True, seed_deviation=None)
    wide = prediction_interval([0.79, 0.80, 0.81], 400, same_texts=False, seed_deviation=None)
    added = 1.959964**2 * 0.8 * 0.2 / 400
    assert ((wide[1] - wide[0]) / 2) ** 2 - ((narrow[1] - narrow[0]) / 2) ** 2 == pytest.approx(added, abs=1e-8)


def test_the_interval_ends_at_one():
    assert prediction_interval([0.999], 10, same_texts=True, seed_deviation=0.05)[1] == 1.0


def test_the_interval_covers_one_more_run_in_95_of_100_cases():
    import numpy as np

    generator = np.random.default_rng(0)
    inside = 0
    for _ in range(4_000):
        *ours, theirs = generator.normal(0.8, 0.01, size=4)
        low, high = prediction_interval(ours, 10**9, same_texts=True, seed_deviation=None)
        inside += low <= theirs <= high
    assert inside / 4_000 == pytest.approx(0.95, abs=0.012)


@pytest.mark.parametrize(
    ("published", "differences", "expected"),
    [
        (79.0, 5.0, "higher"), (85.0, 5.0, "lower"), (82.0, 5.0, "agrees"), (82.0, 1.0, "uninformative"),
        (79.0, 1.0, "higher"),
    ],
)  # fmt: skip
def test_verdicts(published, differences, expected):
    assert verdict(80.0, 84.0, published, differences) == expected
