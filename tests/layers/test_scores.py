"""The classes of a score."""

import torch
from torch import tensor
from torch.testing import assert_close

from retable.layers.scores import ClassesOfScore


def test_lines_by_hand():
    """Slopes 2 and 4, all 0 at a score of 3."""
    logits = ClassesOfScore(3, slope=2.0, centre=3.0)(tensor([3.0, 5.0, 2.5]))
    assert_close(logits, tensor([[0.0, 0.0, 0.0], [0.0, 4.0, 8.0], [0.0, -1.0, -2.0]]))


def test_slope_and_offset_of_each_class_are_learned():
    layer = ClassesOfScore(3)
    with torch.no_grad():
        layer.weight.copy_(tensor([1.0, -2.0]))
        layer.bias.copy_(tensor([0.5, 3.0]))
    assert_close(layer(tensor([2.0])), tensor([[0.0, 2.5, -1.0]]))


def test_two_classes_are_ranked_by_the_score():
    logits = ClassesOfScore(2)(tensor([0.1, 0.9, -0.4]))
    assert logits.softmax(dim=1)[:, 1].argsort().tolist() == [2, 0, 1]


def test_each_of_more_classes_is_the_likeliest_somewhere():
    layer = ClassesOfScore(3)
    with torch.no_grad():
        layer.bias.copy_(tensor([0.0, -1.0]))
    assert layer(tensor([-1.0, 0.5, 2.0])).argmax(dim=1).tolist() == [0, 1, 2]
