"""C-LSTM, Zhou et al. 2015."""

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor, tensor
from torch.testing import assert_close

from retable.layers.embedding import WordEmbedding
from retable.models.c_lstm import CLSTM
from tests.models.declared import CLASSES, DIM, Case, Declared, gates, texts, with_random_weights, words
from tests.models.test_lstm import slow_states


def parameters(filters: int, hidden: int, width: int = 3) -> int:
    """Count weights and biases: filters, LSTM (torch has two biases per gate), output."""
    return filters * (width * DIM + 1) + 4 * hidden * (filters + hidden + 2) + hidden * CLASSES + CLASSES


def multiply_adds(t: int, *, filters: int, hidden: int, width: int = 3) -> float:
    """Count multiply-adds: the filters and four gates at every window, and the output."""
    return (t - width + 1) * (filters * width * DIM + gates(4, filters, hidden)) + hidden * CLASSES


EVERY_MODEL = Declared(
    cases=[
        Case("c-lstm", parameters(5, 7), {"filters": 5, "hidden": 7}),
        Case("c-lstm", parameters(7, 5, 1), {"filters": 7, "hidden": 5, "width": 1}),
        Case("c-lstm", parameters(6, 5, 4), {"filters": 6, "hidden": 5, "width": 4}),
    ],
    dropped=lambda hidden, **_: [words(DIM), texts(hidden)],
    multiply_adds=multiply_adds,
    refused=[
        ({"width": 0}, "width is 0; allowed: width >= 1"),
        ({"filters": 0}, "filters is 0; allowed: filters >= 1"),
        ({"hidden": 0}, "hidden is 0; allowed: hidden >= 1"),
        ({"dropout_words": 1.0}, "dropout_words is 1.0; allowed: 0 <= dropout_words < 1"),
        ({"dropout": -0.5}, "dropout is -0.5; allowed: 0 <= dropout < 1"),
        ({"output_decay": -1.0}, "output_decay is -1.0; allowed: output_decay >= 0"),
    ],
)


def small_network(**options) -> CLSTM:
    """Return the network in float64, with weights and biases large enough to matter, in evaluation mode."""
    torch.manual_seed(7)
    network = CLSTM(WordEmbedding(torch.randn(20, 4), tuned=20), 2, **({"filters": 5, "hidden": 3} | options))
    return with_random_weights(network.double(), std=0.5)


def slow_windows(network: CLSTM, words: Tensor) -> list[Tensor]:
    """Return the filters' outputs at each window of one unpadded text, eq. 1-3."""
    vectors = list(network.embedding(words.unsqueeze(0))[0])
    vectors += [torch.zeros(4, dtype=torch.float64)] * (network.width - len(vectors))
    answers = []
    for j in range(len(vectors) - network.width + 1):
        answer = network.convolution.bias.clone()
        for place in range(network.width):
            answer += network.convolution.weight[:, :, place] @ vectors[j + place]
        answers.append(answer.clamp(min=0))
    return answers


def slow_logits(network: CLSTM, words: Tensor) -> Tensor:
    """Return the logits of one unpadded text, computed word by word from the equations."""
    last = slow_states(network.lstm, slow_windows(network, words), "l0")[-1]  # eq. 4
    return network.output.weight @ last + network.output.bias


@pytest.mark.parametrize("width", [1, 3, 4])
def test_fast_form_matches_the_equations_word_by_word(width):
    """Check padded texts with arbitrary words in the padding, some shorter than a window; it fails without masks."""
    network = small_network(width=width)
    words, lengths = torch.randint(2, 20, (6, 9)), (8, 1, 2, 5, 3, 4)
    logits = network(words, torch.arange(9) < tensor(lengths).unsqueeze(1))
    for text, length in enumerate(lengths):
        assert_close(logits[text], slow_logits(network, words[text, :length]))


def test_windows_by_hand():
    """Words 1, 5, 2 and filters (1, -2) and (-1, 1) with bias 1: 1 - 10 + 1, 5 - 4 + 1 and -1 + 5 + 1, -5 + 2 + 1."""
    network = CLSTM(WordEmbedding(tensor([[0.0], [1.0]]), tuned=0), 2, width=2, filters=2, hidden=1)
    with torch.no_grad():
        network.convolution.weight.copy_(tensor([[[1.0, -2.0]], [[-1.0, 1.0]]]))
        network.convolution.bias.fill_(1.0)
    assert_close(network.windows(tensor([[[1.0], [5.0], [2.0]]])), tensor([[[0.0, 5.0], [2.0, 0.0]]]))
    assert_close(network.windows(tensor([[[1.0]]])), tensor([[[2.0, 0.0]]]))  # a zero after it: 1 + 1, -1 + 1


@pytest.mark.parametrize("length", [1, 2])
def test_texts_shorter_than_a_window_have_one(length):
    network, words = small_network(width=3), torch.randint(2, 20, (2, length))
    logits = network(words, torch.ones(2, length, dtype=torch.bool))
    assert len(slow_windows(network, words[0])) == 1
    for text in range(2):
        assert_close(logits[text], slow_logits(network, words[text]))


def test_filters_that_hand_on_one_word_each_leave_an_lstm():
    """With width 1 and an identity, on positive vectors, C-LSTM is the LSTM over the words."""
    network, words = small_network(width=1, filters=4), torch.randint(2, 20, (1, 6))
    with torch.no_grad():
        network.embedding.tuned.abs_()
        network.convolution.weight.copy_(torch.eye(4).unsqueeze(2))
        network.convolution.bias.zero_()
    states, _ = network.lstm(network.embedding(words))
    assert_close(network(words, torch.ones(1, 6, dtype=torch.bool)), network.output(states[:, -1]))


def test_windows_have_an_order():
    network, words, mask = small_network(width=1), torch.randint(2, 20, (1, 6)), torch.ones(1, 6, dtype=torch.bool)
    assert not torch.allclose(network(words, mask), network(words.flip(1), mask))


def test_decay_is_of_the_weights_of_the_output_alone():
    network = small_network(output_decay=0.1)
    with torch.no_grad():
        network.output.weight.copy_(tensor([[1.0, 2.0, 0.0], [0.0, 0.0, 3.0]]))
    loss = network.auxiliary_loss(tensor([0]))
    assert loss.item() == pytest.approx(1.4)
    loss.backward()
    assert [name for name, parameter in network.named_parameters() if parameter.grad is not None] == ["output.weight"]


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_columns_of_padding_alone_change_nothing(dtype):
    network, words = small_network().to(dtype), torch.randint(2, 20, (2, 3))
    mask = tensor([[True, True, False], [True, False, False]])
    longer = network(F.pad(words, (0, 4), value=3), F.pad(mask, (0, 4)))
    assert longer.dtype == dtype
    assert_close(longer, network(words[:, :2], mask[:, :2]))
