"""Compute how far one more run may lie from ours, and the resulting verdict on a published number.

Source: docs/protocol.md, rule 5.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import fmean, variance

from retable.tables.comparison import Part, around
from retable.tables.lines import Verdict

CONFIDENCE = 0.95
ROWS_AT_LEAST = 3  # with several runs, before their spread says something about another row


@dataclass(frozen=True)
class Spread:
    """Hold the variance of a score (a fraction) between runs, and the degrees of freedom behind it."""

    variance: float
    freedom: float


NO_SPREAD = Spread(0.0, float("inf"))  # of a model that does not depend on a seed


def spread_of(scores: Sequence[float], texts: float) -> Spread | None:
    """Return the spread of a row's scores; None for a single score.

    A score moves in steps of one text, so equal scores do not imply that the next is equal: that takes 19 for 95%.
    Equal scores get the smallest spread that as many unequal ones can have, with one of them off by a text.

    Args:
        texts: number of texts behind each score.
    """
    runs = len(scores)
    return Spread(max(variance(scores), 1 / (runs * texts**2)), runs - 1) if runs > 1 else None


def pooled_spread(rows: Iterable[Sequence[float]], texts: float) -> Spread | None:
    """Return the pooled spread of the scores of several rows, for another row; None if fewer than three have two.

    Networks do not spread alike, so each row is one observation of how much another may spread: a degree of freedom for
    each row, not for each run. The rule is rough; docs/protocol.md, rule 5, says how often such intervals hold.
    """
    spreads = [spread for scores in rows if (spread := spread_of(scores, texts))]
    if len(spreads) < ROWS_AT_LEAST:
        return None
    freedom = sum(spread.freedom for spread in spreads)
    return Spread(sum(spread.variance * spread.freedom for spread in spreads) / freedom, len(spreads))


def spread_of_few(scores: Sequence[float], column: Iterable[Sequence[float]], texts: float) -> Spread | None:
    """Return the spread for a row of one or two runs: the pooled one of its column's rows.

    Two runs keep their own if there is no pooled one, or one of them lies outside the interval that it gives: where a
    training fails now and then, runs are not as close as the neighbours'. None for one run without a pooled spread.

    Args:
        scores: of the row; column: of all rows that say how networks spread.
    """
    own, pooled = spread_of(scores, texts), pooled_spread(column, texts)
    if own and pooled:
        low, high = prediction_interval(scores, pooled, least=-1.0)
        return pooled if low <= min(scores) and max(scores) <= high else own
    return pooled or own


def prediction_interval(
    scores: Sequence[float], spread: Spread, sampling: float = 0.0, *, least: float = 0.0
) -> tuple[float, float]:
    """Return the 95% interval for the score of one more run.

    Args:
        scores: of our runs, fractions.
        spread: spread between runs.
        sampling: variance of a score between sets of test texts; 0 if the paper's texts are ours.
        least: the lowest possible score, -1 for a correlation.
    Returns: lower and upper end, fractions, within [least, 1].
    """
    runs = spread.variance * (1 + 1 / len(scores))
    parts = [Part(runs, runs, spread.freedom), Part(2 * sampling, 2 * sampling, float("inf"))]  # ours, and the paper's
    low, high = around(fmean(scores), parts, CONFIDENCE)
    return max(least, low), min(1.0, high)


def interval_of_mean(means: Sequence[float], errors: Sequence[Spread]) -> tuple[float, float]:
    """Return the 95% interval of the mean of several columns.

    Args:
        means: the mean of our runs on each column, fractions.
        errors: the variance of each of these means, with its degrees of freedom.
    Returns: lower and upper end, fractions, within [0, 1].
    """
    shares = [(each.variance / len(means) ** 2, each.freedom) for each in errors]
    low, high = around(fmean(means), [Part(share, share, freedom) for share, freedom in shares], CONFIDENCE)
    return max(0.0, low), min(1.0, high)


def verdict(low: float, high: float, published: float, differences: float) -> Verdict:
    """Return the verdict of our interval on the published number.

    Args:
        low, high: our interval; published: the printed number, in the same unit.
        differences: largest minus smallest printed number of the column, the range that the paper distinguishes.
    Returns: "higher" or "lower" if ours is significantly so; "agrees" if the number is inside; "uninformative" if it
        is inside only because the interval is wider than the paper's own range.
    """
    if published < low:
        return "higher"
    if published > high:
        return "lower"
    return "uninformative" if high - low > differences else "agrees"
