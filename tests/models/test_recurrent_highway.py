"""RHN, Zilly, Srivastava, Koutnik and Schmidhuber 2017."""

import math

import pytest
import torch
from torch import Tensor, nn, tensor
from torch.testing import assert_close

from retable.layers.embedding import WordEmbedding
from retable.models.recurrent_highway import RecurrentHighway
from tests.models.declared import CLASSES, DIM, Case, Declared, texts, with_random_weights


def parameters(hidden: int, depth: int = 4) -> int:
    """Count the parameters: W of h and t, R and b of both in each layer, the output."""
    return 2 * hidden * DIM + depth * 2 * hidden * (hidden + 1) + (hidden + 1) * CLASSES


EVERY_MODEL = Declared(
    cases=[
        Case("recurrent-highway", parameters(5), {"hidden": 5}),
        Case("recurrent-highway", parameters(4, 2), {"hidden": 4, "depth": 2, "pool": "last"}),
    ],
    dropped=lambda hidden, **_: [texts(DIM), texts(hidden), texts(hidden)],
    multiply_adds=lambda t, hidden, depth=4, **_: t * 2 * hidden * (DIM + depth * hidden) + hidden * CLASSES,
    refused=[
        ({"hidden": 0}, "hidden is 0; allowed: hidden >= 1"),
        ({"depth": 0}, "depth is 0; allowed: depth >= 1"),
        ({"pool": "max"}, 'pool is "max"; allowed: mean, last'),
        ({"dropout_words": 1.0}, "dropout_words is 1.0; allowed: 0 <= dropout_words < 1"),
        ({"dropout_states": -0.1}, "dropout_states is -0.1; allowed: 0 <= dropout_states < 1"),
        ({"dropout": 1.0}, "dropout is 1.0; allowed: 0 <= dropout < 1"),
    ],
)


def small_network(dim: int = 4, **options) -> RecurrentHighway:
    """Return the network in float64, with weights and biases large enough to matter, in evaluation mode."""
    torch.manual_seed(6)
    network = RecurrentHighway(WordEmbedding(torch.randn(20, dim), tuned=20), 2, **({"hidden": 3} | options))
    return with_random_weights(network.double(), std=0.7)


def slow_states(network: RecurrentHighway, words: Tensor) -> list[Tensor]:
    """Return y at each word of one unpadded text, computed layer by layer from the equations."""
    hidden = network.hidden
    w_h, w_t = network.of_words.weight.split(hidden)
    y, states = torch.zeros(hidden).double(), []
    for x in network.embedding(words.unsqueeze(0))[0]:
        s = y
        for number, layer in enumerate(network.of_states, start=1):
            (r_h, r_t), (b_h, b_t) = layer.weight.split(hidden), layer.bias.split(hidden)
            first = 1.0 if number == 1 else 0.0
            h = (first * w_h @ x + r_h @ s + b_h).tanh()
            t = (first * w_t @ x + r_t @ s + b_t).sigmoid()
            s = h * t + s * (1 - t)
        y = s
        states.append(y)
    return states


@pytest.mark.parametrize("pool", ["mean", "last"])
@pytest.mark.parametrize("depth", [1, 3])
def test_fast_form_matches_the_equations_layer_by_layer(depth, pool):
    """Check padded texts with arbitrary words in the padding; the last two columns are padding in every text."""
    network = small_network(depth=depth, pool=pool)
    words, lengths = torch.randint(2, 20, (4, 9)), (7, 1, 2, 5)
    logits = network(words, torch.arange(9) < tensor(lengths).unsqueeze(1))
    for text, length in enumerate(lengths):
        states = slow_states(network, words[text, :length])
        y = states[-1] if pool == "last" else sum(states) / length
        assert_close(logits[text], network.output.weight @ y + network.output.bias)


def test_two_words_by_hand():
    """Only the words and the biases matter: h is tanh(ln 2) = 0.6 at layer 1 and tanh(ln 3) = 0.8 at layer 2."""
    network = small_network(dim=1, hidden=1, depth=2)
    network.of_words.weight.data[:, 0] = tensor([math.log(2), math.log(3)])  # t = 3/4 at layer 1
    for layer, biases in zip(network.of_states, ([0, 0], [math.log(3), 0]), strict=True):  # t = 1/2 at layer 2
        nn.init.zeros_(layer.weight)
        layer.bias.data.copy_(tensor(biases))
    first = 0.5 * (0.75 * 0.6 + 0.25 * 0) + 0.5 * 0.8
    second = 0.5 * (0.75 * 0.6 + 0.25 * first) + 0.5 * 0.8
    assert first == pytest.approx(0.625)
    assert network.states(torch.ones(1, 2, 1).double()).flatten().tolist() == pytest.approx([first, second])


def test_open_gates_of_one_layer_are_a_plain_recurrent_network():
    network, x = small_network(depth=1), torch.randn(2, 6, 4).double()
    (layer,) = network.of_states
    nn.init.constant_(layer.bias[3:], 1e4)  # t = 1
    rnn = nn.RNN(4, 3, batch_first=True).double()
    of_h = {"weight_ih_l0": network.of_words.weight[:3], "weight_hh_l0": layer.weight[:3], "bias_ih_l0": layer.bias[:3]}
    rnn.load_state_dict(of_h | {"bias_hh_l0": torch.zeros(3)})
    assert_close(network.states(x), rnn(x)[0])


def test_closed_gates_keep_what_was_before():
    """Depth adds nothing if the layers after the first carry everything."""
    deep, shallow = small_network(depth=3), small_network(depth=1)
    shallow.load_state_dict({name: deep.state_dict()[name] for name in shallow.state_dict()})
    for layer in deep.of_states[1:]:
        nn.init.constant_(layer.bias[3:], -1e4)  # t = 0
    x = torch.randn(2, 6, 4).double()
    assert_close(deep.states(x), shallow.states(x))


def test_noise_of_a_text_is_the_same_at_all_words_and_layers():
    """The first of two equal networks has half of its components dropped; the other lacks their weights."""
    network, x = small_network(dropout_words=0.5, dropout_states=0.5, depth=2), torch.randn(1, 6, 4).double()
    other = small_network(depth=2)
    torch.manual_seed(3)
    noisy = network.train().states(x)
    torch.manual_seed(3)
    of_words, of_states = network.dropout_words(torch.ones(1, 4)), network.dropout_states(torch.ones(1, 3))
    assert of_words.unique().tolist() == of_states.unique().tolist() == [0, 2]
    other.of_words.weight.data *= of_words
    for layer in other.of_states:
        layer.weight.data *= of_states
    assert_close(noisy, other.states(x))


def test_first_weights_are_those_of_the_authors():
    torch.manual_seed(1)
    network = RecurrentHighway(WordEmbedding(torch.randn(5, 20), tuned=0), 2, hidden=30, gate_bias=-3.0)
    for layer in network.of_states:
        assert layer.bias[30:].eq(-3).all()
        assert layer.bias[:30].abs().max() <= 0.04
        assert layer.weight.std().item() == pytest.approx(0.04 / math.sqrt(3), rel=0.1)
