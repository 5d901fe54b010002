"""One graph of a whole corpus: words are nodes, texts are attached to them, and edges have weights.

Source     Yao, Mao and Luo, "Graph Convolutional Networks for Text Classification", AAAI 2019, section "Text Graph
           Convolutional Networks (Text GCN)"; the authors' code, yao8839836/text_gcn (build_graph.py). The code was
           read, the paper was not.
Equations  between words i and j: PMI(i, j) = log(p(i, j) / (p(i) p(j))) where it is positive; p(i) and p(i, j) are the
           shares of all windows of neighbouring words that contain i, and both. Between a text and a word: the word's
           count in the text times idf = log(N / df). To itself: 1. A~ = D^(-1/2) A D^(-1/2), D the row sums.
Reading    a window counts once for a pair (as printed); the code counts every pair of places in it. A text shorter than
           a window is one window.
Training   words, their edges and row sums come from the training texts. Every text, training or not, reads its words
           and itself, and nothing reads it: so a later text changes no other text's answer.
Shapes     N texts, V words.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from scipy import sparse

WINDOWS_AT_A_TIME = 100_000


@dataclass(frozen=True)
class WordGraph:
    """Hold A~ among words with self-loops, float64 (V, V); idf and row sums D of the words, float64 (V,)."""

    edges: sparse.csr_matrix
    idf: np.ndarray
    sums: np.ndarray

    def attached(self, counts: sparse.csr_matrix) -> tuple[sparse.csr_matrix, np.ndarray]:
        """Return A~ of texts with these word counts, (N, V): to the words, (N, V), and to themselves, (N,)."""
        weights = counts @ sparse.diags_array(self.idf)
        own = 1.0 + np.asarray(weights.sum(axis=1)).ravel()  # D
        return sparse.csr_matrix(sparse.diags_array(own**-0.5) @ weights @ sparse.diags_array(self.sums**-0.5)), 1 / own


def word_graph(texts: Sequence[np.ndarray], words: int, window: int) -> WordGraph:
    """Return the graph of texts, each an array of word numbers from 0 to V - 1.

    Args:
        words: size of the vocabulary, V.
        window: words per window.
    """
    together, windows = windows_with_both(texts, words, window)
    alone = together.diagonal()
    pairs = sparse.coo_matrix(together)
    with np.errstate(divide="ignore"):
        pmi = np.log(windows * pairs.data / (alone[pairs.row] * alone[pairs.col]))
    kept = (pmi > 0) & (pairs.row != pairs.col)
    edges = sparse.csr_matrix((pmi[kept], (pairs.row[kept], pairs.col[kept])), shape=(words, words))
    totals = np.bincount(np.concatenate([*texts, np.empty(0, np.int64)]).astype(np.int64), minlength=words)
    idf = inverse_frequencies(texts, words)
    sums = 1.0 + np.asarray(edges.sum(axis=1)).ravel() + totals * idf
    roots = sparse.diags_array(sums**-0.5)
    return WordGraph(sparse.csr_matrix(roots @ (edges + sparse.eye_array(words)) @ roots), idf, sums)


def inverse_frequencies(texts: Sequence[np.ndarray], words: int) -> np.ndarray:
    """Return log(N / df) of every word, (V,); 0 for a word that occurs in no text."""
    frequencies = np.zeros(words)
    for text in texts:
        frequencies[np.unique(text)] += 1
    return np.log(max(len(texts), 1) / np.where(frequencies > 0, frequencies, max(len(texts), 1)))


def windows_with_both(texts: Iterable[np.ndarray], words: int, window: int) -> tuple[sparse.csr_matrix, int]:
    """Return how many windows contain both words, (V, V), or one word (diagonal), and the number of windows."""
    together, count = sparse.csr_matrix((words, words)), 0
    for some in blocks_of_windows(texts, window):
        lengths = np.array([len(each) for each in some])
        held = sparse.csr_matrix(
            (np.ones(lengths.sum()), np.concatenate(some), np.concatenate(([0], lengths.cumsum()))),
            shape=(len(some), words),
        )
        held.sum_duplicates()
        held.data[:] = 1.0
        together, count = together + held.T @ held, count + len(some)
    return sparse.csr_matrix(together), count


def blocks_of_windows(texts: Iterable[np.ndarray], window: int) -> Iterator[list[np.ndarray]]:
    """Yield all windows of all texts in lists of limited length; an empty text has none."""
    some: list[np.ndarray] = []
    for text in texts:
        if len(text):
            some += list(sliding_window_view(text, min(window, len(text))))
        if len(some) >= WINDOWS_AT_A_TIME:
            yield some
            some = []
    if some:
        yield some
