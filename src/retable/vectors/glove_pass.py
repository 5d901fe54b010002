"""A pass of GloVe over the entries of X: product, loss and update of each (equations and symbols: `glove.py`)."""

from collections.abc import Callable
from concurrent.futures import Executor
from functools import cache
from typing import Any, NamedTuple

import numba
import numpy as np
import numpy.typing as npt

from retable.vectors.tiles import Tile, TileRow, rounds

LANES = 16  # float32 numbers in a vector register, and in a cache line
PARTS_PER_THREAD = 4  # of a round: a thread that finishes early takes another

Floats = npt.NDArray[np.float32]


class Tables(NamedTuple):
    """Vectors, biases and AdaGrad sums of words and of contexts, each float32 (block, place, 2, stride).

    [..., 0, :] of a word: w (`size` numbers), b, 1, then zeros; of a context: w~, 1, b~, then zeros. So one dot product
    gives w . w~ + b + b~, and one loop updates all of it. [..., 1, :] are the sums.
    """

    words: Floats
    contexts: Floats


class Fit(NamedTuple):
    """The entries to visit, and the tables to update, for vectors of `size` numbers."""

    tiles: list[TileRow]
    tables: Tables
    size: int
    learning_rate: float


def stride_of(size: int) -> int:
    """Return the length of a table row: vector, bias and 1, rounded up to whole registers."""
    return -(-(size + 2) // LANES) * LANES


def first_tables(words: int, size: int, blocks: int, draw: np.random.Generator) -> Tables:
    """Return vectors and biases in (-0.5, 0.5) / size, and AdaGrad sums, all 1."""
    words_and_contexts = _small(draw, (2, words, size), size)
    return tables_of(*words_and_contexts, *_small(draw, (2, words), size), blocks=blocks)


def _small(draw: np.random.Generator, shape: tuple[int, ...], size: int) -> Floats:
    return (draw.random(shape, dtype=np.float32) - np.float32(0.5)) / np.float32(size)


def tables_of(words: Floats, contexts: Floats, word_biases: Floats, context_biases: Floats, *, blocks: int) -> Tables:
    """Return tables with these vectors (word, size) and biases (word,), and with all sums 1."""
    size = words.shape[1]
    tables = Tables(*(_table(len(words), size, blocks) for _ in Tables._fields))
    rows = np.arange(len(words))
    for table, vectors, biases, bias in zip(
        tables, (words, contexts), (word_biases, context_biases), (size, size + 1), strict=True
    ):
        numbers = table[:, :, 0]
        numbers[rows % blocks, rows // blocks, :size] = vectors
        numbers[..., size : size + 2] = 1
        numbers[rows % blocks, rows // blocks, bias] = biases
    return tables


def _table(words: int, size: int, blocks: int) -> Floats:
    """Return zeros with sums of one, aligned to a cache line."""
    shape = (blocks, -(-words // blocks), 2, stride_of(size))
    memory = np.zeros(int(np.prod(shape)) + LANES, np.float32)
    start = -memory.ctypes.data % (4 * LANES) // 4
    table = memory[start : start + int(np.prod(shape))].reshape(shape)
    table[:, :, 1] = 1
    return table


def sums_of_both(tables: Tables, words: int, size: int) -> Floats:
    """Return w + w~ of every word, float32 (word, size)."""
    both = tables.words[:, :, 0, :size] + tables.contexts[:, :, 0, :size]
    return both.swapaxes(0, 1).reshape(-1, size)[:words]


def visit_all(
    fit: Fit,
    draw: np.random.Generator,
    pool: Executor,
    threads: int,
    on_entries: Callable[[int, int, float], None] = lambda visited, entries, loss: None,
) -> float:
    """Visit every entry once, in random order; return the mean loss, see `visit_round`."""
    entries = sum(len(row.places) for row in fit.tiles)
    loss, visited = 0.0, 0
    for tiles in rounds(len(fit.tiles), draw):
        loss += visit_round(fit, tiles, pool, PARTS_PER_THREAD * threads)
        more = sum(fit.tiles[word].size(context) for word, context in tiles)
        visited += more
        on_entries(more, entries, loss / max(visited, 1))
    return loss / entries


def visit_round(fit: Fit, tiles: list[Tile], pool: Executor, parts: int) -> float:
    """Update the tables with every entry of some tiles.

    Args:
        tiles: tiles that have no block in common.
        parts: number of parts to split them into for the threads of the pool; it changes no number.
    Returns: the loss (eq. 8) summed over the entries, each before its update; with learning rate 0, that of the tables.
    """
    visit, rate = visitor(fit.size), np.float32(fit.learning_rate)
    losses = np.zeros(len(tiles))

    def visit_part(part: int) -> None:
        for number in range(part, len(tiles), parts):
            word, context = tiles[number]
            entries = fit.tiles[word].tile(context)
            losses[number] = visit(*entries, fit.tables.words[word], fit.tables.contexts[context], rate)

    list(pool.map(visit_part, range(parts)))
    return float(losses.sum())


@cache
def visitor(size: int) -> Any:
    """Return the loop over the entries of a tile, compiled for vectors of `size` numbers, so that loops are unrolled.

    Its arguments: places and targets of the tile, the blocks of the two tables, which are changed in place, and the
    learning rate; every number is float32, as float64 would halve the speed. It returns the summed loss.
    """
    stride = stride_of(size)

    def visit(places: np.ndarray, targets: Floats, words: Floats, contexts: Floats, learning_rate: np.float32) -> float:
        loss = 0.0
        for entry in range(len(places)):
            i, j = places[entry, 0], places[entry, 1]
            word, word_sums = words[i, 0], words[i, 1]
            context, context_sums = contexts[j, 0], contexts[j, 1]
            product = np.float32(0.0)
            for k in range(stride):
                product += word[k] * context[k]
            difference = product - targets[entry, 0]
            factor = targets[entry, 1] * difference
            loss += factor * difference
            factor *= learning_rate
            for k in range(stride):
                word_step, context_step = factor * context[k], factor * word[k]
                word[k] -= word_step / np.sqrt(word_sums[k])
                context[k] -= context_step / np.sqrt(context_sums[k])
                word_sums[k] += word_step * word_step
                context_sums[k] += context_step * context_step
            word[size + 1] = context[size] = np.float32(1.0)  # not weights
        return loss

    # For vector instructions the dot product may be summed in another order, and a division by zero gives infinity.
    return numba.njit(visit, nogil=True, fastmath={"reassoc", "nsz", "contract"}, error_model="numpy")
