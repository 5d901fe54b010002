"""The training loop of one epoch, one for all networks."""

from collections.abc import Callable
from contextlib import nullcontext
from typing import Literal

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor, nn
from torch.optim import Optimizer

from retable.layers.network import Network
from retable.training.batches import BatchMaker
from retable.training.course import Sums, no_sums
from retable.training.keeper import NOTHING, Keeper
from retable.training.optimisers import set_learning_rate
from retable.training.options import SILENT
from retable.training.parallel import ALONE, Ranks

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
    ranks: Ranks = ALONE,
    keeper: Keeper | None = None,
    on_batch: Callable[[int, int], None] = SILENT.on_batch,
) -> tuple[float, int]:
    """One pass over the training texts: sum of the losses of all texts and how many were right.

    Args:
        sums: what the epoch has already, where it was broken off; counted up.
        ranks: the processes that share the batches.
        keeper: asked after every step whether to save.
        on_batch: called with (epoch, words trained in the batch, by all processes).
    """
    network.train()
    weights = [weight for weight in network.parameters() if weight.requires_grad]
    narrow = torch.autocast(maker.device.type, torch.bfloat16) if precision == "bfloat16" else nullcontext()
    sums = sums or no_sums(maker.device)
    ahead = batches[sums.done :]
    of_own = maker.batches([ranks.share(texts) for texts in ahead])
    for texts, words in zip(ahead, maker.words_in(ahead), strict=True):
        set_learning_rate(optimisers, rate_at(epoch - 1 + (sums.done + 0.5) / len(batches)))  # at the step's middle
        own = ranks.share(texts)
        loss = None
        if len(own):
            batch = next(of_own)
            with narrow:
                logits = network(*batch.inputs)
            loss = in_batch(cross_entropy(logits, batch.classes), len(own), len(texts))
            added = network.auxiliary_loss(batch.classes)
            if added is not None:
                size = maker.words_of if network.auxiliary_mean == "words" else len
                loss = loss + in_batch(added, size(own), size(texts))
        for weight in weights:
            weight.grad = None
        if loss is not None:
            loss.backward()
        asked = keeper.asked() if keeper else NOTHING
        if ranks.size > 1:
            asked = ranks.sum_gradients(weights, asked)
        if clip:
            nn.utils.clip_grad_norm_(weights, clip)
        for optimiser in optimisers:
            optimiser.step()
        if loss is not None:
            sums.add(loss, len(texts), logits, batch.classes)
        sums.done += 1
        on_batch(epoch, words)
        if asked and keeper:
            keeper.keep(asked, len(batches))
    sums.settle()
    return float(ranks.total(sums.loss)), int(ranks.total(sums.correct))


def cross_entropy(logits: Tensor, classes: Tensor) -> Tensor:
    """The mean over texts, in float32 or wider."""
    return F.cross_entropy(logits.to(torch.promote_types(logits.dtype, torch.float32)), classes)


def in_batch(mean: Tensor, own: int, all_: int) -> Tensor:
    """A mean over this process's part of a batch as its part in the mean over the batch."""
    return mean if own == all_ else mean * (own / all_)
