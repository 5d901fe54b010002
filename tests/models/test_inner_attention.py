"""Inner-Attention, Liu, Sun, Lin and Wang 2016."""

import math

import pytest
import torch
from torch import Tensor, nn, tensor
from torch.testing import assert_close

from retable.layers.embedding import WordEmbedding
from retable.models.inner_attention import InnerAttention
from tests.models.declared import CLASSES, DIM, Case, Declared, gates, texts, with_random_weights, words
from tests.models.test_lstm import slow_states

HIDDEN = 5
BOTH = 2 * HIDDEN
LSTM = 2 * (gates(4, DIM, HIDDEN) + 2 * 4 * HIDDEN)  # torch has two biases per gate

EVERY_MODEL = Declared(
    cases=[Case("inner-attention", LSTM + 2 * BOTH**2 + BOTH + BOTH * CLASSES + CLASSES, {"hidden": HIDDEN})],
    dropped=lambda **_: [words(DIM), texts(BOTH)],
    # W^y, then w, mean and weighted sum per word; W^h for the mean
    multiply_adds=lambda t, **_: t * (2 * gates(4, DIM, HIDDEN) + BOTH**2 + 3 * BOTH) + BOTH**2 + BOTH * CLASSES,
    refused=[
        ({"hidden": 0}, "hidden is 0; allowed: hidden >= 1"),
        ({"dropout": 1.0}, "dropout is 1.0; allowed: 0 <= dropout < 1"),
    ],
)


def small_network(hidden: int = 3) -> InnerAttention:
    """Return the network in float64, with weights and biases large enough to matter, in evaluation mode."""
    torch.manual_seed(3)
    network = InnerAttention(WordEmbedding(torch.randn(20, 4), tuned=20), 2, hidden=hidden)
    return with_random_weights(network.double(), std=1.0)


def slow_text(network: InnerAttention, words: Tensor) -> tuple[list[float], Tensor]:
    """Return alpha and logits of one unpadded text, word by word."""
    vectors = list(network.embedding(words.unsqueeze(0))[0])
    ahead = slow_states(network.lstm, vectors, "l0")
    back = slow_states(network.lstm, vectors[::-1], "l0_reverse")[::-1]
    y = [torch.cat(both) for both in zip(ahead, back, strict=True)]
    mean = sum(y) / len(y)
    m = [torch.tanh(network.of_words.weight @ y_t + network.of_mean.weight @ mean) for y_t in y]
    exponentials = [math.exp((network.query.weight[0] @ m_t).item()) for m_t in m]
    alpha = [each / sum(exponentials) for each in exponentials]
    text = sum(weight * y_t for weight, y_t in zip(alpha, y, strict=True))
    return alpha, network.output.weight @ text + network.output.bias


def test_fast_form_matches_the_equations_word_by_word():
    """Check padded texts with arbitrary words in the padding; it fails without the mask of the mean or scores."""
    network = small_network()
    words, lengths = torch.randint(2, 20, (4, 9)), (9, 1, 2, 5)
    mask = torch.arange(9) < tensor(lengths).unsqueeze(1)
    logits, attention = network(words, mask), network.attention(words, mask)
    for text, length in enumerate(lengths):
        alpha, expected = slow_text(network, words[text, :length])
        assert_close(logits[text], expected)
        assert_close(attention[text, 0, :length], tensor(alpha, dtype=torch.float64))
        assert not attention[text, 0, length:].any()


def test_weights_by_hand():
    """States 1 and 3 have the mean 2: scores ln 2 tanh(1 + 0.5 x 2) and ln 2 tanh(3 + 0.5 x 2)."""
    network, states = small_network(1), tensor([[[1.0, 0.0], [3.0, 0.0]]], dtype=torch.float64)
    with torch.no_grad():
        network.of_words.weight.copy_(torch.eye(2))
        network.of_mean.weight.copy_(0.5 * torch.eye(2))
        network.query.weight.copy_(tensor([[math.log(2), 0.0]]))
    first, second = 2 ** math.tanh(2), 2 ** math.tanh(4)
    found = network.weights(states, tensor([[True, True]])).flatten().tolist()
    assert found == pytest.approx([first / (first + second), second / (first + second)])


def test_without_a_query_the_text_is_its_mean():
    network, words, mask = small_network(), torch.randint(2, 20, (2, 6)), torch.ones(2, 6, dtype=torch.bool)
    nn.init.zeros_(network.query.weight)
    assert_close(network(words, mask), network.output(network.states(words, mask).mean(dim=1)))


def test_the_mean_changes_the_weights_through_the_tanh_alone():
    """Without W^h a text's weights come from each word's own score."""
    network, words = small_network(), torch.randint(2, 20, (1, 5))
    mask = torch.ones(1, 5, dtype=torch.bool)
    with_mean = network.attention(words, mask)
    nn.init.zeros_(network.of_mean.weight)
    own = network.query(torch.tanh(network.of_words(network.states(words, mask)))).squeeze(2)
    assert_close(network.attention(words, mask)[:, 0], own.softmax(dim=1))
    assert (with_mean[:, 0] - own.softmax(dim=1)).abs().max() > 0.01
