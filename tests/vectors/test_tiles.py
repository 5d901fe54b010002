"""Tiles: every entry in its tile with its target, rounds without shared blocks, shuffled, independent of threads."""

import random
from itertools import pairwise

import numpy as np
import pyarrow as pa
import pytest

from retable.vectors.cooccurrence import count_cooccurrences
from retable.vectors.tiles import BLOCKS_STEP, MOST_BLOCKS, TILE_BYTES, in_tiles, number_of_blocks, rounds

WORDS = [f"w{number}" for number in range(30)]
WEIGHTING = {"x_max": 3.0, "exponent": 0.75}


def counted():
    draw = random.Random(1)
    texts = [draw.choices(WORDS, weights=range(30, 0, -1), k=40) for _ in range(50)]
    return count_cooccurrences([pa.array(texts, pa.list_(pa.string()))], WORDS, 4)


@pytest.mark.parametrize("blocks", [1, 2, 7, 30])
def test_every_tile_once_and_no_block_twice_in_a_round(blocks):
    every = [list(tiles) for tiles in rounds(blocks, np.random.default_rng(1))]
    for tiles in every:
        assert [sorted(side) for side in zip(*tiles, strict=True)] == [list(range(blocks))] * 2
    assert sorted(tile for tiles in every for tile in tiles) == [(i, j) for i in range(blocks) for j in range(blocks)]


def test_the_order_of_the_rounds_is_drawn():
    draw = np.random.default_rng(1)
    first, second = (list(rounds(30, draw)) for _ in range(2))
    assert first != second
    assert sorted(first) == sorted(second)
    assert first == list(rounds(30, np.random.default_rng(1)))


@pytest.mark.parametrize("blocks", [1, 4, 7, 30])
def test_every_entry_is_in_the_tile_of_its_words(blocks):
    tiles, expected = in_tiles(counted(), blocks, seed=1, **WEIGHTING), {}
    starts, contexts, counts = counted().block(0, 1)
    for word, (start, end) in enumerate(pairwise(starts)):
        expected |= {(word, contexts[entry]): counts[entry] for entry in range(start, end)}
    found = {}
    for word_block, row in enumerate(tiles):
        for context_block in range(blocks):
            places, targets = row.tile(context_block)
            assert row.size(context_block) == len(places)
            for (i, j), target in zip(places, targets, strict=True):
                found[(word_block + i * blocks, context_block + j * blocks)] = target
    assert found.keys() == expected.keys()
    assert sum(len(row.places) for row in tiles) == len(expected), "no entry comes twice"
    for pair, x in expected.items():
        assert found[pair] == pytest.approx([np.log(x), min(1.0, (x / 3) ** 0.75)], rel=1e-5, abs=1e-6)


def test_equal_whatever_the_threads_but_not_the_seed():
    expected = in_tiles(counted(), 5, seed=1, **WEIGHTING)
    for threads in (2, 3):
        other = in_tiles(counted(), 5, seed=1, threads=threads, **WEIGHTING)
        for left, right in zip(expected, other, strict=True):
            assert all(np.array_equal(one, two) for one, two in zip(left, right, strict=True))
    other = in_tiles(counted(), 5, seed=2, **WEIGHTING)
    assert not all(np.array_equal(left.places, right.places) for left, right in zip(expected, other, strict=True))


def test_every_order_of_a_tile_is_as_likely():
    """Three adjacent words: six entries without "a a"; which comes first and last, over 1,200 seeds."""
    three = count_cooccurrences([pa.array([["a", "b", "c"]])], "abc", 2)
    orders = [in_tiles(three, 1, seed=seed, **WEIGHTING)[0].places.tolist() for seed in range(1200)]
    assert len({str(sorted(order)) for order in orders}) == 1
    for place in (0, 5):
        times = np.unique([str(order[place]) for order in orders], return_counts=True)[1]
        assert len(times) == 6
        assert abs(times - 200).max() < 60  # four and a half standard deviations of 13


def test_all_tiles_have_about_as_many_entries():
    """Frequent words co-occur with all others: blocks of neighbours would make the first tile the fullest."""
    draw = np.random.default_rng(1)
    words = [f"w{number}" for number in range(400)]
    texts = [[f"w{min(rank, 400) - 1}" for rank in draw.zipf(1.2, 200)] for _ in range(100)]
    tiles = in_tiles(count_cooccurrences([pa.array(texts)], words, 5), 8, seed=1, **WEIGHTING)
    sizes = np.array([np.diff(row.starts) for row in tiles])
    assert sizes.max() < 1.6 * sizes.mean()


def test_a_tile_fits_into_its_share_of_the_cache():
    for words, bytes_of_word in ((30_000, 896), (41_300, 896), (41_300, 2432)):
        blocks = number_of_blocks(words, bytes_of_word)
        assert blocks % BLOCKS_STEP == 0
        assert 2 * words / blocks * bytes_of_word <= TILE_BYTES
        assert 2 * words / (blocks - BLOCKS_STEP) * bytes_of_word > TILE_BYTES
    assert number_of_blocks(5, 896) == 5
    assert number_of_blocks(20, 896) == BLOCKS_STEP
    assert number_of_blocks(10_000_000, 2432) == MOST_BLOCKS
