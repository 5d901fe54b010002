"""Texts in which an analogy is planted: man1 is to woman1 as man2 to woman2."""

import random
from itertools import permutations
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from retable.vectors.store import WordVectors

PAIRS = [(f"man{number}", f"woman{number}") for number in range(8)]
TEXTS = 8_000
GLOVE = {
    "size": 8, "epochs": 100, "window": 5, "min_count": 2, "x_max": 100.0, "exponent": 0.75, "learning_rate": 0.05,
    "lowercase": True, "seed": 1,
}  # fmt: skip
WORD2VEC = {
    "size": 16, "epochs": 4, "window": 3, "min_count": 2, "negative": 5, "sample": 0.01, "algorithm": "skip-gram",
    "lowercase": True, "seed": 1,
}  # fmt: skip


class Planted(NamedTuple):
    """Hold a pool and analogy questions whose answers occur in it."""

    texts: Path
    questions: list[tuple[str, ...]]


def written(path: Path, lists: list[list[str]]) -> Path:
    """Write a pool of these texts."""
    pq.write_table(pa.table({"tokens": pa.array(lists, pa.list_(pa.string()))}), path)
    return path


def answered(vectors: WordVectors, questions: list[tuple[str, ...]]) -> float:
    """Return the share of "a is to b as c to d" whose d is nearest to b - a + c by cosine, with a, b, c excluded."""
    unit = vectors.matrix / np.linalg.norm(vectors.matrix, axis=1, keepdims=True)
    rows = np.array([[vectors.words.index(word) for word in question] for question in questions])
    a, b, c, d = rows.T
    cosines = (unit[b] - unit[a] + unit[c]) @ unit.T
    np.put_along_axis(cosines, rows[:, :3], -np.inf, axis=1)
    return float((cosines.argmax(axis=1) == d).mean())


@pytest.fixture(scope="session")
def planted(tmp_path_factory: pytest.TempPathFactory) -> Planted:
    """Plant analogies: a person occurs among words of a trade and a sex, mostly the person's own; no count is zero."""
    draw = random.Random(1)

    def mostly(own: int, others: int) -> int:
        return own if draw.random() < 0.7 else draw.randrange(others)

    texts = []
    for _ in range(TEXTS):
        sex, trade = draw.randrange(2), draw.randrange(len(PAIRS))
        trades = [f"{word}{mostly(trade, len(PAIRS))}" for word in ("trade", "tool")]
        near = [*trades, ("he", "she")[mostly(sex, 2)], ("his", "her")[mostly(sex, 2)]]
        draw.shuffle(near)
        texts.append([*near[:2], PAIRS[trade][sex], *near[2:]])
    file = written(tmp_path_factory.mktemp("planted") / "texts.parquet", texts)
    return Planted(file, [(*first, *second) for first, second in permutations(PAIRS, 2)])
