"""Rank rows over several columns.

Source   Demšar (2006), "Statistical comparisons of classifiers over multiple data sets", section 3.2: Friedman's test
         over mean ranks, and Nemenyi's critical difference between two of them.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.stats import friedmanchisquare, rankdata, studentized_range

LEVEL = 0.05
ENDLESS = 1e6  # degrees of freedom of the studentized range if the variance is known


@dataclass(frozen=True)
class Ranks:
    """Hold mean ranks, 1 the best, (row,); the p-value of "no row differs"; and the smallest difference between two
    mean ranks that is significant at 5%.
    """

    mean: npt.NDArray[np.float64]
    p_of_no_difference: float
    critical: float


def rank_rows(scores: npt.NDArray[np.float64]) -> Ranks:
    """Rank rows in each column, giving ties equal ranks, and compare their mean ranks.

    Args:
        scores: (row, column), higher is better; at least three rows and two columns.
    Raises: ValueError if there are fewer.
    """
    rows, columns = scores.shape
    if rows < 3 or columns < 2:
        raise ValueError(f"{rows} rows and {columns} columns; ranks compare at least 3 rows over 2 columns")
    ranks = rankdata(-scores, axis=0)
    quantile = float(studentized_range.ppf(1 - LEVEL, rows, ENDLESS)) / 2**0.5
    critical = quantile * (rows * (rows + 1) / (6 * columns)) ** 0.5
    return Ranks(ranks.mean(axis=1), float(friedmanchisquare(*scores).pvalue), critical)
