"""Find the texts of one split that (nearly) occur in another.

Exact   the same letters and digits in the same order, whatever the case, spaces and punctuation.
Near    Jaccard similarity of the sets of character 5-grams >= 0.4, on lower-case letters and digits with single spaces.
        A form under 20 columns is compared exactly only: "a good film" and "a good one" are not one text. A Chinese
        character takes two columns, as on a terminal, for it says about as much as two letters at the least: half of
        the headlines of thucnews are shorter than 20 characters, and those of 10 to 19 that agree in 0.4 of their
        5-grams repeat each other as plainly as longer ones do (81 of 83 such pairs have one label).

Candidates for the near ones come from MinHash signatures cut into bands (Broder 1997; Leskovec, Rajaraman and Ullman,
Mining of Massive Datasets, 3.4): 64 bands of 3 find a pair of similarity s with probability 1 - (1 - s^3)^64, 98.5 % at
0.4 and 99.98 % at 0.5. Every candidate is verified by its exact similarity. On imdb (25,000 long texts against 22,500)
datasketch's LSH took 500 s for the bands where this takes 10.
"""

import hashlib
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Protocol

import numpy as np
import numpy.typing as npt

GRAM = 5
NEAR = 0.4
SHORTEST = 20  # columns
FIRST_WIDE = 0x2E80  # from here on stand the letters that take two columns: Chinese, Japanese, Korean, full-width Latin
BANDS, ROWS = 64, 3
LEAST_AGREEMENT = 0.25  # of signatures; its standard deviation at similarity 0.4 is 0.035
MOST_UNEQUAL_BITS = 84  # of one bit a signature, at a first look; 57.6 are expected at similarity 0.4, 91.2 at 0.05
SEEN_BIT = np.uint32(1 << 12)  # the one of that first look; the lowest ones hang on the gram alone
TEXTS_AT_ONCE = 1 << 12
CLOSE_AT_ONCE = 1 << 14  # pairs whose signatures are compared
GRAMS_AT_ONCE = 1 << 10
PAIRS_AT_ONCE = 1 << 18  # bounds the memory of a band that many texts share
NOT_LETTER_OR_DIGIT = re.compile(r"[\W_]+")

Hashes = npt.NDArray[np.uint32]
Places = npt.NDArray[np.int64]
Digests = npt.NDArray[np.uint64]  # (text, 2)


def normalised(text: str) -> str:
    """Lower-case letters and digits with single spaces; Chinese characters are letters."""
    return NOT_LETTER_OR_DIGIT.sub(" ", text.lower()).strip()


def digest(text: str) -> str:
    """32 hexadecimal digits for the letters and digits of a text.

    Spaces do not count, so that "don't" and "do n't" have one digest however a corpus was tokenised.
    """
    return _digest(normalised(text))


class Grams(Protocol):
    """The sorted distinct 5-gram hashes of texts, by place; none of a short text."""

    def __getitem__(self, place: int, /) -> Hashes: ...


class Compared(Protocol):
    """What the search for near copies reads of texts, wherever it lies. Only texts with 5-grams have a signature."""

    @property
    def grams(self) -> Grams: ...

    def long(self) -> Places:
        """The places of the texts that have 5-grams, int64 (long,)."""

    def band(self, band: int) -> Hashes:
        """Three numbers of the signature of each of them, uint32 (long, 3)."""

    def seen_bits(self) -> npt.NDArray[np.uint64]:
        """One bit of every number of their signatures, (3, long)."""

    def lowest(self, rows: Places) -> npt.NDArray[np.uint8]:
        """The lowest eight bits of every number of the signatures of some of them, (row, 192)."""


@dataclass(frozen=True)
class Fingerprints:
    """What is compared of a list of texts.

    `digests` are of the exact forms; `grams` the sorted distinct 5-gram hashes, uint32, none of a short text;
    `signatures` uint32 (text, 192).
    """

    digests: list[str]
    grams: list[Hashes]
    signatures: Hashes

    def __len__(self) -> int:
        return len(self.digests)

    def take(self, places: Sequence[int]) -> "Fingerprints":
        """Those of some of the texts."""
        rows = np.asarray(places, dtype=np.int64)
        return Fingerprints(
            [self.digests[place] for place in places], [self.grams[place] for place in places], self.signatures[rows]
        )

    def exact(self) -> Digests:
        """The digests as numbers."""
        return as_digests(bytes.fromhex("".join(self.digests)))

    @cached_property
    def _long(self) -> Places:
        return np.flatnonzero([grams.size for grams in self.grams])

    def long(self) -> Places:
        """See `Compared`."""
        return self._long

    def band(self, band: int) -> Hashes:
        """See `Compared`."""
        return self.signatures[self._long, band * ROWS : (band + 1) * ROWS]

    def seen_bits(self) -> npt.NDArray[np.uint64]:
        """See `Compared`."""
        long = self._long
        bits = [seen_bits(self.signatures[long[block]]) for block in blocks(len(long), TEXTS_AT_ONCE)]
        return np.concatenate([np.empty((0, 3), np.uint64), *bits]).T.copy()

    def lowest(self, rows: Places) -> npt.NDArray[np.uint8]:
        """See `Compared`."""
        return self.signatures[self._long[rows]].astype(np.uint8)


def fingerprints(texts: Sequence[str], on_progress: Callable[[int], None] | None = None) -> Fingerprints:
    """Fingerprint every text; `on_progress` is told of every one done."""
    digests, grams = [], []
    signatures = np.zeros((len(texts), BANDS * ROWS), dtype=np.uint32)
    for index, form in enumerate(map(normalised, texts)):
        hashes = gram_hashes(form)
        digests.append(_digest(form))
        grams.append(hashes)
        if hashes.size:
            sign(hashes, signatures[index])
        if on_progress:
            on_progress(1)
    return Fingerprints(digests, grams, signatures)


def sign(hashes: Hashes, signature: Hashes) -> None:
    """Write the signature of a text, uint32 (192,): the least of its 5-gram hashes under each permutation."""
    factors, offsets = _permutations()
    permuted = factors * hashes[:GRAMS_AT_ONCE]
    permuted += offsets
    permuted.min(axis=1, out=signature)
    for start in range(GRAMS_AT_ONCE, hashes.size, GRAMS_AT_ONCE):  # in blocks that stay in the cache
        permuted = factors * hashes[start : start + GRAMS_AT_ONCE]
        permuted += offsets
        np.minimum(signature, permuted.min(axis=1), out=signature)


def seen_bits(signatures: Hashes) -> npt.NDArray[np.uint64]:
    """The bit of every number that is looked at first, packed, (text, 3)."""
    return np.packbits(signatures & SEEN_BIT, axis=1).view(np.uint64)


def blocks(count: int, at_once: int) -> Iterator[slice]:
    """All of so many things, some at once."""
    return (slice(start, start + at_once) for start in range(0, count, at_once))


def as_digests(joined: bytes | bytearray) -> Digests:
    """Digests of 16 bytes each, one after the other, as two numbers each, (text, 2)."""
    return np.frombuffer(bytes(joined), dtype=np.uint64).reshape(-1, 2)


def first_equal(digests: Digests) -> Places:
    """The place of the first equal digest for each, int64 (text,)."""
    order = np.lexsort((digests[:, 1], digests[:, 0]))  # stable: of equal ones the first stands first
    in_order = digests[order]
    new = np.ones(len(order), dtype=np.bool_)
    new[1:] = (in_order[1:] != in_order[:-1]).any(axis=1)
    first = np.empty(len(order), dtype=np.int64)
    first[order] = order[new][np.cumsum(new) - 1]
    return first


def joined(parts: Sequence[Fingerprints]) -> Fingerprints:
    """The fingerprints of several lists of texts, one list after the other."""
    return Fingerprints(
        [form for part in parts for form in part.digests],
        [hashes for part in parts for hashes in part.grams],
        np.concatenate([part.signatures for part in parts]),
    )


def gram_hashes(form: str) -> Hashes:
    """The sorted distinct hashes of the character 5-grams of a normalised text; none if it is short."""
    if len(form) < SHORTEST / 2:
        return np.empty(0, dtype=np.uint32)
    codes = np.frombuffer(form.encode("utf-32-le"), dtype=np.uint32)
    if len(codes) < SHORTEST and len(codes) + np.count_nonzero(codes >= FIRST_WIDE) < SHORTEST:
        return np.empty(0, dtype=np.uint32)
    codes = codes.astype(np.uint64)
    hashes = np.zeros(len(codes) - GRAM + 1, dtype=np.uint64)
    for place in range(GRAM):
        hashes = hashes * np.uint64(0x9E3779B97F4A7C15) + codes[place : place + len(hashes)]
    hashes = (hashes ^ (hashes >> np.uint64(29))) * np.uint64(0xBF58476D1CE4E5B9)
    short = (hashes >> np.uint64(32)).astype(np.uint32)
    short.sort()  # three times as fast as np.unique
    return short[np.concatenate([[True], short[1:] != short[:-1]])]


def jaccard(left: Hashes, right: Hashes) -> float:
    """The size of the intersection over that of the union; 0 for two empty sets."""
    common = np.intersect1d(left, right, assume_unique=True).size
    return common / max(left.size + right.size - common, 1)


@dataclass(frozen=True)
class Leaks:
    """Which texts occur in the other split: `exact` and `near` (exact ones excluded), bool (text,)."""

    exact: npt.NDArray[np.bool_]
    near: npt.NDArray[np.bool_]

    @property
    def any(self) -> npt.NDArray[np.bool_]:
        """Exactly or nearly."""
        return self.exact | self.near


def leaks(texts: Fingerprints, into: Fingerprints) -> Leaks:
    """Which of `texts` occur, exactly or nearly, in `into`."""
    known = set(into.digests)
    exact = np.array([form in known for form in texts.digests], dtype=np.bool_)
    near = np.zeros(len(texts), dtype=np.bool_)
    side = np.repeat([0, 1], [len(texts), len(into)])
    both = joined([texts, into])
    for lefts, rights in candidates(both, side):
        open_ = ~(exact | near)[lefts]
        for left, right in zip(lefts[open_].tolist(), rights[open_].tolist(), strict=True):
            near[left] = near[left] or jaccard(both.grams[left], both.grams[right]) >= NEAR
    return Leaks(exact, near)


def candidates(prints: Compared, groups: Places) -> Iterator[tuple[Places, Places]]:
    """Pairs of texts of different groups that agree in a whole band and in a quarter of their signatures, in blocks.

    The first of a pair is of the lower group. A pair comes once for every band in which it agrees.

    Args:
        groups: the group of every text, int64 (text,); read anew for every band, so that who merges groups meanwhile
            is spared their pairs.
    """
    long, words = prints.long(), prints.seen_bits()
    for band in range(BANDS):
        keys = _keys(prints.band(band))
        for left, right in _equal_pairs(keys, groups[long]):
            unequal = sum(np.bitwise_count(word[left] ^ word[right]) for word in words)
            left, right = left[unequal <= MOST_UNEQUAL_BITS], right[unequal <= MOST_UNEQUAL_BITS]
            for block in blocks(len(left), CLOSE_AT_ONCE):
                agreeing = (prints.lowest(left[block]) == prints.lowest(right[block])).mean(axis=1)
                close = agreeing >= LEAST_AGREEMENT
                yield long[left[block][close]], long[right[block][close]]


def _equal_pairs(keys: npt.NDArray[np.uint64], groups: Places) -> Iterator[tuple[Places, Places]]:
    """All places (i, j) with equal keys and group[i] < group[j], in blocks."""
    _, inverse, count = np.unique(keys, return_inverse=True, return_counts=True)
    shared = np.flatnonzero(count[inverse] > 1)
    order = shared[np.lexsort((groups[shared], inverse[shared]))]  # by key, then by group
    key, group = inverse[order], groups[order]
    ends = np.flatnonzero(np.concatenate([(key[1:] != key[:-1]) | (group[1:] != group[:-1]), [True]])) + 1
    own_end = ends[np.searchsorted(ends, np.arange(len(order)), side="right")]  # where the next group, or key, begins
    partners = np.searchsorted(key, key, side="right") - own_end
    end = np.cumsum(partners)
    for start in range(0, int(end[-1]) if end.size else 0, PAIRS_AT_ONCE):
        stop = min(start + PAIRS_AT_ONCE, int(end[-1]))
        inside = np.maximum(np.minimum(end, stop) - np.maximum(end - partners, start), 0)  # pairs of each place
        place = np.repeat(np.arange(len(order)), inside)
        yield order[place], order[np.arange(start, stop) + (own_end - end + partners)[place]]


def _digest(form: str) -> str:
    return hashlib.sha256(form.replace(" ", "").encode("utf-8")).hexdigest()[:32]


def _keys(rows: Hashes) -> npt.NDArray[np.uint64]:
    """One number for every row of a band."""
    keys = np.zeros(len(rows), dtype=np.uint64)
    for column in rows.T:
        keys = keys * np.uint64(0x9E3779B97F4A7C15) + column
    return keys


@cache
def _permutations() -> tuple[Hashes, Hashes]:
    """Odd factors and offsets, (192, 1): h -> factor * h + offset modulo 2^32 is a permutation of all hashes."""
    words = [hashlib.sha256(f"permutation {index}".encode()).digest() for index in range(BANDS * ROWS)]
    numbers = np.array([[int.from_bytes(word[:4]) | 1, int.from_bytes(word[4:8])] for word in words], dtype=np.uint32)
    return numbers[:, :1], numbers[:, 1:]
