"""MT-LSTM, Liu, Qiu, Chen, Wu and Huang 2015."""

import math

import pytest
import torch
from torch import Tensor, nn, tensor
from torch.testing import assert_close

from retable.layers.embedding import WordEmbedding
from retable.models.mt_lstm import MTLSTM
from tests.models.declared import CLASSES, DIM, Case, Declared, texts, with_random_weights


def fed(k: int, groups: int, feedback: str) -> list[int]:
    """Return the groups that feed group k."""
    return list(range(k + 1)) if feedback == "fast-to-slow" else list(range(k, groups))


def weights(k: int, hidden: int, groups: int, feedback: str) -> int:
    """Count W, U of four, V of three gates of one group, without biases."""
    units = hidden // groups
    return units * (4 * DIM + 7 * units * len(fed(k, groups, feedback)))


def parameters(hidden: int, groups: int = 3, feedback: str = "fast-to-slow") -> int:
    """Count all groups and the output."""
    return sum(weights(k, hidden, groups, feedback) for k in range(groups)) + (hidden + 1) * CLASSES


def multiply_adds(t, *, hidden, groups=3, feedback="fast-to-slow"):
    """Count each group at every second, fourth, eighth ... word."""
    return sum(t // 2**k * weights(k, hidden, groups, feedback) for k in range(groups)) + hidden * CLASSES


EVERY_MODEL = Declared(
    cases=[
        Case("mt-lstm", parameters(6), {"hidden": 6}),
        Case("mt-lstm", parameters(6, 3, "slow-to-fast"), {"hidden": 6, "feedback": "slow-to-fast"}),
        Case("mt-lstm", parameters(5, 1), {"hidden": 5, "groups": 1}),
    ],
    dropped=lambda hidden, **_: [texts(hidden)],
    multiply_adds=multiply_adds,
    refused=[
        ({"hidden": 0}, "hidden is 0; allowed: multiples of groups (3)"),
        ({"hidden": 7, "groups": 2}, "hidden is 7; allowed: multiples of groups (2)"),
        ({"groups": 0}, "groups is 0; allowed: groups >= 1"),
        ({"feedback": "both"}, 'feedback is "both"; allowed: fast-to-slow, slow-to-fast'),
        ({"dropout": 1.0}, "dropout is 1.0; allowed: 0 <= dropout < 1"),
    ],
)


def small_network(dim: int = 4, **options) -> MTLSTM:
    """Return the network in float64, with weights and biases large enough to matter, in evaluation mode."""
    torch.manual_seed(6)
    network = MTLSTM(WordEmbedding(torch.randn(20, dim), tuned=20), 2, **({"hidden": 6} | options))
    return with_random_weights(network.double(), std=0.7)


def from_groups(layer: nn.Linear, gate: int, values: list[Tensor], sources: list[int], units: int) -> Tensor:
    """Return the sum over the feeding groups, matrix by matrix, for one gate."""
    rows = layer.weight[gate * units : (gate + 1) * units].split(units, dim=1)
    return sum(matrix @ values[j] for matrix, j in zip(rows, sources, strict=True))


def slow_logits(network: MTLSTM, words: Tensor, feedback: str) -> Tensor:
    """Return the logits of one unpadded text, group by group from the equations."""
    units, count = network.units, len(network.groups)
    h = c = [torch.zeros(units).double()] * count
    for t, x in enumerate(network.embedding(words.unsqueeze(0))[0], start=1):
        new_h, new_c, read = list(h), list(c), {}
        for k, group in enumerate(network.groups):
            if t % 2**k:
                continue
            sources = fed(k, count, feedback)
            u = [from_groups(group.of_states, gate, h, sources, units) for gate in range(4)]
            v = [from_groups(group.of_cells, gate, c, sources, units) for gate in range(2)]
            i, f, candidate, o = (w + part for w, part in zip((group.of_words.weight @ x).chunk(4), u, strict=True))
            new_c[k] = (f + v[1]).sigmoid() * c[k] + (i + v[0]).sigmoid() * candidate.tanh()
            read[k] = o
        for k, o in read.items():
            v = from_groups(network.groups[k].of_new_cells, 0, new_c, fed(k, count, feedback), units)
            new_h[k] = (o + v).sigmoid() * new_c[k].tanh()
        h, c = new_h, new_c
    return network.output.weight @ torch.cat(h) + network.output.bias


@pytest.mark.parametrize("feedback", ["fast-to-slow", "slow-to-fast"])
@pytest.mark.parametrize("groups", [1, 2, 3])
def test_fast_form_matches_the_equations_group_by_group(groups, feedback):
    """Check padded texts with arbitrary words in the padding; the last two columns are padding in every text."""
    network = small_network(groups=groups, feedback=feedback)
    words, lengths = torch.randint(2, 20, (4, 11)), (9, 1, 4, 5)
    logits = network(words, torch.arange(11) < tensor(lengths).unsqueeze(1))
    for text, length in enumerate(lengths):
        assert_close(logits[text], slow_logits(network, words[text, :length], feedback))


def test_two_groups_by_hand():
    """Only W acts, with ln 3 for i and o, 0 for f and ln 2 for c~: gates 3/4, 1/2, 3/4 and tanh(ln 2) = 0.6."""
    network = small_network(dim=1, hidden=2, groups=2)
    for group in network.groups:
        for parameter in group.parameters():
            nn.init.zeros_(parameter)
        group.of_words.weight.data[:, 0] = tensor([math.log(3), 0, math.log(2), math.log(3)])
    states = network.states(torch.ones(1, 4, 1).double())[0]
    cells = [0.45, 0.675, 0.7875, 0.84375]  # 0.75 * 0.6, then half of the previous value and 0.45
    fast = [0.75 * math.tanh(cell) for cell in cells]
    assert states[:, 0].tolist() == pytest.approx(fast)
    assert states[:, 1].tolist() == pytest.approx([0, fast[0], fast[0], fast[1]])  # only at words 2 and 4


@pytest.mark.parametrize(("feedback", "slow_hears"), [("fast-to-slow", True), ("slow-to-fast", False)])
def test_a_slow_group_hears_the_word_before_only_from_faster_ones(feedback, slow_hears):
    """At word 2 the second group is first active: it knows of word 1 only through the first group."""
    network = small_network(groups=2, feedback=feedback)
    texts = torch.randn(1, 2, 4).double().repeat(2, 1, 1)
    texts[1, 0] += 1
    slow = network.states(texts)[:, 1, network.units :]
    assert slow[0].equal(slow[1]) != slow_hears


def test_one_group_without_cells_in_its_gates_is_an_lstm():
    network, words, mask = small_network(groups=1), torch.randint(2, 20, (1, 6)), torch.ones(1, 6, dtype=torch.bool)
    (group,) = network.groups
    lstm = nn.LSTM(4, 6, bias=False, batch_first=True).double()
    lstm.load_state_dict({"weight_ih_l0": group.of_words.weight, "weight_hh_l0": group.of_states.weight})
    nn.init.zeros_(group.of_cells.weight)
    nn.init.zeros_(group.of_new_cells.weight)
    assert_close(network(words, mask), network.output(lstm(network.embedding(words))[0][:, -1]))
