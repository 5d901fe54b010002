"""Draw splits and folds: stratified, and the same on every machine and with every version of every library.

Texts are ordered by SHA-256 over seed, purpose and id; no random generator is involved, nor Python's hash seed.
"""

import hashlib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TypeVar

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from retable.errors import InputError
from retable.text.splits import SPLITS

FOLDS = 10  # a test or dev split that we draw is a tenth
SEED = 1
TRAIN, DEV, TEST = range(len(SPLITS))
ALL = -1  # no split is published
TEXTS_AT_ONCE = 1 << 13

Label = TypeVar("Label", str, int)


def stratified_folds(
    ids: Iterable[str], labels: npt.ArrayLike, *, purpose: str, folds: int = FOLDS, seed: int = SEED
) -> npt.NDArray[np.int64]:
    """The fold of every text, int64 (text,): sorted by label, then by hash, texts are dealt out like cards.

    So the sizes of two folds differ by at most one, and so do their numbers of texts of any label.

    Args:
        ids, labels: one of each a text.
        purpose: what the folds are for ("test", "dev"), so that two draws of one corpus are independent.
        folds: how many.
        seed: another seed, another draw.
    """
    bits = bytearray()  # 16 bytes a text, not the 32 of an object that holds them
    for name in ids:
        bits += _digest(f"{seed}/{purpose}/{name}")[:16]
    high, low = np.frombuffer(bits, dtype=">u8").reshape(-1, 2).T
    rank = np.unique(np.asarray(labels), return_inverse=True)[1]
    fold = np.empty(len(rank), dtype=np.int64)
    fold[np.lexsort((low, high, rank))] = np.arange(len(rank)) % folds
    return fold


def draw_splits(
    ids: pa.StringArray,
    labels: npt.NDArray[np.int16],
    published: npt.NDArray[np.int8],
    *,
    test_texts: int | None = None,
    clusters: npt.NDArray[np.int64] | None = None,
) -> npt.NDArray[np.int8]:
    """The split of every text, int8 (text,), a place in `SPLITS`.

    Published splits stay; a missing test is drawn from all texts, a missing dev from training.

    Args:
        ids, labels, published: one of each a text; labels are numbered in the order of their names, the published
            split is `ALL` where there is none.
        test_texts: size of the test split that is drawn; None for a tenth (fold 0).
        clusters: of every text, where every cluster must come whole into one split.
    Raises: InputError if no cluster is small enough for a split that is drawn.
    """
    splits = np.where(published == ALL, TRAIN, published).astype(np.int8)
    for split, texts in ((TEST, test_texts), (DEV, None)):
        if not (splits == split).any():
            train = np.flatnonzero(splits == TRAIN)
            among = None if clusters is None else clusters[train]
            held = hold_out(ids.take(train), labels[train], purpose=SPLITS[split], texts=texts, clusters=among)
            splits[train[held]] = split
    return splits


def hold_out(
    ids: pa.StringArray,
    labels: npt.NDArray[np.int16],
    *,
    purpose: str,
    texts: int | None = None,
    clusters: npt.NDArray[np.int64] | None = None,
) -> npt.NDArray[np.bool_]:
    """Which texts are held out, bool (text,).

    A tenth is fold 0 of the stratified folds. A number of texts, or whole clusters, are drawn by `stratified_clusters`.

    Raises: InputError if no cluster fits in: a split without a text would give scores of nothing.
    """
    if texts is None and clusters is None:
        return stratified_folds(strings(ids), labels, purpose=purpose) == 0
    of = range(len(ids)) if clusters is None else clusters.tolist()
    wanted = -(-len(ids) // FOLDS) if texts is None else texts
    held = stratified_clusters(list(strings(ids)), labels.tolist(), of, purpose=purpose, texts=wanted)
    if len(ids) and not held.any():
        corpus = ids[0].as_py().partition("/")[0]
        raise InputError(
            f"{corpus} gets no {purpose} split: no cluster of near duplicates fits into {wanted:,} of its "
            f"{len(ids):,} texts (clusters: {len(set(of)):,}); declare it without `grouped`."
        )
    return held


def strings(array: pa.StringArray) -> Iterator[str]:
    """The strings of an array, a few of them as objects at a time."""
    for start in range(0, len(array), TEXTS_AT_ONCE):
        yield from array[start : start + TEXTS_AT_ONCE].to_pylist()


def stratified_clusters(
    ids: Sequence[str], labels: Sequence[Label], clusters: Sequence[int], *, purpose: str, texts: int, seed: int = SEED
) -> npt.NDArray[np.bool_]:
    """True on the texts that are drawn, bool (text,): whole clusters, so many texts in all, every label its share.

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


def largest_remainders(counts: Mapping[Label, int], texts: int) -> Counter[Label]:
    """Share out `texts` in proportion to `counts`: rounded down, the rest by largest remainder, then by name."""
    total = sum(counts.values())
    shares = Counter({label: count * texts // total for label, count in counts.items()})
    by_remainder = sorted(counts, key=lambda label: (-(counts[label] * texts % total), label))
    shares.update(by_remainder[: texts - shares.total()])
    return shares


def _digest(text: str) -> bytes:
    return hashlib.sha256(text.encode("utf-8")).digest()
