"""GloVe as this project first trained it, the peer of its tiles: one thread, every entry in the order of one shuffle.

The loop of the authors' program (glove.c of 2014), compiled by numba; f(X_ij) and log X_ij are made at every visit.
"""

from typing import NamedTuple

import numba
import numpy as np
import numpy.typing as npt

from retable.vectors.tiles import TileRow

Floats = npt.NDArray[np.float32]


class Weights(NamedTuple):
    """w and w~, float32 (word, size), b and b~, float32 (word,); or what AdaGrad has summed for each of them."""

    words: Floats
    contexts: Floats
    word_biases: Floats
    context_biases: Floats


class Entries(NamedTuple):
    """Rows of words and contexts, int32 (entry,), and X_ij, float32 (entry,), shuffled."""

    words: npt.NDArray[np.int32]
    contexts: npt.NDArray[np.int32]
    counts: Floats


def shuffled_entries(tiles: list[TileRow], seed: int) -> Entries:
    """The entries of all tiles in one order."""
    blocks = len(tiles)
    words = np.concatenate([block + blocks * row.places[:, 0] for block, row in enumerate(tiles)])
    contexts = np.concatenate(
        [np.repeat(np.arange(blocks), np.diff(row.starts)) + blocks * row.places[:, 1] for row in tiles]
    )
    counts = np.exp(np.concatenate([row.targets[:, 0] for row in tiles]))
    order = np.random.default_rng(seed).permutation(len(words))
    return Entries(words[order].astype(np.int32), contexts[order].astype(np.int32), counts[order])


def first_weights(words: int, size: int, seed: int) -> tuple[Weights, Weights]:
    """Weights in (-0.5, 0.5) / size, and the sums of AdaGrad, all 1."""
    draw = np.random.default_rng(seed)
    shapes = [(words, size), (words, size), (words,), (words,)]
    weights = [(draw.random(shape, dtype=np.float32) - np.float32(0.5)) / np.float32(size) for shape in shapes]
    return Weights(*weights), Weights(*[np.ones(shape, np.float32) for shape in shapes])


def visit_in_order(
    words: npt.NDArray[np.int32],
    contexts: npt.NDArray[np.int32],
    counts: Floats,
    weights: Weights,
    sums: Weights,
    x_max: np.float32,
    exponent: np.float32,
    learning_rate: np.float32,
) -> float:
    """Update weights and sums by every entry; returns the summed loss."""
    loss = 0.0
    for entry in range(len(counts)):
        i, j, count = words[entry], contexts[entry], counts[entry]
        word, context = weights.words[i], weights.contexts[j]
        word_sums, context_sums = sums.words[i], sums.contexts[j]
        product = np.float32(0.0)
        for k in range(len(word)):
            product += word[k] * context[k]
        difference = product + weights.word_biases[i] + weights.context_biases[j] - np.log(count)
        weight = (count / x_max) ** exponent if count < x_max else np.float32(1.0)
        loss += weight * difference * difference
        factor = learning_rate * weight * difference
        for k in range(len(word)):
            word_step, context_step = factor * context[k], factor * word[k]
            word[k] -= word_step / np.sqrt(word_sums[k])
            context[k] -= context_step / np.sqrt(context_sums[k])
            word_sums[k] += word_step * word_step
            context_sums[k] += context_step * context_step
        weights.word_biases[i] -= factor / np.sqrt(sums.word_biases[i])
        weights.context_biases[j] -= factor / np.sqrt(sums.context_biases[j])
        sums.word_biases[i] += factor * factor
        sums.context_biases[j] += factor * factor
    return loss


visit = numba.njit(visit_in_order, fastmath={"reassoc", "nsz", "contract"}, error_model="numpy")
