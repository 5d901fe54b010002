"""Convolution over words that keeps only the maximum over time: dense forward, sparse backward.

Why        a filter's gradient comes from one of T + w - 1 windows, the best; torch's convolution gets a dense gradient
           that is zero elsewhere and multiplies all of it: two thirds of a step's products for nothing. Forward, all
           words are multiplied by all w columns of the filters in one product (by oneDNN where that is faster than MKL,
           products.py), and w shifted slices are added (benchmarks/NOTES.md).
Torch's    convolution is used on a GPU, under autocast, in types other than float32, and in ONNX export.
Shapes     B texts, T words, D components, K filters, w width, V = T + w - 1 windows, E best windows (B K without ties).
"""

from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from retable.layers import products


class PooledConv1d(nn.Conv1d):
    """Apply nn.Conv1d, padded by width - 1 on both sides, and take the maximum over its windows.

    Args:
        dim: size of a word vector.
        filters: number of filters.
        width: words that a filter spans.
    """

    def __init__(self, dim: int, filters: int, width: int) -> None:
        super().__init__(dim, filters, width, padding=width - 1)

    def forward(self, x: Tensor, real: Tensor) -> Tensor:  # type: ignore[override]
        """Map words (B, T, D) and the windows (B, V) that count to (B, K); -inf where none counts."""
        ours = x.is_cpu and x.dtype == torch.float32 and not torch.is_autocast_enabled("cpu")
        ours = ours and not torch.jit.is_tracing()  # type: ignore[attr-defined]
        assert self.bias is not None  # nn.Conv1d's default
        best: Tensor
        best, _ = (_Pooled.apply if ours else by_torch)(x, self.weight, self.bias, real)
        return best


def by_torch(x: Tensor, weight: Tensor, bias: Tensor, real: Tensor) -> tuple[Tensor, Tensor]:
    """Return the maxima (B, K) and the maps (B, K, V) that they are taken from, by torch's convolution."""
    maps = F.conv1d(x.transpose(1, 2), weight, bias, (1,), (weight.shape[2] - 1,))
    maps = maps.masked_fill(~real.unsqueeze(1), -torch.inf)
    return maps.amax(dim=2), maps


class _Pooled(torch.autograd.Function):
    """Compute the maxima (B, K) and the maps (B, V, K) that they are taken from, needed only for the gradients."""

    @staticmethod
    def forward(x: Tensor, weight: Tensor, bias: Tensor, real: Tensor) -> tuple[Tensor, Tensor]:
        words, width = x.shape[1], weight.shape[2]
        product = products.product if x.dtype == torch.float32 and products.onednn_is_faster() else F.linear
        columns = weight.permute(2, 0, 1).flatten(0, 1)  # (w K, D)
        y = product(x.flatten(0, 1), columns).view(*x.shape[:2], width, -1)  # (B, T, w, K)
        maps = torch.where(real.unsqueeze(2), bias, -torch.inf)
        for column in range(width):  # word t has this column in window t + w - 1 - column
            maps[:, first_window(width, column) :][:, :words] += y[:, :, column]
        return maps.amax(dim=1), maps

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Tensor, ...], output: tuple[Tensor, Tensor]) -> None:
        x, weight, _, _ = inputs
        ctx.save_for_backward(x, weight, *output)
        ctx.mark_non_differentiable(output[1])

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor | None, Tensor, Tensor, None]:
        x, weight, best, maps = ctx.saved_tensors
        of_best = gradients[0].masked_fill(best == -torch.inf, 0.0)  # texts without a window
        is_best = maps == best.unsqueeze(1)  # (B, V, K)
        share = of_best / is_best.sum(dim=1)  # ties share the gradient equally, as in torch's amax
        text, window, filters = is_best.nonzero().t().contiguous()  # (E,) each, ordered by text and window
        scores = share[text, filters]
        of_x = gradient_of_words(x, weight, filters, scores, is_best.sum(dim=2)) if ctx.needs_input_grad[0] else None
        filters, order = filters.sort(stable=True)
        starts = (text * maps.shape[1] + window)[order]
        return of_x, gradient_of_filters(x, weight, filters, scores[order], starts), of_best.sum(dim=0), None


def gradient_of_words(x: Tensor, weight: Tensor, filters: Tensor, scores: Tensor, counts: Tensor) -> Tensor:
    """Return the sum of the filters that each window is best for, column by column, (B, T, D).

    Args:
        filters, scores: of the best windows (E,), ordered by window.
        counts: number of filters that each window is best for, (B, V).
    """
    words, width = x.shape[1], weight.shape[2]
    of_x = torch.zeros_like(x)
    for column in range(width):
        sums = weighted_sums(weight[:, :, column].contiguous(), filters, scores, counts.flatten())
        of_x += sums.view(*counts.shape, -1)[:, first_window(width, column) :][:, :words]
    return of_x


def gradient_of_filters(x: Tensor, weight: Tensor, filters: Tensor, scores: Tensor, starts: Tensor) -> Tensor:
    """Return the sum of the words in each filter's best windows, column by column, (K, D, w).

    Args:
        filters, scores: of the best windows (E,), ordered by filter.
        starts: numbers of the windows, over all texts.
    """
    many, _, width = weight.shape
    windows = x.shape[1] + width - 1
    padded = F.pad(x, (0, 0, width - 1, width - 1))  # (B, V + w - 1, D)
    places = starts + starts // windows * (width - 1)
    counts = filters.bincount(minlength=many)
    columns = [weighted_sums(padded.flatten(0, 1), places + column, scores, counts) for column in range(width)]
    return torch.stack(columns, dim=2)


def weighted_sums(rows: Tensor, chosen: Tensor, scores: Tensor, counts: Tensor) -> Tensor:
    """Return the sums of chosen rows times their scores: over the first counts[0] rows, the next counts[1], ..."""
    begins = counts.cumsum(0) - counts
    return F.embedding_bag(chosen, rows, begins, mode="sum", per_sample_weights=scores)


def first_window(width: int, column: int) -> int:
    """Return the window that has the first word at this column."""
    return width - 1 - column
