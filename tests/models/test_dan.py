"""DAN, Iyyer et al. 2015."""

import pytest
import torch
from torch import Tensor, tensor
from torch.testing import assert_close

from retable.layers.embedding import WordEmbedding
from retable.models.dan import DAN
from tests.models.declared import CLASSES, DIM, Case, Declared, with_random_weights

EVERY_MODEL = Declared(
    cases=[
        Case("dan", DIM * 9 + 9 + 2 * (9 * 9 + 9) + 9 * CLASSES + CLASSES, {"hidden": 9}),
        Case("dan", DIM * 8 + 8 + 8 * CLASSES + CLASSES, {"hidden": 8, "layers": 1}),
    ],
    dropped=lambda **_: [(8, 9)],  # the words
    multiply_adds=lambda t, hidden, layers=3: (
        t * DIM + DIM * hidden + (layers - 1) * hidden * hidden + hidden * CLASSES
    ),
    refused=[
        ({"layers": 0}, "layers is 0; allowed: layers >= 1"),
        ({"hidden": 0}, "hidden is 0; allowed: hidden >= 1"),
        ({"dropout": 1.0}, "dropout is 1.0; allowed: 0 <= dropout < 1"),
    ],
)


def small_network(**options) -> DAN:
    """Return the network in float64, with weights and biases large enough to matter, in evaluation mode."""
    torch.manual_seed(7)
    network = DAN(WordEmbedding(torch.randn(20, 4), tuned=20), 2, **({"hidden": 3} | options))
    return with_random_weights(network.double(), std=0.7)


def slow_logits(network: DAN, words: Tensor) -> Tensor:
    """Return the logits of one unpadded text, computed word by word from the equations."""
    z = sum(network.embedding(words.unsqueeze(0))[0]) / len(words)
    for layer in network.layers:
        z = tensor([max(0.0, (row @ z + bias).item()) for row, bias in zip(layer.weight, layer.bias, strict=True)]).to(
            z
        )
    return network.output.weight @ z + network.output.bias


@pytest.mark.parametrize("layers", [1, 3])
def test_fast_form_matches_the_equations_word_by_word(layers):
    """Check padded texts with arbitrary words in the padding; it fails without the mask."""
    network = small_network(layers=layers)
    words, lengths = torch.randint(2, 20, (4, 9)), (8, 1, 2, 5)
    logits = network(words, torch.arange(9) < tensor(lengths).unsqueeze(1))
    for text, length in enumerate(lengths):
        assert_close(logits[text], slow_logits(network, words[text, :length]), rtol=1e-6, atol=1e-6)


def test_the_mean_by_hand():
    network = DAN(WordEmbedding(tensor([[9.0], [9.0], [1.0], [4.0]]), tuned=0), 2)
    mean = network.eval().mean_vector(tensor([[2, 3, 3, 2]]), tensor([[True, True, True, False]]))
    assert mean.item() == 3


def test_training_drops_whole_words_and_divides_by_those_left():
    """One-hot words: every mean has equal numbers, 1 / |S|, where a word is kept; a share of 0.3 is dropped."""
    network = DAN(WordEmbedding(torch.eye(12), tuned=0), 2).train()
    torch.manual_seed(1)
    words, mask = torch.arange(1, 11).expand(400, 10), torch.arange(10).expand(400, 10) < 8
    means = network.mean_vector(words, mask)
    left = means > 0
    assert_close(means, left / left.sum(dim=1, keepdim=True).clamp(min=1))
    assert not left[:, 9:].any()  # padding
    assert left[:, 1:9].double().mean().item() == pytest.approx(0.7, abs=0.03)


def test_a_text_that_would_lose_every_word_keeps_all():
    network, words = small_network(dropout=0.999), torch.randint(2, 20, (1, 3))
    mask = torch.ones(1, 3, dtype=torch.bool)
    expected = network.mean_vector(words, mask)
    torch.manual_seed(1)
    assert_close(network.train().mean_vector(words, mask), expected)


def test_the_order_of_the_words_is_nothing():
    network, words, mask = small_network(), torch.randint(2, 20, (2, 6)), torch.ones(2, 6, dtype=torch.bool)
    assert_close(network(words, mask), network(words.flip(1), mask))
