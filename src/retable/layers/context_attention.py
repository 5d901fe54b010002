"""Attention from one learned vector: states become a sum weighted by their similarity to it.

Source     Yang et al., "Hierarchical Attention Networks for Document Classification", NAACL 2016, eq. 5-7 and 8-10.
Shapes     N sequences, L places in the longest (padded on the right), H numbers in a state, A in the learned vector.
"""

import torch
from torch import Tensor, nn


class ContextAttention(nn.Module):
    """Sum states weighted by their similarity to one learned vector (eq. 5-7 and 8-10).

    Args:
        size: size of a state, H.
        hidden: size of the learned vector, A.
    """

    def __init__(self, size: int, hidden: int) -> None:
        super().__init__()
        self.hidden = nn.Linear(size, hidden)  # W_w and b_w, or W_s and b_s
        self.context = nn.Linear(hidden, 1, bias=False)  # u_w, or u_s

    def forward(self, states: Tensor, real: Tensor) -> Tensor:
        """Map states (N, L, H) and their mask (N, L) to (N, H)."""
        scores = self.context(torch.tanh(self.hidden(states))).squeeze(2)  # u_it^T u_w, eq. 5-6
        weights = torch.softmax(scores.masked_fill(~real, -torch.inf), dim=1)  # eq. 6
        return (weights.unsqueeze(1) @ states).squeeze(1)  # eq. 7

    def flops(self) -> int:
        """Count forward FLOPs per state (2 per multiply-add): A H + A, and H for the sum."""
        return 2 * (self.hidden.weight.numel() + self.context.weight.numel() + self.hidden.in_features)
