"""Count co-occurrences: X_ij, the sum of 1/distance over all positions where j is in the window of i.

Source     Pennington, Socher and Manning, "GloVe: Global Vectors for Word Representation", EMNLP 2014, 3 and 4.2.
           As in the authors' program (cooccur.c), a word without a vector is skipped as if it were absent, so the
                      distance counts only known words; the window ends at the end of the text.
Method     one row of X after another: the windows around all positions of its word are summed in one array with a
           number per word, small enough for a cache. Rows are counted block by block, on request.
Exact      1/distance is a whole number of parts of 2^-34 (relative error below 2^-27), so sums do not depend on their
           order: neither blocks nor threads change a byte. A sum may reach 2^30.
Memory     8 bytes per known word of the texts; for each active block 8 bytes for every possible entry.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

import numba
import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from retable.errors import InputError
from retable.text.units import offsets_from_zero

MOST_WORDS = (1 << 31) - 1  # of the texts: a position is an int32
WIDEST_WINDOW = 255
PARTS = float(1 << 34)  # of 1
END_OF_TEXT = -1

Rows = npt.NDArray[np.int32]
Starts = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float32]


class Cooccurrences(NamedTuple):
    """The positions of the words, from which the rows of X are counted.

    rows: int32, the rows of the known words of all texts, with an END_OF_TEXT before the first text and after each.
    starts, places: position of every word, in ascending order: places[starts[word]] to places[starts[word + 1] - 1].
    weights: parts of 1 for the distances 1, 2, ..., uint64 (window,).
    """

    rows: Rows
    starts: Starts
    places: Rows
    weights: npt.NDArray[np.uint64]

    def block(self, block: int, blocks: int) -> tuple[Starts, Rows, Floats]:
        """Return the rows of X of the words block, block + blocks, block + 2 blocks, ...

        Returns: starts (word + 1,), contexts int32 and X_ij float32 (entry,): the entries starts[k] to starts[k + 1]
            are those of the k-th of these words, in order of appearance in the texts.
        """
        most = np.minimum(len(self.starts) - 1, 2 * len(self.weights) * np.diff(self.starts))  # upper bound per word
        room = int(most[block::blocks].sum())
        contexts, counts = np.empty(room, np.int32), np.empty(room, np.float32)
        ends = _count_block(*self, block, blocks, contexts, counts)
        return ends, contexts[: ends[-1]], counts[: ends[-1]]


def count_cooccurrences(
    texts: Iterable[pa.ListArray],
    vocabulary: Sequence[str],
    window: int,
    *,
    on_words: Callable[[int], None] = lambda words: None,
) -> Cooccurrences:
    """Prepare the counting of the non-zero entries of X.

    Args:
        texts: batches of texts, list<string>.
        vocabulary: the words that count; a word's index is its row.
        window: largest number of words on either side; 1 to 255.
        on_words: called with the number of further words read, including unknown ones.
    Raises: InputError if the window is too narrow or too wide, or the texts have too many words.
    """
    if not 1 <= window <= WIDEST_WINDOW:
        raise InputError(f"the window of word vectors is {window}; allowed: 1 to {WIDEST_WINDOW} words on each side.")
    known, parts = pa.array(vocabulary, pa.string()), [np.array([END_OF_TEXT], np.int32)]
    for batch in texts:
        parts.append(_rows_of(batch, known))
        on_words(len(batch.flatten()))
    if sum(map(len, parts)) > MOST_WORDS:
        raise InputError(f"GloVe counts pools of at most {MOST_WORDS:,} words; train word2vec, or leave a corpus out.")
    rows = np.concatenate(parts)
    starts, places = _places_of_words(rows, len(vocabulary))
    return Cooccurrences(rows, starts, places, np.rint(PARTS / np.arange(1, window + 1)).astype(np.uint64))


def _rows_of(batch: pa.ListArray, known: pa.StringArray) -> Rows:
    """Return the rows of the known words of all texts, with an END_OF_TEXT after each."""
    rows = pc.fill_null(pc.index_in(batch.flatten(), value_set=known), -1).to_numpy(zero_copy_only=False)
    is_known = rows >= 0
    before = np.concatenate([[0], np.cumsum(is_known)])[offsets_from_zero(batch)]  # known words before each text
    return np.insert(rows[is_known], before[1:], END_OF_TEXT).astype(np.int32, copy=False)


def places_of_words(rows: Rows, words: int) -> tuple[Starts, Rows]:
    """Return starts and places, as in `Cooccurrences`."""
    starts = np.zeros(words + 1, np.int64)
    for row in rows:
        if row >= 0:
            starts[row + 1] += 1
    for word in range(words):
        starts[word + 1] += starts[word]
    ends, places = starts[:-1].copy(), np.empty(starts[words], np.int32)
    for place, row in enumerate(rows):
        if row >= 0:
            places[ends[row]] = place
            ends[row] += 1
    return starts, places


def count_block(
    rows: Rows,
    starts: Starts,
    places: Rows,
    weights: npt.NDArray[np.uint64],
    block: int,
    blocks: int,
    contexts: Rows,
    counts: Floats,
) -> Starts:
    """Write the entries of one block; return the start of each word's entries, and the end of the last ones."""
    words = len(starts) - 1
    totals, found = np.zeros(words, np.uint64), np.empty(words, np.int32)
    ends = np.zeros(len(range(block, words, blocks)) + 1, np.int64)
    size = 0
    for number, word in enumerate(range(block, words, blocks)):
        distinct = 0
        for place in places[starts[word] : starts[word + 1]]:
            for side in (-1, 1):
                for distance in range(1, len(weights) + 1):
                    context = rows[place + side * distance]
                    if context == END_OF_TEXT:
                        break
                    if totals[context] == 0:
                        found[distinct] = context
                        distinct += 1
                    totals[context] += weights[distance - 1]
        for context in found[:distinct]:
            contexts[size], counts[size] = context, totals[context] / PARTS
            totals[context] = 0
            size += 1
        ends[number + 1] = size
    return ends


# Compiled on the first call (a second); not cached on disk, because a package may be installed read-only.
_places_of_words = numba.njit(places_of_words, nogil=True)
_count_block = numba.njit(count_block, nogil=True)
