"""One graph of a whole corpus: its words are nodes, texts are attached to them, and edges have weights.

Source     Yao, Mao and Luo, "Graph Convolutional Networks for Text Classification", AAAI 2019, section "Text Graph
           Convolutional Networks (Text GCN)"; the authors' code, yao8839836/text_gcn (build_graph.py), which was read;
           the print was not seen.
Equations  between words i and j: PMI(i, j) = log(p(i, j) / (p(i) p(j))) where it is above 0; p(i) and p(i, j) are the
           shares of all windows of so many neighbouring words that hold i, and both. Between a text and a word: how
           often it stands there times idf = log(N / df). To itself: 1. A~ = D^(-1/2) A D^(-1/2), D the sums of rows.
Reading    a window counts once for a pair (as printed); the code counts every pair of places in it. A text that is
           shorter is one window.
Training   the words, their edges and their sums of rows are those of the training texts. A text, of training or not,
           reads its words and itself, and nobody reads it: so a text that comes later changes no other one's answer.
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
    """A~ among words with their loops, float64 (V, V); idf and sums of rows D of the words, float64 (V,)."""

    edges: sparse.csr_matrix
    idf: np.ndarray
    sums: np.ndarray

    def attached(self, counts: sparse.csr_matrix) -> tuple[sparse.csr_matrix, np.ndarray]:
        """Return A~ of texts with these counts of words, (N, V): to the words, (N, V), and to themselves, (N,)."""
        weights = counts @ sparse.diags_array(self.idf)
        own = 1.0 + np.asarray(weights.sum(axis=1)).ravel()  # D
        return sparse.csr_matrix(sparse.diags_array(own**-0.5) @ weights @ sparse.diags_array(self.sums**-0.5)), 1 / own


def word_graph(texts: Sequence[np.ndarray], words: int, window: int) -> WordGraph:
    """Return the graph of texts, each the numbers of its words, int from 0 to V - 1.

    Args:
        words: V.
        window: words that a window holds.
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
    """Return log(N / df) of every word, (V,); 0 of one that no text has."""
    frequencies = np.zeros(words)
    for text in texts:
        frequencies[np.unique(text)] += 1
    return np.log(max(len(texts), 1) / np.where(frequencies > 0, frequencies, max(len(texts), 1)))


def windows_with_both(texts: Iterable[np.ndarray], words: int, window: int) -> tuple[sparse.csr_matrix, int]:
    """Return how many windows hold both words, (V, V), on the diagonal the word itself, and the number of windows."""
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
    """Yield all windows of all texts in lists of limited length; a text without a word has none."""
    some: list[np.ndarray] = []
    for text in texts:
        if len(text):
            some += list(sliding_window_view(text, min(window, len(text))))
        if len(some) >= WINDOWS_AT_A_TIME:
            yield some
            some = []
    if some:
        yield some
