"""Find the texts of one split that (nearly) occur in another.

Exact   the same letters and digits in the same order, regardless of case, spaces and punctuation.
Near    Jaccard similarity of the sets of character 5-grams >= 0.4, on lower-case letters and digits with single spaces.
        A form under 20 columns is compared only exactly: "a good film" and "a good one" are not one text. A Chinese
        character takes two columns, as on a terminal, as it carries at least as much as two letters: half of the
        headlines of thucnews are shorter than 20 characters, and those of 10 to 19 that agree in 0.4 of their 5-grams
        repeat each other as clearly as longer ones do (81 of 83 such pairs have one label).

Candidates for near copies come from MinHash signatures cut into bands (Broder 1997; Leskovec, Rajaraman and Ullman,
Mining of Massive Datasets, 3.4): 64 bands of 3 find a pair of similarity s with probability 1 - (1 - s^3)^64, 98.5 % at
0.4 and 99.98 % at 0.5. Every candidate is verified by its exact similarity. On imdb (25,000 long texts against 22,500)
datasketch's LSH took 500 s for the bands where this takes 10.
"""

import hashlib
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache

import numpy as np
import numpy.typing as npt

GRAM = 5
NEAR = 0.4
SHORTEST = 20  # columns
FIRST_WIDE = 0x2E80  # the first of the two-column letters: Chinese, Japanese, Korean, full-width Latin
BANDS, ROWS = 64, 3
LEAST_AGREEMENT = 0.25  # of signatures; its standard deviation at similarity 0.4 is 0.035
MOST_UNEQUAL_BITS = 84  # of one bit per number, at a first look; 57.6 are expected at similarity 0.4, 91.2 at 0.05
SEEN_BIT = np.uint32(1 << 12)  # the bit for that first look; the lowest ones depend only on the gram
GRAMS_AT_ONCE = 1 << 10  # fits into the processor's cache
TEXTS_AT_ONCE = 1 << 12  # bounds the copy of the signatures
PAIRS_AT_ONCE = 1 << 18  # bounds the memory for a band that many texts share
CLOSE_AT_ONCE = 1 << 14  # pairs whose signatures are compared at once
FACTOR = np.uint64(0x9E3779B97F4A7C15)
BAND_FACTORS = np.array([int(FACTOR) ** 2 % 2**64, FACTOR, 1], dtype=np.uint64)  # combine a band's numbers into one key
NOT_LETTER_OR_DIGIT = re.compile(r"[\W_]+")

Hashes = npt.NDArray[np.uint32]
Places = npt.NDArray[np.int64]


def normalised(text: str) -> str:
    """Return lower-case letters and digits with single spaces; Chinese characters are letters."""
    return NOT_LETTER_OR_DIGIT.sub(" ", text.lower()).strip()


def digest(text: str) -> str:
    """Return 32 hexadecimal digits for the letters and digits of a text.

    Spaces do not count, so that "don't" and "do n't" have one digest however a corpus was tokenised.
    """
    return hashlib.sha256(normalised(text).replace(" ", "").encode("utf-8")).hexdigest()[:32]


@dataclass(frozen=True)
class Fingerprints:
    """Texts with the fingerprints by which they are compared.

    `digests` are of the exact forms; `signatures` uint32 (text, 192), zeros for a text that is too short; `long` are
    the positions of the others. The 5-grams are recomputed for the few pairs that are verified: they take four times
    the memory of the texts.
    """

    texts: Sequence[str]
    digests: Sequence[str]
    signatures: Hashes
    long: Places

    def __len__(self) -> int:
        return len(self.texts)

    def take(self, places: Places) -> "Fingerprints":
        """Return the fingerprints of some texts, in the order of `places`."""
        return Fingerprints(
            [self.texts[place] for place in places],
            [self.digests[place] for place in places],
            self.signatures[places],
            np.flatnonzero(np.isin(places, self.long)),
        )

    def first_equal(self) -> Places:
        """Return the position of each text's first exact copy, int64 (text,): its own if none is earlier."""
        first: dict[str, int] = {}
        return np.array([first.setdefault(form, place) for place, form in enumerate(self.digests)], dtype=np.int64)

    def similarity(self, left: int, right: int) -> float:
        """Return the Jaccard similarity of two texts."""
        return jaccard(grams_of(self.texts[left]), grams_of(self.texts[right]))


def fingerprints(texts: Sequence[str], on_texts: Callable[[int], None] = lambda texts: None) -> Fingerprints:
    """Fingerprint every text.

    Args:
        on_texts: called with the number of finished texts, after each.
    """
    signatures = np.zeros((len(texts), BANDS * ROWS), dtype=np.uint32)
    digests, long = [], []
    for place, text in enumerate(texts):
        digests.append(digest(text))
        hashes = gram_hashes(normalised(text))
        if hashes.size:
            signatures[place] = signature(hashes)
            long.append(place)
        on_texts(1)
    return Fingerprints(texts, digests, signatures, np.array(long, dtype=np.int64))


def gram_hashes(form: str) -> Hashes:
    """Return the sorted distinct hashes of the character 5-grams of a normalised text; none if it is short."""
    if len(form) < SHORTEST / 2:
        return np.empty(0, dtype=np.uint32)
    codes = np.frombuffer(form.encode("utf-32-le"), dtype=np.uint32)
    if len(codes) < SHORTEST and len(codes) + np.count_nonzero(codes >= FIRST_WIDE) < SHORTEST:
        return np.empty(0, dtype=np.uint32)
    codes = codes.astype(np.uint64)
    hashes = np.zeros(len(codes) - GRAM + 1, dtype=np.uint64)
    for place in range(GRAM):
        hashes = hashes * FACTOR + codes[place : place + len(hashes)]
    hashes = (hashes ^ (hashes >> np.uint64(29))) * np.uint64(0xBF58476D1CE4E5B9)
    short = (hashes >> np.uint64(32)).astype(np.uint32)
    short.sort()  # three times as fast as np.unique
    return short[np.concatenate([[True], short[1:] != short[:-1]])]


@lru_cache(1 << 12)  # a template's text is verified against many others
def grams_of(text: str) -> Hashes:
    """Return the 5-gram hashes of a text."""
    return gram_hashes(normalised(text))


def signature(hashes: Hashes) -> Hashes:
    """Return the minimum of the 5-gram hashes under each permutation, uint32 (192,)."""
    factors, offsets = _permutations()
    least = np.full(BANDS * ROWS, np.iinfo(np.uint32).max, dtype=np.uint32)
    for start in range(0, hashes.size, GRAMS_AT_ONCE):
        permuted = factors * hashes[start : start + GRAMS_AT_ONCE]
        permuted += offsets
        np.minimum(least, permuted.min(axis=1), out=least)
    return least


def jaccard(left: Hashes, right: Hashes) -> float:
    """Return intersection over union; 0 for two empty sets."""
    common = np.intersect1d(left, right, assume_unique=True).size
    return common / max(left.size + right.size - common, 1)


@dataclass(frozen=True)
class Leaks:
    """Hold which texts occur in which earlier group: `exact` and `near` (without an exact one), bool (text, group)."""

    exact: npt.NDArray[np.bool_]
    near: npt.NDArray[np.bool_]

    @property
    def any(self) -> npt.NDArray[np.bool_]:
        """Return which texts occur exactly or nearly."""
        return self.exact | self.near


def leaks(prints: Fingerprints, groups: Places, count: int) -> Leaks:
    """Find the texts that occur, exactly or nearly, in a group before their own.

    Args:
        groups: the group (split) of every text, int64 (text,), from 0.
        count: how many groups there are.
    """
    first = prints.first_equal()
    holds = np.zeros((len(prints), count), dtype=np.bool_)
    holds[first, groups] = True
    exact = holds[first] & (np.arange(count) < groups[:, None])
    near = np.zeros_like(exact)
    for earlier, later in candidates(prints, groups):
        open_ = ~(exact | near)[later, groups[earlier]]
        for known, asked in zip(earlier[open_].tolist(), later[open_].tolist(), strict=True):
            near[asked, groups[known]] = near[asked, groups[known]] or prints.similarity(known, asked) >= NEAR
    return Leaks(exact, near)


def candidates(prints: Fingerprints, groups: Places) -> Iterator[tuple[Places, Places]]:
    """Yield pairs of texts of different groups that agree in a whole band and in a quarter of their signatures.

    Pairs come in blocks, the text of the lower group first. A pair is repeated for every band in which it agrees.

    Args:
        groups: the group of every text, int64 (text,); read again for every band, so that a caller who merges groups
            meanwhile skips their pairs.
    """
    parts = np.array_split(prints.long, 1 + len(prints.long) // TEXTS_AT_ONCE)
    bits = np.concatenate([np.packbits(prints.signatures[part] & SEEN_BIT, axis=1) for part in parts])
    words = np.ascontiguousarray(bits.view(np.uint64).T)
    lowest = prints.signatures.view(np.uint8)[:, :: np.uint32().itemsize]  # one byte of each number
    for band in range(0, BANDS * ROWS, ROWS):
        keys = prints.signatures[prints.long, band : band + ROWS].astype(np.uint64) @ BAND_FACTORS
        for left, right in _equal_pairs(keys, groups[prints.long]):
            unequal = sum(np.bitwise_count(word[left] ^ word[right]) for word in words)
            left, right = (prints.long[side[unequal <= MOST_UNEQUAL_BITS]] for side in (left, right))
            for start in range(0, len(left), CLOSE_AT_ONCE):
                some, others = (side[start : start + CLOSE_AT_ONCE] for side in (left, right))
                close = (lowest[some] == lowest[others]).mean(axis=1) >= LEAST_AGREEMENT
                yield some[close], others[close]


def _equal_pairs(keys: npt.NDArray[np.uint64], groups: Places) -> Iterator[tuple[Places, Places]]:
    """Yield all positions (i, j) with equal keys and group[i] < group[j], in blocks."""
    _, inverse, count = np.unique(keys, return_inverse=True, return_counts=True)
    shared = np.flatnonzero(count[inverse] > 1)
    order = shared[np.lexsort((groups[shared], inverse[shared]))]  # by key, then by group
    key, group = inverse[order], groups[order]
    ends = np.flatnonzero(np.concatenate([(key[1:] != key[:-1]) | (group[1:] != group[:-1]), [True]])) + 1
    own_end = ends[np.searchsorted(ends, np.arange(len(order)), side="right")]  # start of the next group, or key
    partners = np.searchsorted(key, key, side="right") - own_end
    end = np.cumsum(partners)
    for start in range(0, int(end[-1]) if end.size else 0, PAIRS_AT_ONCE):
        stop = min(start + PAIRS_AT_ONCE, int(end[-1]))
        inside = np.maximum(np.minimum(end, stop) - np.maximum(end - partners, start), 0)  # pairs at each position
        place = np.repeat(np.arange(len(order)), inside)
        yield order[place], order[np.arange(start, stop) + (own_end - end + partners)[place]]


@cache
def _permutations() -> tuple[Hashes, Hashes]:
    """Return odd factors and offsets, (192, 1): h -> factor * h + offset modulo 2^32 permutes all hashes."""
    words = [hashlib.sha256(f"permutation {index}".encode()).digest() for index in range(BANDS * ROWS)]
    numbers = np.array([[int.from_bytes(word[:4]) | 1, int.from_bytes(word[4:8])] for word in words], dtype=np.uint32)
    return numbers[:, :1], numbers[:, 1:]
