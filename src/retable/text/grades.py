"""Grades: consecutive whole numbers as labels, for texts whose score lies between them (SICK's relatedness).

Source     Tai, Socher and Manning, "Improved Semantic Representations From Tree-Structured Long Short-Term Memory
           Networks", ACL 2015, section 4.2: a network learns a distribution over the grades whose mean is the score
           (3.6 is 0.4 of grade 3 and 0.6 of grade 4), by the divergence from it; its answer is the mean of its own.
Departure  cross-entropy in place of the divergence: they differ by a constant.
Scores     here count from 0 at the first grade; no correlation or error depends on it.
"""

import re
from collections.abc import Sequence

import numpy as np

CORRELATIONS = ("pearson", "spearman")  # scores from -1 to 1
NUMBER = re.compile(r"\d+(\.\d+)?", re.ASCII)


def is_score(label: str, grades: Sequence[str]) -> bool:
    """Return whether a label is a number from the first to the last grade."""
    return bool(NUMBER.fullmatch(label)) and int(grades[0]) <= float(label) <= int(grades[-1])


def targets_of(scores: np.ndarray, grades: int) -> np.ndarray:
    """Return the distribution over the grades whose mean is the score, float32 (text, grade).

    Args:
        scores: from 0 to grades - 1, float (text,).
    """
    return np.maximum(0.0, 1.0 - np.abs(scores[:, None] - np.arange(grades))).astype(np.float32)


def means_of(distributions: np.ndarray) -> np.ndarray:
    """Return the mean grade of each distribution over the grades, float64 (text,)."""
    found: np.ndarray = distributions.astype(np.float64) @ np.arange(distributions.shape[1])
    return found


def agreement(answers: np.ndarray, scores: np.ndarray) -> dict[str, float]:
    """Return the correlations of answers with the true scores and their error: pearson, spearman, mse.

    Args:
        answers, scores: float (text,). Where one of them never varies, both correlations are 0.
    """
    from scipy.stats import pearsonr, spearmanr  # not at the top: it takes a second, and splits import this module

    varies = min(np.ptp(answers), np.ptp(scores)) > 0
    return {
        "pearson": float(pearsonr(answers, scores).statistic) if varies else 0.0,
        "spearman": float(spearmanr(answers, scores).statistic) if varies else 0.0,
        "mse": float(np.mean((answers - scores) ** 2)),
    }
