"""Near-duplicate clusters of a corpus, and what leaks from one of its splits into another, from a `FingerprintStore`.

The same as `clusters.near_duplicate_clusters` and, for every pair of splits, `leakage.leaks` on texts in memory; but
texts of one normalised form are one here, and all pairs of splits are looked at together.
"""

from collections.abc import Sequence
from itertools import combinations

import numpy as np
import numpy.typing as npt

from retable.text.leaks.clusters import merge_near
from retable.text.leaks.fingerprint_store import FingerprintStore, distinct_forms
from retable.text.leaks.leakage import NEAR, Leaks, Places, candidates, first_equal, jaccard

Bits = npt.NDArray[np.uint8]  # of splits: 1 << place of the split


def clusters_of(store: FingerprintStore, texts: Places) -> Places:
    """The near-duplicate cluster of some of the texts, int64 (text,): the lowest place of one of them in it."""
    firsts, form_of = distinct_forms(store.forms, texts)
    clusters = first_equal(store.exact[firsts])
    merge_near(store.compared(firsts), clusters)
    lowest = np.searchsorted(texts, firsts)
    return lowest[clusters[form_of]]


def leaks_between(
    store: FingerprintStore, split_of: npt.NDArray[np.int8], splits: Sequence[str]
) -> dict[tuple[str, str], Leaks]:
    """Per pair of splits (known, asked), known the earlier one: which texts of `asked` occur in `known`.

    Args:
        split_of: the split of every text, a place in `splits`, int8 (text,).
    """
    own = np.left_shift(1, split_of).astype(np.uint8)
    exact = _shared(first_equal(store.exact), own)
    firsts, form_of = distinct_forms(store.forms)
    near = near_splits(store, firsts, _shared(firsts[form_of], own)[firsts], exact[firsts])[form_of]
    found = {}
    for known, asked in combinations(range(len(splits)), 2):
        rows = np.flatnonzero(split_of == asked)
        is_exact = exact[rows] >> known & 1 == 1
        found[splits[known], splits[asked]] = Leaks(is_exact, (near[rows] >> known & 1 == 1) & ~is_exact)
    return found


def near_splits(store: FingerprintStore, firsts: Places, own: Bits, exact: Bits) -> Bits:
    """For every form: the splits, earlier than one of its own and without an exact copy, that hold a near copy.

    Args:
        firsts: the first text of every form.
        own: the splits in which the form stands.
        exact: the splits in which an exact copy of it stands, its own among them.
    """
    prints = store.compared(firsts)
    earlier = (1 << np.maximum(np.log2(np.maximum(own, 1)).astype(np.int64), 0)).astype(np.uint8) - np.uint8(1)
    near = np.zeros(len(firsts), dtype=np.uint8)
    several = own & (own - np.uint8(1)) != 0  # in more than one split: compared with every other form
    groups = np.where(several, 256 + np.arange(len(firsts)), own)
    for lefts, rights in candidates(prints, groups):
        wanted = (own[rights] & earlier[lefts] & ~(near | exact)[lefts]) | (
            own[lefts] & earlier[rights] & ~(near | exact)[rights]
        )
        chosen = wanted != 0
        for left, right in zip(lefts[chosen].tolist(), rights[chosen].tolist(), strict=True):
            news = own[right] & earlier[left] & ~near[left] | own[left] & earlier[right] & ~near[right]
            if news and jaccard(prints.grams[left], prints.grams[right]) >= NEAR:
                near[left] |= own[right]
                near[right] |= own[left]
    return near


def _shared(first: Places, own: Bits) -> Bits:
    """For every text, the splits of all texts that have the same first one."""
    together = np.zeros(len(own), dtype=np.uint8)
    np.bitwise_or.at(together, first, own)
    return together[first]
