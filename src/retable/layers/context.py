"""FOFE contexts: all words left and right of a word, compressed into one vector each.

Source     FCSR, eq. 2-3: left[t] = alpha * left[t-1] + words[t-1], right[t] = alpha * right[t+1] + words[t+1],
           both zero at the border.
Method     inside a block of 32 words the recurrence is one product with the powers of alpha; the totals of the blocks
           obey the same recurrence with alpha**32. So a text of any length costs O(words), without an m x m matrix.
Shapes     B texts, T words (padded on the right), n vector size.
"""

import torch
import torch.nn.functional as F
from torch import Tensor

BLOCK = 32  # alpha**31 of the paper's 0.2 is 2e-22: far from underflow in float32


def full_scale_context(words: Tensor, mask: Tensor, alpha: float = 0.2) -> tuple[Tensor, Tensor]:
    """Compress what stands left and right of every word, nearest word heaviest.

    Args:
        words: word vectors, float, (batch, word, dim).
        mask: True on a word, False on padding, bool, (batch, word); padding stands on the right.
        alpha: share of a context kept per step, in [0, 1); no unit.
    Returns: left and right context, each (batch, word, dim); zero at the border and on padding.
    Raises: ValueError if alpha is outside [0, 1).
    Source: FCSR, eq. 2-3; docs/readings.md, "Left and right context".
    """
    if not 0 <= alpha < 1:
        raise ValueError(f"alpha is {alpha}; allowed: 0 <= alpha < 1")
    is_padding = ~mask.unsqueeze(2)
    words = words.masked_fill(is_padding, 0.0)
    left = _left_context(words, alpha).masked_fill(is_padding, 0.0)
    right = _left_context(words.flip(1), alpha).flip(1)
    return left, right


def _left_context(words: Tensor, alpha: float) -> Tensor:
    """left[t] = alpha * left[t-1] + words[t-1], left[0] = 0, along dimension 1."""
    batch, length, dim = words.shape
    if length <= BLOCK:
        return _decays(words, length + 1, alpha)[:length].expand(batch, -1, -1).bmm(words)
    blocks = F.pad(words, (0, 0, 0, -length % BLOCK)).view(batch, -1, BLOCK, dim)
    sums = _decays(words, BLOCK + 1, alpha) @ blocks  # (B, T / 32, 33, n): the last row is the whole block's total
    before = _left_context(sums[:, :, BLOCK], alpha**BLOCK)  # what the earlier blocks leave to each, (B, T / 32, n)
    fade = alpha ** torch.arange(BLOCK, dtype=torch.float64, device=words.device)
    carried = before.unsqueeze(2) * fade.to(words).unsqueeze(1)  # (B, T / 32, 32, n)
    return (sums[:, :, :BLOCK] + carried).view(batch, -1, dim)[:, :length]


def _decays(like: Tensor, rows: int, alpha: float) -> Tensor:
    """alpha**(t-1-s) where word s stands before t, else 0: (rows, rows - 1)."""
    steps = torch.arange(rows, device=like.device)
    age = steps.unsqueeze(1) - 1 - steps[:-1]
    return (alpha ** age.clamp(min=0).double()).masked_fill(age < 0, 0.0).to(like)
