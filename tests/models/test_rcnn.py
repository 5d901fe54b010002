"""RCNN, Lai et al. 2015."""

import math

import pytest
import torch
from torch import Tensor, nn, tensor
from torch.testing import assert_close

from retable.layers.embedding import WordEmbedding
from retable.models.rcnn import RCNN
from tests.models.declared import CLASSES, DIM, Case, Declared, with_random_weights


def parameters(context: int, hidden: int) -> int:
    """Count weights and biases: two sides, the tanh layer, the output."""
    sides = 2 * (context * DIM + context**2 + context)
    return sides + hidden * (2 * context + DIM) + hidden + hidden * CLASSES + CLASSES


EVERY_MODEL = Declared(
    cases=[
        Case("rcnn", parameters(50, 100)),
        Case("rcnn", parameters(4, 7), {"context": 4, "hidden": 7}),
    ],
    dropped=lambda **_: [],
    multiply_adds=lambda t, context=50, hidden=100: (
        t * (2 * (context * DIM + context**2) + hidden * (2 * context + DIM)) + hidden * CLASSES
    ),
    refused=[
        ({"context": 0}, "context is 0; allowed: context >= 1"),
        ({"hidden": 0}, "hidden is 0; allowed: hidden >= 1"),
    ],
)


def small_network(**options) -> RCNN:
    """Return the network in float64, with weights and biases large enough to matter, in evaluation mode."""
    torch.manual_seed(7)
    network = RCNN(WordEmbedding(torch.randn(20, 4), tuned=20), 2, **({"context": 3, "hidden": 5} | options))
    return with_random_weights(network.double(), std=0.5)


def slow_contexts(first: Tensor, recurrent: nn.RNN, vectors: list[Tensor]) -> list[Tensor]:
    """Return the contexts of words read in this order, eq. 1 or 2."""
    contexts = [first]
    for vector in vectors[:-1]:
        contexts.append(torch.tanh(recurrent.weight_hh_l0 @ contexts[-1] + recurrent.weight_ih_l0 @ vector))
    return contexts


def slow_logits(network: RCNN, words: Tensor) -> Tensor:
    """Return the logits of one unpadded text, computed word by word from the equations."""
    vectors = list(network.embedding(words.unsqueeze(0))[0])
    left = slow_contexts(network.left.first, network.left.recurrent, vectors)  # eq. 1
    right = slow_contexts(network.right.first, network.right.recurrent, vectors[::-1])[::-1]  # eq. 2
    best = torch.full((network.hidden.out_features,), -2.0, dtype=torch.float64)
    for i, vector in enumerate(vectors):
        x = torch.cat([left[i], vector, right[i]])  # eq. 3
        best = torch.maximum(best, torch.tanh(network.hidden.weight @ x + network.hidden.bias))  # eq. 4-5
    return network.output.weight @ best + network.output.bias  # eq. 6


def test_fast_form_matches_the_equations_word_by_word():
    """Check padded texts with arbitrary words in the padding; it fails without the mask, and with sides exchanged."""
    network = small_network()
    words, lengths = torch.randint(2, 20, (4, 9)), (8, 1, 2, 5)
    logits = network(words, torch.arange(9) < tensor(lengths).unsqueeze(1))
    for text, length in enumerate(lengths):
        assert_close(logits[text], slow_logits(network, words[text, :length]))


def test_contexts_and_the_largest_value_by_hand():
    """Words 1, 2, 3; the left side adds, the right side sees only the next word and begins with 0.5."""
    network = small_network(context=1, hidden=2)
    network.embedding = WordEmbedding(tensor([[0.0], [0.0], [1.0], [2.0], [3.0]]).double(), tuned=0).double()
    network.left.recurrent = nn.RNN(1, 1, bias=False, batch_first=True).double()
    network.right.recurrent = nn.RNN(1, 1, bias=False, batch_first=True).double()
    network.hidden = nn.Linear(3, 2).double()
    with torch.no_grad():
        network.left.first.fill_(0.0)
        network.right.first.fill_(0.5)
        for side, before, word in ((network.left, 1.0, 0.1), (network.right, 0.0, 0.2)):
            side.recurrent.weight_hh_l0.fill_(before)
            side.recurrent.weight_ih_l0.fill_(word)
        network.hidden.weight.copy_(tensor([[1.0, 0.0, 0.0], [0.0, -1.0, 1.0]]))
        network.hidden.bias.copy_(tensor([0.0, 1.0]))
        network.output.weight.copy_(torch.eye(2))
        network.output.bias.zero_()
    left = math.tanh(math.tanh(0.1) + 0.2)  # from word 3, whose left context is the largest
    right = 1 - 1 + math.tanh(0.4)  # from word 1; word 2 gives -1 + tanh(0.6), word 3 -2 + 0.5
    found = network(tensor([[2, 3, 4, 0]]), tensor([[True, True, True, False]]))
    assert found.flatten().tolist() == pytest.approx([math.tanh(left), math.tanh(right)])


def test_a_text_of_one_word_has_the_first_contexts_whatever_the_matrices():
    network, word, mask = small_network(), tensor([[5]]), tensor([[True]])
    x = torch.cat([network.left.first, network.embedding(word)[0, 0], network.right.first])
    found = network(word, mask)
    assert_close(found[0], network.output(torch.tanh(network.hidden(x))))
    for side in (network.left, network.right):
        nn.init.normal_(side.recurrent.weight_hh_l0)
        nn.init.normal_(side.recurrent.weight_ih_l0)
    assert network(word, mask).equal(found)


def test_without_contexts_the_order_of_the_words_is_nothing():
    network, words, mask = small_network(), torch.randint(2, 20, (2, 6)), torch.ones(2, 6, dtype=torch.bool)
    assert not torch.allclose(network(words, mask), network(words.flip(1), mask))
    with torch.no_grad():
        network.hidden.weight[:, :3] = 0
        network.hidden.weight[:, -3:] = 0
    assert_close(network(words, mask), network(words.flip(1), mask))


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_columns_of_padding_alone_change_nothing(dtype):
    network, words = small_network().to(dtype), torch.randint(2, 20, (2, 3))
    mask = tensor([[True, True, False], [True, False, False]])
    longer = network(torch.nn.functional.pad(words, (0, 4), value=3), torch.nn.functional.pad(mask, (0, 4)))
    assert longer.dtype == dtype
    assert_close(longer, network(words[:, :2], mask[:, :2]))
