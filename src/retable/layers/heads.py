"""Several attention distributions over the words of a text: weights, and how similar they are.

Source     Lin et al., "A Structured Self-Attentive Sentence Embedding", ICLR 2017, eq. 6 and 8; LAMA, eq. 12 and 19.
Shapes     B texts, T words (padded on the right), m heads, n size of a word's state.
"""

import torch
import torch.nn.functional as F
from torch import Tensor

from retable.layers.wide import at_least_float32


def softmax_over_words(scores: Tensor, mask: Tensor) -> Tensor:
    """Map scores (B, T, m) and the mask (B, T) to weights (B, m, T), which sum to one; padding has weight 0."""
    return torch.softmax(scores.masked_fill(~mask.unsqueeze(2), -torch.inf), dim=1).transpose(1, 2)


def overlap_of_positions(weights: Tensor) -> Tensor:
    """Return ||A A^T - I||_F^2 (Lin et al., eq. 8; LAMA, eq. 19a without its sign), mean of texts (B, m, T) as ()."""
    weights = at_least_float32(weights)  # a sum of squares in bfloat16 loses digits
    identity = torch.eye(weights.shape[1], dtype=weights.dtype, device=weights.device)
    return (weights @ weights.transpose(1, 2) - identity).square().sum(dim=(1, 2)).mean()


def similarity_of_embeddings(embeddings: Tensor) -> Tensor:
    """Return the mean cosine of all m x m pairs of heads (LAMA, eq. 19b without its sign): (B, m, n) to ().

    The mean is also over texts. The sum over pairs equals the squared length of the sum of unit vectors, so pairs are
    never formed.
    """
    embeddings = at_least_float32(embeddings)
    units = F.normalize(embeddings, dim=2)
    return units.mean(dim=1).square().sum(dim=1).mean()
