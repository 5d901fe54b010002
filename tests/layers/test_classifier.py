"""The classifier on a text vector."""

import torch
from torch import nn
from torch.testing import assert_close

from retable.layers.classifier import text_classifier


def test_hidden_units_are_rectified_and_dropped():
    classifier = text_classifier(2, 3, 4, 0.4)
    assert [type(layer) for layer in classifier] == [nn.Linear, nn.ReLU, nn.Dropout, nn.Linear]
    assert classifier[2].p == 0.4
    x = torch.randn(5, 2)
    first, last = classifier[0], classifier[3]
    expected = torch.relu(x @ first.weight.T + first.bias) @ last.weight.T + last.bias
    assert_close(classifier.eval()(x), expected)


def test_without_hidden_units_it_is_one_linear_layer():
    classifier = text_classifier(2, 0, 4, 0.4)
    assert [type(layer) for layer in classifier] == [nn.Dropout, nn.Linear]
    assert classifier(torch.randn(5, 2)).shape == (5, 4)
