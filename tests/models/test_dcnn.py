"""DCNN, Kalchbrenner, Grefenstette and Blunsom 2014."""

import math

import pytest
import torch
from torch import Tensor, arange, tensor
from torch.testing import assert_close

from retable.layers.embedding import WordEmbedding
from retable.models.dcnn import DCNN, FoldedConv
from tests.models.declared import CLASSES, Case, Declared, texts, with_random_weights

ROWS = (6, 3, 2, 1)  # of DIM numbers, after each folding


def multiply_adds(t: int, *, widths: list[int], maps: list[int], k: int) -> float:
    """Count each layer's windows on the places below it, k_l of eq. 4; the classes."""
    of_text, places, layers = ROWS[len(widths)] * maps[-1] * k * CLASSES, t, len(widths)
    for number, (width, inputs, outputs) in enumerate(zip(widths, [1, *maps], maps, strict=False)):
        of_text += (places + width - 1) * width * ROWS[number] * inputs * outputs
        places = max(k, -(-(layers - number - 1) * t // layers))
    return of_text


def parameters(widths: list[int], maps: list[int], k: int) -> int:
    """Count the parameters: filters and biases of every layer, the output."""
    layers = enumerate(zip(widths, [1, *maps], maps, strict=False))
    filters = sum(m * ROWS[layer] * j * outputs + ROWS[layer + 1] * outputs for layer, (m, j, outputs) in layers)
    return filters + ROWS[len(widths)] * maps[-1] * k * CLASSES + CLASSES


EVERY_MODEL = Declared(
    cases=[
        Case("dcnn", parameters([3, 2], [2, 3], 3), {"widths": [3, 2], "maps": [2, 3], "k": 3}),
        Case("dcnn", parameters([4], [5], 2), {"widths": [4], "maps": [5], "k": 2}),
        Case("dcnn", parameters([2, 3, 1], [3, 4, 5], 2), {"widths": [2, 3, 1], "maps": [3, 4, 5], "k": 2}),
    ],
    dropped=lambda widths, maps, k: [texts(ROWS[len(widths)] * maps[-1] * k)],
    multiply_adds=multiply_adds,
    refused=[
        ({"widths": []}, "widths is []; allowed: one or more whole numbers >= 1"),
        ({"widths": [7, 0]}, "widths is [7, 0]; allowed: one or more whole numbers >= 1"),
        ({"maps": [6]}, "maps is [6]; allowed: 2 whole numbers >= 1, one for each width"),
        ({"maps": [6, 0]}, "maps is [6, 0]; allowed: 2 whole numbers >= 1, one for each width"),
        ({"k": 0}, "k is 0; allowed: k >= 1"),
        ({"k": 8}, "k is 8; allowed: k <= 7, the first width"),
        ({"dropout": 1.0}, "dropout is 1.0; allowed: 0 <= dropout < 1"),
    ],
)


def small_network(dim: int = 5, **options) -> DCNN:
    """Return the network in float64, with weights and biases large enough to matter, in evaluation mode."""
    torch.manual_seed(5)
    options = {"widths": (4, 3, 2), "maps": (2, 3, 2), "k": 3} | options
    return with_random_weights(DCNN(WordEmbedding(torch.randn(20, dim), tuned=20), 2, **options).double(), std=0.7)


def slow_row(filters: list[list[float]], rows: list[list[float]]) -> list[float]:
    """Compute one row of a map, eq. 7: wide convolutions summed over the maps below, c_j = m^T s_{j-m+1:j} (eq. 1)."""
    width = len(filters[0])
    places = range(len(rows[0]) + width - 1)
    padded = [[0.0] * (width - 1) + row + [0.0] * (width - 1) for row in rows]
    return [
        sum(filter[c] * row[j + c] for filter, row in zip(filters, padded, strict=True) for c in range(width))
        for j in places
    ]


def slow_k_max(row: list[float], k: int) -> list[float]:
    """Return the k largest in their order; among equals, the first."""
    places = sorted(range(len(row)), key=lambda place: (-row[place], place))[:k]
    return [row[place] for place in sorted(places)]


def slow_layer(layer: FoldedConv, maps: list[list[list[float]]], k: int) -> list[list[list[float]]]:
    """Return lists by map, row and place: convolution, folding, pooling, bias and tanh (sections 3.1 to 3.6)."""
    filters = layer.filters.weight.unflatten(0, (layer.rows, layer.maps)).tolist()  # R, K, J, m
    bias = layer.bias.unflatten(0, (-1, layer.maps)).tolist()  # R / 2, K
    answers = []
    for number in range(layer.maps):
        rows = [slow_row(filters[row][number], [each[row] for each in maps]) for row in range(layer.rows)]
        if len(rows) % 2:
            rows.append([0.0] * len(rows[0]))
        sums = [[a + b for a, b in zip(*pair, strict=True)] for pair in zip(rows[::2], rows[1::2], strict=True)]
        pooled = [slow_k_max(row, k) for row in sums]
        answers.append(
            [[math.tanh(value + bias[row][number]) for value in values] for row, values in enumerate(pooled)]
        )
    return answers


def slow_logits(network: DCNN, words: Tensor) -> Tensor:
    """Return the logits of one unpadded text, number by number."""
    maps, layers = [network.embedding(words.unsqueeze(0))[0].T.tolist()], len(network.layers)
    for number, layer in enumerate(network.layers, start=1):
        k = max(network.k, math.ceil((layers - number) / layers * len(words) - 1e-9))  # eq. 4
        maps = slow_layer(layer, maps, k)
    by_row = [value for row in range(len(maps[0])) for each in maps for value in each[row]]
    return network.output.weight @ tensor(by_row, dtype=torch.float64) + network.output.bias


@pytest.mark.parametrize(("widths", "maps"), [((4, 3, 2), (2, 3, 2)), ((3, 5), (3, 2)), ((4,), (3,))])
def test_fast_form_matches_the_equations_number_by_number(widths, maps):
    """Check padded texts with arbitrary words in the padding.

    It fails without a mask of words, of windows or of pooled places, with k of the batch, and with the bias inside.
    """
    network = small_network(widths=widths, maps=maps)
    words, lengths = torch.randint(2, 20, (6, 11)), (11, 1, 2, 4, 7, 9)
    logits = network(words, arange(11) < tensor(lengths).unsqueeze(1))
    for text, length in enumerate(lengths):
        assert_close(logits[text], slow_logits(network, words[text, :length]), msg=f"{length} words")


def test_k_is_that_of_section_3_3():
    """Three layers, k_top 3 and 18 words: 12, 6 and 3; for each text by its own length."""
    network, seen = small_network(dim=8, widths=(3, 3, 3), maps=(1, 1, 1), k=3), []
    for layer in network.layers:
        layer.register_forward_pre_hook(lambda _, given: seen.append(given[2].tolist()))
    network(torch.ones(4, 18, dtype=torch.int64), arange(18) < tensor([[18], [7], [4], [1]]))
    assert seen == [[12, 5, 3, 3], [6, 3, 3, 3], [3, 3, 3, 3]]
    assert [network.places(layer, 18) for layer in (1, 2, 3)] == [12, 6, 3]


def test_a_layer_by_hand():
    """Filters (1, 2) and (0, 1): rows 3, 1 and 0, 5 give 6, 5, 1 and 0, 5, 0; their sum 6, 10, 1, two are kept."""
    layer = FoldedConv(2, 1, 1, 2)
    with torch.no_grad():
        layer.filters.weight.copy_(tensor([[[1.0, 2.0]], [[0.0, 1.0]]]))
        layer.bias.fill_(-5.0)
    x = tensor([[[3.0, 1.0], [0.0, 5.0]]])
    found = layer(x, tensor([2]), tensor([2]), 2)
    assert_close(found, tensor([[[1.0, 5.0]]]).tanh())
    assert_close(layer(x, tensor([2]), tensor([1]), 3), tensor([[[5.0, 0.0, 0.0]]]).tanh())


def test_windows_at_the_margins_see_every_weight():
    """A single word under a filter of three: three places, the last weight first."""
    layer = FoldedConv(1, 1, 1, 3)
    with torch.no_grad():
        layer.filters.weight.copy_(tensor([[[0.1, 0.2, 0.3]]]))
    found = layer(tensor([[[2.0]]]), tensor([1]), tensor([3]), 3)
    assert_close(found, tensor([[[0.6, 0.4, 0.2]]]).tanh())


def test_an_odd_last_row_stays_as_it_is():
    layer = FoldedConv(3, 1, 1, 1)
    with torch.no_grad():
        layer.filters.weight.fill_(1.0)
    x = tensor([[[1.0], [2.0], [0.5]]])
    assert_close(layer(x, tensor([1]), tensor([1]), 1), tensor([[[3.0], [0.5]]]).tanh())


def test_rows_meet_in_folding_alone():
    """A changed number in row 4 affects only the third pair of rows after a layer."""
    layer, x = FoldedConv(6, 1, 2, 3), torch.randn(1, 6, 9)
    other = x.clone()
    other[0, 4] += 1
    one, two = (layer(each, tensor([9]), tensor([4]), 4)[0].view(3, 2, 4) for each in (x, other))
    assert_close(one[:2], two[:2])
    assert not torch.isclose(one[2], two[2]).all()


def test_sizes_are_those_of_section_5_2():
    network = DCNN(WordEmbedding(torch.zeros(3, 48), tuned=0), 2)
    assert [tuple(layer.filters.weight.shape) for layer in network.layers] == [(48 * 6, 1, 7), (24 * 14, 6, 5)]
    assert network.output.in_features == 12 * 14 * 4
