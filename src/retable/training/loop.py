"""The training loop of one epoch, shared by all networks."""

from collections.abc import Callable
from typing import Literal

import numpy as np
import torch.nn.functional as F
from torch import Tensor, nn
from torch.optim import Optimizer

from retable.layers.network import Network
from retable.layers.wide import at_least_float32
from retable.training.batches import BatchMaker
from retable.training.course import Sums, no_sums
from retable.training.keeper import Keeper
from retable.training.optimisers import set_learning_rate
from retable.training.options import SILENT
from retable.training.precision import forward_pass, wide_products

Precision = Literal["float32", "bfloat16"]


def train_epoch(
    network: Network,
    maker: BatchMaker,
    batches: list[np.ndarray],
    optimisers: list[Optimizer],
    rate_at: Callable[[float], float],
    *,
    epoch: int,
    precision: Precision = "float32",
    clip: float = 0.0,
    sums: Sums | None = None,
    keeper: Keeper | None = None,
    on_batch: Callable[[int, int], None] = SILENT.on_batch,
) -> tuple[float, int]:
    """Run one pass over the training texts; return the sum of all texts' losses and the number of correct texts.

    Args:
        sums: those of an interrupted epoch so far; they are updated.
        keeper: asked after each step whether to save.
        on_batch: called with (epoch, words trained in the batch).
    """
    network.train()
    weights = [weight for weight in network.parameters() if weight.requires_grad]
    sums = sums or no_sums(maker.device)
    ahead = batches[sums.done :]
    for texts, words, batch in zip(ahead, maker.words_in(ahead), maker.batches(ahead), strict=True):
        set_learning_rate(optimisers, rate_at(epoch - 1 + (sums.done + 0.5) / len(batches)))  # at mid-step
        with wide_products(maker.device.type, precision):
            with forward_pass(maker.device.type, precision):
                logits = network(*batch.inputs)
            loss = cross_entropy(logits, batch.goal)
            added = network.auxiliary_loss(batch.classes)
            if added is not None:
                loss = loss + added
            for weight in weights:
                weight.grad = None
            loss.backward()
        if clip:
            nn.utils.clip_grad_norm_(weights, clip)
        for optimiser in optimisers:
            optimiser.step()
        sums.add(loss, len(texts), logits, batch.classes)
        sums.done += 1
        on_batch(epoch, words)
        if keeper:
            keeper.keep(len(batches))
    sums.settle()
    return float(sums.loss), int(sums.correct)


def cross_entropy(logits: Tensor, goal: Tensor) -> Tensor:
    """Return the mean over the texts, computed in float32 or wider.

    Args:
        goal: the classes, int64 (text,), or a distribution over them for each text, float (text, class).
    """
    return F.cross_entropy(at_least_float32(logits), goal)
