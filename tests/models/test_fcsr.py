"""FCSR, eq. 1-9, and the window of figure 3."""

import math
from itertools import product

import pytest
import torch
from torch import Tensor, nn, tensor
from torch.testing import assert_close

from retable.layers.embedding import WordEmbedding
from retable.models.fcsr import FCSR, FeatureAttention, SubCell
from tests.models.test_every_model import with_random_weights

FUNCTIONS = {"relu": torch.relu, "sigmoid": torch.sigmoid, "softmax": lambda x: torch.softmax(x, dim=1)}


def small_network(size: int = 3, **options) -> FCSR:
    """Return an FCSR in float64 with weights and biases large enough to matter, in evaluation mode."""
    torch.manual_seed(5)
    return with_random_weights(FCSR(WordEmbedding(torch.randn(20, size), tuned=20), 2, **options).double(), std=0.7)


def fofe(vectors: list[Tensor], alpha: float) -> Tensor:
    """Compute eq. 2 as printed: from the first vector to the last."""
    if len(vectors) == 1:
        return vectors[0]
    return alpha * fofe(vectors[:-1], alpha) + vectors[-1]


def slow_fcsr(network: FCSR, words: Tensor, gate: str, activation: str) -> Tensor:
    """Return the logits of one unpadded text, (C,), word by word and gate by gate from the paper's equations."""
    n, sigma = network.size, FUNCTIONS[gate]
    s = list(network.embedding(words.unsqueeze(0))[0])  # eq. 1
    zero = torch.zeros(n, dtype=torch.float64)

    def cell(module: SubCell, x: Tensor, y: Tensor, z: Tensor) -> tuple[Tensor, Tensor]:
        gates = []
        for weight, bias in zip(module.gates.weight.split(n), module.gates.bias.split(n), strict=True):
            w_x, w_y, w_z = weight.T.split(n)
            gates.append(sigma(x @ w_x + y @ w_y + z @ w_z + bias))  # eq. 5 and 7
        g_q, g_k, g_v, g_o = gates
        mixed = x * g_q + y * g_k + z * g_v  # eq. 4
        return mixed, torch.tanh(mixed) * g_o

    rows = []
    for t in range(len(s)):
        before, after = s[:t], s[:t:-1]  # the nearest word is last
        if network.reach is not None:
            before, after = (side[len(side) - min(len(side), network.reach) :] for side in (before, after))
        left, right = (fofe(side, network.alpha) if side else zero for side in (before, after))  # eq. 3
        c, c_hat = cell(network.representation.integration, s[t], left, right)  # eq. 6
        h, h_hat = cell(network.representation.analysis, s[t], c, c_hat)  # eq. 8
        rows.append(torch.cat([c, c_hat, h, h_hat]))
    big_r = torch.stack(rows)  # R, (m, 4n)
    w_q, w_k = network.representation.attention.projections.weight.T.split(n, dim=1)  # each (4n, n)
    w_f = network.representation.attention.selection.weight.T  # (n, 1)
    gram = (big_r @ w_q).T @ (big_r @ w_k) / math.sqrt(n)
    r = (FUNCTIONS[activation](gram) @ w_f).flatten()  # eq. 9
    return r @ network.output.weight.T + network.output.bias


@pytest.mark.parametrize(("gate", "activation"), product(["relu", "sigmoid"], ["as-gates", "sigmoid", "softmax"]))
def test_fast_form_matches_the_equations_word_by_word(gate, activation):
    network = small_network(gate=gate, activation=activation, alpha=0.3)
    words, lengths = torch.randint(2, 20, (4, 7)), tensor([7, 1, 2, 5])
    logits = network(words, torch.arange(7) < lengths.unsqueeze(1))
    for text, length in enumerate(lengths):
        expected = slow_fcsr(network, words[text, :length], gate, gate if activation == "as-gates" else activation)
        assert_close(logits[text], expected)


@pytest.mark.parametrize(
    ("window", "means"), [(1, "field"), (3, "field"), (5, "field"), (1, "distance"), (2, "distance"), (4, "distance")]
)
def test_with_a_window_contexts_hold_the_nearest_words_only(window, means):
    network = small_network(window=window, window_means=means, alpha=0.7)
    assert network.reach == (window if means == "distance" else (window - 1) / 2)
    words, lengths = torch.randint(2, 20, (4, 9)), tensor([9, 1, 2, 6])
    logits = network(words, torch.arange(9) < lengths.unsqueeze(1))
    for text, length in enumerate(lengths):
        assert_close(logits[text], slow_fcsr(network, words[text, :length], "relu", "softmax"))


@pytest.mark.parametrize(
    ("window", "means", "is_whole"),
    [(15, "field", False), (17, "field", True), (19, "field", True),
     (7, "distance", False), (8, "distance", True), (18, "distance", True)],
)  # fmt: skip
def test_a_window_over_the_whole_text_changes_nothing(window, means, is_whole):  # of nine words, as a field 2 * 9 - 1
    words, mask = torch.randint(2, 20, (3, 9)), torch.ones(3, 9, dtype=torch.bool)
    whole, near = small_network(alpha=0.7), small_network(alpha=0.7, window=window, window_means=means)
    assert near(words, mask).equal(whole(words, mask)) == is_whole


def test_sub_cell_by_hand():  # eq. 4, 5, 7 with n = 1: gates relu(1), relu(2 - 1), relu(-3), relu(2)
    cell = SubCell(1, "relu")
    with torch.no_grad():
        cell.gates.weight.copy_(tensor([[1.0, 0, 0], [0, 1, 0], [0, 0, -1], [0, 0, 0]]))
        cell.gates.bias.copy_(tensor([0.0, -1, 0, 2]))
    mixed, transformed = cell(tensor([[1.0]]), tensor([[2.0]]), tensor([[3.0]]))
    assert mixed.item() == 1 * 1 + 2 * 1 + 3 * 0
    assert transformed.item() == pytest.approx(2 * math.tanh(3))


@pytest.mark.parametrize(("bias", "gate_value"), [(50.0, 1.0), (-50.0, 0.0)])
def test_open_gates_add_and_closed_gates_silence(bias, gate_value):
    cell = SubCell(2, "sigmoid")
    nn.init.zeros_(cell.gates.weight)
    nn.init.constant_(cell.gates.bias, bias)
    x, y, z = torch.randn(3, 5, 2)
    mixed, transformed = cell(x, y, z)
    assert_close(mixed, gate_value * (x + y + z))
    assert_close(transformed, gate_value * torch.tanh(x + y + z))


def attention_of_two_features(activation: str) -> Tensor:
    """r of one text of two words with R = (1, 0, ...), (3, 1, ...), Wq = Wk = the first two features, Wf = (1, 10)."""
    attention = FeatureAttention(2, activation)
    with torch.no_grad():
        attention.projections.weight.copy_(torch.eye(2, 8).repeat(2, 1))
        attention.selection.weight.copy_(tensor([[1.0, 10.0]]))
    features = torch.zeros(2, 8)
    features[:, :2] = tensor([[1.0, 0.0], [3.0, 1.0]])
    return attention(features, tensor([0, 1]), torch.Size((1, 2)))


def test_feature_attention_by_hand():  # eq. 9: Gram matrix [[1 + 9, 3], [3, 1]] over sqrt(2), times (1, 10)
    assert_close(attention_of_two_features("relu"), tensor([[10 + 30, 3 + 10]]) / math.sqrt(2))


def test_softmax_runs_over_the_second_feature_axis():
    gram = tensor([[10.0, 3.0], [3.0, 1.0]]) / math.sqrt(2)
    expected = torch.softmax(gram, dim=1) @ tensor([1.0, 10.0])
    assert_close(attention_of_two_features("softmax"), expected.unsqueeze(0))


def test_one_word_has_no_context_so_alpha_is_without_effect():
    words, mask = tensor([[7]]), tensor([[True]])
    assert_close(small_network(alpha=0.0)(words, mask), small_network(alpha=0.9)(words, mask))


def test_with_alpha_zero_only_neighbours_are_seen():
    """3 4 7 3 4 8 3 4 and 3 4 8 3 4 7 3 4 have the same windows of three words, in another order."""
    first, second = tensor([[3, 4, 7, 3, 4, 8, 3, 4]]), tensor([[3, 4, 8, 3, 4, 7, 3, 4]])
    mask = torch.ones(1, 8, dtype=torch.bool)
    blind, seeing = small_network(alpha=0.0), small_network(alpha=0.2)
    assert_close(blind(first, mask), blind(second, mask))
    assert not torch.allclose(seeing(first, mask), seeing(second, mask))


def test_silent_words_leave_the_bias():
    """Zero vectors and zero gate biases make R zero, and ReLU leaves nothing of the Gram matrix."""
    network = FCSR(WordEmbedding(torch.zeros(5, 3), tuned=0), 2, activation="as-gates").eval()
    nn.init.constant_(network.output.bias, 0.7)
    assert_close(network(tensor([[2, 3]]), tensor([[True, True]])), tensor([[0.7, 0.7]]))


def test_silent_words_share_softmax_evenly():
    """Zero vectors make the Gram matrix zero: every feature attends to all equally, so r is the mean of Wf."""
    network = FCSR(WordEmbedding(torch.zeros(5, 3), tuned=0), 2).eval()
    selection = network.representation.attention.selection.weight
    r = selection.mean() * torch.ones(1, 3)
    assert_close(network(tensor([[2, 3]]), tensor([[True, True]])), network.output(r))


def test_first_weights_are_normal_with_the_given_spread_and_biases_are_zero():
    torch.manual_seed(0)
    network = FCSR(WordEmbedding(torch.randn(5, 50), tuned=0), 2, spread=0.05)
    assert network.representation.integration.gates.weight.std().item() == pytest.approx(0.05, rel=0.02)
    assert network.representation.attention.projections.weight.mean().item() == pytest.approx(0.0, abs=0.002)
    assert not any(parameter.any() for name, parameter in network.named_parameters() if name.endswith("bias"))


def test_under_autocast_gates_meet_vectors_as_narrow_as_they_are():
    network = small_network(size=8).float()
    words = torch.randint(1, 20, (4, 9))
    mask = torch.ones(4, 9, dtype=torch.bool)
    in_full = network(words, mask)
    with torch.autocast("cpu", torch.bfloat16):
        contexts, _ = network.contexts_of_words(words, mask)
        narrow = network(words, mask)
    assert {x.dtype for x in contexts} == {torch.bfloat16}
    assert_close(narrow.float(), in_full, rtol=0.1, atol=0.3)
    assert {x.dtype for x in network.contexts_of_words(words, mask)[0]} == {torch.float32}
