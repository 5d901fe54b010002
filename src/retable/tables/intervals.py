"""Compute how far one more run may lie from ours, and what that says of a published number.

Source: docs/readings.md, "Intervals and verdicts".
"""

import math
from collections.abc import Sequence
from typing import Literal

from scipy.stats import t as student

CONFIDENCE = 0.95
NORMAL_QUANTILE = 1.959963984540054
Verdict = Literal["agrees", "higher", "lower", "uninformative", "not-run", ""]


def prediction_interval(
    scores: Sequence[float], texts: int, *, same_texts: bool, seed_deviation: float | None
) -> tuple[float, float]:
    """Return the 95% interval in which one more run under the same conditions falls.

    Args:
        scores: accuracies of our runs, fractions.
        texts: texts in our test split.
        same_texts: whether the paper's test texts are ours; if not, the sampling of test texts is added.
        seed_deviation: known standard deviation between seeds on this corpus, a fraction; used with one run.
    Returns: lower and upper end, fractions, within [0, 1].
    """
    runs = len(scores)
    mean = sum(scores) / runs
    sampling = mean * (1.0 - mean) / texts
    if runs == 1:
        variance = sampling + (seed_deviation or 0.0) ** 2 * 2.0
        half = NORMAL_QUANTILE * math.sqrt(variance)
    else:
        spread = math.sqrt(sum((score - mean) ** 2 for score in scores) / (runs - 1))
        quantile = float(student.ppf((1.0 + CONFIDENCE) / 2.0, runs - 1))
        of_runs = (quantile * spread) ** 2 * (1.0 / runs + 1.0)
        half = math.sqrt(of_runs + (0.0 if same_texts else NORMAL_QUANTILE**2 * sampling))
    return max(0.0, mean - half), min(1.0, mean + half)


def verdict(low: float, high: float, published: float, differences: float) -> Verdict:
    """Return what our interval says of the published number.

    Args:
        low, high: our interval; published: the printed number, in the same unit.
        differences: largest minus smallest printed number of the column: what the paper tells apart.
    Returns: "higher" or "lower" if ours is, beyond doubt; "agrees" if the number is inside; "uninformative" if it is
        inside only because the interval is wider than all of the paper's own differences.
    """
    if published < low:
        return "higher"
    if published > high:
        return "lower"
    return "uninformative" if high - low > differences else "agrees"
