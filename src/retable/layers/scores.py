"""Map one score of a pair of texts to class logits, for networks that were designed to rank.

Two classes  the logits are 0 and a (score - b): a higher score makes the second class likelier, and pairs are ranked by
             their scores as long as a > 0.
More         each class but the first has its own line, so that each can be the likeliest in a range of scores.
Shapes       B pairs, C classes.
"""

import torch
import torch.nn.functional as F
from torch import Tensor, nn


class ClassesOfScore(nn.Module):
    """A learned line over the score for each class but the first, whose logit is 0.

    Args:
        classes: number of classes.
        slope: first slope of the second class; the third class starts twice as steep, and so on.
        centre: score at which all logits are initially 0.
    """

    def __init__(self, classes: int, *, slope: float = 1.0, centre: float = 0.0) -> None:
        super().__init__()
        slopes = slope * torch.arange(1.0, classes)
        self.weight, self.bias = nn.Parameter(slopes), nn.Parameter(-slopes * centre)

    def forward(self, scores: Tensor) -> Tensor:
        """Map scores (B,) to logits (B, C)."""
        return F.pad(scores.unsqueeze(1) * self.weight + self.bias, (1, 0))
