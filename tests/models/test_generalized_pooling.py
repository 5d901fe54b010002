"""Generalized pooling, Chen, Ling and Zhu 2018."""

import pytest
import torch
from torch import Tensor, nn, tensor
from torch.testing import assert_close

from retable.layers.embedding import WordEmbedding
from retable.models.generalized_pooling import GeneralizedPooling, closeness
from tests.models.declared import CLASSES, DIM, Case, Declared, gates, texts, with_random_weights, words
from tests.models.test_lstm import slow_states

BOTH, MLP = 2 * 5, 16
SMALL = {"hidden": 5, "attention_hidden": 4, "mlp_hidden": MLP}


def parameters(layers: int, heads: int) -> int:
    """Count LSTMs with two biases per gate, W_1 with a bias, W_2, three layers of the classifier with biases."""
    lstms = sum(2 * (gates(4, DIM + (BOTH if layer else 0), 5) + 2 * 4 * 5) for layer in range(layers))
    attention = heads * (4 * BOTH + 4 + BOTH * 4)
    return lstms + attention + heads * BOTH * MLP + MLP + (heads * BOTH + MLP) * MLP + MLP + MLP * CLASSES + CLASSES


def multiply_adds(t: int, *, layers: int, heads: int, **_: object) -> int:
    """Count gates of all layers, W_1, W_2 and the weighted sums per word; the classifier per text."""
    a_word = sum(2 * gates(4, DIM + (BOTH if layer else 0), 5) for layer in range(layers))
    a_word += heads * (4 * BOTH + BOTH * 4 + BOTH)
    return t * a_word + heads * BOTH * MLP + (heads * BOTH + MLP) * MLP + MLP * CLASSES


EVERY_MODEL = Declared(
    cases=[
        Case("generalized-pooling", parameters(2, 3), {"layers": 2, "heads": 3, **SMALL}),
        Case(
            "generalized-pooling",
            parameters(1, 2),
            {"layers": 1, "heads": 2, **SMALL, "penalised": "attention", "penalty": 0.1},
        ),
        Case("generalized-pooling", parameters(1, 2), {"layers": 1, "heads": 2, **SMALL, "penalised": "embeddings"}),
        Case("generalized-pooling", parameters(1, 1), {"layers": 1, "heads": 1, **SMALL, "penalised": "none"}),
    ],
    dropped=lambda mlp_hidden, **_: [words(DIM), texts(mlp_hidden), texts(mlp_hidden)],
    multiply_adds=multiply_adds,
    refused=[
        ({"layers": 0}, "layers is 0; allowed: layers >= 1"),
        ({"hidden": 0}, "hidden is 0; allowed: hidden >= 1"),
        ({"heads": 0}, "heads is 0; allowed: heads >= 1"),
        ({"attention_hidden": 0}, "attention_hidden is 0; allowed: attention_hidden >= 1"),
        ({"mlp_hidden": 0}, "mlp_hidden is 0; allowed: mlp_hidden >= 1"),
        ({"dropout": 1.0}, "dropout is 1.0; allowed: 0 <= dropout < 1"),
        ({"penalised": "words"}, 'penalised is "words"; allowed: none, parameters, attention, embeddings'),
        ({"penalty": -1.0}, "penalty is -1.0; allowed: penalty >= 0"),
    ],
)
WORDS, LENGTHS = torch.randint(2, 20, (4, 7), generator=torch.Generator().manual_seed(2)), (7, 1, 2, 5)
MASK = torch.arange(7) < tensor(LENGTHS).unsqueeze(1)


def small_network(**options) -> GeneralizedPooling:
    """Return the network in float64, with weights and biases large enough to matter, in evaluation mode."""
    torch.manual_seed(4)
    options = {"layers": 2, "hidden": 2, "heads": 3, "attention_hidden": 5, "mlp_hidden": 6} | options
    return with_random_weights(GeneralizedPooling(WordEmbedding(torch.randn(20, 3), tuned=20), 2, **options).double())


def slow_text(network: GeneralizedPooling, words: Tensor) -> tuple[list[Tensor], list[Tensor], Tensor]:
    """Return A^i (T, 2 H) and v^i (2 H) of each head and the logits of one unpadded text."""
    x = list(network.embedding(words.unsqueeze(0))[0])
    h = inputs = x
    for layer, lstm in enumerate(network.lstms):
        inputs = [torch.cat((h_t, x_t)) for h_t, x_t in zip(h, x, strict=True)] if layer else x
        back = slow_states(lstm, inputs[::-1], "l0_reverse")[::-1]
        h = [torch.cat(both) for both in zip(slow_states(lstm, inputs, "l0"), back, strict=True)]
    size = network.second.shape[1]
    attention, sums = [], []
    for i in range(network.heads):
        w_1, b_1 = (each[i * size : (i + 1) * size] for each in (network.first.weight, network.first.bias))
        scores = [network.second[i].T @ (w_1 @ h_t + b_1).relu() for h_t in h]
        total = sum(score.exp() for score in scores)
        attention.append(torch.stack([score.exp() / total for score in scores]))
        sums.append(sum(a_t * h_t for a_t, h_t in zip(attention[-1], h, strict=True)))
    v = torch.cat(sums)
    lower = (network.lower.weight @ v + network.lower.bias).relu()
    upper = (network.upper.weight @ torch.cat((v, lower)) + network.upper.bias).relu()
    return attention, sums, network.output.weight @ upper + network.output.bias


@pytest.mark.parametrize(("layers", "heads"), [(2, 3), (3, 1), (1, 2)])
def test_fast_form_matches_the_equations_word_by_word(layers, heads):
    """Check padded texts with arbitrary words in the padding; it fails without the mask of the scores."""
    network = small_network(layers=layers, heads=heads)
    logits, weights = network(WORDS, MASK), network.weights(network.states(WORDS, MASK), MASK)
    for text, length in enumerate(LENGTHS):
        attention, _, expected = slow_text(network, WORDS[text, :length])
        assert_close(logits[text], expected)
        assert_close(weights[text, :length], torch.stack(attention, dim=1))
        assert not weights[text, length:].any()


def test_closeness_by_hand():
    """Heads 0, 0.5 and 3 of one text: 1 - 0.25, nothing for distances of 9 and 6.25."""
    assert closeness(tensor([[[0.0], [0.5], [3.0]]])).item() == pytest.approx(0.75)


def test_distances_are_means_over_texts_before_the_maximum():
    """Squared distances 0 and 4 have the mean 2, which is far enough."""
    assert closeness(tensor([[[0.0], [0.0]], [[0.0], [2.0]]])).item() == 0


@pytest.mark.parametrize("penalised", ["parameters", "attention", "embeddings"])
def test_penalty_is_the_sum_over_pairs_of_heads(penalised):
    network = small_network(penalised=penalised, penalty=0.3, dropout=0.0).train()
    with torch.no_grad():
        network.first.weight.mul_(0.1)
    network(WORDS, MASK)
    of_texts = [slow_text(network, WORDS[text, :length]) for text, length in enumerate(LENGTHS)]
    expected = 0.0
    for i, j in ((0, 1), (0, 2), (1, 2)):
        if penalised == "parameters":
            w_1 = network.first.weight.view(3, 5, 4)
            distance = (w_1[i] - w_1[j]).square().sum()
        else:
            parts = [attention if penalised == "attention" else sums for attention, sums, _ in of_texts]
            distance = sum((part[i] - part[j]).square().sum() for part in parts) / len(parts)
        expected += max(1 - distance.item(), 0)
    assert expected > 0
    loss = network.auxiliary_loss(tensor([0, 1, 1, 0]))
    assert loss is not None
    assert loss.item() == pytest.approx(0.3 * expected)
    assert network.of_batch is None


def test_without_a_penalty_nothing_is_added():
    network = small_network(penalised="none").train()
    network(WORDS, MASK)
    assert network.auxiliary_loss(tensor([0, 1, 1, 0])) is None


def test_heads_without_opinion_average_the_states_and_sure_ones_take_the_largest():
    """The source's two limits: mean pooling, and max pooling if a score grows with the state."""
    network = small_network(heads=1, attention_hidden=4)
    states = network.states(WORDS, MASK)
    nn.init.zeros_(network.second)
    assert_close(network.weights(states, MASK)[3, :, 0], (MASK[3] / 5).double().unsqueeze(1).expand(7, 4))
    with torch.no_grad():
        network.first.weight.copy_(torch.eye(4))
        network.first.bias.fill_(1.0)  # states are above -1: ReLU passes them all
        network.second.copy_(1e5 * torch.eye(4).unsqueeze(0))
    text = (network.weights(states, MASK)[:, :, 0] * states).sum(dim=1)
    assert_close(text, states.masked_fill(~MASK.unsqueeze(2), -torch.inf).amax(dim=1))
