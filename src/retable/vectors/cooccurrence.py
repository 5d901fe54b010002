"""Count which words stand near which: X_ij, the sum of 1/distance over all places where j stands in the window of i.

Source     Pennington, Socher and Manning, "GloVe: Global Vectors for Word Representation", EMNLP 2014, 3 and 4.2.
           As in the authors' program (cooccur.c), a word without a vector is skipped as if it did not stand there, so
           the distance counts known words alone; the window ends where the text ends.
Memory     16 bytes for every distinct pair of words, twice while two counts are merged, and about 300 MB: pairs are
           counted in blocks of 8 million, each sorted, summed and merged into what was counted before. The number of
           texts does not matter.

X is symmetric, so a pair is counted once, in the order of its rows. It is one number while it is counted: lower row
(28 bits), higher row (28 bits), distance (8 bits), so that sorting brings equal pairs together.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

import numba
import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from retable.errors import InputError

PAIRS_AT_ONCE = 1 << 23
ROW_BITS, DISTANCE_BITS = 28, 8
WIDEST_WINDOW = (1 << DISTANCE_BITS) - 1
ENTRY = np.dtype([("word", np.int32), ("context", np.int32), ("count", np.float32)])

Keys = npt.NDArray[np.uint64]
Rows = npt.NDArray[np.int32]


class PairCounts(NamedTuple):
    """Distinct pairs (lower row, higher row) in ascending order, uint64 (pair,); what each sums to, float64 (pair,)."""

    pairs: Keys
    counts: npt.NDArray[np.float64]


def count_cooccurrences(
    texts: Iterable[pa.ListArray],
    vocabulary: Sequence[str],
    window: int,
    *,
    pairs_at_once: int = PAIRS_AT_ONCE,
    on_words: Callable[[int], None] = lambda words: None,
) -> np.ndarray:
    """The entries of X that are not zero, both X_ij and X_ji.

    Args:
        texts: batches of texts, list<string>.
        vocabulary: the words that count; a word's place is its row.
        window: words on either side, at most; 1 to 255.
        pairs_at_once: pairs in a block; no less than `window`.
        on_words: told how many more words were read, unknown ones too.
    Returns: an array (entry,) with the fields word, context (rows, int32) and count (float32): the distinct pairs in
        ascending order, then their mirror images.
    Raises: InputError if the window is too narrow or too wide.
    """
    if not 1 <= window <= WIDEST_WINDOW:
        raise InputError(f"the window of word vectors is {window}; allowed: 1 to {WIDEST_WINDOW} words on each side.")
    assert len(vocabulary) < 1 << ROW_BITS
    total = PairCounts(np.empty(0, np.uint64), np.empty(0, np.float64))
    for keys in _blocks_of_pairs(texts, vocabulary, window, pairs_at_once, on_words):
        total = PairCounts(*_merge(*total, *_sum(keys)))
    return _both_sides(total)


def _blocks_of_pairs(
    texts: Iterable[pa.ListArray],
    vocabulary: Sequence[str],
    window: int,
    pairs_at_once: int,
    on_words: Callable[[int], None],
) -> Iterator[Keys]:
    """All pairs with their distances, in blocks; a block is overwritten by the next."""
    block = np.empty(pairs_at_once, np.uint64)
    filled = 0
    known = pa.array(vocabulary, pa.string())
    for batch in texts:
        rows, starts = _known_rows(batch, known)
        place = 0
        while place < len(rows):
            place, filled = _fill(rows, starts, place, window, block, filled)
            if place < len(rows):  # no room for another window
                yield block[:filled]
                filled = 0
        on_words(len(batch.flatten()))
    yield block[:filled]


def _known_rows(batch: pa.ListArray, known: pa.StringArray) -> tuple[Rows, npt.NDArray[np.int64]]:
    """The rows of the known words of all texts, and for each of them where its text starts."""
    rows = pc.fill_null(pc.index_in(batch.flatten(), value_set=known), -1).to_numpy(zero_copy_only=False)
    is_known = rows >= 0
    offsets = batch.offsets.to_numpy().astype(np.int64)
    before = np.concatenate([[0], np.cumsum(is_known)])[offsets - offsets[0]]  # known words before each text
    return rows[is_known].astype(np.int32), np.repeat(before[:-1], np.diff(before))


def _sum(keys: Keys) -> PairCounts:
    """What each distinct pair of a block sums to; the block is sorted in place."""
    keys.sort()
    pairs = keys >> np.uint64(DISTANCE_BITS)
    first = np.flatnonzero(np.diff(pairs, prepend=~pairs[:1]))  # where a pair is not the one before it
    weights = 1.0 / (keys & np.uint64(WIDEST_WINDOW))
    return PairCounts(pairs[first], np.add.reduceat(weights, first) if len(first) else weights)


def _both_sides(total: PairCounts) -> np.ndarray:
    """X_ij and X_ji of every pair; a word beside itself is the context of both of its places: X_ii is twice the sum."""
    lower = (total.pairs >> np.uint64(ROW_BITS)).astype(np.int32)
    higher = (total.pairs & np.uint64((1 << ROW_BITS) - 1)).astype(np.int32)
    apart = lower != higher
    entries = np.empty(len(lower) + int(apart.sum()), ENTRY)
    once, mirrored = entries[: len(lower)], entries[len(lower) :]
    once["word"], once["context"], once["count"] = lower, higher, np.where(apart, total.counts, 2 * total.counts)
    mirrored["word"], mirrored["context"], mirrored["count"] = higher[apart], lower[apart], total.counts[apart]
    return entries


def fill(
    rows: Rows, starts: npt.NDArray[np.int64], place: int, window: int, block: Keys, filled: int
) -> tuple[int, int]:
    """Write the pairs of every place with the places left of it, until the block has no room for another window.

    Returns: the first place that was not written, and how far the block is filled.
    """
    while place < len(rows) and filled + window <= len(block):
        for other in range(max(starts[place], place - window), place):
            lower, higher = min(rows[place], rows[other]), max(rows[place], rows[other])
            pair = (np.uint64(lower) << np.uint64(ROW_BITS)) | np.uint64(higher)
            block[filled] = (pair << np.uint64(DISTANCE_BITS)) | np.uint64(place - other)
            filled += 1
        place += 1
    return place, filled


def merge(
    left: Keys, left_counts: npt.NDArray[np.float64], right: Keys, right_counts: npt.NDArray[np.float64]
) -> tuple[Keys, npt.NDArray[np.float64]]:
    """Two ascending lists of pairs as one; the counts of a pair that is in both are added."""
    pairs = np.empty(len(left) + len(right), np.uint64)
    counts = np.empty(len(pairs), np.float64)
    size = first = second = 0
    while first < len(left) or second < len(right):
        from_left = second == len(right) or (first < len(left) and left[first] <= right[second])
        from_right = first == len(left) or (second < len(right) and right[second] <= left[first])
        count = 0.0
        if from_left:
            pairs[size] = left[first]
            count += left_counts[first]
            first += 1
        if from_right:
            pairs[size] = right[second]
            count += right_counts[second]
            second += 1
        counts[size] = count
        size += 1
    return pairs[:size].copy(), counts[:size].copy()


# Compiled when they are first called (a second); not cached on disk, because a package may be installed read-only.
_fill, _merge = numba.njit(fill), numba.njit(merge)
