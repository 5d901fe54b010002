"""The graph of words and texts, Yao, Mao and Luo 2019."""

import math

import numpy as np
import pytest
from scipy import sparse

from retable.layers import word_graph as module
from retable.layers.word_graph import windows_with_both, word_graph

TEXTS = [np.array(text) for text in ([0, 1, 2, 0], [1, 3], [0, 3, 3, 1, 2, 2, 4], [2])]


def slow_windows(texts, window):
    """Return all windows, as sets of words."""
    return [
        set(text[start : start + window].tolist()) for text in texts for start in range(max(1, len(text) - window + 1))
    ]


def slow_graph(texts, words, window):
    """Compute A~ among words, number by number: A, then the roots of the sums of all edges, those to texts included."""
    windows = slow_windows(texts, window)
    edges = np.eye(words)
    for i in range(words):
        for j in range(words):
            both = sum({i, j} <= held for held in windows)
            if i != j and both:
                shares = [sum(word in held for held in windows) / len(windows) for word in (i, j)]
                edges[i, j] = max(math.log(both / len(windows) / (shares[0] * shares[1])), 0)
    sums = edges.sum(axis=1)
    for word in range(words):
        df = sum(word in text for text in texts)
        for text in texts:
            sums[word] += (text == word).sum() * (math.log(len(texts) / df) if df else 0)
    return edges / np.sqrt(np.outer(sums, sums)), sums


@pytest.mark.parametrize("window", [1, 2, 3, 20])
def test_fast_form_matches_the_equations_number_by_number(window, monkeypatch):
    """Word 5 is in no text; windows are counted in several blocks."""
    monkeypatch.setattr(module, "WINDOWS_AT_A_TIME", 2)
    found = word_graph(TEXTS, 6, window)
    edges, sums = slow_graph(TEXTS, 6, window)
    np.testing.assert_allclose(found.edges.toarray(), edges)
    np.testing.assert_allclose(found.sums, sums)


def test_windows_and_pmi_by_hand():
    """a b a c in windows of three: {a, b} and {a, b, c}; d b is a window. p(a) = 2/3, p(b) = 1, p(c) = p(d) = 1/3,
    p(a, c) = 1/3: PMI(a, c) = log(3/2). Words in the same window as b carry no information: p(b) = 1.
    """
    texts = [np.array([0, 1, 0, 2]), np.array([3, 1])]
    together, windows = windows_with_both(texts, 4, 3)
    assert windows == 3
    assert together.toarray().tolist() == [[2, 2, 1, 0], [2, 3, 1, 1], [1, 1, 1, 0], [0, 1, 0, 1]]
    graph = word_graph(texts, 4, 3)
    idf = [math.log(2), 0, math.log(2), math.log(2)]  # b is in both texts
    assert graph.idf.tolist() == pytest.approx(idf)
    pmi = math.log(1.5)
    a, c = 1 + pmi + 2 * math.log(2), 1 + pmi + math.log(2)  # sums of rows
    assert graph.sums.tolist() == pytest.approx([a, 1, c, 1 + math.log(2)])
    edges = graph.edges.toarray()
    assert edges[0, 2] == edges[2, 0] == pytest.approx(pmi / math.sqrt(a * c))
    assert edges.diagonal().tolist() == pytest.approx([1 / a, 1, 1 / c, 1 / (1 + math.log(2))])
    assert np.count_nonzero(edges) == 4 + 2


def test_a_text_is_attached_by_its_tf_idf_by_hand():
    """a a b of the graph above: 2 log 2 to a, nothing to b, whose idf is 0; its own sum is 1 + 2 log 2."""
    graph = word_graph([np.array([0, 1, 0, 2]), np.array([3, 1])], 4, 3)
    to_words, own = graph.attached(sparse.csr_matrix(np.array([[2.0, 1, 0, 0], [0, 0, 0, 0]])))
    weight = 2 * math.log(2)
    assert own.tolist() == pytest.approx([1 / (1 + weight), 1])
    assert to_words.toarray()[0].tolist() == pytest.approx([weight / math.sqrt((1 + weight) * graph.sums[0]), 0, 0, 0])
    assert not to_words.toarray()[1].any()


def test_no_text_and_no_word_give_a_graph_of_loops():
    for texts in ([], [np.array([], dtype=int)]):
        graph = word_graph(texts, 3, 20)
        assert graph.edges.toarray().tolist() == np.eye(3).tolist()
        assert graph.idf.tolist() == [0, 0, 0]
