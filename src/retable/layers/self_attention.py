"""Self-attention without projections, layer-normalised: a word vector is its own query, key and value.

Source     CSPAN, eq. 4 and 8; docs/readings.md, "Semantic self-attention". With relative positions: Shaw et al.,
           "Self-Attention with Relative Position Representations", NAACL 2018, eq. 3-4 and section 3.2, all W identity.
Method     a relative position is one of 2 k + 1 places. The products of words with the vectors of all places give
           scores, from which each pair takes its own; the weights of all words at one place are summed before
           multiplying its vector. So no tensor has pairs times components.
Shapes     B texts, T words (padded on the right), d components, k clipping distance.
"""

import torch
from torch import Tensor, nn

from retable.layers.attention import attend


class SelfAttention(nn.Module):
    """Compute norm(softmax(X X^T / sqrt(d)) X).

    Args:
        size: size of a word vector, d.
    """

    def __init__(self, size: int) -> None:
        super().__init__()
        self.size, self.scale = size, size**-0.5
        self.norm = nn.LayerNorm(size)

    def forward(self, x: Tensor, bias: Tensor) -> Tensor:
        """Map words (B, T, d) and the bias of the attended words (B, 1, 1, T) to (B, T, d)."""
        one_head = x.unsqueeze(1)
        scores = (one_head * self.scale) @ one_head.transpose(2, 3) + bias
        y: Tensor = self.norm(attend(scores, one_head))
        return y

    def flops_per_word(self, words_per_text: float) -> float:
        """Count forward FLOPs (2 per multiply-add): T d for scores and T d for the weighted sum."""
        return 2 * 2 * words_per_text * self.size


class RelativeSelfAttention(SelfAttention):
    """Self-attention that also uses the distance, up to k words, and the side of an attended word.

    Args:
        size: size of a word vector, d.
        distance: k; words farther away count as being at distance k.
    """

    def __init__(self, size: int, distance: int) -> None:
        super().__init__(size)
        self.distance = distance
        self.keys = nn.Parameter(torch.empty(2 * distance + 1, size))  # w^K from place -k to k
        self.values = nn.Parameter(torch.empty(2 * distance + 1, size))  # w^V
        nn.init.xavier_uniform_(self.keys)
        nn.init.xavier_uniform_(self.values)

    def forward(self, x: Tensor, bias: Tensor) -> Tensor:
        """Map words (B, T, d) and the bias of the attended words (B, 1, 1, T) to (B, T, d)."""
        steps = torch.arange(x.shape[1], device=x.device)
        rows = (steps - steps.unsqueeze(1)).clamp(-self.distance, self.distance) + self.distance  # clip(j - i, k)
        place = rows.expand(len(x), -1, -1)  # (B, T, T)
        query = x * self.scale
        scores = query @ x.transpose(1, 2) + (query @ self.keys.T).gather(2, place) + bias.squeeze(1)  # eq. 4
        weights = torch.softmax(scores, dim=2)
        of_places = weights.new_zeros(*x.shape[:2], len(self.values)).scatter_add(2, place, weights)  # (B, T, 2k + 1)
        y: Tensor = self.norm(weights @ x + of_places @ self.values)  # eq. 3
        return y

    def flops_per_word(self, words_per_text: float) -> float:
        """Count forward FLOPs (2 per multiply-add): (2 k + 1) d more, twice."""
        return super().flops_per_word(words_per_text) + 2 * (self.keys.numel() + self.values.numel())
