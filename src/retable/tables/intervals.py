"""Compute how far one more run may lie from ours, and what that says of a published number.

Source: docs/protocol.md, rule 5.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import fmean, variance
from typing import Literal

from retable.tables.comparison import Part, around

CONFIDENCE = 0.95
Verdict = Literal["agrees", "higher", "lower", "uninformative", "cut", "one-run", "not-run", ""]


@dataclass(frozen=True)
class Spread:
    """Hold the variance of a score (a fraction) from run to run, and the degrees of freedom that it rests on."""

    variance: float
    freedom: float


NO_SPREAD = Spread(0.0, float("inf"))  # of a model whose seed changes nothing


def spread_of(scores: Sequence[float], texts: float) -> Spread | None:
    """Return the spread of a row's scores; None of a single one.

    A score moves by whole texts, so equal ones do not show that the next is equal too: before 19 of them it is not with
    95%. They get the least spread that so many scores can have which are not all equal, one of them a text off.

    Args:
        texts: that each score is of.
    """
    runs = len(scores)
    return Spread(max(variance(scores), 1 / (runs * texts**2)), runs - 1) if runs > 1 else None


def pooled_spread(rows: Iterable[Sequence[float]], texts: float) -> Spread | None:
    """Return the spread that the scores of several rows have in common; None where no row has two."""
    spreads = [spread for scores in rows if (spread := spread_of(scores, texts))]
    freedom = sum(spread.freedom for spread in spreads)
    return Spread(sum(spread.variance * spread.freedom for spread in spreads) / freedom, freedom) if spreads else None


def prediction_interval(scores: Sequence[float], spread: Spread, sampling: float = 0.0) -> tuple[float, float]:
    """Return the 95% interval in which one more run falls.

    Args:
        scores: of our runs, fractions.
        spread: from run to run.
        sampling: variance of a score from one set of test texts to another; 0 where the paper's are ours.
    Returns: lower and upper end, fractions, within [0, 1].
    """
    runs = spread.variance * (1 + 1 / len(scores))
    parts = [Part(runs, runs, spread.freedom), Part(2 * sampling, 2 * sampling, float("inf"))]  # ours, and theirs
    low, high = around(fmean(scores), parts, CONFIDENCE)
    return max(0.0, low), min(1.0, high)


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
