"""MwAN, Tan et al. 2018."""

import math

import pytest
import torch
from torch import Tensor, nn, tensor
from torch.testing import assert_close

from retable.layers.embedding import WordEmbedding
from retable.models.mwan import MwAN
from tests.models.declared import CLASSES, DIM, Case, Declared, gates, with_random_weights
from tests.models.test_abcnn import batch

H, A = 8, 4


def gru(inputs: int) -> int:
    """Count both directions, with torch's two biases per gate."""
    return 2 * (3 * A * (inputs + A) + 2 * 3 * A)


SCORES = 4 * H * A + H * H + 3 * A  # W_c1, W_c2, W_d, W_m; W_b; v
POOLS = 3 * (H * A + A) + H * A + 2 * A  # W_a, W_q, W_p1 with v; W_p2; b_a, b_q
PARAMETERS = gru(DIM) + SCORES + 4 * H * H + gru(2 * H) + gru(H) + POOLS + H * CLASSES + CLASSES


def multiply_adds(t: float, *, hidden: int) -> float:
    """Count the multiply-adds: by layer, from the encoder to the classifier; either text has half of the words."""
    n, units = t / 2, hidden // 2
    total = t * 2 * gates(3, DIM, units)
    total += t * hidden * units + n * n * units  # concat
    total += n * hidden * hidden + n * n * hidden  # bilinear
    total += n * n * (hidden + hidden * units + units)  # dot
    total += t * hidden * units + n * n * units  # minus
    total += 4 * n * n * hidden  # what is attended to
    total += 4 * n * (4 * hidden * hidden + 2 * hidden + 2 * gates(3, 2 * hidden, units))  # gates and inside GRU
    total += 4 * n * (hidden * units + units + hidden) + n * 2 * gates(3, hidden, units)  # mixed
    total += 2 * n * (hidden * units + units + hidden) + hidden * units  # two pools
    return total + hidden * CLASSES


EVERY_MODEL = Declared(
    cases=[Case("mwan", PARAMETERS, {"hidden": H})],
    dropped=lambda hidden: [(8, 3, DIM)] * 2 + [(4, 8, 3, 2 * hidden), (8, 3, hidden), (8, hidden)],
    multiply_adds=multiply_adds,
    refused=[
        ({"hidden": 7}, "hidden is 7; allowed: even numbers from 2"),
        ({"dropout": 1.0}, "dropout is 1.0; allowed: 0 <= dropout < 1"),
    ],
)
PAIRS = [([2, 3, 4, 5, 6, 7], [8, 9]), ([10], [11]), ([3, 4, 3], [3, 4, 3]), ([12, 2], [5, 6, 7, 8, 9, 10])]


def small_network(**options) -> MwAN:
    """Return the network in float64, with weights and biases large enough to matter, in evaluation mode."""
    torch.manual_seed(3)
    network = MwAN(WordEmbedding(torch.randn(20, 3), tuned=20), 2, **({"hidden": 4} | options))
    return with_random_weights(network.double(), std=0.7)


def slow_direction(layer: nn.GRU, inputs: list[Tensor], suffix: str) -> list[Tensor]:
    """Return the states of one direction, word by word: reset, update and candidate."""
    w_x, w_h, b_x, b_h = (
        getattr(layer, f"{part}_l0{suffix}") for part in ("weight_ih", "weight_hh", "bias_ih", "bias_hh")
    )
    h, states = torch.zeros(layer.hidden_size).double(), []
    for x in inputs:
        (r_x, z_x, n_x), (r_h, z_h, n_h) = (w_x @ x + b_x).chunk(3), (w_h @ h + b_h).chunk(3)
        r, z = (r_x + r_h).sigmoid(), (z_x + z_h).sigmoid()
        h = (1 - z) * (n_x + r * n_h).tanh() + z * h
        states.append(h)
    return states


def slow_states(layer: nn.GRU, inputs: list[Tensor]) -> list[Tensor]:
    """Return the states of both directions."""
    ahead, back = slow_direction(layer, inputs, ""), slow_direction(layer, inputs[::-1], "_reverse")[::-1]
    return [torch.cat(both) for both in zip(ahead, back, strict=True)]


def mean_by(scores: list[Tensor], states: list[Tensor]) -> Tensor:
    """Return the mean of states weighted by the softmax of their scores."""
    total = sum(score.exp() for score in scores)
    return sum(score.exp() / total * state for score, state in zip(scores, states, strict=True))


def slow_scores(network: MwAN, q: Tensor, p: Tensor) -> list[Tensor]:
    """Return the four scores of two states."""
    w = {name: getattr(network, name).weight for name in ("concat_q", "concat_p", "bilinear", "dot", "minus")}
    v = {name: getattr(network, f"of_{name}").weight[0] for name in ("concat", "dot", "minus")}
    return [
        v["concat"] @ (w["concat_q"] @ q + w["concat_p"] @ p).tanh(),
        q @ w["bilinear"] @ p,
        v["dot"] @ (w["dot"] @ (q * p)).tanh(),
        v["minus"] @ (w["minus"] @ (q - p)).tanh(),
    ]


def slow_logits(network: MwAN, first: list[int], second: list[int]) -> Tensor:
    """Return the logits of one unpadded pair, computed word by word from the equations."""
    q, p = (slow_states(network.encoder, list(network.embedding(tensor([text]))[0])) for text in (first, second))
    ways = []
    for way in range(4):
        read = []
        for p_t in p:
            x = torch.cat((mean_by([slow_scores(network, q_j, p_t)[way] for q_j in q], q), p_t))
            read.append((network.gate.weight @ x).sigmoid() * x)
        ways.append(slow_states(network.inside, read))
    mixed = []
    for of_word in zip(*ways, strict=True):
        a = [network.of_mix.weight[0] @ (network.mix.weight @ h + network.mix.bias).tanh() for h in of_word]
        mixed.append(mean_by(a, list(of_word)))
    o = slow_states(network.mixed, mixed)
    r_q = mean_by([network.of_q.weight[0] @ (network.pool_q.weight @ h + network.pool_q.bias).tanh() for h in q], q)
    asked = network.pool_by_q.weight @ r_q
    r_p = mean_by([network.of_p.weight[0] @ (network.pool_p.weight @ h + asked).tanh() for h in o], o)
    return network.output.weight @ r_p + network.output.bias


def test_fast_form_matches_the_equations_word_by_word():
    """Check padded pairs with arbitrary words in the padding."""
    network = small_network()
    logits = network(*batch(*PAIRS))
    for row, pair in enumerate(PAIRS):
        assert_close(logits[row], slow_logits(network, *pair))


def test_four_scores_by_hand():
    """States of two components, q (1, 2) and p (3, -1), each weight 1 but W_c2 and W_b, 2; one unit."""
    network = small_network(hidden=2)
    for name, parameter in network.named_parameters():
        nn.init.constant_(parameter, 2.0 if name in {"concat_p.weight", "bilinear.weight"} else 1.0)
    q, p = tensor([1.0, 2.0]).double(), tensor([3.0, -1.0]).double()
    expected = [math.tanh(3 + 4), 2 * 3 * 2, math.tanh(3 - 2), math.tanh(3 - 2)]
    assert [score.item() for score in slow_scores(network, q, p)] == pytest.approx(expected)
    other = tensor([0.0, 0.0]).double()  # its scores: tanh(4), 0, 0, tanh(-2)
    found = network.attentions(torch.stack([q, other])[None], p[None, None], tensor([[True, True]]))
    for weights, score, beside in zip(found, expected, [math.tanh(4), 0, 0, math.tanh(-2)], strict=True):
        assert weights.flatten()[0].item() == pytest.approx(1 / (1 + math.exp(beside - score)))


def test_a_first_text_of_one_word_is_all_that_is_attended_to():
    """Whatever the scores: its weights are one."""
    network = small_network()
    q, p = torch.randn(3, 1, 4).double(), torch.randn(3, 5, 4).double()
    for weights in network.attentions(q, p, torch.ones(3, 1, dtype=torch.bool)):
        assert_close(weights, torch.ones(3, 5, 1).double())


def test_four_ways_that_find_the_same_are_mixed_to_it():
    """If all scores are 0, every way gives the mean of q, and their mixture reads like a single one."""
    network = small_network()
    for layer in (network.of_concat, network.bilinear, network.of_dot, network.of_minus, network.of_mix):
        nn.init.zeros_(layer.weight)
    found = network(*batch(PAIRS[0]))
    nn.init.normal_(network.of_mix.weight)
    assert_close(network(*batch(PAIRS[0])), found)


def test_which_text_is_second_matters():
    network = small_network()
    one, other = network(*batch(([2, 3, 4], [5, 6])))[0], network(*batch(([5, 6], [2, 3, 4])))[0]
    assert not torch.allclose(one, other, atol=1e-3)
