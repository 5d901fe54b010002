"""Which texts of one corpus occur, exactly or nearly, in another: all corpora against each other in one pass.

Exact and near are those of `leakage`.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from retable.text.leaks.leakage import NEAR, Fingerprints, Places, candidates, jaccard


class Match(NamedTuple):
    """A text, and the text of a group of another corpus that is most like it.

    `text` and `other` are places in the list of all texts, `group` is that of `other`; `similarity` is 1 where `exact`.
    """

    text: int
    group: int
    other: int
    similarity: float
    exact: bool


def matches(
    prints: Fingerprints, groups: Places, families: Sequence[int], on_pairs: Callable[[int], None] = lambda pairs: None
) -> list[Match]:
    """For every text and every group that holds a copy of it: the nearest copy there (the first of equally near ones).

    Args:
        groups: the group (corpus and split) of every text, int64 (text,).
        families: of every group; groups of one family (one corpus, or corpora of the same texts) are not compared.
        on_pairs: told how many candidates each block brought.
    Returns: sorted by text, then by group.
    """
    family = np.asarray(families, dtype=np.int64)[groups]
    best = exact_matches(prints.digests, groups, family)
    for left, right in near_candidates(prints, family, on_pairs):
        similarity = jaccard(prints.grams[left], prints.grams[right])
        if similarity < NEAR:
            continue
        for text, other in ((left, right), (right, left)):
            found = Match(text, int(groups[other]), other, similarity, exact=False)
            known = best.get((text, found.group))
            if known is None or (not known.exact and (-similarity, other) < (-known.similarity, known.other)):
                best[text, found.group] = found
    return [best[key] for key in sorted(best)]


def exact_matches(digests: Sequence[str], groups: Places, family: Places) -> dict[tuple[int, int], Match]:
    """(text, group of another family) -> its first exact copy there."""
    places: dict[str, list[int]] = {}
    for place, form in enumerate(digests):
        places.setdefault(form, []).append(place)
    found: dict[tuple[int, int], Match] = {}
    for same in places.values():
        if len(set(family[same].tolist())) > 1:
            first = {group: place for place, group in reversed([(place, int(groups[place])) for place in same])}
            for text in same:
                for group, other in first.items():
                    if family[text] != family[other]:
                        found[text, group] = Match(text, group, other, 1.0, exact=True)
    return found


def near_candidates(prints: Fingerprints, family: Places, on_pairs: Callable[[int], None]) -> Iterable[tuple[int, int]]:
    """Every pair of texts of different families that may be near copies and are no exact ones, once."""
    count = len(prints)
    forms = np.unique(prints.digests, return_inverse=True)[1] if count else np.empty(0, dtype=np.int64)
    pairs: npt.NDArray[np.int64] = np.empty(0, dtype=np.int64)
    for left, right in candidates(prints, family):
        other = forms[left] != forms[right]
        pairs = np.union1d(pairs, left[other] * count + right[other])
        on_pairs(len(left))
    return zip((pairs // max(count, 1)).tolist(), (pairs % max(count, 1)).tolist(), strict=True)


def counts(found: Iterable[Match], groups: Places) -> dict[tuple[int, int], tuple[int, int]]:
    """(group of the texts, other group) -> how many of its texts occur there exactly, and how many only nearly."""
    table: dict[tuple[int, int], tuple[int, int]] = {}
    for match in found:
        key = int(groups[match.text]), match.group
        exact, near = table.get(key, (0, 0))
        table[key] = (exact + match.exact, near + (not match.exact))
    return table
