"""CNN-multichannel, Kim 2014."""

import pytest
import torch
from torch import Tensor, arange, tensor
from torch.testing import assert_close

from retable.layers.embedding import WordEmbedding
from retable.models.textcnn import TextCNN
from retable.models.textcnn_multichannel import TextCNNMultichannel
from tests.models.declared import CLASSES, DIM, Case, Declared, texts, with_random_weights

EVERY_MODEL = Declared(
    cases=[
        Case("textcnn-multichannel", 12 + 12 * 4 * 2 * DIM + 12 * CLASSES + CLASSES, {"filters": 4}),
        Case("textcnn-multichannel", 2 + 2 * 2 * 2 * DIM + 2 * CLASSES + CLASSES, {"filters": 2, "widths": [2]}),
    ],
    dropped=lambda filters, widths=(3, 4, 5): [texts(filters * len(widths))],
    multiply_adds=lambda t, filters, widths=(3, 4, 5): sum(
        (t + width - 1) * width * 2 * DIM * filters + filters * CLASSES for width in widths
    ),
    refused=[
        ({"widths": [0]}, "widths is [0]; allowed: one or more whole numbers >= 1"),
        ({"filters": 0}, "filters is 0; allowed: filters >= 1"),
        ({"dropout": 1.0}, "dropout is 1.0; allowed: 0 <= dropout < 1"),
    ],
)


def small_network(tuned: int = 12) -> TextCNNMultichannel:
    """Return the network in float64, with tuned vectors changed from the initial ones, in evaluation mode."""
    torch.manual_seed(2)
    embedding = WordEmbedding(torch.randn(20, 4), tuned=tuned)
    network = with_random_weights(TextCNNMultichannel(embedding, 2, widths=(3, 2), filters=5)).double()
    if network.embedding.tuned is not None:
        with torch.no_grad():
            network.embedding.tuned[1:] += torch.randn(tuned - 1, 4)
    return network


def slow_logits(network: TextCNNMultichannel, words: Tensor) -> Tensor:
    """Return the logits of one unpadded text: sums of each window's products with both channels; the largest; ReLU."""
    tuned, given = network.embedding(words.unsqueeze(0))[0].chunk(2, dim=1)
    features = []
    for width, convolution in zip(network.widths, network.convolutions, strict=True):
        of_tuned, of_given = convolution.weight.chunk(2, dim=1)  # (K, D, w) each
        windows = []
        for first in range(1 - width, len(words)):
            window = convolution.bias
            for column in range(max(0, -first), min(width, len(words) - first)):
                window = window + of_tuned[:, :, column] @ tuned[first + column]
                window = window + of_given[:, :, column] @ given[first + column]
            windows.append(window)
        features.append(torch.stack(windows).amax(dim=0).relu())
    return network.output.weight @ torch.cat(features) + network.output.bias


@pytest.mark.parametrize("tuned", [20, 12, 0])
def test_fast_form_matches_the_sum_of_both_channels_window_by_window(tuned):
    """Check padded texts with arbitrary words in the padding."""
    network = small_network(tuned)
    words, lengths = torch.randint(2, 20, (5, 8)), (8, 1, 2, 3, 6)
    logits = network(words, arange(8) < tensor(lengths).unsqueeze(1))
    for text, length in enumerate(lengths):
        assert_close(logits[text], slow_logits(network, words[text, :length]), msg=f"{length} words")


def test_both_channels_start_as_they_are_given_and_one_learns():
    """A step changes only the tuned vector of word 5; word 15 is fixed in both, and padding is zero."""
    vectors = torch.randn(20, 4)
    network = TextCNNMultichannel(WordEmbedding(vectors, tuned=12), 2, filters=6)
    words, given = tensor([[5, 15, 0]]), torch.stack([vectors[5], vectors[15], torch.zeros(4)])
    assert_close(network.embedding(words)[0], given.repeat(1, 2))
    network(words, tensor([[True, True, False]])).square().sum().backward()
    torch.optim.SGD(network.parameters(), lr=1.0).step()
    now, then = network.embedding(words)[0].chunk(2, dim=1)
    assert_close(then, given)
    assert_close(now[1:], given[1:])
    assert not torch.isclose(now[0], given[0]).any()


def test_equal_filters_are_textcnn_on_the_sum_of_both_channels():
    """The other reading of the paper: shared weights for both channels."""
    network, words, mask = small_network(20), torch.randint(2, 20, (3, 7)), arange(7) < tensor([[7], [1], [4]])
    one = TextCNN(WordEmbedding(torch.zeros(20, 4), tuned=20), 2, widths=(3, 2), filters=5).double().eval()
    with torch.no_grad():
        for both, single in zip(network.convolutions, one.convolutions, strict=True):
            both.weight[:, 4:] = both.weight[:, :4]
            single.load_state_dict({"weight": both.weight[:, :4], "bias": both.bias})
        one.output.load_state_dict(network.output.state_dict())
        one.embedding.tuned.copy_(network.embedding.tuned + network.embedding.given)
    assert_close(network(words, mask), one(words, mask))
