"""Check a row's own figures: the speed ratio, and whether its goal is met."""

import math

import pytest

from benchmarks.report import Row, timed_row


def row(ours, unit, goal, peer=None, limit=None):
    return Row("a path", unit, ours, peer, "peer", limit, "limit", goal)


@pytest.mark.parametrize(
    ("made", "verdict"),
    [
        (row(300.0, "words/s", ">= 3x the peer", peer=100.0), "met"),
        (row(299.0, "words/s", ">= 3x the peer", peer=100.0), "missed"),
        (row(5.0, "s an epoch", ">= 3x the peer", peer=15.0), "met"),  # for times, the speeds are compared
        (row(5.1, "s an epoch", ">= 3x the peer", peer=15.0), "missed"),
        (row(9.0, "s", ">= 0.5x the peer", peer=4.6), "met"),
        (row(9.3, "s", ">= 0.5x the peer", peer=4.6), "missed"),
        (row(75.0, "words/s", ">= 75% of the limit", limit=100.0), "met"),
        (row(74.9, "words/s", ">= 75% of the limit", limit=100.0), "missed"),
        (row(4.0, "s", ">= 50% of the limit", limit=2.0), "met"),
        (row(4.1, "s", ">= 50% of the limit", limit=2.0), "missed"),
        (row(5.0, "% of the step", "<= 5 %"), "met"),
        (row(5.1, "% of the step", "<= 5 %"), "missed"),
        (row(76.2, "%", ">= 76.1 %"), "met"),
        (row(5.0e6, "pairs/s", ">= 5,000,000 pairs/s"), "met"),
        (row(4.9e6, "pairs/s", ">= 5,000,000 pairs/s"), "missed"),
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
    assert row(2.0, "s", "").times_as_fast(6.0) == 3.0
    assert row(6.0, "words/s", "").times_as_fast(2.0) == 3.0
    assert row(6.0, "words/s", "").times_as_fast(None) is None


@pytest.mark.parametrize("goal", ["fast", "3x the peer", "> 3x the peer", ">= x", "<= 2x the peer", ">= 5 M pairs/s"])
def test_a_goal_that_cannot_be_read_is_refused(goal):
    with pytest.raises(ValueError, match="a path"):
        row(1.0, "s", goal)


def test_a_row_of_times_by_hand():
    times = {"ours": [1.0, 2.0, 4.0], "peer": [8.0, 8.0, 10.0], "limit": [1.0]}
    as_time = timed_row("a path", "s", times, peer="a peer", limit="a limit")
    assert (as_time.ours, as_time.peer, as_time.limit) == (2.0, 8.0, 1.0)
    assert (as_time.spread, as_time.peer_spread) == (0.75, 0.125)  # half of the range over the median
    as_speed = timed_row("a path", "words/s", times, work=100.0, peer="a peer", limit="computed", limit_value=60.0)
    assert (as_speed.ours, as_speed.peer, as_speed.limit) == (50.0, 12.5, 60.0)
    assert as_time.times_as_fast(as_time.peer) == as_speed.times_as_fast(as_speed.peer) == 4.0


def test_a_single_time_has_no_spread_and_what_is_not_named_is_left_out():
    made = timed_row("a path", "s", {"ours": [2.0], "peer": [4.0]})
    assert (made.ours, made.spread, made.peer, made.peer_spread, made.limit) == (2.0, None, None, None, None)
