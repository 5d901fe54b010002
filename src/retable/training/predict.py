"""The predictions of a trained network, in the order of the texts."""

from collections.abc import Callable
from typing import Literal

import torch
from torch import Tensor, nn

from retable.training.batches import BatchMaker, sorted_batches
from retable.training.determinism import float32_layers
from retable.training.precision import forward_pass, wide_products

WORDS_IN_BATCH = 8_000


@torch.no_grad()
@float32_layers()
def predict_logits(
    network: nn.Module,
    maker: BatchMaker,
    precision: Literal["float32", "bfloat16"],
    after_batch: Callable[[], None] = lambda: None,
) -> Tensor:
    """Return the logits of all texts, float32 (text, class), on the CPU.

    Args:
        after_batch: called after each batch; it may stop prediction by raising.
    """
    network.eval()
    results, order = [], []
    for texts in sorted_batches(maker.lengths, WORDS_IN_BATCH):
        batch = maker(texts)
        with wide_products(maker.device.type, precision), forward_pass(maker.device.type, precision):
            results.append(network(*batch.inputs).float())
        order.append(torch.from_numpy(texts))
        after_batch()
    logits = torch.cat(results).cpu()
    in_order = torch.empty_like(logits)
    in_order[torch.cat(order)] = logits
    return in_order
