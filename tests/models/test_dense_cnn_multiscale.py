"""Densely connected CNN with multi-scale feature attention, Wang, Huang and Deng 2018."""

import math

import pytest
import torch
from torch import Tensor, arange, nn, tensor
from torch.testing import assert_close

from retable.layers.embedding import WordEmbedding
from retable.models.dense_cnn_multiscale import DenseCNN, Scale
from tests.models.declared import CLASSES, DIM, Case, Declared, texts, with_random_weights
from tests.models.test_vdcnn import slow_convolution, slow_norm

SMALL = {"filters": 4, "attention_hidden": 5, "hidden": 7}


def of_convolutions(unigrams: int, layers: int, filters: int) -> int:
    """Count the weights of all layers: single words, then three of all earlier scales."""
    of_words = DIM * filters + (unigrams - 1) * filters**2
    return of_words + sum(3 * before * filters**2 for before in range(unigrams, unigrams + layers))


def parameters(unigrams: int = 3, layers: int = 5, filters: int = 4, attention: int = 5, hidden: int = 7) -> int:
    """Count convolutions, norms, the network of the scales, two layers of the classifier."""
    scales = unigrams + layers
    of_scales = scales * attention + attention + attention * scales + scales
    of_classifier = filters * hidden + hidden + hidden * CLASSES + CLASSES
    return of_convolutions(unigrams, layers, filters) + 2 * scales * filters + of_scales + of_classifier


def multiply_adds(t: int, *, filters, attention_hidden, hidden, unigrams=3, layers=5) -> float:
    """Count convolutions, the network of the scales and the weighted sum at every word; the classifier."""
    scales = unigrams + layers
    a_word = of_convolutions(unigrams, layers, filters) + 2 * scales * attention_hidden + scales * filters
    return t * a_word + filters * hidden + hidden * CLASSES


EVERY_MODEL = Declared(
    cases=[
        Case("dense-cnn-multiscale", parameters(), SMALL),
        Case("dense-cnn-multiscale", parameters(1, 2), {**SMALL, "unigrams": 1, "layers": 2}),
        Case("dense-cnn-multiscale", parameters(2, 0), {**SMALL, "unigrams": 2, "layers": 0}),
    ],
    dropped=lambda filters, hidden, **_: [texts(filters), texts(hidden)],
    multiply_adds=multiply_adds,
    refused=[
        ({"unigrams": 0}, "unigrams is 0; allowed: unigrams >= 1"),
        ({"layers": -1}, "layers is -1; allowed: layers >= 0"),
        ({"filters": 0}, "filters is 0; allowed: filters >= 1"),
        ({"attention_hidden": 0}, "attention_hidden is 0; allowed: attention_hidden >= 1"),
        ({"hidden": 0}, "hidden is 0; allowed: hidden >= 1"),
        ({"dropout": 1.0}, "dropout is 1.0; allowed: 0 <= dropout < 1"),
    ],
)


def small_network(**options) -> DenseCNN:
    """Return the network in float64, with large enough weights, biases and running statistics, in evaluation mode."""
    torch.manual_seed(6)
    options = {"unigrams": 2, "layers": 3, "filters": 8, "attention_hidden": 4, "hidden": 5} | options
    network = with_random_weights(DenseCNN(WordEmbedding(torch.randn(20, 4), tuned=20), 2, **options), std=0.4)
    for name, buffer in network.named_buffers():
        if name.endswith(("running_mean", "running_var")):
            nn.init.uniform_(buffer, 0.3, 1.5)
    return network.double()


def slow_scale(layer: Scale, x: list[Tensor]) -> list[Tensor]:
    """Compute f of a list of words: convolution, norm, ReLU."""
    return [vector.relu() for vector in slow_norm(layer.norm, slow_convolution(layer.convolution, x))]


def slow_weights(network: DenseCNN, scales: list[Tensor]) -> list[float]:
    """Return the weights of one word's scales: softmax(MLP(s)), s the sums over the filters."""
    first, second = network.attention
    s = torch.stack([sum(scale) for scale in scales])
    scores = (second.weight @ (first.weight @ s + first.bias).relu() + second.bias).tolist()
    total = sum(math.exp(score) for score in scores)
    return [math.exp(score) / total for score in scores]


def slow_logits(network: DenseCNN, words: Tensor) -> Tensor:
    """Return the logits of one unpadded text, word by word."""
    x = list(network.embedding(words.unsqueeze(0))[0])
    scales: list[list[Tensor]] = []
    for layer in network.unigrams:
        scales.append(slow_scale(layer, scales[-1] if scales else x))
    for layer in network.layers:
        scales.append(slow_scale(layer, [torch.cat(of_word) for of_word in zip(*scales, strict=True)]))
    mixed = []
    for of_word in zip(*scales, strict=True):
        weights = slow_weights(network, list(of_word))
        mixed.append(sum(weight * scale for weight, scale in zip(weights, of_word, strict=True)))
    text = [max(float(vector[k].detach()) for vector in mixed) for k in range(len(mixed[0]))]
    hidden = network.hidden.weight @ tensor(text, dtype=torch.float64) + network.hidden.bias
    return network.output.weight @ hidden + network.output.bias


@pytest.mark.parametrize(("unigrams", "layers"), [(2, 3), (1, 2), (3, 0)])
def test_fast_form_matches_the_equations_word_by_word(unigrams, layers):
    """Check padded texts with arbitrary words in the padding.

    It fails if a layer reads only the previous scale, without the sum over filters, a ReLU or the mask.
    """
    network = small_network(unigrams=unigrams, layers=layers)
    words, lengths = torch.randint(2, 20, (5, 9)), (9, 1, 2, 4, 7)
    mask = arange(9) < tensor(lengths).unsqueeze(1)
    assert all(scale.any() for scale in network.scales(words, mask))  # no scale ends at ReLU
    logits = network(words, mask)
    for text, length in enumerate(lengths):
        assert_close(logits[text], slow_logits(network, words[text, :length]), msg=f"{length} words")


def test_weights_by_hand():
    """Two scales of sums 1 and 3; the hidden unit is their difference, 2, and adds ln 3 to the second: 1/10, 9/10."""
    network = small_network(unigrams=1, layers=1, filters=2, attention_hidden=1)
    first, second = network.attention
    with torch.no_grad():
        first.weight.copy_(tensor([[-1.0, 1.0]]))
        second.weight.copy_(tensor([[0.0], [math.log(3)]]))
        first.bias.zero_()
        second.bias.zero_()
    scales = tensor([[[[0.25], [0.75]], [[1.0], [2.0]]]], dtype=torch.float64)  # (1, L, K, 1)
    assert_close(network.weights(scales), tensor([[[0.1], [0.9]]], dtype=torch.float64))
    assert_close(network.weights(scales.flip(1)), tensor([[[0.5], [0.5]]], dtype=torch.float64))  # ReLU: nothing


def test_scales_weigh_alike_at_first():
    """With the first weights a text is nearly the largest mean of its scales."""
    torch.manual_seed(1)
    network = DenseCNN(WordEmbedding(torch.randn(20, 4), tuned=20), 2)
    weights = network.weights(torch.rand(2, 8, 64, 5))
    assert_close(weights, torch.full((2, 8, 5), 1 / 8), rtol=0, atol=0.01)
    assert weights.std() > 0


def test_a_scale_sees_one_word_a_side_more_than_the_one_before():
    """A changed word 5 affects word 5 of the unigrams, words 4 to 6 of the next scale, 3 to 7, then 2 to 8."""
    network, words, mask = small_network(), torch.randint(2, 20, (40, 11)), torch.ones(40, 11, dtype=torch.bool)
    other = words.clone()
    other[:, 5] = 21 - words[:, 5]
    changed = [
        (one != two).any(dim=1).any(dim=0).nonzero().flatten().tolist()  # in some filter of some text
        for one, two in zip(network.scales(words, mask), network.scales(other, mask), strict=True)
    ]
    assert changed == [[5], [5], [4, 5, 6], [3, 4, 5, 6, 7], [2, 3, 4, 5, 6, 7, 8]]


def test_padding_changes_nothing_in_training_either():
    """The same texts in wider batches give the same logits and running statistics."""
    network, lengths = small_network(dropout=0.0).train(), tensor([[6], [1], [3], [5]])
    before, words = {name: value.clone() for name, value in network.state_dict().items()}, torch.randint(2, 20, (4, 13))
    seen = []
    for width in (6, 13):
        network.load_state_dict(before)
        logits = network(words[:, :width], arange(width) < lengths)
        seen.append({"logits": logits} | {name: value.clone() for name, value in network.state_dict().items()})
    for name, value in seen[1].items():
        assert_close(value, seen[0][name], msg=name)


def test_sizes_are_those_of_the_authors_code():
    network = DenseCNN(WordEmbedding(torch.zeros(3, 300), tuned=0), 4)
    shapes = [tuple(layer.convolution.weight.shape) for layer in (*network.unigrams, *network.layers)]
    dense = [(64, 64 * before, 3) for before in range(3, 8)]
    assert shapes == [(64, 300, 1), (64, 64, 1), (64, 64, 1), *dense]
    assert [(layer.in_features, layer.out_features) for layer in network.attention] == [(8, 64), (64, 8)]
