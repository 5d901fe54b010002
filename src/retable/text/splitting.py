"""Draw splits and folds: stratified, and the same on every machine and with every version of every library.

Texts are ordered by SHA-256 over seed, purpose and id; no random generator is involved, nor Python's hash seed.
"""

import hashlib
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from retable.corpora.declaration import Example

FOLDS = 10  # a test or dev split that we draw is a tenth
SEED = 1


def stratified_folds(
    ids: Sequence[str], labels: Sequence[str], *, purpose: str, folds: int = FOLDS, seed: int = SEED
) -> npt.NDArray[np.int64]:
    """The fold of every text, int64 (text,): sorted by label, then by hash, texts are dealt out like cards.

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


def draw_splits(examples: Sequence[Example]) -> dict[str, list[Example]]:
    """Train, dev and test: published splits stay; a missing test is fold 0 of all texts, a missing dev of training."""
    splits: dict[str, list[Example]] = {"train": [], "dev": [], "test": []}
    for example in examples:
        splits["train" if example.split == "all" else example.split].append(example)
    for split in ("test", "dev"):
        if not splits[split]:
            splits["train"], splits[split] = hold_out(splits["train"], purpose=split)
    return splits


def hold_out(examples: Sequence[Example], *, purpose: str) -> tuple[list[Example], list[Example]]:
    """What stays and fold 0, both in the order of `examples`."""
    ids, labels = [example.id for example in examples], [example.label for example in examples]
    held = stratified_folds(ids, labels, purpose=purpose) == 0
    return (
        [example for example, out in zip(examples, held, strict=True) if not out],
        [example for example, out in zip(examples, held, strict=True) if out],
    )


def _digest(text: str) -> bytes:
    return hashlib.sha256(text.encode("utf-8")).digest()
