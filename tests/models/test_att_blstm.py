"""Att-BLSTM, Zhou et al. 2016."""

import math

import pytest
import torch
from torch import Tensor, nn, tensor
from torch.testing import assert_close

from retable.layers.embedding import WordEmbedding
from retable.models.att_blstm import AttBLSTM
from tests.models.test_every_model import with_random_weights
from tests.models.test_lstm import slow_states


def small_network(**options) -> AttBLSTM:
    """Return the network in float64, with weights and biases large enough to matter, in evaluation mode."""
    torch.manual_seed(7)
    network = AttBLSTM(WordEmbedding(torch.randn(20, 4), tuned=20), 2, **({"hidden": 3} | options))
    return with_random_weights(network.double(), std=0.7)


def slow_logits(network: AttBLSTM, words: Tensor) -> Tensor:
    """Return the logits of one unpadded text, computed word by word from the equations."""
    vectors = list(network.embedding(words.unsqueeze(0))[0])
    ahead = slow_states(network.lstm, vectors, "l0")
    back = slow_states(network.lstm, vectors[::-1], "l0_reverse")[::-1]
    states = [one + other for one, other in zip(ahead, back, strict=True)]
    scores = [(network.query.weight[0] @ state.tanh()).item() for state in states]
    total = sum(math.exp(score) for score in scores)
    r = sum(math.exp(score) / total * state for score, state in zip(scores, states, strict=True))
    return network.output.weight @ r.tanh() + network.output.bias


def test_fast_form_matches_the_equations_word_by_word():
    """Check padded texts with arbitrary words in the padding; it fails without the mask of the scores."""
    network = small_network()
    words, lengths = torch.randint(2, 20, (4, 9)), (9, 1, 2, 5)
    logits = network(words, torch.arange(9) < tensor(lengths).unsqueeze(1))
    for text, length in enumerate(lengths):
        assert_close(logits[text], slow_logits(network, words[text, :length]))


def test_weights_by_hand(monkeypatch):
    """Summed states 1, 3 and query ln 3: scores ln 3 tanh(1), ln 3 tanh(3)."""
    network = small_network(hidden=1)
    states = tensor([[[0.25, 0.75], [1.0, 2.0]]], dtype=torch.float64)
    monkeypatch.setattr("retable.models.att_blstm.states_of_words", lambda *_: states)
    with torch.no_grad():
        network.query.weight.fill_(math.log(3))
        network.output.weight.copy_(tensor([[1.0], [0.0]]))
        network.output.bias.zero_()
    weights = 3 ** math.tanh(1), 3 ** math.tanh(3)
    expected = math.tanh((weights[0] * 1 + weights[1] * 3) / sum(weights))
    found = network(tensor([[2, 3]]), tensor([[True, True]]))
    assert found.flatten().tolist() == pytest.approx([expected, 0])


def test_a_text_of_one_word_is_the_tanh_of_its_state_whatever_the_query():
    network, word = small_network(), tensor([[5]])
    before = network(word, tensor([[True]]))
    nn.init.normal_(network.query.weight)
    assert_close(network(word, tensor([[True]])), before)
    assert_close(before[0], slow_logits(network, word[0]))


def test_equal_scores_give_the_mean_of_the_states():
    network, words, mask = small_network(), torch.randint(2, 20, (1, 6)), torch.ones(1, 6, dtype=torch.bool)
    nn.init.zeros_(network.query.weight)
    ahead, back = network.lstm(network.embedding(words))[0].chunk(2, dim=2)
    assert_close(network(words, mask), network.output((ahead + back).mean(dim=1).tanh()))
