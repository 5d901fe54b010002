"""Gradient reversal: a layer that changes nothing on the way forward, and the sign of the gradient on the way back.

Source     Ganin and Lempitsky, "Unsupervised Domain Adaptation by Backpropagation", ICML 2015, the layer R_lambda.
Method     what stands above the layer learns to lower a loss, what stands below it to raise it.
"""

from typing import Any

import torch
from torch import Tensor


class _Reversal(torch.autograd.Function):
    """The identity, with a gradient of -strength times that of the identity."""

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
    """x, so that below it a loss is raised where above it it is lowered.

    Args:
        x: of any shape.
        strength: lambda, the factor of the gradient without its sign, 0 or more; 0 stops the gradient.
    Returns: the values of x.
    Source: Ganin and Lempitsky (2015).
    """
    reversed_: Tensor = _Reversal.apply(x, strength)
    return reversed_
