"""Word vectors in a folder: vectors.npy (float32, one row per word), words.txt (same order), vectors.json.

A run reads them with numpy only, and reports how much of its corpus they cover.
"""

from collections.abc import Container, Mapping
from dataclasses import dataclass
from pathlib import Path
from tokenize import TokenError
from typing import Any

import numpy as np

from retable.errors import InputError, shortened
from retable.files import AGAIN, read_json, sha256_of_file, write_json
from retable.forms import ANY_TEXT, COUNT, DIGEST, OneOf, Section, Text, check

BLOCK_ROWS = 65_536  # rows of a matrix checked at a time
FACTS = Section(  # of vectors.json, which also says how the vectors were made
    {"name": Text(), "words": COUNT, "dim": COUNT, "sha256": Section({"vectors.npy": DIGEST, "words.txt": DIGEST})},
    {"digest": DIGEST, "unit": OneOf(("words", "characters")), "language": ANY_TEXT, "lowercase": OneOf((True, False))},
)


@dataclass(frozen=True)
class WordVectors:
    """Words and their vectors, float32 (word, dim), with their provenance."""

    words: list[str]
    matrix: np.ndarray
    facts: dict[str, Any]


@dataclass(frozen=True)
class Coverage:
    """Shares of a corpus covered by vectors, in [0, 1]: of its distinct words, and of its tokens."""

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

    Raises: InputError if a file is missing, differs from the one written, or is invalid for word vectors.
    """
    try:
        facts = read_json(folder / "vectors.json")
        check(facts, FACTS, str(folder / "vectors.json"), AGAIN)
        for name in ("vectors.npy", "words.txt"):
            if sha256_of_file(folder / name) != facts["sha256"][name]:
                raise InputError(
                    f"{folder / name} is not the file named in vectors.json: its SHA-256 differs; {AGAIN}."
                )
        words, matrix = _read_words(folder / "words.txt"), _read_matrix(folder / "vectors.npy")
    except FileNotFoundError as error:
        raise InputError(f"{error.filename} is missing; `dvc repro` makes it.") from None
    except IsADirectoryError as error:
        raise InputError(f"{error.filename} is a folder; {AGAIN}.") from None
    if matrix.shape != (len(words), facts["dim"]) or facts["words"] != len(words):
        raise InputError(
            f"{folder}: words.txt has {len(words)} words, vectors.npy the shape {matrix.shape}, but vectors.json says "
            f"words {facts['words']} and dim {facts['dim']}; {AGAIN}."
        )
    for start in range(0, len(words), BLOCK_ROWS):
        finite = np.isfinite(matrix[start : start + BLOCK_ROWS]).all(axis=1)
        if not finite.all():
            row = start + int(np.argmin(finite))
            raise InputError(f"{folder}/vectors.npy, row {row + 1} ({words[row]}) is not finite; {AGAIN}.")
    return WordVectors(words, matrix, facts)


def _read_words(path: Path) -> list[str]:
    """Read words without repeats. Raises: InputError."""
    try:
        text = path.read_bytes().decode("utf-8")
    except UnicodeDecodeError as error:
        raise InputError(f"{path} is not UTF-8 ({error.reason} at byte {error.start}); {AGAIN}.") from None
    words = text.split("\n")  # a word may contain U+0085
    if words.pop():
        raise InputError(f"{path} is cut off: its last line has no line break; {AGAIN}.")
    if "" in words:
        raise InputError(f"{path}, line {words.index('') + 1} is empty; {AGAIN}.")
    if len(set(words)) < len(words):
        seen = set[str]()
        word = next(each for each in words if each in seen or seen.add(each))  # type: ignore[func-returns-value]
        raise InputError(f"{path} has the word {word!r} twice; {AGAIN}.")
    return words


def _read_matrix(path: Path) -> np.ndarray:
    """Open a float32 matrix, one row per word, without reading it. Raises: InputError."""
    if path.is_dir():
        raise InputError(f"{path} is a folder; {AGAIN}.")
    try:
        matrix: np.ndarray = np.load(path, mmap_mode="r", allow_pickle=False)
    except (ValueError, EOFError, OverflowError, TypeError, SyntaxError, TokenError) as error:  # its head is Python
        raise InputError(f"{path} is not an array of numbers ({shortened(str(error))}); {AGAIN}.") from None
    if matrix.dtype != np.float32 or matrix.ndim != 2:
        raise InputError(
            f"{path} contains {matrix.dtype} in the shape {matrix.shape}; allowed: float32 (word, number); {AGAIN}."
        )
    return matrix


def coverage(counts: Mapping[str, int], vocabulary: Container[str]) -> Coverage:
    """Return the share of a corpus that has a vector.

    Args:
        counts: occurrences of every word of the corpus.
        vocabulary: the words that have a vector; a set, for fast lookup.
    """
    covered = [count for word, count in counts.items() if word in vocabulary]
    return Coverage(len(covered) / max(len(counts), 1), sum(covered) / max(sum(counts.values()), 1))
