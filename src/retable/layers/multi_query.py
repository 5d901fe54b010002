"""Multi-query attention: a text seen through m learned queries, each a weighted sum of its words, fused to one vector.

Source     CSPAN, eq. 10-13; docs/readings.md, "Multi-query attention". One query is the attention of Yang et al., 2016.
Shapes     B texts, T words (padded on the right), d components, m queries.
"""

import torch
from torch import Tensor, nn

from retable.layers.heads import softmax_over_words


class MultiQueryAttention(nn.Module):
    """Map all words of a text to one vector.

    Args:
        size: components of a word and of the text, d.
        queries: number of queries, m.
    """

    def __init__(self, size: int, queries: int) -> None:
        super().__init__()
        self.hidden = nn.Linear(size, size)  # W^h, b^h
        self.queries = nn.Linear(size, queries, bias=False)  # Q, one row per query
        self.fusion = nn.Linear(queries * size, size, bias=False)  # W^f

    def forward(self, x: Tensor, mask: Tensor) -> Tensor:
        """Map words (B, T, d) and their mask to (B, d)."""
        u = torch.tanh(self.hidden(x))  # eq. 10, (B, T, d)
        weights = softmax_over_words(self.queries(u), mask)  # alpha, eq. 11, (B, m, T)
        facets = weights @ x  # eq. 12, (B, m, d)
        text: Tensor = self.fusion(facets.flatten(1))  # eq. 13
        return text

    def flops_per_word(self, words_per_text: float) -> float:
        """Count forward FLOPs (2 per multiply-add): d^2 + 2 m d per word, m d^2 per text."""
        of_word = self.hidden.weight.numel() + 2 * self.queries.weight.numel()
        return 2 * (of_word + self.fusion.weight.numel() / words_per_text)
