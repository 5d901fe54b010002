"""A recurrent layer over padded texts."""

import pytest
import torch
from torch import nn, tensor
from torch.testing import assert_close

from retable.layers.recurrent import _packed, states_of_words

MASK = torch.arange(6) < tensor([[5], [1], [3]])  # the longest text is shorter than the batch


@pytest.mark.parametrize("kind", [nn.GRU, nn.LSTM])
def test_states_are_those_of_each_text_alone_and_padding_has_the_given_value(kind):
    torch.manual_seed(1)
    layer = kind(3, 2, batch_first=True, bidirectional=True).double()
    x = torch.randn(3, 6, 3, dtype=torch.float64)
    states = states_of_words(layer, x, MASK, padding_value=-7.0)
    assert states.shape == (3, 6, 4)
    for text, length in enumerate((5, 1, 3)):
        assert_close(states[text, :length], layer(x[text : text + 1, :length])[0][0])
    assert (states[~MASK] == -7.0).all()


@pytest.mark.parametrize("bidirectional", [False, True])
@pytest.mark.parametrize("layers", [1, 2, 3])
@pytest.mark.parametrize("kind", [nn.GRU, nn.LSTM])
def test_states_and_gradients_are_those_of_packed_texts(kind, layers, bidirectional):
    torch.manual_seed(2)
    layer = kind(3, 2, num_layers=layers, batch_first=True, bidirectional=bidirectional).double()
    x = torch.randn(3, 6, 3, dtype=torch.float64, requires_grad=True)
    weights = torch.randn(3, 6, 4 if bidirectional else 2, dtype=torch.float64)
    found = []
    for states in (states_of_words(layer, x, MASK), _packed(layer, x, MASK, 0.0)):
        gradients = torch.autograd.grad((states * weights).sum(), [x, *layer.parameters()])
        found.append([states, *gradients])
    for ours, packed in zip(*found, strict=True):
        assert_close(ours, packed)


def test_dropout_between_layers_in_training_alone():
    torch.manual_seed(3)
    layer = nn.LSTM(3, 2, num_layers=2, batch_first=True, dropout=0.5)
    x = torch.randn(3, 6, 3)
    assert not torch.equal(states_of_words(layer, x, MASK), states_of_words(layer, x, MASK))
    layer.eval()
    assert_close(states_of_words(layer, x, MASK), _packed(layer, x, MASK, 0.0))
