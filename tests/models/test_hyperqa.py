"""HyperQA, Tay et al. 2018."""

import math

import pytest
import torch
from torch import Tensor, eye, tensor
from torch.testing import assert_close

from retable.layers.embedding import WordEmbedding
from retable.layers.pairs import TextOfPair
from retable.models.hyperqa import HyperQA, hyperbolic_distance
from retable.text.pairs import BETWEEN, FIRST, SECOND
from tests.models.declared import CLASSES, DIM, Case, Declared, texts, with_random_weights

H = 8
EVERY_MODEL = Declared(
    cases=[Case("hyperqa", DIM * H + H + 2 * (CLASSES - 1), {"hidden": H})],
    dropped=lambda **_: [texts(H), texts(H)],
    multiply_adds=lambda t, **_: t * DIM * H + 3 * H + CLASSES - 1,
    refused=[
        ({"hidden": 0}, "hidden is 0; allowed: hidden >= 1"),
        ({"dropout": 1.0}, "dropout is 1.0; allowed: 0 <= dropout < 1"),
    ],
)

PAIRS = [([3, 4, 5, 6, 7], [5, 6]), ([8], [9]), ([2, 2], [3, 4, 5, 6, 7, 8]), ([10, 11, 12], [2])]


def small_network(std: float) -> HyperQA:
    """Return the network in float64, in evaluation mode; the weights' deviation sets how far out texts are."""
    torch.manual_seed(3)
    network = HyperQA(WordEmbedding(torch.randn(20, 3), tuned=20), 3, hidden=6)
    return with_random_weights(network.double(), std=std)


def batch_of(pairs: list[tuple[list[int], list[int]]], width: int) -> tuple[Tensor, Tensor, Tensor]:
    """Return words, mask and sides of pairs, with the mark (word 19) between the two texts and random padding."""
    words, sides = torch.randint(2, 19, (len(pairs), width)), torch.full((len(pairs), width), SECOND)
    mask = torch.zeros(len(pairs), width, dtype=torch.bool)
    for row, (first, second) in enumerate(pairs):
        joined = [*first, 19, *second]
        words[row, : len(joined)], mask[row, : len(joined)] = tensor(joined), True
        sides[row, : len(first)], sides[row, len(first)] = FIRST, BETWEEN
    return words, mask, sides


def slow_text(network: HyperQA, text: list[int]) -> Tensor:
    """Return the sum of one text's projected words, clipped to length 1."""
    total = torch.zeros(6, dtype=torch.float64)
    for word in text:
        vector = network.embedding(tensor([[word]]))[0, 0]
        total = total + (network.projection.weight @ vector + network.projection.bias).clamp(min=0)
    return total / total.norm() if total.norm() > 1 else total


def slow_logits(network: HyperQA, first: list[int], second: list[int]) -> Tensor:
    """Return the logits of one pair from the equations."""
    q, a = slow_text(network, first), slow_text(network, second)
    z = 1 + 2 * (q - a).norm() ** 2 / ((1 - q.norm() ** 2) * (1 - a.norm() ** 2) + 1e-6)
    lines = [-w * z.acosh() + b for w, b in zip(network.output.weight, network.output.bias, strict=True)]
    return torch.stack([torch.zeros((), dtype=torch.float64), *lines])


@pytest.mark.parametrize("std", [0.02, 0.7])
def test_fast_form_matches_the_equations_word_by_word(std):
    """Check padded pairs with arbitrary words in the padding, inside the ball and on its sphere."""
    network = small_network(std)
    longest = [slow_text(network, text).norm() for pair in PAIRS for text in pair]
    assert (max(longest) < 0.9) == (std == 0.02)
    logits = network(*batch_of(PAIRS, width=11))
    for row, (first, second) in enumerate(PAIRS):
        assert_close(logits[row], slow_logits(network, first, second), rtol=1e-5, atol=1e-7)


@pytest.mark.parametrize("radius", [0.1, 0.5, 0.9])
def test_distance_from_the_middle_by_hand(radius):
    """The distance of a point from the origin is 2 artanh of its length: log((1 + r) / (1 - r))."""
    found = hyperbolic_distance(tensor([[0.0, radius]]).double(), torch.zeros(1, 2).double())
    assert found.item() == pytest.approx(math.log((1 + radius) / (1 - radius)), rel=1e-5)


def test_distances_add_up_on_a_line_through_the_middle():
    x, y = (tensor([[0.0, place]]).double() for place in (-0.5, 0.3))
    middle = torch.zeros(1, 2).double()
    parts = hyperbolic_distance(x, middle) + hyperbolic_distance(middle, y)
    assert_close(hyperbolic_distance(x, y), parts, rtol=1e-5, atol=0.0)


def test_equal_distances_are_longer_towards_the_sphere():
    """A step of 0.1 at radius 0.8 is longer than at radius 0.1."""
    inner = hyperbolic_distance(tensor([[0.1, 0.0]]), tensor([[0.1, 0.1]]))
    outer = hyperbolic_distance(tensor([[0.8, 0.0]]), tensor([[0.8, 0.1]]))
    assert outer > 2 * inner


def test_points_of_the_sphere_have_finite_distances_and_gradients():
    """At right angles arcosh(1 + 4e6), for equal ones zero; in float32."""
    x = eye(2)[[0, 0]].requires_grad_()
    found = hyperbolic_distance(x, tensor([[0.0, 1.0], [1.0, 0.0]]))
    assert found.tolist() == pytest.approx([math.acosh(1 + 4e6), 0.0], abs=1e-4)
    found.sum().backward()
    assert x.grad.isfinite().all()


def test_sum_and_unit_ball_by_hand():
    """Words of a half and a negative number: (0.5, 0) twice is (1, 0), three times is no longer than that."""
    network = HyperQA(WordEmbedding(tensor([[0.0, 0.0], [0.5, -0.5]]), tuned=0), 2, hidden=2).eval()
    with torch.no_grad():
        network.projection.weight.copy_(eye(2))
        network.projection.bias.zero_()
    words, mask = torch.ones(1, 8, dtype=torch.long), torch.ones(1, 8, dtype=torch.bool)
    for count, length in ((1, 0.5), (2, 1.0), (3, 1.0)):
        assert_close(network.encoded(TextOfPair(words[:, :count], mask[:, :count])), tensor([[length, 0.0]]))


def test_first_logits_are_fourteen_less_the_distance():
    network = HyperQA(WordEmbedding(torch.randn(20, 3), tuned=0), 2, hidden=4)
    network.eval()
    same = network(*batch_of([([3, 4, 5], [5, 4, 3])], 7))
    assert_close(same, tensor([[0.0, 14.0]]), rtol=0, atol=1e-2)  # a text with itself in another order
