"""Word vectors in a folder: vectors.npy (float32, a row a word), words.txt (a word a line, same order), vectors.json.

A run reads them with numpy alone, and tells how much of its corpus they cover.
"""

from collections.abc import Container, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from retable.errors import InputError
from retable.files import read_json, sha256_of_file, write_json


@dataclass(frozen=True)
class WordVectors:
    """Words and their vectors, float32 (word, dim), with what is known of their origin."""

    words: list[str]
    matrix: np.ndarray
    facts: dict[str, Any]


@dataclass(frozen=True)
class Coverage:
    """Shares of a corpus that have a vector, in [0, 1]: of its distinct words, and of its tokens."""

    words: float
    tokens: float


NO_VECTORS = WordVectors([], np.zeros((0, 0), np.float32), {})


def write_vectors(folder: Path, name: str, vectors: WordVectors) -> None:
    """Write vectors.npy, words.txt and vectors.json into an existing folder."""
    assert len(vectors.words) == len(vectors.matrix)
    np.save(folder / "vectors.npy", vectors.matrix.astype(np.float32, copy=False))
    (folder / "words.txt").write_bytes("".join(f"{word}\n" for word in vectors.words).encode("utf-8"))
    files = {file: sha256_of_file(folder / file) for file in ("vectors.npy", "words.txt")}
    shape = {"words": len(vectors.words), "dim": vectors.matrix.shape[1]}
    write_json(folder / "vectors.json", {"name": name, **shape, **vectors.facts, "sha256": files})


def read_vectors(folder: Path) -> WordVectors:
    """Read what `write_vectors` wrote; the matrix stays on disk until its rows are used.

    Raises: InputError if a file is missing or the files do not belong together.
    """
    try:
        facts = read_json(folder / "vectors.json")
        words = (folder / "words.txt").read_bytes().decode("utf-8").split("\n")[:-1]  # a word may hold U+0085
        matrix = np.load(folder / "vectors.npy", mmap_mode="r")
    except FileNotFoundError as error:
        raise InputError(f"{error.filename} is missing; `dvc repro` makes it.") from None
    if matrix.shape != (len(words), facts["dim"]):
        raise InputError(f"{folder}: {len(words)} words and {matrix.shape} numbers; remove it and run `dvc repro`.")
    return WordVectors(words, matrix, facts)


def coverage(counts: Mapping[str, int], vocabulary: Container[str]) -> Coverage:
    """Return how much of a corpus has a vector.

    Args:
        counts: occurrences of every word of the corpus.
        vocabulary: the words that have a vector; a set, so that looking up is quick.
    """
    covered = [count for word, count in counts.items() if word in vocabulary]
    return Coverage(len(covered) / max(len(counts), 1), sum(covered) / max(sum(counts.values()), 1))
