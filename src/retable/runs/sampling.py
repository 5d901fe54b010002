"""How a score would vary between sets of test texts."""

import numpy as np


def sampling_of_f1(classes: np.ndarray, probabilities: np.ndarray, *, times: int = 2000) -> float:
    """Return the variance of macro F1 between sets of test texts of this size.

    Simulated: pairs of class and answer are drawn with their observed frequencies, from a fixed seed.

    Args:
        classes: the true class of each text, int64 (text,).
        probabilities: float (text, class).
        times: number of simulated sets.
    """
    count = probabilities.shape[1]
    pairs = np.bincount(classes * count + probabilities.argmax(axis=1), minlength=count**2)
    drawn = np.random.default_rng(1).multinomial(len(classes), pairs / len(classes), size=times)
    tables = drawn.reshape(times, count, count)  # (set, true class, answer)
    right = np.einsum("tii->ti", tables)
    sums = tables.sum(axis=2) + tables.sum(axis=1)
    return float((2 * right / np.maximum(sums, 1)).mean(axis=1).var())


def sampling_of_correlation(value: float, texts: int) -> float:
    """Return the variance of a correlation between sets of test texts of this size (normal pairs, to first order)."""
    return (1 - value**2) ** 2 / max(texts - 1, 1)
