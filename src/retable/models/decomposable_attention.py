"""Decomposable attention: two texts are aligned word by word, and each word is compared with its alignment.

Source     Parikh, Tackstrom, Das and Uszkoreit, "A Decomposable Attention Model for Natural Language Inference", EMNLP
           2016: attend (eq. 1-2), compare (eq. 3), aggregate (eq. 4-5), intra-sentence attention (section 3.4), section
           5.1. From notes and public code (harvardnlp/decomp-attn), not checked against the paper.
Reading    words are scaled to length 1, stay fixed (embedding.tune) and are projected to 200 components without a bias.
           d_{i-j} has a sign; beyond 10 words it is one value on each side (notes: one in all). Dropout precedes both
           layers of F, G, H and F_intra, as notes on section 5.1 have it.
Decision   the NULL word before each text is one learned vector in the space of projected words. All weights and biases
           start from normal numbers of standard deviation 0.01, as printed.
Departure  an unknown word has the vocabulary's one vector, not one of a hundred random ones. AdaGrad's sums start at 0,
           in the code at 0.1.
Shapes     B pairs, T words of both texts, M and N words of the first and second with NULL, D vector size, H units, S
           size of a word: H, or 2 H with intra-sentence attention, C classes.
"""

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from retable.layers.embedding import WordEmbedding
from retable.layers.network import Network
from retable.layers.options import Count, CountOrZero, Positive, Share
from retable.layers.pairs import TextOfPair, two_texts
from retable.layers.products import Linear


class DecomposableAttention(Network):
    """Soft alignment of two texts, and a classifier on the summed comparisons of aligned words.

    Args:
        embedding: the word vectors.
        classes: number of classes.
        hidden: size of a projected word, and units of every hidden layer.
        intra_attention: whether a word is joined with what it attends to in its own text.
        distance: largest distance with its own bias in that attention.
        spread: standard deviation of the first weights.
        dropout: share of the inputs of every ReLU layer that are dropped in training, in [0, 1).
    """

    reads = ("sides",)

    def __init__(
        self,
        embedding: WordEmbedding,
        classes: int,
        *,
        hidden: Count = 200,
        intra_attention: bool = False,
        distance: CountOrZero = 10,
        spread: Positive = 0.01,
        dropout: Share = 0.2,
    ) -> None:
        super().__init__()
        self.embedding = embedding
        self.projection = Linear(embedding.dim, hidden, bias=False)
        self.null = nn.Parameter(torch.empty(hidden))
        size = 2 * hidden if intra_attention else hidden  # S
        self.intra = two_layers(hidden, hidden, dropout) if intra_attention else None  # F_intra
        self.bias = nn.Parameter(torch.empty(2 * distance + 3)) if intra_attention else None  # d
        self.attend = two_layers(size, hidden, dropout)  # F
        self.compare = two_layers(2 * size, hidden, dropout)  # G
        self.aggregate = two_layers(2 * hidden, hidden, dropout)  # H, and its linear layer
        self.output = nn.Linear(hidden, classes)
        for name, parameter in self.named_parameters():
            if not name.startswith("embedding"):
                nn.init.normal_(parameter, std=spread)

    def forward(self, words: Tensor, mask: Tensor, sides: Tensor) -> Tensor:
        """Map pairs (B, T), their mask and sides to logits (B, C)."""
        (a, of_a), (b, of_b) = (self.represented(text) for text in two_texts(words, mask, sides))
        scores = self.attend(a) @ self.attend(b).transpose(1, 2)  # e, eq. 1, (B, M, N)
        beta = weights_of(scores, of_b) @ b  # eq. 2, (B, M, S)
        alpha = weights_of(scores.transpose(1, 2), of_a) @ a  # eq. 2, (B, N, S)
        v = [self.compared(a, beta, of_a), self.compared(b, alpha, of_b)]  # (B, H) each
        logits: Tensor = self.output(self.aggregate(torch.cat(v, dim=1)))  # eq. 5
        return logits

    def represented(self, text: TextOfPair) -> tuple[Tensor, Tensor]:
        """Map one text of every pair to its words (B, M, S), NULL before them, and their mask (B, M)."""
        x = self.projection(F.normalize(self.embedding(text.words), dim=2))
        x = torch.cat((self.null.expand(len(x), 1, -1), x), dim=1)
        mask = F.pad(text.mask, (1, 0), value=True)
        return x if self.intra is None else torch.cat((x, self.attended(x, mask)), dim=2), mask

    def attended(self, x: Tensor, mask: Tensor) -> Tensor:
        """Map words (B, M, H) to what each attends to in its own text (B, M, H)."""
        assert self.intra is not None
        assert self.bias is not None
        u = self.intra(x)
        places, farthest = torch.arange(x.shape[1], device=x.device), len(self.bias) // 2
        apart = (places.unsqueeze(1) - places).clamp(-farthest, farthest)  # i - j, (M, M)
        return weights_of(u @ u.transpose(1, 2) + self.bias[apart + farthest], mask) @ x  # section 3.4

    def compared(self, words: Tensor, aligned: Tensor, mask: Tensor) -> Tensor:
        """Map words and their alignments, (B, M, S) each, to the sum of their comparisons (B, H)."""
        v = self.compare(torch.cat((words, aligned), dim=2))  # eq. 3
        return v.masked_fill(~mask.unsqueeze(2), 0.0).sum(dim=1)  # eq. 4

    def flops_per_word(self, words_per_text: float) -> float:
        """Count forward FLOPs (2 per multiply-add); NULL precedes both texts."""
        hidden, of_text = self.output.in_features, words_per_text / 2 + 1
        size = hidden if self.intra is None else 2 * hidden  # S
        networks = [self.attend, self.compare] + ([] if self.intra is None else [self.intra])
        layers = sum(matrix_size(network) for network in networks)
        aligning = hidden + 2 * size + (0 if self.intra is None else 2 * 2 * hidden)  # scores and weighted sums
        pair = 2 * of_text * layers + of_text**2 * aligning + matrix_size(self.aggregate) + self.output.weight.numel()
        return 2 * (self.projection.weight.numel() + pair / words_per_text)


def two_layers(size: int, hidden: int, dropout: float) -> nn.Sequential:
    """Return two ReLU layers with dropout before each: (..., size) to (..., hidden)."""
    first = (nn.Dropout(dropout), Linear(size, hidden), nn.ReLU())
    return nn.Sequential(*first, nn.Dropout(dropout), Linear(hidden, hidden), nn.ReLU())


def weights_of(scores: Tensor, mask: Tensor) -> Tensor:
    """Return the softmax of scores (B, M, N) over the N words where the mask (B, N) is True."""
    return torch.softmax(scores.masked_fill(~mask.unsqueeze(1), -torch.inf), dim=2)


def matrix_size(network: nn.Sequential) -> int:
    """Return the number of weights in a network's matrices."""
    return sum(weight.numel() for weight in network.parameters() if weight.dim() == 2)
