"""Compare two rows on the same test texts, each over several runs: the difference, how sure it is, and what follows.

Source: docs/protocol.md, rule 1. Answers are 1 where a run is right and 0 where it is wrong. A variance is a sum of
parts, each with its degrees of freedom; those of the sum are Satterthwaite's (1946).
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Literal

import numpy as np
import numpy.typing as npt
from scipy.stats import t as student

LEVEL = 0.05
POWER = 0.8
MANY_TEXTS = 2000
MARGINS = (0.01, 0.005)  # within which two rows are equal: on fewer than so many test texts, and on more
FEWEST_RUNS = 3  # of a row that depends on its seed: with two, 8 of 100 equal rows are decided beside a linear one
FEWEST_UNITS = 5  # folds or corpora, whose differences alone give the variance
Verdict = Literal["ahead", "behind", "equal", "undecided"]
Answers = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Part:
    """Hold a part of a variance: its value, and the variance estimate and degrees of freedom that it rests on."""

    value: float
    estimate: float
    freedom: float


@dataclass(frozen=True)
class Comparison:
    """Hold how far the first row is ahead of the second, as a fraction of the texts.

    `runs` are those of each row, of folds or corpora all that answer a text. `parts` make up the variance of `value`;
    `of_theirs` that of another pair of rows around it, of one run each: what a paper prints. `folds` are the test folds
    of one corpus that are its units; 0 where units share no training texts.
    """

    texts: int
    runs: tuple[int, int]
    value: float
    parts: tuple[Part, ...]
    of_theirs: tuple[Part, ...] = field(default=())
    folds: int = 0

    @cached_property
    def error(self) -> float:
        """Return the standard error of the difference."""
        return total(self.parts) ** 0.5

    def interval(self, confidence: float = 1 - LEVEL) -> tuple[float, float]:
        """Return the confidence interval of the difference."""
        return around(self.value, self.parts, confidence)

    @property
    def p_of_no_difference(self) -> float:
        """Return the two-sided p-value of "the rows do not differ"."""
        if not self.error:
            return float(self.value == 0)
        return float(2 * student.sf(abs(self.value) / self.error, freedom(self.parts)))

    @property
    def p_of_no_equality(self) -> float:
        """Return the p-value of "the rows differ by the margin or more": the larger of two one-sided tests.

        One more text on which the rows differ is added to the variance: a few that agree throughout show nothing.
        """
        margin = MARGINS[self.texts >= MANY_TEXTS]
        error = (total(self.parts) + 1 / self.texts**2) ** 0.5
        return float(student.sf((margin - abs(self.value)) / error, freedom(self.parts)))

    @property
    def detectable(self) -> float:
        """Return the difference that would be decided in 80 of 100 repetitions."""
        if not self.error:
            return 0.0
        quantiles = student.ppf([1 - LEVEL / 2, POWER], freedom(self.parts))
        return float(quantiles.sum()) * self.error

    @property
    def verdict(self) -> Verdict:
        """Return what the two tests say of these rows, regardless of other comparisons."""
        return verdict(self.value, self.p_of_no_difference, self.p_of_no_equality)

    @property
    def verdict_if_corrected(self) -> Verdict:
        """Return the verdict with the variance that Nadeau and Bengio ("Inference for the Generalization Error", 2003)
        give means of folds, which share training texts: that of a fold times 1 / folds + test texts / training texts.
        """
        if not self.folds:
            return self.verdict
        factor = 1 + self.folds / (self.folds - 1)
        parts = tuple(Part(factor * part.value, factor * part.estimate, part.freedom) for part in self.parts)
        return replace(self, parts=parts).verdict

    @property
    def expected(self) -> tuple[float, float]:
        """Return the 95% prediction interval of the difference that a paper finds, if its rows are ours."""
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
        first, second: right answers of each, (run, text).
        seedless: whether each row is a model whose seed changes nothing, so that one run is all.
        copies: of each text the number of its cluster of near copies, (text,); None if no two are.
        same_texts: whether the paper's test texts are these.
    Raises: ValueError if a row that depends on its seed has one run.
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


def compare_units(first: Answers, second: Answers, texts: int, *, folds: bool = False) -> Comparison:
    """Compare two rows by their differences in units that have texts and runs of their own: folds, or corpora.

    Args:
        first, second: accuracies of each row, (run, unit).
        texts: of all units.
        folds: whether the units are folds of one corpus, each trained on the others.
    Raises: ValueError for fewer than five units.
    """
    units = first.mean(axis=0) - second.mean(axis=0)
    count = len(units)
    if count < FEWEST_UNITS:
        raise ValueError(f"{count} folds or corpora; allowed: {FEWEST_UNITS} or more")
    # Units that differ by the same do not make it certain: one more text at least, as for equality.
    variance = max(float(units.var(ddof=1)) / count, 1 / texts**2)
    of_one_run = sum(  # what a mean over runs has less of than a single one
        float(rows.var(axis=0, ddof=1).mean()) * (1 - 1 / len(rows)) / count
        for rows in (first, second)
        if len(rows) > 1
    )
    theirs = 2 * variance + of_one_run
    runs = len(first) * count, len(second) * count
    parts = (Part(variance, variance, count - 1),)
    of_theirs = (Part(theirs, theirs, count - 1),)
    return Comparison(texts, runs, float(units.mean()), parts, of_theirs, folds=count if folds else 0)


def spread_of_mean(values: Answers, clusters: npt.NDArray[np.int64]) -> float:
    """Return the variance of the mean of values (text,), those of a cluster taken together."""
    sums = np.bincount(clusters, values - values.mean())
    if len(sums) < 2:
        raise ValueError("one text, or near copies of one; allowed: 2 or more")
    return float((sums**2).sum() / len(values) ** 2 * len(sums) / (len(sums) - 1))


def of_runs(right: Answers, clusters: npt.NDArray[np.int64]) -> tuple[Part, float]:
    """Return the runs' part of the variance of a row's accuracy, and the variance of its accuracy from run to run.

    Of the variance over runs, what texts and runs have together (their interaction) is left out: the variance over
    texts holds it. The part is never negative.
    """
    count = len(right)
    if count < 2:
        raise ValueError("one run of a row whose seed matters says nothing of its spread; allowed: 2 or more")
    accuracies = right.mean(axis=1)
    rest = right - right.mean(axis=0) - (accuracies - accuracies.mean())[:, None]
    together = sum(spread_of_mean(each, clusters) for each in rest) / (count * (count - 1))
    variance = float(accuracies.var(ddof=1))
    return Part(max(variance / count - together, 0.0), variance / count, count - 1), variance


def total(parts: Sequence[Part]) -> float:
    """Return the variance that the parts make up."""
    return sum(part.value for part in parts)


def freedom(parts: Sequence[Part]) -> float:
    """Return Satterthwaite's degrees of freedom of a sum of parts: infinite where none varies."""
    uncertain = sum(part.estimate**2 / part.freedom for part in parts if part.value)
    return total(parts) ** 2 / uncertain if uncertain else float("inf")


def around(value: float, parts: Sequence[Part], confidence: float) -> tuple[float, float]:
    """Return the interval around a value."""
    variance = total(parts)
    half = float(student.ppf((1 + confidence) / 2, freedom(parts))) * variance**0.5 if variance else 0.0
    return value - half, value + half


def verdict(value: float, no_difference: float, no_equality: float) -> Verdict:
    """Return what two p-values say of a difference."""
    if no_difference < LEVEL:
        return "ahead" if value > 0 else "behind"
    return "equal" if no_equality < LEVEL else "undecided"


def holm(comparisons: Sequence[Comparison]) -> list[Verdict]:
    """Return the verdicts of one family of comparisons, each test's p-values adjusted by Holm (1979)."""
    if not comparisons:
        return []
    from statsmodels.stats.multitest import multipletests  # now, as `retable fit` compares without it

    differ = multipletests([each.p_of_no_difference for each in comparisons], method="holm")[1]
    equal = multipletests([each.p_of_no_equality for each in comparisons], method="holm")[1]
    adjusted = [verdict(each.value, *ps) for each, *ps in zip(comparisons, differ, equal, strict=True)]
    # A difference that is not beyond doubt any more makes no equality.
    return [
        "undecided" if now == "equal" and each.verdict != "equal" else now
        for each, now in zip(comparisons, adjusted, strict=True)
    ]
