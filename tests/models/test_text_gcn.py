"""Text GCN, Yao, Mao and Luo 2019."""

import numpy as np
import pytest
import torch
from safetensors.torch import load_file, save_file
from torch import Tensor, tensor
from torch.testing import assert_close

from retable.layers.embedding import WordEmbedding
from retable.layers.word_graph import word_graph
from retable.models.text_gcn import TextGCN
from retable.text.vocabulary import UNKNOWN
from tests.models.declared import CLASSES, DIM, TUNED, Case, Declared, texts, with_random_weights

EVERY_MODEL = Declared(
    cases=[Case("text-gcn", DIM * CLASSES, {"window": 3})],
    dropped=lambda **_: [texts(DIM), (TUNED, DIM)],
    multiply_adds=lambda t, **_: t * (DIM + CLASSES) + DIM * CLASSES,
    refused=[
        ({"window": 0}, "window is 0; allowed: window >= 1"),
        ({"dropout": 1.0}, "dropout is 1.0; allowed: 0 <= dropout < 1"),
    ],
)
KNOWN = 9
TRAINING = ([2, 3, 4, 2, 5], [6, 3], [7, 7, 8, 1, 2], [5, 6, 7, 8])


def padded(*rows: list[int]) -> tuple[Tensor, Tensor]:
    """Return words and mask of texts; masked places hold a word, not padding."""
    width = max(map(len, rows)) + 1
    words = tensor([[*row, *[3] * (width - len(row))] for row in rows])
    return words, torch.arange(width) < tensor([len(row) for row in rows]).unsqueeze(1)


def small_network(*, tuned: int = KNOWN, trained: bool = True, **options) -> TextGCN:
    """Return the network in float64, with large enough weights, in evaluation mode, with the graph of TRAINING."""
    torch.manual_seed(2)
    embedding = WordEmbedding(torch.randn(KNOWN + 3, 4), tuned=tuned)
    network = with_random_weights(TextGCN(embedding, 2, **({"window": 3} | options)).double(), std=0.7)
    if trained:
        network.pretrain(lambda: iter([padded(*TRAINING[:3]), padded(TRAINING[3])]))
    return network


def slow_logits(network: TextGCN, text: list[int]) -> Tensor:
    """Return the logits of a text from the whole matrix A~ of the words and this text, node by node."""
    known = network.known
    graph = word_graph([np.array(row) for row in TRAINING], known, network.window)
    weights = np.zeros(known)
    for word in text:
        node = word if word < known else UNKNOWN
        weights[node] += graph.idf[node]
    own = 1 + weights.sum()
    to_words = weights / np.sqrt(own * graph.sums)
    matrix = torch.from_numpy(np.block([[graph.edges.toarray(), np.zeros((known, 1))], [to_words, np.ones(1) / own]]))
    w_0 = torch.cat((network.table.detach(), torch.zeros(1, network.table.shape[1]).double()))  # a text has no row
    layer_1 = torch.relu(matrix @ w_0)
    return (matrix @ layer_1 @ network.output.weight.T)[-1]


@pytest.mark.parametrize("window", [2, 3, 20])
@pytest.mark.parametrize("tuned", [KNOWN, 0])
def test_fast_form_matches_the_matrix_of_all_nodes(tuned, window):
    """Check padded texts with rare words and, if rows are trained, words that are in no training text."""
    network = small_network(tuned=tuned, window=window)
    rows = [[2, 2, 5, 1, 3], [8], [KNOWN, 4], [1], [6, 7, 8, 2, 3, 4, 5]]
    logits = network(*padded(*rows))
    for row, text in enumerate(rows):
        if tuned or max(text) < KNOWN:
            assert_close(logits[row], slow_logits(network, text))


def test_a_text_by_hand():
    """Words 2 and 3 share one text and one window of two: idf is log 2, and so is PMI, log((1/2) / (1/2 * 1/2))."""
    embedding = WordEmbedding(tensor([[0.0], [0.0], [3.0], [-1.0]]), tuned=4)
    network = TextGCN(embedding, 1, window=5).eval()
    network.pretrain(lambda: iter([padded([2, 3], [1])]))
    with torch.no_grad():
        network.output.weight.fill_(10.0)
    ln2 = float(np.log(2))
    total = 1 + 2 * ln2  # of either word: its loop, PMI, tf-idf
    l_word = max((3 * 1 - 1 * ln2) / total, 0), max((-1 * 1 + 3 * ln2) / total, 0)  # L1 of words 2 and 3
    edge = ln2 / np.sqrt((1 + ln2) * total)  # of a text with word 2 alone
    expected = 10 * (edge * l_word[0] + 1 / (1 + ln2) * edge * 3)
    assert network(*padded([2])).item() == pytest.approx(expected)


def test_a_text_reads_words_that_it_does_not_have():
    """Through the edges: 4 occurs next to 2, and its row affects the answer for 2."""
    network, before = small_network(), small_network()
    with torch.no_grad():
        network.embedding.tuned[4] += 1
    assert not torch.allclose(network(*padded([2])), before(*padded([2])))


def test_new_words_are_one_node_with_rare_ones():
    network = small_network()
    assert_close(network(*padded([2, KNOWN, KNOWN + 2])), network(*padded([2, UNKNOWN, UNKNOWN])))


def test_without_a_word_all_classes_score_zero():
    network, (words, mask) = small_network(), padded([2, 3])
    assert_close(network(words, mask & False), torch.zeros(1, 2).double())


def test_the_graph_is_saved_and_read(tmp_path):
    network, texts = small_network(), padded([2, 2, 5, 1, 3], [8])
    save_file(network.state_dict(), tmp_path / "weights.safetensors")
    other = small_network(trained=False)
    other.load_state_dict(load_file(tmp_path / "weights.safetensors"))
    assert other(*texts).equal(network(*texts))
    assert len(other.weights) > KNOWN


def test_scores_of_the_words_are_kept_until_the_next_training():
    network, texts = small_network(), padded([2, 5, 3])
    with torch.no_grad():
        first = network(*texts)
        assert network.scores is not None
        assert network(*texts).equal(first)
        network.train()
        network.embedding.tuned += 1
        assert_close(network.eval()(*texts)[0], slow_logits(network, [2, 5, 3]))


def test_gradients_are_those_of_the_loop():
    network = small_network()
    ours = torch.autograd.grad(network(*padded([2, 5, 3])).square().sum(), network.embedding.tuned)[0]
    step, moved = 1e-6, torch.zeros(KNOWN, 4).double()
    for row in range(KNOWN):
        for column in range(4):
            values = []
            for sign in (1, -1):
                with torch.no_grad():
                    network.embedding.tuned[row, column] += sign * step
                    values.append(slow_logits(network, [2, 5, 3]).square().sum())
                    network.embedding.tuned[row, column] -= sign * step
            moved[row, column] = (values[0] - values[1]) / (2 * step)
    assert_close(ours, moved, rtol=1e-4, atol=1e-7)
