"""Count which words stand near which: X_ij, the sum of 1/distance over all places where j stands in the window of i.

Source     Pennington, Socher and Manning, "GloVe: Global Vectors for Word Representation", EMNLP 2014, 3 and 4.2.
           As in the authors' program (cooccur.c), a word without a vector is skipped as if it did not stand there, so
           the distance counts known words alone; the window ends where the text ends.
Method     a row of X after the other: the windows around all places of its word are added up in one array with a number
           a word, small enough for a cache. Texts are counted in runs of 16 million words, and the rows of the runs
           are added up in the same way.
Exact      1/distance is a whole number of parts of 2^-34 (error below 2^-27 of it), so sums do not depend on their
           order: neither runs nor threads change a byte. A sum may reach 2^30.
Memory     16 bytes a word of a run, while the next one is read (270 MB); what was counted, 12 bytes an entry and run,
           up to `BUDGET_BYTES`, beyond that in temporary files; for each thread 12 bytes for every entry that one block
           of one run can have.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

import numba
import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from retable.errors import InputError
from retable.vectors.spill import Spill

WORDS_AT_ONCE = 1 << 24
BUDGET_BYTES = 1 << 30
WIDEST_WINDOW = 255
PARTS = float(1 << 34)  # of 1
END_OF_TEXT = -1

Rows = npt.NDArray[np.int32]
Starts = npt.NDArray[np.int64]
Sums = npt.NDArray[np.uint64]


class Run(NamedTuple):
    """The rows of one block in one run of texts: those of the words block, block + blocks, block + 2 blocks, ...

    Entries starts[k] to starts[k + 1] are those of the k-th of these words, in the order in which the texts have them:
    contexts (entry,) and parts of 1 (entry,). starts is (word + 1,).
    """

    starts: Starts
    contexts: Rows
    sums: Sums


class Cooccurrences(NamedTuple):
    """Hold how many words there are; all runs, for each of them all blocks."""

    words: int
    runs: list[list[Run]]

    def block(self, block: int) -> tuple[Starts, Rows, npt.NDArray[np.float32]]:
        """Return the rows of X of one block: starts and contexts as in a run, and X_ij, float32 (entry,)."""
        runs = [run[block] for run in self.runs]
        sizes = np.cumsum([0, *(len(run.contexts) for run in runs)])
        starts = np.stack([run.starts + size for run, size in zip(runs, sizes[:-1], strict=True)])
        contexts, sums = (np.concatenate([run[field] for run in runs]) for field in (1, 2))
        all_contexts, counts = np.empty(len(contexts), np.int32), np.empty(len(sums), np.float32)
        ends = _add_runs(self.words, starts, contexts, sums, all_contexts, counts)
        return ends, all_contexts[: ends[-1]], counts[: ends[-1]]


def count_cooccurrences(
    texts: Iterable[pa.ListArray],
    vocabulary: Sequence[str],
    window: int,
    *,
    blocks: int = 1,
    threads: int = 1,
    words_at_once: int = WORDS_AT_ONCE,
    budget_bytes: int = BUDGET_BYTES,
    on_words: Callable[[int], None] = lambda words: None,
) -> Cooccurrences:
    """Return the entries of X that are not zero.

    Args:
        texts: batches of texts, list<string>.
        vocabulary: the words that count; a word's place is its row.
        window: words on either side, at most; 1 to 255.
        blocks: how many blocks of rows; the row of word r belongs to block r % blocks.
        threads: that count, a block each.
        words_at_once: known words in a run; it ends with the batch that brings them.
        budget_bytes: of the counts that stay in memory.
        on_words: told how many more words were read, unknown ones too.
    Raises: InputError if the window is too narrow or too wide, or the disk is full.
    """
    if not 1 <= window <= WIDEST_WINDOW:
        raise InputError(f"the window of word vectors is {window}; allowed: 1 to {WIDEST_WINDOW} words on each side.")
    spill = Spill(budget_bytes)
    weights = np.rint(PARTS / np.arange(1, window + 1)).astype(np.uint64)
    runs = []
    with ThreadPoolExecutor(threads) as pool:
        for rows in _long_runs(texts, vocabulary, words_at_once, on_words):
            starts, places = _places_of_words(rows, len(vocabulary))
            count = _counter(rows, starts, places, weights, blocks, spill)
            runs.append(list(pool.map(count, range(blocks))))
    return Cooccurrences(len(vocabulary), runs)


def _counter(
    rows: Rows, starts: Starts, places: Rows, weights: Sums, blocks: int, spill: Spill
) -> Callable[[int], Run]:
    """Return what counts one block of a run of texts."""
    words = len(starts) - 1
    most = np.minimum(words, 2 * len(weights) * np.diff(starts))  # entries of a word

    def count(block: int) -> Run:
        room = int(most[block::blocks].sum())
        contexts, sums = np.empty(room, np.int32), np.empty(room, np.uint64)
        ends = _count_block(rows, starts, places, weights, block, blocks, contexts, sums)
        return Run(ends, *(spill.keep(part[: ends[-1]].copy()) for part in (contexts, sums)))

    return count


def _long_runs(
    texts: Iterable[pa.ListArray], vocabulary: Sequence[str], words_at_once: int, on_words: Callable[[int], None]
) -> Iterator[Rows]:
    """Yield the rows of the known words, with an END_OF_TEXT before the first text and after each."""
    known = pa.array(vocabulary, pa.string())
    parts, size = [], 0
    for batch in texts:
        parts.append(_rows_of(batch, known))
        size += len(parts[-1])
        on_words(len(batch.flatten()))
        if size >= words_at_once:
            rows, parts, size = _joined(parts), [], 0
            yield rows
    yield _joined(parts)


def _joined(parts: list[Rows]) -> Rows:
    rows = np.concatenate([np.array([END_OF_TEXT], np.int32), *parts])
    assert len(rows) < 1 << 31
    return rows


def _rows_of(batch: pa.ListArray, known: pa.StringArray) -> Rows:
    """Return the rows of the known words of all texts, with an END_OF_TEXT after each."""
    rows = pc.fill_null(pc.index_in(batch.flatten(), value_set=known), -1).to_numpy(zero_copy_only=False)
    is_known = rows >= 0
    offsets = batch.offsets.to_numpy().astype(np.int64)
    before = np.concatenate([[0], np.cumsum(is_known)])[offsets - offsets[0]]  # known words before each text
    return np.insert(rows[is_known], before[1:], END_OF_TEXT).astype(np.int32, copy=False)


def places_of_words(rows: Rows, words: int) -> tuple[Starts, Rows]:
    """Return where every word stands, in ascending order: places[starts[word]] to places[starts[word + 1] - 1]."""
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
    weights: Sums,
    block: int,
    blocks: int,
    contexts: Rows,
    sums: Sums,
) -> Starts:
    """Write the entries of one block; returns where those of each word start, and where the last ones end."""
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
            contexts[size], sums[size] = context, totals[context]
            totals[context] = 0
            size += 1
        ends[number + 1] = size
    return ends


def add_runs(
    words: int, starts: Starts, contexts: Rows, sums: Sums, all_contexts: Rows, counts: npt.NDArray[np.float32]
) -> Starts:
    """Write the entries of one block over all runs; returns what `count_block` returns.

    Args:
        starts: int64 (run, word + 1), into contexts and sums.
    """
    totals, found = np.zeros(words, np.uint64), np.empty(words, np.int32)
    ends = np.zeros(starts.shape[1], np.int64)
    size = 0
    for number in range(len(ends) - 1):
        distinct = 0
        for run in range(len(starts)):
            for entry in range(starts[run, number], starts[run, number + 1]):
                context = contexts[entry]
                if totals[context] == 0:
                    found[distinct] = context
                    distinct += 1
                totals[context] += sums[entry]
        for context in found[:distinct]:
            all_contexts[size], counts[size] = context, totals[context] / PARTS
            totals[context] = 0
            size += 1
        ends[number + 1] = size
    return ends


# Compiled when they are first called (a second); not cached on disk, because a package may be installed read-only.
_places_of_words = numba.njit(places_of_words, nogil=True)
_count_block = numba.njit(count_block, nogil=True)
_add_runs = numba.njit(add_runs, nogil=True)
