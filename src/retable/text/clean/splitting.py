"""Draw splits and folds: stratified, and identical on every machine and with every version of every library.

Texts are ordered by SHA-256 of seed, purpose and id, without a random generator or Python's hash seed.
"""

import hashlib
from collections import Counter
from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt

from retable.declaration import Example
from retable.errors import InputError
from retable.text.splits import SPLITS

FOLDS = 10  # a drawn test or dev split is a tenth
SEED = 1
TRAIN, DEV, TEST = range(len(SPLITS))


def stratified_folds(
    ids: Sequence[str], labels: Sequence[str], *, purpose: str, folds: int = FOLDS, seed: int = SEED
) -> npt.NDArray[np.int64]:
    """Return the fold of every text, int64 (text,): sorted by label, then by hash, texts are dealt out like cards.

    So two folds differ by at most one in size, and by at most one in their number of texts of any label.

    Args:
        ids, labels: one of each per text.
        purpose: the purpose of the folds ("test", "dev"), so that two draws of one corpus are independent.
        folds: number of folds.
        seed: another seed gives another draw.
    """
    order = sorted(range(len(ids)), key=lambda text: (labels[text], digest_of(f"{seed}/{purpose}/{ids[text]}")))
    fold = np.empty(len(ids), dtype=np.int64)
    fold[order] = np.arange(len(ids)) % folds
    return fold


def draw_splits(
    examples: Sequence[Example], *, test_texts: int | None = None, clusters: npt.NDArray[np.int64] | None = None
) -> npt.NDArray[np.int64]:
    """Return the split of every labelled text, int64 (text,), as an index into `SPLITS`.

    Published splits are kept; a missing test is drawn from all texts, a missing dev from training.

    Args:
        test_texts: size of the drawn test split; None for a tenth (fold 0).
        clusters: of every text, if every cluster must stay within one split.
    Raises: InputError if no cluster is small enough for a drawn split.
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

    A tenth is fold 0 of the stratified folds. A given number of texts, or whole clusters, uses `stratified_clusters`.

    Raises: InputError if no cluster fits: a split without texts has no meaningful scores.
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
            f"{corpus} has no {purpose} split: no cluster of near duplicates fits into {wanted:,} of its "
            f"{len(ids):,} texts (clusters: {len(set(of)):,}); "
            "remove near duplicates, or declare it without `grouped`."
        )
    return held


def stratified_clusters(
    ids: Sequence[str], labels: Sequence[str], clusters: Sequence[int], *, purpose: str, texts: int, seed: int = SEED
) -> npt.NDArray[np.bool_]:
    """Return which texts are drawn, bool (text,): whole clusters, `texts` in all, with labels in proportion.

    Clusters are visited in the order of the hashes of their first texts. One is taken if it fits: if no label gets more
    texts than its share (by largest remainder). So single texts fill the gaps that larger clusters leave; if there are
    too few of them, the draw is slightly smaller.

    Args:
        ids, labels, clusters: one of each per text.
        purpose, seed: as for `stratified_folds`.
        texts: number of texts to draw.
    """
    share = largest_remainders(Counter(labels), texts)
    members: dict[int, list[int]] = {}
    for text, cluster in enumerate(clusters):
        members.setdefault(cluster, []).append(text)
    drawn = np.zeros(len(ids), dtype=np.bool_)
    for group in sorted(members.values(), key=lambda texts: digest_of(f"{seed}/{purpose}/{ids[texts[0]]}")):
        needed = Counter(labels[text] for text in group)
        if all(share[label] >= count for label, count in needed.items()):
            share.subtract(needed)
            drawn[group] = True
    return drawn


def largest_remainders(counts: Mapping[str, int], texts: int) -> Counter[str]:
    """Divide `texts` in proportion to `counts`: rounded down, the rest by largest remainder, then by name."""
    total = sum(counts.values())
    shares = Counter({label: count * texts // total for label, count in counts.items()})
    by_remainder = sorted(counts, key=lambda label: (-(counts[label] * texts % total), label))
    shares.update(by_remainder[: texts - shares.total()])
    return shares


def digest_of(text: str) -> bytes:
    """Return the SHA-256 of a text, which orders texts at random and alike everywhere."""
    return hashlib.sha256(text.encode("utf-8")).digest()
