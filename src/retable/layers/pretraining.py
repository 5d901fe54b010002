"""The loop in which a network learns from texts without their classes, before its classifier is trained."""

from collections.abc import Callable, Sequence

import torch
from torch import Tensor, nn

from retable.layers.network import Pass

LARGEST_NORM = 5.0  # norm to which gradients are clipped
Loss = Callable[[tuple[Tensor, ...], int], Tensor | None]


def learn(
    weights: Sequence[nn.Parameter], texts: Pass, loss: Loss, epochs: int, rate: float, *, clip: bool = False
) -> int:
    """Train the weights with Adam; they keep no gradients.

    Args:
        loss: maps a batch and the number of the epoch, from 1, to a scalar, or to None to skip the batch.
        rate: learning rate.
        clip: whether the norm of the gradients is at most 5.
    Returns: the number of batches learnt from.
    """
    optimiser, steps = torch.optim.Adam(weights, lr=rate, fused=True), 0
    for epoch in range(1, epochs + 1):
        for batch in texts():
            optimiser.zero_grad()
            of_batch = loss(batch, epoch)
            if of_batch is None:
                continue
            of_batch.backward()
            if clip:
                nn.utils.clip_grad_norm_(weights, LARGEST_NORM)
            optimiser.step()
            steps += 1
    optimiser.zero_grad()
    return steps
