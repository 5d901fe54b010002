"""Gradient reversal, Ganin and Lempitsky (2015)."""

import pytest
import torch
from torch import tensor
from torch.testing import assert_close

from retable.layers.gradient_reversal import reverse_gradient


def test_forwards_it_is_the_identity():
    x = torch.randn(2, 3, dtype=torch.float64)
    assert reverse_gradient(x, 0.5).equal(x)


def test_by_hand():  # the loss x^2 has the gradient 2 x; reversed at strength 0.5, -x
    x = tensor([3.0, -2.0], requires_grad=True)
    reverse_gradient(x, 0.5).square().sum().backward()
    assert_close(x.grad, tensor([-3.0, 2.0]))


@pytest.mark.parametrize("strength", [0.0, 0.05, 1.0, 7.0])
def test_the_gradient_is_minus_strength_times_the_numerical_one(strength):
    """Run gradcheck for a layer whose gradient is not its derivative: central differences with the sign reversed."""
    torch.manual_seed(1)
    x = torch.randn(4, 3, dtype=torch.float64, requires_grad=True)
    weights = torch.randn(4, 3, dtype=torch.float64)

    def loss(inputs):
        return (torch.tanh(reverse_gradient(inputs, strength)) * weights).sum()

    loss(x).backward()
    steps = 1e-6 * torch.eye(x.numel(), dtype=torch.float64).view(-1, *x.shape)
    numerical = torch.stack([(loss(x + step) - loss(x - step)) / 2e-6 for step in steps]).view_as(x)
    assert_close(x.grad, -strength * numerical.detach(), rtol=1e-6, atol=1e-8)


def test_twice_reversed_is_the_plain_gradient():
    x = torch.randn(3, dtype=torch.float64, requires_grad=True)
    assert torch.autograd.gradcheck(lambda inputs: reverse_gradient(reverse_gradient(inputs, 2.0), 0.5).sin(), x)


def test_above_the_layer_nothing_is_reversed():
    weight, x = tensor(2.0, requires_grad=True), tensor(3.0, requires_grad=True)
    (weight * reverse_gradient(x, 1.0)).backward()
    assert (weight.grad.item(), x.grad.item()) == (3.0, -2.0)
