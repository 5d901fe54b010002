import math

import numpy as np
import pytest

from retable.papers.paper import Column, ResultTable, Row
from retable.tables.cell_intervals import spread_of_cell
from retable.tables.intervals import (
    NO_SPREAD,
    Spread,
    interval_of_mean,
    pooled_spread,
    prediction_interval,
    spread_of,
    spread_of_few,
    verdict,
)
from retable.tables.run_result import RunResult

OF_TEXTS = 0.8 * 0.2 / 400


@pytest.mark.parametrize(
    ("scores", "spread", "sampling", "half"),
    [
        ([0.79, 0.80, 0.81], Spread(0.01**2, 2), 0.0, 4.30265 * 0.01 * math.sqrt(1 / 3 + 1)),  # t(0.975, 2) = 4.30265
        ([0.8], Spread(0.01**2, 10), 0.0, 2.228139 * 0.01 * math.sqrt(2)),  # a spread from other rows
        ([0.8], NO_SPREAD, 0.0, 0.0),
        ([0.8], NO_SPREAD, OF_TEXTS, 1.959964 * math.sqrt(2 * OF_TEXTS)),  # their test texts, and ours
        ([0.8], Spread(0.01**2, math.inf), OF_TEXTS, 1.959964 * math.sqrt(2 * 0.01**2 + 2 * OF_TEXTS)),
    ],
)
def test_intervals_by_hand(scores, spread, sampling, half):
    low, high = prediction_interval(scores, spread, sampling)
    assert (low, high) == pytest.approx((0.8 - half, 0.8 + half), abs=1e-6)


def test_the_interval_ends_at_one():
    assert prediction_interval([0.999], Spread(0.05**2, 3))[1] == 1.0


def test_the_interval_of_a_correlation_may_lie_below_0():
    spread = Spread(1e-4, 2)
    low, high = prediction_interval([-0.10, -0.11, -0.12], spread, least=-1.0)
    assert (low + high) / 2 == pytest.approx(-0.11)
    assert prediction_interval([-0.99], Spread(1.0, 2), least=-1.0)[0] == -1.0


def test_a_spread_needs_two_runs_and_a_pooled_one_three_rows_with_a_degree_of_freedom_each():
    assert spread_of([0.8], 400) is None
    assert spread_of([0.79, 0.81], 400) == Spread(pytest.approx(0.0002), 1)
    rows = [[0.79, 0.81], [0.7], [0.50, 0.52, 0.54]]
    assert pooled_spread([], 400) is None
    assert pooled_spread([[0.8], [0.7]], 400) is None
    assert pooled_spread(rows, 400) is None
    pooled = pooled_spread([*rows, [0.60, 0.64]], 400)
    assert pooled == Spread(pytest.approx((0.0002 + 2 * 0.0004 + 0.0008) / 4), 3)


@pytest.mark.parametrize(
    ("scores", "others", "expected"),
    [
        ([0.80], 3, "column"),
        ([0.80, 0.82], 3, "column"),
        ([0.80, 0.82], 1, "own"),  # fewer than three rows with several runs
        ([0.80, 0.82, 0.81], 3, "own"),
        ([0.80], 2, "none"),
    ],
)
def test_a_row_of_one_or_two_runs_has_the_spread_of_its_column(scores, others, expected):
    column, rows = Column("a", "A", "a", split="paper"), [Row(name, name, "textcnn") for name in "nopq"]
    table = ResultTable("t", "T", None, "accuracy", "%", tuple(rows), (column,))
    of_others = {row.id: [0.7, 0.9] for row in rows[1 : others + 1]}
    runs = {
        (row, "a"): [RunResult(value, None, 1000, "", None, 8, True) for value in values]
        for row, values in {"n": scores, **of_others}.items()
    }
    spreads = {
        "own": spread_of(scores, 1000),
        "column": pooled_spread([scores, *of_others.values()], 1000),
        "none": None,
    }
    assert spread_of_cell(table, rows[0], column, runs) == spreads[expected]


def test_two_runs_too_far_apart_for_the_others_have_their_own_spread():
    others = [[0.79, 0.80], [0.80, 0.81], [0.78, 0.79]]
    assert spread_of_few([0.84, 0.50], others, 1000) == spread_of([0.84, 0.50], 1000)  # one training failed
    assert spread_of_few([0.84, 0.82], others, 1000) == pooled_spread(others, 1000)


@pytest.mark.parametrize("runs", [2, 3, 5])
@pytest.mark.parametrize("rows", [3, 12])
@pytest.mark.parametrize("own", [1, 2])
def test_the_interval_of_one_or_two_runs_holds_in_91_to_98_of_100_cases_where_networks_spread_unlike(rows, runs, own):
    """The logarithms of the spreads have a standard deviation of 0.5, which is about the bank's."""
    draw = np.random.default_rng(1)
    held = 0
    for _ in range(4_000):
        *of_others, of_its_own = 0.006 * np.exp(draw.normal(0, 0.5, rows + 1))
        others = [draw.normal(0.8, spread, runs).tolist() for spread in of_others]
        *mine, another = draw.normal(0.8, of_its_own, own + 1).tolist()
        low, high = prediction_interval(mine, spread_of_few(mine, [*others, mine], 10_000))
        held += low <= another <= high
    assert 0.91 <= held / 4_000 <= 0.98


@pytest.mark.parametrize(
    ("runs", "texts", "same"), [(3, 10_000, True), (5, 400, False), (2, 400, False)], ids=["same", "other", "two runs"]
)
def test_the_interval_covers_one_more_run_in_95_of_100_cases(runs, texts, same):
    draw = np.random.default_rng(0)
    inside = 0
    for _ in range(4_000):
        levels = draw.normal(0.8, 0.01, runs + 1)
        ours, theirs = (0.0, 0.0) if same else draw.normal(0, math.sqrt(0.8 * 0.2 / texts), 2)  # of each set of texts
        scores = (levels[:-1] + ours).tolist()
        low, high = prediction_interval(scores, spread_of(scores, texts), 0.0 if same else 0.8 * 0.2 / texts)
        inside += low <= levels[-1] + theirs <= high
    assert 0.935 <= inside / 4_000 <= 0.98


def test_equal_scores_get_the_spread_of_scores_of_which_one_is_a_text_off():
    least = spread_of([0.8, 0.8, 0.8 + 1 / 400], 400)
    assert spread_of([0.8, 0.8, 0.8], 400) == Spread(pytest.approx(least.variance), 2)
    low, high = prediction_interval([0.8] * 3, spread_of([0.8] * 3, 400))
    assert (high - low) * 400 / 2 == pytest.approx(4.30265 * math.sqrt((1 / 3 + 1) / 3))  # 2.9 texts on each side


@pytest.mark.parametrize("runs", [2, 3, 5, 8])
@pytest.mark.parametrize("spread", [0.1, 0.3, 0.5, 1.0])  # in texts
def test_the_interval_covers_one_more_run_where_runs_are_often_equal(runs, spread):
    draw, texts, times = np.random.default_rng(runs), 500, 4_000
    inside = 0
    for _ in range(times):
        right = np.round(draw.uniform(399, 401) + draw.normal(0, spread, runs + 1)).astype(int)
        scores = (right[:-1] / texts).tolist()
        low, high = prediction_interval(scores, spread_of(scores, texts))
        inside += low <= right[-1] / texts <= high
    assert inside / times >= 0.935


def test_the_interval_of_a_mean_of_two_columns_by_hand():
    # Variance (1e-4 + 1e-4 / 3) / 4 with 32 / 19 degrees of freedom (Satterthwaite); t(0.975, 32 / 19) = 5.1762
    low, high = interval_of_mean([0.8, 0.7], [Spread(1e-4, 1), Spread(1e-4 / 3, 2)])
    assert (low, high) == pytest.approx(
        (0.75 - 5.1762 * math.sqrt(1e-4 / 3), 0.75 + 5.1762 * math.sqrt(1e-4 / 3)), abs=1e-5
    )
    assert interval_of_mean([0.8, 0.7], [NO_SPREAD, NO_SPREAD]) == pytest.approx((0.75, 0.75))
    assert interval_of_mean([1.0, 0.999], [NO_SPREAD, Spread(1e-4, 4)])[1] == 1.0


@pytest.mark.parametrize(
    "columns",
    [
        (
            (5, 0.006),
            (10, 0.033),
            (5, 0.005),
        ),  # runs and their standard deviation: SST-2, tweets in ten folds, AG's News
        ((3, 0.01), (3, 0.01)),
        ((3, 0.02), (3, 0.002), (5, 0.0)),
    ],
)
def test_the_interval_of_a_mean_covers_the_true_one_in_95_of_100_cases(columns):
    draw, times = np.random.default_rng(0), 4_000
    inside = 0
    for _ in range(times):
        scores = [draw.normal(0.8, deviation, runs) for runs, deviation in columns]
        errors = [Spread(float(each.var(ddof=1)) / len(each), len(each) - 1) for each in scores]
        low, high = interval_of_mean([float(each.mean()) for each in scores], errors)
        inside += low <= 0.8 <= high
    assert 0.935 <= inside / times <= 0.985


@pytest.mark.parametrize(
    ("published", "differences", "expected"),
    [
        (79.0, 5.0, "higher"), (85.0, 5.0, "lower"), (82.0, 5.0, "agrees"), (82.0, 1.0, "uninformative"),
        (79.0, 1.0, "higher"),
    ],
)  # fmt: skip
def test_verdicts(published, differences, expected):
    assert verdict(80.0, 84.0, published, differences) == expected
