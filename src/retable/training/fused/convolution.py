"""A convolution over the words of several runs.

Method     on a GPU one convolution in k groups, as vmap would have it (and HFTA: Wang et al., "Horizontally Fused
           Training Array", MLSys 2021). On a CPU, which has no starting time of kernels to save, one after the other:
           torch's groups take 1.1 to 2.3 times as long there (k = 4 and 8, 50 x 25 words), and in float64 fail for
           batches of one text ("slow_conv2d: grad_weight must be contiguous").
Shapes     k runs, B texts, T words, D components, K filters, w width of a window.
"""

import torch
import torch.nn.functional as F
from torch import Tensor


def convolution(words: Tensor, filters: Tensor, bias: Tensor, padding: int) -> Tensor:
    """What nn.Conv1d gives each run.

    Args:
        words: (k, B, D, T).
        filters: (k, K, D, w).
        bias: (k, K).
        padding: zeros on both sides.
    Returns: (k, B, K, T + 2 padding - w + 1).
    """
    way = in_groups if words.is_cuda else one_by_one
    return way(words, filters, bias, padding)


def in_groups(words: Tensor, filters: Tensor, bias: Tensor, padding: int) -> Tensor:
    """One convolution of k groups."""
    channels = words.transpose(0, 1).flatten(1, 2)  # (B, k D, T)
    maps = F.conv1d(channels, filters.flatten(0, 1), bias.flatten(), padding=padding, groups=len(words))
    return maps.unflatten(1, (len(words), -1)).transpose(0, 1)


def one_by_one(words: Tensor, filters: Tensor, bias: Tensor, padding: int) -> Tensor:
    """A convolution for each run."""
    of_runs = [F.conv1d(*of_run, padding=padding) for of_run in zip(words, filters, bias, strict=True)]
    return torch.stack(of_runs)
