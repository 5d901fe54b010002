"""Draw splits and folds: stratified, and the same on every machine and with every version of every library.

Texts are ordered by SHA-256 over seed, purpose and id; no random generator is involved, nor Python's hash seed.
"""

import hashlib
from collections import Counter
from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt

from retable.declaration import Example
from retable.errors import InputError
from retable.text.splits import SPLITS

FOLDS = 10  # a test or dev split that we draw is a tenth
SEED = 1
TRAIN, DEV, TEST = range(len(SPLITS))


def stratified_folds(
    ids: Sequence[str], labels: Sequence[str], *, purpose: str, folds: int = FOLDS, seed: int = SEED
) -> npt.NDArray[np.int64]:
    """Return the fold of every text, int64 (text,): sorted by label, then by hash, texts are dealt out like cards.

    So the sizes of two folds differ by at most one, and so do their numbers of texts of any label.

    Args:
        ids, labels: one of each a text.
        purpose: what the folds are for ("test", "dev"), so that two draws of one corpus are independent.
        folds: how many.
        seed: another seed, another draw.
    """
    order = sorted(range(len(ids)), key=lambda text: (labels[text], _digest(f"{seed}/{purpose}/{ids[text]}")))
    fold = np.empty(len(ids), dtype=np.int64)
    fold[order] = np.arange(len(ids)) % folds
    return fold


def draw_splits(
    examples: Sequence[Example], *, test_texts: int | None = None, clusters: npt.NDArray[np.int64] | None = None
) -> npt.NDArray[np.int64]:
    """Return the split of every labelled text, int64 (text,), a place in `SPLITS`.

    Published splits stay; a missing test is drawn from all texts, a missing dev from training.

    Args:
        test_texts: size of the test split that is drawn; None for a tenth (fold 0).
        clusters: of every text, where every cluster must come whole into one split.
    Raises: InputError if no cluster is small enough for a split that is drawn.
    """
    splits = np.array([TRAIN if text.split == "all" else SPLITS.index(text.split) for text in examples], dtype=np.int64)
    for split, texts in ((TEST, test_texts), (DEV, None)):
        if not (splits == split).any():
            train = np.flatnonzero(splits == TRAIN)
            among = None if clusters is None else clusters[train].tolist()
            held = hold_out(
                [examples[place] for place in train.tolist()], purpose=SPLITS[split], texts=texts, clusters=among
            )
            splits[train[held]] = split
    return splits


def hold_out(
    examples: Sequence[Example], *, purpose: str, texts: int | None = None, clusters: Sequence[int] | None = None
) -> npt.NDArray[np.bool_]:
    """Return which texts are held out, bool (text,).

    A tenth is fold 0 of the stratified folds. A number of texts, or whole clusters, are drawn by `stratified_clusters`.

    Raises: InputError if no cluster fits in: a split without a text would give scores of nothing.
    """
    ids, labels = [example.id for example in examples], [example.label for example in examples]
    if texts is None and clusters is None:
        return stratified_folds(ids, labels, purpose=purpose) == 0
    of = range(len(ids)) if clusters is None else clusters
    wanted = -(-len(ids) // FOLDS) if texts is None else texts
    held = stratified_clusters(ids, labels, of, purpose=purpose, texts=wanted)
    if ids and not held.any():
        corpus = ids[0].partition("/")[0]
        raise InputError(
            f"{corpus} gets no {purpose} split: no cluster of near duplicates fits into {wanted:,} of its "
            f"{len(ids):,} texts (clusters: {len(set(of)):,}); "
            "take texts out that nearly repeat others, or declare it without `grouped`."
        )
    return held


def stratified_clusters(
    ids: Sequence[str], labels: Sequence[str], clusters: Sequence[int], *, purpose: str, texts: int, seed: int = SEED
) -> npt.NDArray[np.bool_]:
    """Return which texts are drawn, bool (text,): whole clusters, so many texts in all, every label its share.

    Clusters come in the order of the hashes of their first texts. One is taken if it still fits: if no label gets
    more texts than its share (by largest remainder). So single texts fill up what larger clusters leave; where there
    are too few of them, the draw stays a little smaller.

    Args:
        ids, labels, clusters: one of each a text.
        purpose, seed: as for `stratified_folds`.
        texts: how many.
    """
    share = largest_remainders(Counter(labels), texts)
    members: dict[int, list[int]] = {}
    for text, cluster in enumerate(clusters):
        members.setdefault(cluster, []).append(text)
    drawn = np.zeros(len(ids), dtype=np.bool_)
    for group in sorted(members.values(), key=lambda texts: _digest(f"{seed}/{purpose}/{ids[texts[0]]}")):
        needed = Counter(labels[text] for text in group)
        if all(share[label] >= count for label, count in needed.items()):
            share.subtract(needed)
            drawn[group] = True
    return drawn


def largest_remainders(counts: Mapping[str, int], texts: int) -> Counter[str]:
    """Share out `texts` in proportion to `counts`: rounded down, the rest by largest remainder, then by name."""
    total = sum(counts.values())
    shares = Counter({label: count * texts // total for label, count in counts.items()})
    by_remainder = sorted(counts, key=lambda label: (-(counts[label] * texts % total), label))
    shares.update(by_remainder[: texts - shares.total()])
    return shares


def _digest(text: str) -> bytes:
    return hashlib.sha256(text.encode("utf-8")).digest()
