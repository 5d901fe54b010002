"""Gradient reversal: the identity in the forward pass; the backward pass flips the sign of the gradient.

Source     Ganin and Lempitsky, "Unsupervised Domain Adaptation by Backpropagation", ICML 2015, the layer R_lambda.
Method     the layers above learn to lower a loss, the layers below to raise it.
"""

from typing import Any

import torch
from torch import Tensor


class _Reversal(torch.autograd.Function):
    """The identity, with its gradient multiplied by -strength."""

    @staticmethod
    def forward(x: Tensor, strength: float) -> Tensor:
        return x.view_as(x)

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Tensor, float], output: Tensor) -> None:
        ctx.strength = inputs[1]

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor, None]:
        return -ctx.strength * gradients[0], None


def reverse_gradient(x: Tensor, strength: float) -> Tensor:
    """Return x with its gradient reversed: layers below raise the loss that layers above lower.

    Args:
        x: any shape.
        strength: lambda, the factor of the gradient without its sign, 0 or more; 0 stops the gradient.
    Returns: the values of x.
    Source: Ganin and Lempitsky (2015).
    """
    reversed_: Tensor = _Reversal.apply(x, strength)
    return reversed_
