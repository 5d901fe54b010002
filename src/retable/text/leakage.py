"""Find the texts of one split that (nearly) occur in another.

Exact   the same letters and digits in the same order, whatever the case, spaces and punctuation.
Near    Jaccard similarity of the sets of character 5-grams >= 0.4, on lower-case letters and digits with single spaces.
        A form under 20 characters is compared exactly only: "a good film" and "a good one" are not one text.

Candidates for the near ones come from MinHash signatures cut into bands (Broder 1997; Leskovec, Rajaraman and Ullman,
Mining of Massive Datasets, 3.4): 64 bands of 3 find a pair of similarity s with probability 1 - (1 - s^3)^64, 98.5 % at
0.4 and 99.98 % at 0.5. Every candidate is verified by its exact similarity. On imdb (25,000 long texts against 22,500)
datasketch's LSH took 500 s for the bands where this takes 10.
"""

import hashlib
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

GRAM = 5
NEAR = 0.4
SHORTEST = 20  # characters
BANDS, ROWS = 64, 3
LEAST_AGREEMENT = 0.25  # of signatures; its standard deviation at similarity 0.4 is 0.035
PAIRS_AT_ONCE = 1 << 18  # bounds the memory of a band that many texts share
NOT_LETTER_OR_DIGIT = re.compile(r"[\W_]+")

Hashes = npt.NDArray[np.uint32]
Places = npt.NDArray[np.int64]


def normalised(text: str) -> str:
    """Lower-case letters and digits with single spaces."""
    return NOT_LETTER_OR_DIGIT.sub(" ", text.lower()).strip()


def digest(text: str) -> str:
    """32 hexadecimal digits for the letters and digits of a text.

    Spaces do not count, so that "don't" and "do n't" have one digest however a corpus was tokenised.
    """
    return hashlib.sha256(normalised(text).replace(" ", "").encode("utf-8")).hexdigest()[:32]


@dataclass(frozen=True)
class Fingerprints:
    """What is compared of a list of texts.

    `digests` are of the exact forms; `grams` the sorted distinct 5-gram hashes, uint32, none of a short text;
    `signatures` uint32 (text, 192).
    """

    digests: list[str]
    grams: list[Hashes]
    signatures: Hashes


def fingerprints(texts: Sequence[str], on_progress: Callable[[int], None] | None = None) -> Fingerprints:
    """Fingerprint every text; `on_progress` is told of every one done."""
    factors, offsets = _permutations()
    grams = []
    signatures = np.zeros((len(texts), BANDS * ROWS), dtype=np.uint32)
    for index, text in enumerate(texts):
        hashes = gram_hashes(normalised(text))
        grams.append(hashes)
        if hashes.size:
            signatures[index] = (factors * hashes + offsets).min(axis=1)
        if on_progress:
            on_progress(1)
    return Fingerprints([digest(text) for text in texts], grams, signatures)


def gram_hashes(form: str) -> Hashes:
    """The sorted distinct hashes of the character 5-grams of a normalised text; none if it is short."""
    if len(form) < SHORTEST:
        return np.empty(0, dtype=np.uint32)
    codes = np.frombuffer(form.encode("utf-32-le"), dtype=np.uint32).astype(np.uint64)
    hashes = np.zeros(len(codes) - GRAM + 1, dtype=np.uint64)
    for place in range(GRAM):
        hashes = hashes * np.uint64(0x9E3779B97F4A7C15) + codes[place : place + len(hashes)]
    hashes = (hashes ^ (hashes >> np.uint64(29))) * np.uint64(0xBF58476D1CE4E5B9)
    return np.unique((hashes >> np.uint64(32)).astype(np.uint32))


def jaccard(left: Hashes, right: Hashes) -> float:
    """The size of the intersection over that of the union; 0 for two empty sets."""
    common = np.intersect1d(left, right, assume_unique=True).size
    return common / max(left.size + right.size - common, 1)


@dataclass(frozen=True)
class Leaks:
    """Which texts occur in the other split: `exact` and `near` (exact ones excluded), bool (text,)."""

    exact: npt.NDArray[np.bool_]
    near: npt.NDArray[np.bool_]


def leaks(texts: Fingerprints, into: Fingerprints) -> Leaks:
    """Which of `texts` occur, exactly or nearly, in `into`."""
    known = set(into.digests)
    exact = np.array([form in known for form in texts.digests], dtype=np.bool_)
    near = np.zeros(len(texts.digests), dtype=np.bool_)
    for left, right in _candidates(texts, into):
        if not exact[left] and not near[left]:
            near[left] = jaccard(texts.grams[left], into.grams[right]) >= NEAR
    return Leaks(exact, near)


def _candidates(texts: Fingerprints, into: Fingerprints) -> Iterator[tuple[int, int]]:
    """Pairs (text, text of `into`) that agree in a whole band and in a quarter of their signatures."""
    lefts = np.flatnonzero([grams.size for grams in texts.grams])
    rights = np.flatnonzero([grams.size for grams in into.grams])
    left_bytes, right_bytes = texts.signatures.astype(np.uint8), into.signatures.astype(np.uint8)  # enough to compare
    for band in range(BANDS):
        rows = slice(band * ROWS, (band + 1) * ROWS)
        left_keys, right_keys = _keys(texts.signatures[lefts, rows]), _keys(into.signatures[rights, rows])
        for left, right in _equal_pairs(left_keys, right_keys):
            pairs = lefts[left], rights[right]
            agreement = (left_bytes[pairs[0]] == right_bytes[pairs[1]]).mean(axis=1)
            close = agreement >= LEAST_AGREEMENT
            yield from zip(pairs[0][close].tolist(), pairs[1][close].tolist(), strict=True)


def _equal_pairs(left: npt.NDArray[np.uint64], right: npt.NDArray[np.uint64]) -> Iterator[tuple[Places, Places]]:
    """All places (i, j) with left[i] == right[j], in blocks."""
    order = np.argsort(right, kind="stable")
    first = np.searchsorted(right[order], left, side="left")
    count = np.searchsorted(right[order], left, side="right") - first
    end = np.cumsum(count)
    for start in range(0, int(end[-1]) if end.size else 0, PAIRS_AT_ONCE):
        pair = np.arange(start, min(start + PAIRS_AT_ONCE, int(end[-1])))
        place = np.searchsorted(end, pair, side="right")
        yield place, order[first[place] + pair - (end[place] - count[place])]


def _keys(rows: Hashes) -> npt.NDArray[np.uint64]:
    """One number for every row of a band."""
    keys = np.zeros(len(rows), dtype=np.uint64)
    for column in rows.T:
        keys = keys * np.uint64(0x9E3779B97F4A7C15) + column
    return keys


def _permutations() -> tuple[Hashes, Hashes]:
    """Odd factors and offsets, (192, 1): h -> factor * h + offset modulo 2^32 is a permutation of all hashes."""
    words = [hashlib.sha256(f"permutation {index}".encode()).digest() for index in range(BANDS * ROWS)]
    numbers = np.array([[int.from_bytes(word[:4]) | 1, int.from_bytes(word[4:8])] for word in words], dtype=np.uint32)
    return numbers[:, :1], numbers[:, 1:]
