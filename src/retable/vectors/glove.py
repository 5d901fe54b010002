"""GloVe: vectors whose products give the logarithms of how often words stand together.

Source     Pennington, Socher and Manning, "GloVe: Global Vectors for Word Representation", EMNLP 2014.
Equations  X_ij: co-occurrence (`cooccurrence.py`); w_i, b_i: vector and bias of a word, w~_j, b~_j: of a context word
           loss      J = sum over X_ij > 0 of f(X_ij) (w_i . w~_j + b_i + b~_j - log X_ij)^2         (eq. 8)
           weight    f(x) = (x / x_max)^exponent below x_max, else 1                                 (eq. 9)
           gradient  of J/2 for w_i: g = f(X_ij) (w_i . w~_j + b_i + b~_j - log X_ij) w~_j; without w~_j for the bias
           AdaGrad   w_i <- w_i - r g / sqrt(G), then G <- G + (r g)^2, G = 1 at first, r the learning rate; all numbers
                     that one entry changes are changed at once, entry after entry
           result    w_i + w~_i                                                                     (section 4.2)
As the     AdaGrad with the squares of the steps, not of the gradients, in G; one rate for vectors and biases; first
authors'   values uniform in (-0.5, 0.5) / size, biases too; the entries shuffled once, every pass in that order. That
program    is the program of 2014; since 2019 its biases have no learning rate, and it clips gradients.
Departure  the order and the first values come from the seed, and one thread visits the entries, so that equal texts and
           parameters give equal bytes on one machine; no vector for unknown words.
"""

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import numba
import numpy as np
import numpy.typing as npt

from retable.errors import InputError
from retable.text.units import Unit
from retable.vectors.cooccurrence import count_cooccurrences
from retable.vectors.store import WordVectors
from retable.vectors.token_lists import TokenLists, frequent_words

ENTRIES_AT_ONCE = 1 << 20  # between two calls of on_entries

Floats = npt.NDArray[np.float32]


class Weights(NamedTuple):
    """w and w~, float32 (word, size), b and b~, float32 (word,); or what AdaGrad has summed for each of them."""

    words: Floats
    contexts: Floats
    word_biases: Floats
    context_biases: Floats


def train_glove(
    texts: Path,
    *,
    size: int,
    epochs: int,
    window: int,
    min_count: int,
    x_max: float,
    exponent: float,
    learning_rate: float,
    lowercase: bool,
    seed: int,
    unit: Unit = "words",
    on_words: Callable[[int], None] = lambda words: None,
    on_entries: Callable[[int, int, float], None] = lambda visited, entries, loss: None,
) -> WordVectors:
    """Train vectors on a pool.

    Args:
        texts: Parquet file with a column `tokens`, list<string>.
        size: numbers in a vector.
        epochs: passes over the co-occurrences.
        window: words on either side that are counted, nearest heaviest (1/distance).
        min_count: a word that occurs less often gets no vector.
        x_max, exponent: of the weighting (eq. 9).
        learning_rate: of AdaGrad.
        unit: "words", or "characters": then what is said here of words holds for the characters of the texts.
        on_words: told how many more words were counted.
        on_entries: told how many more entries of X were visited, how many there are, and their mean loss so far in
            this pass.
    Returns: the vectors, most frequent word first; `facts` holds the mean loss of every pass.
    Raises: InputError if an option is out of its range, no word occurs `min_count` times, no two words stand together,
        or the loss grows without bound.
    """
    check_options(size=size, epochs=epochs, x_max=x_max, exponent=exponent, learning_rate=learning_rate)
    counts = TokenLists(texts, lowercase=lowercase, unit=unit).counts()
    vocabulary = list(frequent_words(counts, min_count, texts))
    batches = TokenLists(texts, lowercase=lowercase, unit=unit).batches()
    entries = count_cooccurrences(batches, vocabulary, window, on_words=on_words)
    if not len(entries):
        raise InputError(f"no text of {texts} has two words that occur {min_count} times or more; lower min_count.")
    draw = np.random.default_rng(seed)
    weights, sums = first_weights(len(vocabulary), size, draw)
    draw.shuffle(entries)
    losses = []
    for number in range(1, epochs + 1):
        loss = 0.0
        for start in range(0, len(entries), ENTRIES_AT_ONCE):
            block = entries[start : start + ENTRIES_AT_ONCE]
            loss += visit(block, weights, sums, x_max=x_max, exponent=exponent, learning_rate=learning_rate)
            on_entries(len(block), len(entries), loss / (start + len(block)))
        if not np.isfinite(loss):
            raise InputError(f"the loss is no number any more in pass {number}; lower learning_rate ({learning_rate}).")
        losses.append(round(loss / len(entries), 6))
    facts = {"training_words": counts.total(), "cooccurrences": len(entries), "losses": losses}
    return WordVectors(vocabulary, weights.words + weights.contexts, {**facts, "numba": numba.__version__})


def check_options(*, size: int, epochs: int, x_max: float, exponent: float, learning_rate: float) -> None:
    """Raises: InputError for a value with which nothing can be trained."""
    for name, value, least in (("size", size, 1), ("epochs", epochs, 1), ("exponent", exponent, 0)):
        if value < least:
            raise InputError(f"{name} of GloVe vectors is {value}; allowed: {least} or more.")
    for name, value in (("x_max", x_max), ("learning_rate", learning_rate)):
        if value <= 0:
            raise InputError(f"{name} of GloVe vectors is {value}; allowed: more than 0.")


def first_weights(words: int, size: int, draw: np.random.Generator) -> tuple[Weights, Weights]:
    """Weights in (-0.5, 0.5) / size, and the sums of AdaGrad, all 1."""
    shapes = [(words, size), (words, size), (words,), (words,)]
    weights = [(draw.random(shape, dtype=np.float32) - np.float32(0.5)) / np.float32(size) for shape in shapes]
    return Weights(*weights), Weights(*[np.ones(shape, np.float32) for shape in shapes])


def visit(
    entries: np.ndarray, weights: Weights, sums: Weights, *, x_max: float, exponent: float, learning_rate: float
) -> float:
    """Update the weights by every entry, in order.

    Args:
        entries: of X (`count_cooccurrences`).
        weights, sums: changed in place.
    Returns: the loss (eq. 8) summed over the entries, each before its update; with learning rate 0, J itself.
    """
    loss: float = _visit(
        entries["word"], entries["context"], entries["count"], weights, sums,
        np.float32(x_max), np.float32(exponent), np.float32(learning_rate),
    )  # fmt: skip
    return loss


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
    """The loop of `visit`; every number is float32, for a float64 would halve the speed."""
    loss = 0.0
    for entry in range(len(counts)):
        i, j, count = words[entry], contexts[entry], counts[entry]
        word, context = weights.words[i], weights.contexts[j]
        word_sums, context_sums = sums.words[i], sums.contexts[j]
        product = np.float32(0.0)
        for k in range(len(word)):
            product += word[k] * context[k]
        difference = product + weights.word_biases[i] + weights.context_biases[j] - np.log(count)
        weight = (count / x_max) ** exponent if count < x_max else np.float32(1.0)  # eq. 9
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


# Compiled when first called, as in cooccurrence.py. For vector instructions (three times the speed) the product may be
# summed in another order, and a division by zero gives infinity, not an exception.
_visit = numba.njit(visit_in_order, fastmath={"reassoc", "nsz", "contract"}, error_model="numpy")
