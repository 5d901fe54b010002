"""Two models on the same test texts: their difference in accuracy, and how sure it is.

Method     a text counts for the difference only where one model is right and the other wrong: with b texts that the
           first alone has right and c that the second alone has, the difference is (b - c) / n with the variance
           (b + c - (b - c)^2 / n) / n^2 (McNemar's setting). Where the spread between seeds is known, twice its square
           is added: each model was run once.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

Z = 1.96
Verdict = Literal["holds", "reversed", "undecided"]


@dataclass(frozen=True)
class Difference:
    """Hold how many more texts the first model has right, as fractions of all: `low`, `high` enclose it with 95 %."""

    texts: int
    value: float
    low: float
    high: float

    @property
    def verdict(self) -> Verdict:
        """Return whether the first is ahead: "holds", "reversed" if it is behind, "undecided" if the interval holds
        zero.
        """
        if self.low > 0:
            return "holds"
        return "reversed" if self.high < 0 else "undecided"


def paired_difference(
    first: npt.NDArray[np.bool_], second: npt.NDArray[np.bool_], seed_deviation: float | None = None
) -> Difference:
    """Return the difference in accuracy of two models.

    Args:
        first, second: whether each answers a text rightly, bool (text,), in one order of the texts.
        seed_deviation: standard deviation of an accuracy from seed to seed, a fraction; None where unknown.
    """
    texts = len(first)
    alone, other = int((first & ~second).sum()), int((second & ~first).sum())
    value = (alone - other) / texts
    variance = (alone + other - (alone - other) ** 2 / texts) / texts**2 + 2 * (seed_deviation or 0.0) ** 2
    half = Z * variance**0.5
    return Difference(texts, value, value - half, value + half)


def together(differences: Sequence[Difference]) -> Difference:
    """Return the mean of independent differences, each weighing the same: one comparison over several corpora."""
    count = len(differences)
    value = sum(each.value for each in differences) / count
    half = sum((each.high - each.value) ** 2 for each in differences) ** 0.5 / count
    return Difference(sum(each.texts for each in differences), value, value - half, value + half)
