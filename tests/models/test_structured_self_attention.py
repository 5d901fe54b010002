"""Structured self-attention: Lin et al., eq. 1-8."""

import pytest
import torch
from torch import Tensor, nn, tensor
from torch.testing import assert_close

from retable.layers.embedding import WordEmbedding
from retable.models.structured_self_attention import StructuredSelfAttention
from tests.models.test_every_model import with_random_weights
from tests.models.test_lstm import slow_states

WORDS, LENGTHS = torch.randint(2, 20, (4, 7), generator=torch.Generator().manual_seed(9)), tensor([7, 1, 2, 5])
MASK = torch.arange(7) < LENGTHS.unsqueeze(1)
CLASSES = tensor([0, 1, 1, 0])


def small_network(**options) -> StructuredSelfAttention:
    """Return the network in float64, with weights and biases large enough to matter, in evaluation mode."""
    torch.manual_seed(5)
    options = {"heads": 3, "hidden": 4, "attention_hidden": 5, "mlp_hidden": 6} | options
    network = StructuredSelfAttention(WordEmbedding(torch.randn(20, 3), tuned=20), 2, **options)
    return with_random_weights(network.double(), std=0.7)


def slow_network(network: StructuredSelfAttention, words: Tensor) -> tuple[Tensor, Tensor]:
    """Return the logits (C,) and A (r, T) of one unpadded text, word by word and head by head."""
    x = network.embedding(words.unsqueeze(0))[0]
    forward = slow_states(network.lstm, x, "l0")  # eq. 1
    backward = slow_states(network.lstm, x.flip(0), "l0_reverse")[::-1]  # eq. 2
    h = [torch.cat(pair) for pair in zip(forward, backward, strict=True)]  # eq. 3-4
    attention, matrix = [], []
    for w_s2 in network.scores.weight:
        exponentials = [(w_s2 @ torch.tanh(network.hidden_scores.weight @ h_t)).exp() for h_t in h]
        a = torch.stack(exponentials) / sum(exponentials)  # eq. 5, a row of eq. 6
        attention.append(a)
        matrix.append(sum(weight * h_t for weight, h_t in zip(a, h, strict=True)))  # eq. 7
    first, last = network.classifier[0], network.classifier[3]
    hidden = torch.relu(first.weight @ torch.cat(matrix) + first.bias)
    return last.weight @ hidden + last.bias, torch.stack(attention)


@pytest.mark.parametrize("heads", [1, 3])
def test_fast_form_matches_the_equations_word_by_word(heads):
    network = small_network(heads=heads)
    logits, attention = network(WORDS, MASK), network.attention(WORDS, MASK)
    for text, length in enumerate(LENGTHS):
        expected_logits, expected_attention = slow_network(network, WORDS[text, :length])
        assert_close(logits[text], expected_logits)
        assert_close(attention[text, :, :length], expected_attention)
        assert not attention[text, :, length:].any()


def test_penalty_is_the_squared_frobenius_norm_as_mean_over_the_texts():  # eq. 8
    network = small_network(penalty=0.3, dropout=0.0).train()
    network(WORDS, MASK)
    by_text = []
    for text, length in enumerate(LENGTHS):
        _, a = slow_network(network, WORDS[text, :length])
        by_text.append(sum((a[i] @ a[j] - float(i == j)) ** 2 for i in range(3) for j in range(3)))
    assert_close(network.auxiliary_loss(CLASSES), 0.3 * sum(by_text) / 4)


def test_penalty_of_one_word_is_that_of_heads_that_cannot_differ():
    """A is a column of ones, A A^T all ones: r^2 - r entries off the diagonal."""
    network = small_network(penalty=1.0).train()
    network(tensor([[7]]), tensor([[True]]))
    assert network.auxiliary_loss(CLASSES).item() == pytest.approx(3**2 - 3)


def test_what_the_penalty_needs_is_kept_from_forward_to_the_loss_in_training_alone():
    network = small_network()
    network(WORDS, MASK)
    assert network.weights_of_batch is None
    network.train()(WORDS, MASK)
    assert network.weights_of_batch is not None
    network.auxiliary_loss(CLASSES)
    assert network.weights_of_batch is None


def test_heads_without_opinion_average_the_states():
    network = small_network()
    nn.init.zeros_(network.scores.weight)
    attention = network.attention(WORDS, MASK)
    assert_close(attention[3], (MASK[3] / 5).double().expand(3, 7))
