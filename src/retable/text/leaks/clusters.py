"""Cluster the texts of one corpus that are (near) copies of each other.

Two texts are in one cluster if a chain of exact or near copies (`leakage`) links them. So all near copies of a text are
in its cluster, except for pairs that the bands of `leakage` miss (1.5 % of those at 0.4).
"""

from collections.abc import Sequence

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from retable.text.leaks.leakage import NEAR, Fingerprints, Places, candidates


def near_duplicate_clusters(prints: Fingerprints) -> Places:
    """Return the cluster of every text, int64 (text,): the lowest position of its texts.

    A pair is only checked while its texts are in different clusters, so thousands of notices from one template (r8)
    cost little more than comparing each with one other.
    """
    clusters = prints.first_equal()
    members: dict[int, list[int]] = {}  # clusters of several texts
    for place in np.flatnonzero(clusters != np.arange(len(clusters))).tolist():
        members.setdefault(int(clusters[place]), [int(clusters[place])]).append(place)
    refused: set[tuple[int, int]] = set()
    for lefts, rights in candidates(prints, clusters):
        apart = clusters[lefts] != clusters[rights]
        for left, right in zip(lefts[apart].tolist(), rights[apart].tolist(), strict=True):
            low, high = sorted((int(clusters[left]), int(clusters[right])))
            if low == high or (left, right) in refused:
                continue
            if prints.similarity(left, right) >= NEAR:
                moved = members.pop(high, [high])
                clusters[moved] = low
                members.setdefault(low, [low]).extend(moved)
            else:
                refused.add((left, right))
    return clusters


def with_groups(clusters: Places, groups: Places) -> Places:
    """Return the cluster of every text where texts of one group, such as the candidates of one question, belong
    together as near copies do, int64 (text,): the lowest position of its texts.

    Args:
        groups: the number of each text's group, int64 (text,).
    """
    links = np.stack([clusters, len(clusters) + groups])  # one per text, from its cluster to its group
    nodes = len(clusters) + int(groups.max(initial=-1)) + 1
    _, part = connected_components(coo_array((np.ones(len(groups)), links), shape=(nodes, nodes)), directed=False)
    _, first, of_text = np.unique(part[clusters], return_index=True, return_inverse=True)
    return first[of_text]


def copied(clusters: Places, ids: Sequence[str]) -> list[list[str]]:
    """Return the ids of each cluster of two or more texts, in the order of the texts."""
    members: dict[int, list[str]] = {}
    for text, cluster in zip(ids, clusters.tolist(), strict=True):
        members.setdefault(cluster, []).append(text)
    return [texts for texts in members.values() if len(texts) > 1]


def repeated(clusters: Places) -> dict[str, int]:
    """Count the texts in clusters of two or more, these clusters, and the texts of the largest."""
    sizes = np.unique(clusters, return_counts=True)[1]
    many = sizes[sizes > 1]
    return {"texts": int(many.sum()), "clusters": len(many), "largest": int(sizes.max(initial=0))}
