"""HyperQA: two texts are sums of projected words in the unit ball, compared by their hyperbolic distance.

Source     Tay, Luu and Hui, "Hyperbolic Representation Learning for Fast and Efficient Neural Question Answering", WSDM
           2018, section 3: x = ReLU(W_p z + b_p), y = sum of x, kept in the unit ball, the distance arcosh(1 + 2 |q -
           a|^2 / ((1 - |q|^2) (1 - |a|^2))), s = w_f d + b_f. From the authors' code (vanzytay/WSDM2018_HyperQA), not
           checked against the paper.
Reading    a sum longer than 1 is scaled to length 1, where a distance is unbounded: as in the code, 1e-6 is added to
           the divisor. Dropout is applied to the sums before that (the code drops word vectors too). Word vectors stay
           fixed (embedding.tune).
Departure  the paper ranks, by a hinge loss between the scores of a right and a wrong answer. Here each pair is
           classified: the second class has the logit s, a further class its own line over the distance. Gradients are
           torch's own, without the factor (1 - |y|^2)^2 / 4 of the ball (the code computes it from the gradient's
           norm).
Decision   s = 14 - d initially: on the sphere 14 is the distance of two texts at about 32 degrees.
Shapes     B pairs, T words of both texts, M of one, D vector size, H units, C classes.
"""

import torch
from torch import Tensor, nn

from retable.layers.embedding import WordEmbedding
from retable.layers.network import Network
from retable.layers.options import Count, Share
from retable.layers.pairs import TextOfPair, two_texts
from retable.layers.products import Linear
from retable.layers.scores import ClassesOfScore
from retable.layers.wide import at_least_float32

EDGE = 1e-6  # keeps the distance of points on the sphere finite
TINY = 1e-12  # keeps the gradient of a distance of 0 finite
FIRST_CENTRE = 14.0  # initial distance at which s is 0


class HyperQA(Network):
    """Sums of projected words of two texts, and the hyperbolic distance of the two.

    Args:
        embedding: the word vectors.
        classes: number of classes.
        hidden: size of a projected word and of a text.
        dropout: share of the components of each text that are dropped in training, in [0, 1).
    """

    reads = ("sides",)

    def __init__(self, embedding: WordEmbedding, classes: int, *, hidden: Count = 300, dropout: Share = 0.2) -> None:
        super().__init__()
        self.embedding = embedding
        self.projection = Linear(embedding.dim, hidden)  # W_p and b_p
        self.dropout = nn.Dropout(dropout)
        self.output = ClassesOfScore(classes, centre=-FIRST_CENTRE)

    def forward(self, words: Tensor, mask: Tensor, sides: Tensor) -> Tensor:
        """Map pairs (B, T), their mask and sides to logits (B, C)."""
        q, a = (self.encoded(text) for text in two_texts(words, mask, sides))
        logits: Tensor = self.output(-hyperbolic_distance(q, a))  # s = w_f d + b_f
        return logits

    def encoded(self, text: TextOfPair) -> Tensor:
        """Map one text of every pair to a point of the unit ball (B, H)."""
        x = torch.relu(self.projection(self.embedding(text.words)))  # x = ReLU(W_p z + b_p), (B, M, H)
        total = self.dropout(x.masked_fill(~text.mask.unsqueeze(2), 0.0).sum(dim=1))  # y = sum of x
        total = at_least_float32(total)  # near the edge of the ball bfloat16 has no distances
        return total / total.norm(dim=1, keepdim=True).clamp(min=1.0)  # |y| <= 1

    def flops_per_word(self, words_per_text: float) -> float:
        """Count forward FLOPs (2 per multiply-add): projection per word, distance per pair."""
        hidden = self.projection.out_features
        pair = 3 * hidden + self.output.weight.numel()  # |q|^2, |a|^2, |q - a|^2 and the lines
        return 2 * (self.projection.weight.numel() + pair / words_per_text)


def hyperbolic_distance(x: Tensor, y: Tensor) -> Tensor:
    """Return the distance of points in the unit ball, (B, H) each, as (B,)."""
    inside = (1 - x.square().sum(dim=1)) * (1 - y.square().sum(dim=1))
    beyond = 2 * (x - y).square().sum(dim=1) / (inside + EDGE)  # z - 1
    return torch.log1p(beyond + (beyond * (beyond + 2) + TINY).sqrt())  # arcosh z = log(z + sqrt(z^2 - 1))
