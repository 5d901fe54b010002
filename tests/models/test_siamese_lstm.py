"""Siamese LSTM, Mueller and Thyagarajan 2016: the last states of two texts and their comparison."""

import math

import pytest
import torch
from torch import Tensor, nn, tensor
from torch.testing import assert_close

from retable.layers.embedding import WordEmbedding
from retable.models.siamese_lstm import SiameseLSTM
from tests.models.declared import CLASSES, DIM, Case, Declared, gates, with_random_weights
from tests.models.test_abcnn import batch
from tests.models.test_lstm import slow_states

LSTM = 4 * 5 * (DIM + 5) + 2 * 4 * 5  # torch has two biases per gate


def multiply_adds(t: float, *, compare: str, hidden: int) -> float:
    """Count four gates at every word of either text; products of states, the classifier."""
    compared = hidden + 2 * hidden * CLASSES if compare == "features" else CLASSES
    return t * gates(4, DIM, hidden) + compared


EVERY_MODEL = Declared(
    cases=[
        Case("siamese-lstm", LSTM + 10 * CLASSES + CLASSES, {"compare": "features", "hidden": 5}),
        Case("siamese-lstm", LSTM + CLASSES + CLASSES, {"compare": "similarity", "hidden": 5}),
    ],
    dropped=lambda **_: [],
    multiply_adds=multiply_adds,
    refused=[
        ({"compare": "cosine"}, 'compare is "cosine"; allowed: features, similarity'),
        ({"hidden": 0}, "hidden is 0; allowed: hidden >= 1"),
        ({"forget_bias": -1.0}, "forget_bias is -1.0; allowed: forget_bias >= 0"),
        ({"spread": -0.1}, "spread is -0.1; allowed: spread >= 0"),
    ],
)

PAIRS = [([2, 3, 4, 5, 6, 7], [8, 9]), ([10], [11]), ([3, 4, 3], [3, 4, 3]), ([12, 2], [5, 6, 7, 8, 9, 10])]


def small_network(**options) -> SiameseLSTM:
    """Return the network in float64, with weights and biases large enough to matter, in evaluation mode."""
    torch.manual_seed(3)
    network = SiameseLSTM(WordEmbedding(torch.randn(20, 4), tuned=20), 2, **({"hidden": 3} | options))
    return with_random_weights(network.double(), std=0.7)


def slow_logits(network: SiameseLSTM, first: list[int], second: list[int]) -> Tensor:
    """Return the logits of one unpadded pair, computed word by word from the equations."""
    a, b = (slow_states(network.lstm, list(network.embedding(tensor([text]))[0]), "l0")[-1] for text in (first, second))
    pairs = list(zip(a.tolist(), b.tolist(), strict=True))
    if network.compare == "similarity":
        compared = [math.exp(-sum(abs(x - y) for x, y in pairs))]
    else:
        compared = [abs(x - y) for x, y in pairs] + [x * y for x, y in pairs]
    return network.output.weight @ tensor(compared, dtype=a.dtype) + network.output.bias


@pytest.mark.parametrize("compare", ["features", "similarity"])
def test_fast_form_matches_the_equations_word_by_word(compare):
    network = small_network(compare=compare)
    logits = network(*batch(*PAIRS))
    for row, pair in enumerate(PAIRS):
        assert_close(logits[row], slow_logits(network, *pair))


@pytest.mark.parametrize(
    ("compare", "expected"),
    [("similarity", [math.exp(-2.5)]), ("features", [0.5, 2.0, 0.5, -1.0])],
)
def test_comparison_by_hand(compare, expected, monkeypatch):
    """States (1, -1) and (0.5, 1): distances 0.5 and 2, products 0.5 and -1."""
    network, states = small_network(compare=compare, hidden=2), iter([[1.0, -1.0], [0.5, 1.0]])
    monkeypatch.setattr(network, "last_states", lambda _: tensor([next(states)], dtype=torch.float64))
    network.output = nn.Identity()
    assert network(*batch(([2], [3]))).flatten().tolist() == pytest.approx(expected)


def test_equal_texts_have_a_similarity_of_one():
    network = small_network(compare="similarity")
    found = network(*batch(([2, 3, 4], [2, 3, 4]), ([9], [9])))
    assert_close(found, (network.output.weight[:, 0] + network.output.bias).expand(2, 2))


@pytest.mark.parametrize("compare", ["features", "similarity"])
def test_the_order_of_the_texts_does_not_matter_but_that_of_the_words_does(compare):
    network = small_network(compare=compare)
    found = network(*batch(([2, 3, 4], [5]), ([5], [2, 3, 4]), ([4, 3, 2], [5])))
    assert_close(found[0], found[1])
    assert not torch.allclose(found[0], found[2], atol=1e-4)


def test_first_values_of_the_gates():
    """Forget gates at a text's first word are open: sigmoid(2.5) up to small weights."""
    torch.manual_seed(0)
    lstm = SiameseLSTM(WordEmbedding(torch.randn(9, 300), tuned=0), 2).lstm
    biases = (lstm.bias_ih_l0 + lstm.bias_hh_l0).view(4, 50)
    assert_close(biases, tensor([0.0, 2.5, 0.0, 0.0])[:, None].expand(4, 50))
    assert lstm.weight_ih_l0.std().item() == pytest.approx(0.1, rel=0.05)
    assert lstm.weight_hh_l0.std().item() == pytest.approx(0.1, rel=0.05)


def test_a_batch_of_one_word_and_of_a_text_without_words_gives_numbers():
    network, one = small_network(), torch.ones(2, 1, dtype=torch.bool)
    assert network(tensor([[2], [3]]), one, tensor([[0], [2]])).isfinite().all()
