"""FOFE contexts: all or the nearest words on each side of a word, compressed into one vector per side.

Source     FCSR, eq. 2-3: left[t] = alpha * left[t-1] + words[t-1], right[t] = alpha * right[t+1] + words[t+1],
           both zero at the border; section 5.3 and figure 3: only the words at a distance of at most the reach.
Method     within a block of 32 words the recurrence is one product with the powers of alpha; the block totals follow
           the same recurrence with alpha**32. So a text of any length costs O(words), without an m x m matrix. With a
           reach r, blocks have r words: a word sees the earlier words of its own block and the last ones of the
           previous block. The recurrence minus its tail, left[t] - alpha**r * left[t-r], would be as cheap, but for
           alpha near 1 it is the small difference of two large numbers.
Shapes     B texts, T words (padded on the right), n vector size, r reach.
"""

import torch
import torch.nn.functional as F
from torch import Tensor

BLOCK = 32  # alpha**31 of the paper's 0.2 is 2e-22: far from underflow in float32


def full_scale_context(
    words: Tensor, mask: Tensor, alpha: float = 0.2, *, reach: int | None = None
) -> tuple[Tensor, Tensor]:
    """Compress the words left and right of every word; the nearest word weighs most.

    Args:
        words: word vectors, float, (batch, word, dim).
        mask: True on a word, False on padding, bool, (batch, word); padding on the right.
        alpha: share of a context kept per step, in [0, 1); no unit.
        reach: number of nearest words in the context on each side, from 0; None for all.
    Returns: left and right context, each (batch, word, dim); zero at the border and on padding.
    Raises: ValueError if alpha is outside [0, 1), or reach below 0.
    Source: FCSR, eq. 2-3; docs/readings.md, "Left and right context" and "Window".
    """
    if not 0 <= alpha < 1:
        raise ValueError(f"alpha is {alpha}; allowed: 0 <= alpha < 1")
    if reach is not None and reach < 0:
        raise ValueError(f"reach is {reach}; allowed: reach >= 0")
    is_padding = ~mask.unsqueeze(2)
    words = words.masked_fill(is_padding, 0.0)
    left = _near_context(words, alpha, reach).masked_fill(is_padding, 0.0)
    right = _near_context(words.flip(1), alpha, reach).flip(1)
    return left, right


def _near_context(words: Tensor, alpha: float, reach: int | None) -> Tensor:
    """Return the left context of at most `reach` words:
    left[t] = sum of alpha**(d-1) * words[t-d] over d = 1 ... reach.
    """
    length = words.shape[1]
    if reach is None or reach >= length - 1:
        return _left_context(words, alpha)
    if reach == 0:
        return torch.zeros_like(words)
    blocks = F.pad(words, (0, 0, 0, -length % reach)).unflatten(1, (-1, reach))  # (B, T / r, r, n)
    own = _left_context(blocks.flatten(0, 1), alpha).view_as(blocks)  # from words of the same block
    fade = (alpha ** torch.arange(reach, dtype=torch.float64, device=words.device)).to(words).unsqueeze(1)  # (r, 1)
    # Row k: the last r - k words of a block, as the first word of the next block would see them.
    ends = (blocks.flip(2) * fade).cumsum(2).flip(2)
    before = F.pad(ends[:, :-1], (0, 0, 0, 0, 1, 0))  # (B, T / r, r, n); zeros before the first block
    return (own + before * fade).flatten(1, 2)[:, :length]


def _left_context(words: Tensor, alpha: float) -> Tensor:
    """Return left[t] = alpha * left[t-1] + words[t-1], left[0] = 0, along dimension 1."""
    batch, length, dim = words.shape
    if length <= BLOCK:
        return _decays(words, length + 1, alpha)[:length].expand(batch, -1, -1).bmm(words)
    blocks = F.pad(words, (0, 0, 0, -length % BLOCK)).view(batch, -1, BLOCK, dim)
    sums = _decays(words, BLOCK + 1, alpha) @ blocks  # (B, T / 32, 33, n): the last row is the whole block's total
    before = _left_context(sums[:, :, BLOCK], alpha**BLOCK)  # contribution of the earlier blocks, (B, T / 32, n)
    fade = alpha ** torch.arange(BLOCK, dtype=torch.float64, device=words.device)
    carried = before.unsqueeze(2) * fade.to(words).unsqueeze(1)  # (B, T / 32, 32, n)
    return (sums[:, :, :BLOCK] + carried).view(batch, -1, dim)[:, :length]


def _decays(like: Tensor, rows: int, alpha: float) -> Tensor:
    """Return alpha**(t-1-s) where word s precedes t, else 0: (rows, rows - 1)."""
    steps = torch.arange(rows, device=like.device)
    age = steps.unsqueeze(1) - 1 - steps[:-1]
    return (alpha ** age.clamp(min=0).double()).masked_fill(age < 0, 0.0).to(like)
