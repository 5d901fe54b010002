"""Bound the search for near copies where too many pairs of unrelated texts look alike at first sight.

Texts of few different words share character 5-grams by chance, so nearly every pair would be compared: 20,000 texts of
41 words took a minute, 100,000 would take half an hour. Equal letters and digits are still found.
"""

from dataclasses import replace

import numpy as np

from retable.text.leaks.clusters import near_duplicate_clusters
from retable.text.leaks.leakage import Fingerprints, candidates

SAMPLED = 2_000  # texts
MOST_COMPARED = 2_000_000  # pairs of unrelated texts; about five minutes


def bounded(prints: Fingerprints) -> tuple[Fingerprints, bool]:
    """Return fingerprints without those of near copies if their search would take too long, and whether it does."""
    if unrelated_pairs(prints) <= MOST_COMPARED:
        return prints, False
    return replace(prints, long=np.empty(0, np.int64)), True


def unrelated_pairs(prints: Fingerprints) -> float:
    """Return about how many pairs of texts the search would compare that are no near copies, from a sample."""
    if len(prints) <= SAMPLED:
        return 0.0
    sample = np.arange(0, len(prints), len(prints) // SAMPLED)
    of_sample = prints.take(sample)
    compared: set[tuple[int, int]] = set()
    for lefts, rights in candidates(of_sample, near_duplicate_clusters(of_sample)):
        compared.update(zip(lefts.tolist(), rights.tolist(), strict=True))  # a pair is repeated for every band
    return len(compared) * (len(prints) / len(sample)) ** 2
