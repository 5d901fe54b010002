"""DMN, Kumar, Irsoy, Ondruska et al. 2016."""

import pytest
import torch
from torch import Tensor, nn, tensor
from torch.testing import assert_close

from retable.layers.embedding import WordEmbedding
from retable.models.dmn import DMN
from tests.models.declared import CLASSES, DIM, Case, Declared, gates, texts, with_random_weights, words


def parameters(h: int) -> int:
    """Count three GRUs with torch's two biases per gate, q, W_b, the gate, the output."""
    grus = gates(3, DIM, h) + 2 * gates(3, h, h) + 3 * 6 * h
    return grus + h + h**2 + (7 * h + 3) * h + h + 1 + (h + 1) * CLASSES


def multiply_adds(t, *, hidden, passes=2):
    """Count the input and what the episodes read once; per pass the gate, the episode's states, the memory."""
    of_pass = (7 * hidden + 2) * hidden + hidden + 2 * hidden + 3 * hidden**2
    of_word = gates(3, DIM, hidden) + 3 * hidden**2 + passes * of_pass
    return t * of_word + passes * (gates(3, hidden, hidden) + 2 * hidden**2) + hidden * CLASSES


EVERY_MODEL = Declared(
    cases=[Case("dmn", parameters(4), {"hidden": 4}), Case("dmn", parameters(5), {"hidden": 5, "passes": 1})],
    dropped=lambda hidden, **_: [words(DIM), texts(hidden)],
    multiply_adds=multiply_adds,
    refused=[
        ({"hidden": 0}, "hidden is 0; allowed: hidden >= 1"),
        ({"passes": 0}, "passes is 0; allowed: passes >= 1"),
        ({"dropout_words": 1.0}, "dropout_words is 1.0; allowed: 0 <= dropout_words < 1"),
        ({"dropout": -0.1}, "dropout is -0.1; allowed: 0 <= dropout < 1"),
    ],
)


def small_network(**options) -> DMN:
    """Return the network in float64, with weights and biases large enough to matter, in evaluation mode."""
    torch.manual_seed(6)
    network = DMN(WordEmbedding(torch.randn(20, 4), tuned=20), 2, **({"hidden": 3} | options))
    return with_random_weights(network.double(), std=0.7)


def episode_cell(network: DMN) -> nn.GRUCell:
    """Return the GRU of the episodes as torch's cell."""
    cell, of_words, of_states = nn.GRUCell(3, 3).double(), network.episode_words, network.episode_states
    weights = {"weight_ih": of_words.weight, "bias_ih": of_words.bias}
    cell.load_state_dict(weights | {"weight_hh": of_states.weight, "bias_hh": of_states.bias})
    return cell


def slow_logits(network: DMN, text: Tensor) -> Tensor:
    """Return the logits of one unpadded text, computed word by word from the equations."""
    c = network.input(network.embedding(text.unsqueeze(0)))[0][0]
    q, w_b, cell = network.question, network.similar.weight, episode_cell(network)
    first, _, second = network.gate
    m = q
    for _ in range(network.passes):
        h = torch.zeros(3).double()
        for state in c:
            z = [state, m, q, state * q, state * m, (state - q).abs(), (state - m).abs()]
            z += [(state @ w_b @ q).reshape(1), (state @ w_b @ m).reshape(1)]
            g = (second.weight[0] @ (first.weight @ torch.cat(z) + first.bias).tanh() + second.bias).sigmoid()
            h = g * cell(state, h) + (1 - g) * h
        m = network.memory(h, m)
    return network.output.weight @ m + network.output.bias


@pytest.mark.parametrize("passes", [1, 3])
def test_fast_form_matches_the_equations_word_by_word(passes):
    """Check padded texts with arbitrary words in the padding; the last two columns are padding in every text."""
    network = small_network(passes=passes)
    texts, lengths = torch.randint(2, 20, (4, 9)), (7, 1, 2, 5)
    logits = network(texts, torch.arange(9) < tensor(lengths).unsqueeze(1))
    for text, length in enumerate(lengths):
        assert_close(logits[text], slow_logits(network, texts[text, :length]))


def test_features_by_hand():
    """Words c = 2 and c = -3, with m = -1 and q = 1 in between; W_b = 0.5."""
    network = small_network(hidden=1)
    nn.init.ones_(network.question)
    nn.init.constant_(network.similar.weight, 0.5)
    z = network.features(tensor([[[2.0], [-3.0]]]).double(), tensor([[-1.0]]).double())
    assert z[0].tolist() == [[2, -1, 1, 2, -2, 1, 3, 1, -1], [-3, -1, 1, -3, 3, 4, 2, -1.5, 1.5]]


def test_half_open_gates_by_hand():
    """The GRU is zero except its biases: it keeps half and adds half of tanh(50) = 1; g = 1/2 takes half of it."""
    network = small_network(hidden=1)
    nn.init.zeros_(network.episode_states.weight)
    nn.init.zeros_(network.episode_states.bias)
    of_words = tensor([0.0, 0.0, 50.0]).double().expand(1, 2, 3)
    half = torch.full((1, 2, 1), 0.5).double()
    assert network.episode(of_words, half).item() == pytest.approx(0.4375)  # 0.25, then 0.75 * 0.25 + 0.25


def test_open_gates_are_a_gru_and_shut_ones_remember_nothing():
    network, c = small_network(), torch.randn(2, 5, 3).double()
    of_words, is_open, h = network.episode_words(c), torch.ones(2, 5, 1).double(), torch.zeros(2, 3).double()
    assert not network.episode(of_words, 0 * is_open).any()
    for state in c.unbind(dim=1):
        h = episode_cell(network)(state, h)
    assert_close(network.episode(of_words, is_open), h)
