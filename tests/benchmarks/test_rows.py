"""What a row says of itself: how often as fast, and whether its goal is met."""

import math

import pytest

from benchmarks.rows import Row


def row(ours, unit, goal, peer=None, limit=None):
    return Row("a path", unit, ours, peer, "peer", limit, "limit", goal)


@pytest.mark.parametrize(
    ("made", "verdict"),
    [
        (row(300.0, "words/s", ">= 3x the peer", peer=100.0), "met"),
        (row(299.0, "words/s", ">= 3x the peer", peer=100.0), "missed"),
        (row(5.0, "s an epoch", ">= 3x the peer", peer=15.0), "met"),  # of times the speeds are compared
        (row(5.1, "s an epoch", ">= 3x the peer", peer=15.0), "missed"),
        (row(9.0, "s", "<= 2x the peer", peer=4.6), "met"),
        (row(9.3, "s", "<= 2x the peer", peer=4.6), "missed"),
        (row(0.51, "", "<= 1.02x the peer", peer=0.5), "met"),
        (row(75.0, "words/s", ">= 75% of the limit", limit=100.0), "met"),
        (row(74.9, "words/s", ">= 75% of the limit", limit=100.0), "missed"),
        (row(4.0, "s", ">= 50% of the limit", limit=2.0), "met"),
        (row(4.1, "s", ">= 50% of the limit", limit=2.0), "missed"),
        (row(5.0, "% of the step", "<= 5 %"), "met"),
        (row(5.1, "% of the step", "<= 5 %"), "missed"),
        (row(76.2, "%", ">= 76.1 %"), "met"),
        (row(5.0e6, "pairs/s", ">= 5 M pairs/s"), "met"),
        (row(4.9e6, "pairs/s", ">= 5 M pairs/s"), "missed"),
        (row(1500.0, "words/s", ">= 1,000 words/s"), "met"),
        (row(10.1, "s", "<= 10 s"), "missed"),
        (row(1.0, "words/s", ">= 3x the peer"), "not measured"),
        (row(1.0, "words/s", ">= 75% of the limit", peer=1.0), "not measured"),
        (row(math.nan, "s", "<= 10 s"), "not measured"),
        (row(1.0, "s", ""), ""),
    ],
)
def test_verdicts_by_hand(made, verdict):
    assert made.verdict == verdict


def test_times_as_fast_by_hand():
    assert row(2.0, "s", "").times(6.0) == 3.0
    assert row(6.0, "words/s", "").times(2.0) == 3.0
    assert row(6.0, "words/s", "").times(None) is None


@pytest.mark.parametrize("goal", ["fast", "3x the peer", "> 3x the peer", ">= x"])
def test_a_goal_that_cannot_be_read_is_refused(goal):
    with pytest.raises(ValueError, match="a path"):
        row(1.0, "s", goal)
