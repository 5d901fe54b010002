"""LAMA's attention: each head's bilinear form of a word and the text's context is a product of two numbers.

Source     LAMA, section 3.2 and 3.3, eq. 7-13; docs/readings.md, "LAMA".
Reading    eq. 13 prints H where eq. 11 has u_t: u_t of eq. 7 is meant. tanh comes first, then a word's scores are
           divided by their l2 norm over the heads, then softmax over the words. With one head the norm would turn every
           score into +1 or -1, so it is left out.
Method     at rank one, c^T W_i u_t = (p_i . c) (q_i . u_t): m numbers per text times m numbers per word. Neither a 2h x
           2h matrix W_i nor an m x 2h x 2h tensor is ever formed.
Decision   first weights: P and Q, "random" in the paper, use the Gaussian of standard deviation 0.1 that the paper
           gives for W_w and b_w.
Fact       with more than one head a score lies in [-1, 1], so no word of a text weighs more than e^2 = 7.4 times
           another.
Shapes     B texts, T words (padded on the right), n size of a word's state (the paper's 2h), m heads, c size of the
           context.
"""

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from retable.layers.heads import softmax_over_words

SPREAD = 0.1  # standard deviation of first weights


class LowRankAttention(nn.Module):
    """Compute m attention distributions over the words of a text, queried by one context vector.

    Args:
        size: size of a word's state, n.
        context_size: size of the context vector, c.
        heads: number of distributions, m.
    """

    def __init__(self, size: int, context_size: int, heads: int) -> None:
        super().__init__()
        self.heads = heads
        self.transform = nn.Linear(size, size)  # W_w and b_w, eq. 7
        self.of_context = nn.Linear(context_size, heads, bias=False)  # P
        self.of_words = nn.Linear(size, heads, bias=False)  # Q
        for parameter in self.parameters():
            nn.init.normal_(parameter, std=SPREAD)

    def forward(self, states: Tensor, context: Tensor, mask: Tensor) -> Tensor:
        """Map states (B, T, n), the context c of each text (B, c), or of all (c,), and the mask to A, (B, m, T)."""
        return softmax_over_words(self.scores(states, context), mask)  # eq. 12

    def scores(self, states: Tensor, context: Tensor) -> Tensor:
        """Return the input of the softmax of eq. 13, (B, T, m)."""
        hidden = torch.tanh(self.transform(states))  # u_t, eq. 7
        of_context = self.of_context(context).unsqueeze(-2)  # P^T c, (B, 1, m)
        scores = torch.tanh(of_context * self.of_words(hidden))  # eq. 11 and the tanh of eq. 13
        return F.normalize(scores, dim=2) if self.heads > 1 else scores

    def flops_per_word(self) -> int:
        """Count forward FLOPs per word (2 per multiply-add): n^2 W_w, n m Q, m for the context, n m weighted sums."""
        size = self.transform.in_features
        return 2 * (size**2 + 2 * size * self.heads + self.heads)
