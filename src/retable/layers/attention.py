"""Self-attention over the words of a text: every word becomes a weighted sum of all words' values.

Source     Vaswani et al., "Attention Is All You Need", 2017, eq. 1 and section 3.2.2.
Method     plain matrix products: on our cores as fast as torch's fused kernel in float32 and twice as fast in bfloat16;
           scores that are not dot products (Transformer-F) take the same path. Every layer keeps its scores for the
           gradients, whose memory grows with T^2: a batch of 15 reviews of 4,791 words, six heads, would keep 7.7 GiB
           a layer. A batch of so long texts is attended text by text, and its scores are computed again (Chen et al.,
           "Training Deep Nets with Sublinear Memory Cost", 2016); numbers stay as they are.
Shapes     B texts, T words (padded on the right), d size of the model, h heads.
"""

import torch
from torch import Tensor, nn
from torch.utils.checkpoint import checkpoint

from retable.layers.products import Linear

KEPT_SCORES = 1 << 28  # of a batch, at most, in each layer: 1 GiB in float32


def padding_bias(mask: Tensor) -> Tensor:
    """Return the bias added to attention scores: 0 for words, -inf for padding, float (B, 1, 1, T)."""
    return torch.zeros(mask.shape, device=mask.device).masked_fill(~mask, -torch.inf)[:, None, None]


def split_heads(x: Tensor, heads: int) -> Tensor:
    """Reshape (B, T, d) to (B, h, T, d / h): each head takes a slice of the components."""
    return x.unflatten(2, (heads, -1)).transpose(1, 2)


def attend(scores: Tensor, values: Tensor) -> Tensor:
    """Sum values (B, h, T, d / h) weighted by the softmax of scores (B, h, T, T) over the last axis, to (B, T, d)."""
    return (torch.softmax(scores, dim=3) @ values).transpose(1, 2).flatten(2)


def attend_by_dots(query: Tensor, key: Tensor, value: Tensor, bias: Tensor) -> Tensor:
    """Map heads (B, h, T, d / h), queries scaled, and the bias of the attended words (B, 1, 1, T) to (B, T, d)."""
    return attend(query @ key.transpose(2, 3) + bias, value)


def attend_by_text(query: Tensor, key: Tensor, value: Tensor, bias: Tensor) -> Tensor:
    """Return what `attend_by_dots` returns, but keep no scores: the gradients compute those of a text again."""
    texts = zip(query.split(1), key.split(1), value.split(1), bias.split(1), strict=True)
    return torch.cat(
        [checkpoint(attend_by_dots, *text, use_reentrant=False, preserve_rng_state=False) for text in texts]
    )


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
        scores = x.shape[0] * self.heads * x.shape[1] ** 2
        way = attend_by_text if self.training and scores > KEPT_SCORES else attend_by_dots
        attended: Tensor = self.output(way(query * self.scale, key, value, bias))
        return attended
