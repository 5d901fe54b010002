"""Find the texts of one corpus that occur, exactly or nearly, in another, for all corpora in one pass.

Exact and near are defined in `leakage`.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

import numpy as np

from retable.text.leaks.leakage import NEAR, Fingerprints, Places, candidates


class Match(NamedTuple):
    """A text, and the most similar text in a group of another corpus.

    `text` and `other` are positions in the list of all texts, `group` is that of `other`; `similarity` is 1 if `exact`.
    """

    text: int
    group: int
    other: int
    similarity: float
    exact: bool


def matches(prints: Fingerprints, groups: Places, families: Sequence[int]) -> list[Match]:
    """Find, for every text and every group with a copy of it, the nearest copy there (ties go to the first).

    Args:
        groups: the group (corpus and split) of every text, int64 (text,).
        families: of every group; groups of one family (one corpus, or corpora of the same texts) are not compared.
    Returns: sorted by text, then by group.
    """
    family = np.asarray(families, dtype=np.int64)[groups]
    best: dict[tuple[int, int], Match] = {}
    for match in (*exact_matches(prints, groups, family), *near_matches(prints, groups, family)):
        known = best.setdefault((match.text, match.group), match)
        if not known.exact and (-match.similarity, match.other) < (-known.similarity, known.other):
            best[match.text, match.group] = match
    return [best[key] for key in sorted(best)]


def exact_matches(prints: Fingerprints, groups: Places, family: Places) -> Iterator[Match]:
    """Yield for every text its first exact copy in every group of another family."""
    copies: dict[str, list[int]] = {}
    for place, form in enumerate(prints.digests):
        copies.setdefault(form, []).append(place)
    for same in copies.values():
        first = {int(groups[place]): place for place in reversed(same)}
        if len(first) > 1:
            for text in same:
                for group, other in first.items():
                    if family[text] != family[other]:
                        yield Match(text, group, other, 1.0, exact=True)


def near_matches(prints: Fingerprints, groups: Places, family: Places) -> Iterator[Match]:
    """Yield both texts of every pair of near copies from different families that are not exact copies."""
    form = prints.first_equal()
    pairs: set[tuple[int, int]] = set()  # a pair is repeated for every band in which it agrees
    for lefts, rights in candidates(prints, family):
        differ = form[lefts] != form[rights]
        pairs.update(zip(lefts[differ].tolist(), rights[differ].tolist(), strict=True))
    for left, right in sorted(pairs):
        similarity = prints.similarity(left, right)
        if similarity >= NEAR:
            yield Match(left, int(groups[right]), right, similarity, exact=False)
            yield Match(right, int(groups[left]), left, similarity, exact=False)


def counts(found: Iterable[Match], groups: Places) -> dict[tuple[int, int], tuple[int, int]]:
    """Count, per group and other group, the texts with exact copies there, and those with only near ones."""
    table: dict[tuple[int, int], tuple[int, int]] = {}
    for match in found:
        key = int(groups[match.text]), match.group
        exact, near = table.get(key, (0, 0))
        table[key] = (exact + match.exact, near + (not match.exact))
    return table
