"""The entries of X in tiles: a block of words times a block of contexts, whose vectors fit into a core's cache.

Blocks   word r, the r-th most frequent, is in block r % blocks, as word and as context. So rare and frequent words are
         spread evenly, and all tiles have about the same number of entries.
Rounds   the tiles (i, (i + shift) % blocks) of one shift share no block of words or of contexts: they form a round.
         Threads may visit its tiles in any order, or at once, without changing any number.
Entries  of a tile: shuffled once.
"""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

import numba
import numpy as np
import numpy.typing as npt

from retable.vectors.cooccurrence import Cooccurrences, Floats, Starts

TILE_BYTES = 1 << 21  # vectors and AdaGrad sums: a core's share of the caches
BLOCKS_STEP, MOST_BLOCKS = 16, 512  # equal work for 2, 4, 8 or 16 threads; tiles large enough to be worth a call

Integers = npt.NDArray[np.int32]
Tile = tuple[int, int]


class TileRow(NamedTuple):
    """The tiles of one block of words: entries starts[j] to starts[j + 1] are those with contexts of block j.

    places: int32 (entry, 2), of the word in its block and of the context in its block: word r has place r // blocks.
    targets: float32 (entry, 2), log X_ij and f(X_ij).
    """

    starts: Starts
    places: Integers
    targets: Floats

    def tile(self, block: int) -> tuple[Integers, Floats]:
        """Return places and targets of one tile."""
        entries = slice(self.starts[block], self.starts[block + 1])
        return self.places[entries], self.targets[entries]

    def size(self, block: int) -> int:
        """Return the number of entries of one tile."""
        return int(self.starts[block + 1] - self.starts[block])


def number_of_blocks(words: int, bytes_of_word: int) -> int:
    """Return the number of blocks for tiles of at most TILE_BYTES, within bounds; independent of threads.

    Args:
        bytes_of_word: size of a vector and its sums.
    """
    bytes_of_step = BLOCKS_STEP * TILE_BYTES
    wanted = BLOCKS_STEP * -(-2 * words * bytes_of_word // bytes_of_step)
    return min(words, wanted, MOST_BLOCKS)


def in_tiles(
    counted: Cooccurrences,
    blocks: int,
    *,
    x_max: float,
    exponent: float,
    seed: int,
    threads: int = 1,
) -> list[TileRow]:
    """Count all entries (16 bytes each), one row of tiles per block of words.

    Args:
        x_max, exponent: of the weighting f (GloVe, eq. 9).
        seed: of the order of the entries in a tile.
        threads: number of threads, each on one row of tiles.
    """

    def row_of(block: int) -> TileRow:
        starts, contexts, counts = counted.block(block, blocks)
        tile_starts, places, targets = _deal(starts, contexts, counts, blocks, np.float32(x_max), np.float32(exponent))
        _shuffle(tile_starts, places, targets, np.random.default_rng([seed, block]).random(len(places)))
        return TileRow(tile_starts, places, targets)

    with ThreadPoolExecutor(threads) as pool:
        return list(pool.map(row_of, range(blocks)))


def rounds(blocks: int, draw: np.random.Generator) -> Iterator[list[Tile]]:
    """Yield every tile once, in rounds of random order."""
    for shift in draw.permutation(blocks).tolist():
        yield [(block, (block + shift) % blocks) for block in range(blocks)]


def deal(
    starts: Starts, contexts: Integers, counts: Floats, blocks: int, x_max: np.float32, exponent: np.float32
) -> tuple[Starts, Integers, Floats]:
    """Return the entries of one block of rows, tile after tile; the k-th row is that of the word with place k."""
    tile_starts = np.zeros(blocks + 1, np.int64)
    for context in contexts:
        tile_starts[context % blocks + 1] += 1
    for block in range(blocks):
        tile_starts[block + 1] += tile_starts[block]
    ends = tile_starts[:-1].copy()
    places, targets = np.empty((len(contexts), 2), np.int32), np.empty((len(contexts), 2), np.float32)
    for word in range(len(starts) - 1):
        for entry in range(starts[word], starts[word + 1]):
            context, count = contexts[entry], counts[entry]
            to = ends[context % blocks]
            ends[context % blocks] += 1
            places[to, 0], places[to, 1] = word, context // blocks
            targets[to, 0] = np.log(count)
            targets[to, 1] = (count / x_max) ** exponent if count < x_max else np.float32(1.0)  # eq. 9
    return tile_starts, places, targets


def shuffle(tile_starts: Starts, places: Integers, targets: Floats, chances: npt.NDArray[np.float64]) -> None:
    """Shuffle the entries of every tile in place (Fisher and Yates), with one number in [0, 1) per entry."""
    for tile in range(len(tile_starts) - 1):
        start = tile_starts[tile]
        for last in range(tile_starts[tile + 1] - 1, start, -1):
            other = start + np.int64(chances[last] * (last - start + 1))
            for side in range(2):
                places[last, side], places[other, side] = places[other, side], places[last, side]
                targets[last, side], targets[other, side] = targets[other, side], targets[last, side]


# Compiled on the first call, as in cooccurrence.py.
_deal, _shuffle = numba.njit(deal, nogil=True), numba.njit(shuffle, nogil=True)
