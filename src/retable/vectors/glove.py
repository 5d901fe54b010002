"""GloVe: vectors whose dot products approximate the logarithms of co-occurrence counts.

Source     Pennington, Socher and Manning, "GloVe: Global Vectors for Word Representation", EMNLP 2014.
Equations  X_ij: co-occurrence (`cooccurrence.py`); w_i, b_i: vector and bias of a word, w~_j, b~_j: of a context word
           loss      J = sum over X_ij > 0 of f(X_ij) (w_i . w~_j + b_i + b~_j - log X_ij)^2         (eq. 8)
           weight    f(x) = (x / x_max)^exponent below x_max, else 1                                 (eq. 9)
           gradient  of J/2 for w_i: g = f(X_ij) (w_i . w~_j + b_i + b~_j - log X_ij) w~_j; without w~_j for the bias
           AdaGrad   w_i <- w_i - r g / sqrt(G), then G <- G + (r g)^2, G = 1 at first, r the learning rate; all numbers
                     of one entry are updated at once, entry after entry
           result    w_i + w~_i                                                                     (section 4.2)
As the     AdaGrad sums the squares of the steps, not of the gradients, in G; one rate for vectors and biases; initial
authors'   values uniform in (-0.5, 0.5) / size, including biases. This is the program of 2014; since 2019 its biases
program    have no learning rate, and it clips gradients.
Departure  the authors' threads race over one shuffled list; here they visit tiles (`tiles.py`) without common vectors,
           in rounds whose order is drawn anew for every pass. The seed sets order and initial values, so equal texts
           and parameters give equal bytes on one machine, with any number of threads. There is no vector for unknown
           words.
"""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numba
import numpy as np

from retable.errors import InputError
from retable.text.units import TokenUnit
from retable.vectors.cooccurrence import count_cooccurrences
from retable.vectors.glove_pass import Fit, first_tables, stride_of, sums_of_both, visit_all
from retable.vectors.store import WordVectors
from retable.vectors.tiles import in_tiles, number_of_blocks
from retable.vectors.token_lists import TokenLists, frequent_words


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
    unit: TokenUnit = "words",
    threads: int | None = None,
    on_words: Callable[[int], None] = lambda words: None,
    on_entries: Callable[[int, int, float], None] = lambda visited, entries, loss: None,
) -> WordVectors:
    """Train vectors on a pool.

    Args:
        texts: Parquet file with a column `tokens`, list<string>.
        size: dimensions of a vector.
        epochs: passes over the co-occurrences.
        window: number of words on either side that are counted, the nearest with most weight (1/distance).
        min_count: a word that occurs less often gets no vector.
        x_max, exponent: of the weighting (eq. 9).
        learning_rate: of AdaGrad.
        unit: "words", or "characters": then everything said about words applies to the characters of the texts.
        threads: number of threads; None for numba's default: the cores, or NUMBA_NUM_THREADS.
        on_words: called with the number of further words counted.
        on_entries: called with the number of further entries of X visited, their total, and their mean loss so far in
            this pass.
    Returns: the vectors, most frequent word first; `facts` holds the mean loss of every pass.
    Raises: InputError if an option is out of range, no word occurs `min_count` times, no two words co-occur,
        the pool has 2^31 words, or the loss grows without bound.
    """
    threads = numba.config.NUMBA_NUM_THREADS if threads is None else threads
    check_options(
        size=size, epochs=epochs, threads=threads, x_max=x_max, exponent=exponent, learning_rate=learning_rate
    )
    counts = TokenLists(texts, lowercase=lowercase, unit=unit).counts()
    vocabulary = list(frequent_words(counts, min_count, texts))
    blocks = number_of_blocks(len(vocabulary), 2 * 4 * stride_of(size))
    batches = TokenLists(texts, lowercase=lowercase, unit=unit).batches()
    counted = count_cooccurrences(batches, vocabulary, window, on_words=on_words)
    tiles = in_tiles(counted, blocks, x_max=x_max, exponent=exponent, seed=seed, threads=threads)
    del counted
    entries = sum(len(row.places) for row in tiles)
    if not entries:
        raise InputError(f"no text of {texts} has two words that occur {min_count} times or more; lower min_count.")
    draw = np.random.default_rng(seed)
    fit = Fit(tiles, first_tables(len(vocabulary), size, blocks, draw), size, learning_rate)
    losses = []
    with ThreadPoolExecutor(threads) as pool:
        for number in range(1, epochs + 1):
            loss = visit_all(fit, draw, pool, threads, on_entries)
            if not np.isfinite(loss):
                raise InputError(f"the loss is not finite in pass {number}; lower learning_rate ({learning_rate}).")
            losses.append(round(loss, 6))
    facts = {"training_words": counts.total(), "cooccurrences": entries, "losses": losses}
    matrix = sums_of_both(fit.tables, len(vocabulary), size)
    return WordVectors(vocabulary, matrix, {**facts, "numba": numba.__version__})


def check_options(*, size: int, epochs: int, threads: int, x_max: float, exponent: float, learning_rate: float) -> None:
    """Raises: InputError for a value that makes training impossible."""
    least_values = (("size", size, 1), ("epochs", epochs, 1), ("threads", threads, 1), ("exponent", exponent, 0))
    for name, value, least in least_values:
        if value < least:
            raise InputError(f"{name} of GloVe vectors is {value}; allowed: {least} or more.")
    for name, value in (("x_max", x_max), ("learning_rate", learning_rate)):
        if value <= 0:
            raise InputError(f"{name} of GloVe vectors is {value}; allowed: more than 0.")
