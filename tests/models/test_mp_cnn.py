"""MP-CNN, He, Gimpel and Lin 2015."""

import math

import pytest
import torch
from torch import Tensor, nn, tensor
from torch.testing import assert_close

from retable.layers.embedding import WordEmbedding
from retable.models.mp_cnn import MPCNN, compared, pool, windows
from tests.models.declared import CLASSES, DIM, Case, Declared, with_random_weights
from tests.models.test_abcnn import batch


def parameters(widths: list[int], filters: int, hidden: int) -> int:
    """Count both groups at every width with biases, the layer on the comparison, the classifier."""
    groups = sum(3 * DIM * (w * DIM + 1) + 2 * filters * DIM * (w + 1) for w in widths)
    return groups + features(len(widths), filters) * hidden + hidden + hidden * CLASSES + CLASSES


def features(widths: int, filters: int) -> int:
    """Count pairs of widths for three poolings, filters per dimension for two, holistic filters for three."""
    return 3 * (widths + 1) ** 2 * (2 + DIM) + 2 * widths * filters * (2 + DIM) + 3 * DIM * 2


def multiply_adds(t: float, *, widths: list[int], filters: int, mlp_hidden: int) -> float:
    """Count windows of either text under both groups, cosine and distance of all that is compared, two layers."""
    total = sum(2 * (t / 2 - w + 1) * w * DIM * (3 * DIM + 2 * filters) for w in widths)
    sizes = len(widths) + 1
    total += (3 + 1) * (3 * sizes**2 * DIM + 2 * len(widths) * filters * DIM + 3 * DIM * sizes)
    return total + features(len(widths), filters) * mlp_hidden + mlp_hidden * CLASSES


EVERY_MODEL = Declared(
    cases=[
        Case("mp-cnn", parameters([1, 2, 3], 1, 30), {"widths": [1, 2, 3], "filters": 1, "mlp_hidden": 30}),
        Case("mp-cnn", parameters([2], 3, 7), {"widths": [2], "filters": 3, "mlp_hidden": 7}),
    ],
    dropped=lambda **_: [],
    multiply_adds=multiply_adds,
    refused=[
        ({"widths": []}, "widths is []; allowed: one or more whole numbers >= 1"),
        ({"widths": [0]}, "widths is [0]; allowed: one or more whole numbers >= 1"),
        ({"filters": 0}, "filters is 0; allowed: filters >= 1"),
        ({"mlp_hidden": 0}, "mlp_hidden is 0; allowed: mlp_hidden >= 1"),
    ],
)
PAIRS = [([2, 3, 4, 5, 6, 7], [8, 9]), ([10], [11]), ([3, 4, 3], [3, 4, 3]), ([12, 2], [5, 6, 7, 8, 9, 10])]
POOLS = {"max": max, "min": min, "mean": lambda values: sum(values) / len(values)}


def small_network(**options) -> MPCNN:
    """Return the network in float64, with weights and biases large enough to matter, in evaluation mode."""
    torch.manual_seed(3)
    options = {"widths": [1, 2, 3], "filters": 2, "mlp_hidden": 5} | options
    network = MPCNN(WordEmbedding(torch.randn(20, 3), tuned=20), 2, **options)
    return with_random_weights(network.double(), std=0.5)


def slow_windows(network: MPCNN, text: list[int], width: int) -> list[Tensor]:
    """Return the windows of a text, (D, w) each, padded with zeros if it is shorter."""
    x = list(network.embedding(tensor([text]))[0])
    x += [torch.zeros(3).double()] * (width - len(x))
    return [torch.stack(x[start : start + width], dim=1) for start in range(len(x) - width + 1)]


def slow_group_a(network: MPCNN, text: list[int], pooling: str, size: int) -> list[Tensor]:
    """Return the values of the holistic filters at a width, or of the words."""
    pooled, row = POOLS[pooling], list(POOLS).index(pooling)
    if size == len(network.widths):
        return [pooled([word[d, 0] for word in slow_windows(network, text, 1)]) for d in range(3)]
    layer, found = network.holistic[size], []
    for number in range(row * 3, row * 3 + 3):
        values = [
            (layer.weight[number] * window).sum() + layer.bias[number]
            for window in slow_windows(network, text, network.widths[size])
        ]
        found.append(pooled([value.tanh() for value in values]))
    return found


def slow_group_b(network: MPCNN, text: list[int], pooling: str, size: int, number: int) -> list[Tensor]:
    """Return the values of one filter for every dimension."""
    layer, found, filters = network.of_dimensions[size], [], network.of_dimensions[size].out_channels // 6
    for dimension in range(3):
        row = dimension * 2 * filters + (pooling == "min") * filters + number
        values = [
            layer.weight[row, 0] @ window[dimension] + layer.bias[row]
            for window in slow_windows(network, text, network.widths[size])
        ]
        found.append(POOLS[pooling]([value.tanh() for value in values]))
    return found


def cosine_and_distance(x: list[Tensor], y: list[Tensor]) -> tuple[Tensor, Tensor]:
    """Compare two vectors number by number."""
    squares = [sum(a * a for a in each) for each in (x, y)]
    product = sum(a * b for a, b in zip(x, y, strict=True))
    return product / (squares[0] * squares[1]).sqrt(), sum((a - b) ** 2 for a, b in zip(x, y, strict=True)).sqrt()


def slow_features(network: MPCNN, first: list[int], second: list[int]) -> Tensor:
    """Return all comparisons in the order of the network's layer: cosines, distances, differences of each kind."""
    sizes, filters = len(network.widths) + 1, network.of_dimensions[0].out_channels // 6
    vertical = [
        (slow_group_a(network, first, p, i), slow_group_a(network, second, p, j))
        for p in POOLS
        for i in range(sizes)
        for j in range(sizes)
    ]
    of_dimensions = [
        tuple(slow_group_b(network, text, p, size, number) for text in (first, second))
        for size in range(sizes - 1)
        for p in ("max", "min")
        for number in range(filters)
    ]
    horizontal = [
        tuple([slow_group_a(network, text, p, size)[n] for size in range(sizes)] for text in (first, second))
        for p in POOLS
        for n in range(3)
    ]
    found = []
    for kind in (vertical, of_dimensions, horizontal):
        scores = [cosine_and_distance(x, y) for x, y in kind]
        found += [cosine for cosine, _ in scores] + [distance for _, distance in scores]
        if kind is not horizontal:
            found += [(a - b).abs() for x, y in kind for a, b in zip(x, y, strict=True)]
    return torch.stack(found)


@pytest.mark.parametrize("options", [{}, {"widths": [2], "filters": 1}])
def test_fast_form_matches_the_comparison_number_by_number(options):
    """Check padded pairs with arbitrary words in the padding, and texts shorter than a width."""
    network = small_network(**options)
    logits = network(*batch(*PAIRS))
    for row, pair in enumerate(PAIRS):
        hidden = (network.hidden.weight @ slow_features(network, *pair) + network.hidden.bias).tanh()
        assert_close(logits[row], network.output.weight @ hidden + network.output.bias)


def test_windows_by_hand():
    """A text of four words has three windows of two, one of two words one; a single word is padded to one."""
    found = windows(tensor([4, 2, 1]), 4, 2).squeeze(1)
    assert found.tolist() == [[True, True, True], [True, False, False], [True, False, False]]


def test_pooling_by_hand():
    maps, real = tensor([[[1.0, -3.0, 8.0]]]), tensor([[[True, True, False]]])
    assert [pool(name, maps, real).item() for name in ("max", "min", "mean")] == [1.0, -3.0, -1.0]


def test_comparison_by_hand():
    """(3, 4) and (4, 3): cosine 24 / 25, distance root 2, differences 1 and 1."""
    cosine, distance, difference = compared(tensor([3.0, 4.0]), tensor([4.0, 3.0]))
    assert [cosine.item(), distance.item()] == pytest.approx([24 / 25, math.sqrt(2)])
    assert difference.tolist() == [1.0, 1.0]


def test_equal_texts_are_not_apart_and_have_gradients():
    """Distances of zero have gradient zero, not NaN."""
    network, given = small_network(), batch(([3, 4, 5], [3, 4, 5]))
    seen: list[Tensor] = []
    network.hidden.register_forward_hook(lambda _, inputs, __: seen.append(inputs[0]))
    network(*given).sum().backward()
    apart = torch.cat((seen[0][0, 48:96].view(3, 4, 4).diagonal(dim1=1, dim2=2).flatten(), seen[0][0, -9:]))
    assert_close(apart, torch.zeros(21).double())
    assert all(parameter.grad.isfinite().all() for parameter in network.parameters())


def test_as_many_numbers_are_compared_as_in_the_authors_code():
    """The authors' `inputNum` at 300 dimensions, 3 widths and 20 filters per dimension."""
    network = MPCNN(WordEmbedding(torch.randn(3, 300), tuned=0), 5)
    items, d, n = 12, 300, 3
    assert network.hidden.in_features == 2 * items**2 / 3 + d * items**2 / 3 + 6 * d + (2 + d) * 2 * n * 20
    assert isinstance(network.hidden, nn.Linear)
