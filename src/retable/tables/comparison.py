"""Compare two rows on the same test texts, each over several runs: the difference, its uncertainty, and the verdict.

Source: docs/protocol.md, rule 1. Answers are 1 if a run is right and 0 if it is wrong. A variance is a sum of parts,
each with its degrees of freedom. The quantile of a comparison is the mean of the parts' quantiles of Student's t,
weighted by their variances (Cochran and Cox, Experimental Designs, 1957, section 4.14): with Satterthwaite's degrees of
freedom up to 8 of 100 equal rows were decided where a few runs that spread widely stand beside many texts. A prediction
interval, whose tails the texts fill less, keeps Satterthwaite's (1946).
"""

import gc
import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal

import numpy as np
import numpy.typing as npt
from scipy.optimize import brentq
from scipy.special import stdtrit

LEVEL = 0.05
POWER = 0.8
LEAST = 1e-30  # a smaller probability is this one
MANY_TEXTS = 2000
MARGINS = (0.01, 0.005)  # within which two rows are equal: below MANY_TEXTS test texts, and from there on
FEWEST_RUNS = 3  # per seed-dependent row: with two, up to 9 of 100 equal rows are decided against a linear one
FEWEST_UNITS = 5  # folds or corpora, when the variance comes from their differences alone
Verdict = Literal["ahead", "behind", "equal", "undecided"]
Answers = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Part:
    """Hold a part of a variance: its value, and the variance estimate and degrees of freedom behind it."""

    value: float
    estimate: float
    freedom: float


@dataclass(frozen=True)
class Comparison:
    """Hold how far the first row is ahead of the second, as a fraction of the texts.

    `runs` counts each row's runs, summed over folds or corpora. `parts` make up the variance of `value`;
    `of_theirs` that of the difference that a paper prints: another pair of rows around it, with one run each.
    """

    texts: int
    runs: tuple[int, int]
    value: float
    parts: tuple[Part, ...]
    of_theirs: tuple[Part, ...] = field(default=())

    @cached_property
    def error(self) -> float:
        """Return the standard error of the difference."""
        return total(self.parts) ** 0.5

    def interval(self, confidence: float = 1 - LEVEL) -> tuple[float, float]:
        """Return the confidence interval of the difference."""
        half = quantile((1 + confidence) / 2, self.parts) * self.error
        return self.value - half, self.value + half

    @property
    def p_of_no_difference(self) -> float:
        """Return the two-sided p-value of "the rows do not differ"."""
        if not self.error:
            return float(self.value == 0)
        return 2 * tail(abs(self.value) / self.error, self.parts)

    @property
    def p_of_no_equality(self) -> float:
        """Return the p-value of "the rows differ by the margin or more": the larger of two one-sided tests.

        The variance of one more differing text is added, because a few texts that agree throughout prove nothing.
        """
        return self._beyond(-abs(self.value))

    def _beyond(self, value: float) -> float:
        """Return the p-value of "the difference is minus the margin or less", if `value` was found."""
        margin = MARGINS[self.texts >= MANY_TEXTS]
        error = (total(self.parts) + 1 / self.texts**2) ** 0.5
        return tail((margin + value) / error, self.parts)

    @property
    def p_of_behind(self) -> float:
        """Return the one-sided p-value of "the first row is behind by the margin or more" (non-inferiority).

        The variance has the part for one more differing text here too.
        """
        return self._beyond(self.value)

    @property
    def detectable(self) -> float:
        """Return the difference that would be decided in about 80 of 100 repetitions, if its error is well known."""
        if not self.error:
            return 0.0
        return (quantile(1 - LEVEL / 2, self.parts) + quantile(POWER, self.parts)) * self.error

    @property
    def verdict(self) -> Verdict:
        """Return the verdict of the two tests, regardless of other comparisons."""
        return verdict(self.value, self.p_of_no_difference, self.p_of_no_equality)

    @property
    def expected(self) -> tuple[float, float]:
        """Return the 95% prediction interval of the difference that a paper would find if its rows equalled ours."""
        return around(self.value, self.of_theirs, 1 - LEVEL)


def compare(
    first: Answers,
    second: Answers,
    *,
    seedless: tuple[bool, bool] = (False, False),
    copies: npt.NDArray[np.int64] | None = None,
    same_texts: bool = True,
) -> Comparison:
    """Compare two rows whose runs all answer the same texts.

    Args:
        first, second: correct answers of each row, (run, text).
        seedless: whether each row's model does not depend on a seed, so that one run is enough.
        copies: the number of each text's cluster of near copies, (text,); None if there are none.
        same_texts: whether these are the paper's test texts.
    Raises: ValueError if a row that depends on its seed has only one run.
    """
    means = first.mean(axis=0) - second.mean(axis=0)
    clusters = np.arange(len(means)) if copies is None else np.unique(copies, return_inverse=True)[1]
    value, of_texts = float(means.mean()), spread_of_mean(means, clusters)
    texts = Part(of_texts, of_texts, float(clusters.max()))
    parts, theirs = [texts], [] if same_texts else [Part(2 * of_texts, 2 * of_texts, texts.freedom)]
    for right, fixed in zip((first, second), seedless, strict=True):
        if not fixed:
            part, variance = of_runs(right, clusters)
            parts.append(part)
            ours = part.estimate if same_texts else part.value
            theirs.append(Part(ours + variance, part.estimate + variance, part.freedom))
    return Comparison(len(means), (len(first), len(second)), value, tuple(parts), tuple(theirs))


def compare_units(
    first: Answers, second: Answers, texts: int, *, shared: float = 0.0, same_split: bool = True
) -> Comparison:
    """Compare two rows by their differences in units with their own texts and runs: folds, or corpora.

    Folds share training texts, so their differences are not independent. Their mean has the variance of Nadeau and
    Bengio, "Inference for the Generalization Error", Machine Learning 52 (2003): that of a fold times 1 / folds + test
    texts / training texts. The paper's texts are the same ones, so `of_theirs` does without the second term.

    Args:
        first, second: accuracies of each row, (run, unit).
        texts: number of texts in all units.
        shared: test texts / training texts of a fold, if the units are folds of one corpus; 0 if they share no texts.
        same_split: whether the paper's number is a mean over the same units; if not, it is one fold of its own.
    Raises: ValueError for fewer than five units.
    """
    units = first.mean(axis=0) - second.mean(axis=0)
    count = len(units)
    if count < FEWEST_UNITS:
        raise ValueError(f"{count} folds or corpora; allowed: {FEWEST_UNITS} or more")
    # Equal differences in all units do not prove certainty: add at least one more text, as for equality.
    variance = max(float(units.var(ddof=1)) / count, 1 / texts**2)
    of_one_run = sum(  # how much less a mean over runs varies than a single run
        float(rows.var(axis=0, ddof=1).mean()) * (1 - 1 / len(rows)) / count
        for rows in (first, second)
        if len(rows) > 1
    )
    theirs = variance + (1 if same_split else count) * (variance + of_one_run)
    ours = variance * (1 + count * shared)
    runs = len(first) * count, len(second) * count
    parts = (Part(ours, ours, count - 1),)
    return Comparison(texts, runs, float(units.mean()), parts, (Part(theirs, theirs, count - 1),))


def spread_of_mean(values: Answers, clusters: npt.NDArray[np.int64]) -> float:
    """Return the variance of the mean of values (text,), treating each cluster as one unit."""
    sums = np.bincount(clusters, values - values.mean())
    if len(sums) < 2:
        raise ValueError("one text, or near copies of one; allowed: 2 or more")
    return float((sums**2).sum() / len(values) ** 2 * len(sums) / (len(sums) - 1))


def of_runs(right: Answers, clusters: npt.NDArray[np.int64]) -> tuple[Part, float]:
    """Return the runs' part of the variance of a row's accuracy, and the variance of its accuracy between runs.

    The interaction of texts and runs is subtracted from the variance over runs, because the variance over texts
    includes it. The part is never negative.
    """
    count = len(right)
    if count < 2:
        raise ValueError("one run of a row whose seed matters says nothing about its spread; allowed: 2 or more")
    accuracies = right.mean(axis=1)
    rest = right - right.mean(axis=0) - (accuracies - accuracies.mean())[:, None]
    together = sum(spread_of_mean(each, clusters) for each in rest) / (count * (count - 1))
    variance = float(accuracies.var(ddof=1))
    return Part(max(variance / count - together, 0.0), variance / count, count - 1), variance


def total(parts: Sequence[Part]) -> float:
    """Return the sum of the variance parts."""
    return sum(part.value for part in parts)


def quantile(probability: float, parts: Sequence[Part]) -> float:
    """Return the quantile of a difference in standard errors; the normal one if no part varies."""
    varying = [part for part in parts if part.value] or [Part(1.0, 1.0, float("inf"))]
    return sum(part.value * float(stdtrit(part.freedom, probability)) for part in varying) / total(varying)


def tail(errors: float, parts: Sequence[Part]) -> float:
    """Return the probability of a difference above this many standard errors, the inverse of `quantile`."""
    if errors < 0:
        return 1 - tail(-errors, parts)

    def beyond(log: float) -> float:
        return quantile(math.exp(log), parts) + errors

    least, most = math.log(LEAST), math.log(0.5)
    return LEAST if beyond(least) > 0 else math.exp(brentq(beyond, least, most))


def freedom(parts: Sequence[Part]) -> float:
    """Return Satterthwaite's degrees of freedom of a sum of parts; infinite if none varies."""
    uncertain = sum(part.estimate**2 / part.freedom for part in parts if part.value)
    return total(parts) ** 2 / uncertain if uncertain else float("inf")


def around(value: float, parts: Sequence[Part], confidence: float) -> tuple[float, float]:
    """Return the interval around a value."""
    variance = total(parts)
    half = float(stdtrit(freedom(parts), (1 + confidence) / 2)) * variance**0.5 if variance else 0.0
    return value - half, value + half


def verdict(value: float, no_difference: float, no_equality: float) -> Verdict:
    """Return the verdict from the two p-values of a difference."""
    if no_difference < LEVEL:
        return "ahead" if value > 0 else "behind"
    return "equal" if no_equality < LEVEL else "undecided"


def holm_adjusted(p_values: Sequence[float]) -> list[float]:
    """Return the p-values of one family of tests, adjusted by Holm (1979)."""
    if not p_values:
        return []
    from statsmodels.stats.multitest import multipletests  # here, because `retable fit` compares without it

    gc.freeze()  # multipletests collects garbage at every call: half a second over the objects of all pages
    try:
        return [float(p) for p in multipletests(p_values, method="holm")[1]]
    finally:
        gc.unfreeze()


def holm(comparisons: Sequence[Comparison]) -> list[Verdict]:
    """Return the verdicts of one family of comparisons, each test's p-values adjusted by Holm (1979)."""
    differ = holm_adjusted([each.p_of_no_difference for each in comparisons])
    equal = holm_adjusted([each.p_of_no_equality for each in comparisons])
    adjusted = [verdict(each.value, *ps) for each, *ps in zip(comparisons, differ, equal, strict=True)]
    # A difference that is no longer significant is not evidence of equality.
    return [
        "undecided" if now == "equal" and each.verdict != "equal" else now
        for each, now in zip(comparisons, adjusted, strict=True)
    ]
