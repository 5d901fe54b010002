"""MP-CNN: two texts under filters of several widths and several poolings, compared window size by window size.

Source     He, Gimpel and Lin, "Multi-Perspective Sentence Similarity Modeling with Convolutional Neural Networks",
           EMNLP 2015, sections 3 to 5; the authors' code, hohoCode/textSimilarityConvNet (models.lua, Conv.lua,
           trainSIC.lua), which was read, and a port by the same group; not checked against the published paper.
Equations  group A, for a width w and a pooling p (max, min, mean): p over windows of tanh(W x + b) with D holistic
           filters; for infinite width, p over the words themselves. Group B, for w and max or min: the same with
           filters that see one dimension each. Vertical comparison (algorithm 2): each group A of one text with each of
           the other under the same p, at any two widths, and each filter's dimensions in group B: cosine, distance,
           |difference|. Horizontal (algorithm 1): each filter's values over the widths, under the same p: cosine,
           distance. scores = W_2 tanh(W_1 features + b_1) + b_2.
Reading    each pooling has its own filters (code), and so has each dimension in group B (the port; in the code all
           dimensions share them). There are as many holistic filters as dimensions (code).
Decision   a window lies within its text; a text shorter than a width is padded with zeros to one window.
Departure  the paper learns a distribution over grades of relatedness, this model that of a graded corpus
           (`retable.text.grades`), else a class. The code has one more layer of width 1 before widths 2 and 3.
Shapes     B pairs, T words of both texts and the mark, M words of one, V windows, D vector size, F filters of group B
           per dimension, S widths including infinity, C classes.
"""

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from retable.layers.embedding import WordEmbedding
from retable.layers.network import Network
from retable.layers.options import Count, Counts
from retable.layers.pairs import TextOfPair, two_texts
from retable.layers.products import Linear

HOLISTIC, OF_DIMENSIONS = ("max", "min", "mean"), ("max", "min")  # poolings of groups A and B


class MPCNN(Network):
    """Convolutions and poolings of both texts, their comparison, and a hidden layer on it.

    Args:
        embedding: the word vectors.
        classes: number of classes.
        widths: words that a filter spans; the whole text is added as one more width.
        filters: filters of group B per dimension, width and pooling.
        mlp_hidden: units of the hidden layer on the comparison.
    """

    reads = ("sides",)

    def __init__(
        self,
        embedding: WordEmbedding,
        classes: int,
        *,
        widths: Counts = (1, 2, 3),
        filters: Count = 20,
        mlp_hidden: Count = 150,
    ) -> None:
        super().__init__()
        dim = embedding.dim
        self.embedding, self.widths = embedding, tuple(widths)
        self.holistic = nn.ModuleList(nn.Conv1d(dim, len(HOLISTIC) * dim, width) for width in widths)
        of_each = len(OF_DIMENSIONS) * filters
        self.of_dimensions = nn.ModuleList(nn.Conv1d(dim, of_each * dim, width, groups=dim) for width in widths)
        sizes = len(widths) + 1  # S
        vertical = len(HOLISTIC) * sizes**2 * (2 + dim) + len(widths) * of_each * (2 + dim)
        self.hidden = Linear(vertical + len(HOLISTIC) * dim * 2, mlp_hidden)  # W_1, b_1
        self.output = nn.Linear(mlp_hidden, classes)  # W_2, b_2

    def forward(self, words: Tensor, mask: Tensor, sides: Tensor) -> Tensor:
        """Map pairs (B, T), their mask and sides to logits (B, C)."""
        (a, of_a), (b, of_b) = (self.pooled(text) for text in two_texts(words, mask, sides))
        found = [*compared(a.unsqueeze(3), b.unsqueeze(2)), *compared(of_a, of_b)]  # vertical
        found += compared(a.transpose(2, 3), b.transpose(2, 3))[:2]  # horizontal
        features = torch.cat([each.flatten(1) for each in found], dim=1)
        logits: Tensor = self.output(torch.tanh(self.hidden(features)))
        return logits

    def pooled(self, text: TextOfPair) -> tuple[Tensor, Tensor]:
        """Return groups A (B, 3, S, D) and B (B, 2 F widths, D) of one text of every pair."""
        lengths = text.mask.sum(dim=1)
        x = self.embedding(text.words).transpose(1, 2)  # (B, D, M), zero after the text
        x = F.pad(x, (0, max(0, max(self.widths) - x.shape[2])))
        group_a, group_b = [], []
        for width, holistic, of_dimensions in zip(self.widths, self.holistic, self.of_dimensions, strict=True):
            real = windows(lengths, x.shape[2], width)
            maps = torch.tanh(holistic(x)).chunk(len(HOLISTIC), dim=1)
            group_a.append(torch.stack([pool(p, each, real) for p, each in zip(HOLISTIC, maps, strict=True)], dim=1))
            maps = torch.tanh(of_dimensions(x)).unflatten(1, (x.shape[1], len(OF_DIMENSIONS), -1)).unbind(dim=2)
            group_b += [pool(p, each.flatten(1, 2), real) for p, each in zip(OF_DIMENSIONS, maps, strict=True)]
        real = windows(lengths, x.shape[2], 1)
        group_a.append(torch.stack([pool(p, x, real) for p in HOLISTIC], dim=1))  # infinite width
        of_filters = [each.unflatten(1, (x.shape[1], -1)).transpose(1, 2) for each in group_b]  # (B, F, D)
        return torch.stack(group_a, dim=2), torch.cat(of_filters, dim=1)

    def flops_per_word(self, words_per_text: float) -> float:
        """Return FLOPs, two per multiply-add: w D (3 D + 2 F) per window, 4 per comparison, the classifier per pair."""
        half, dim, sizes = words_per_text / 2, self.embedding.dim, len(self.widths) + 1
        groups, of_pair = 0, float(self.hidden.weight.numel() + self.output.weight.numel())
        for width, holistic, of_dimensions in zip(self.widths, self.holistic, self.of_dimensions, strict=True):
            assert isinstance(holistic, nn.Conv1d)
            assert isinstance(of_dimensions, nn.Conv1d)
            weights = holistic.weight.numel() + of_dimensions.weight.numel()
            of_pair += 2 * (half - width + 1) * weights
            groups += of_dimensions.out_channels
        of_pair += 4 * (len(HOLISTIC) * (sizes**2 + sizes) * dim + groups)  # a cosine has three products
        return 2 * of_pair / words_per_text


def windows(lengths: Tensor, words: int, width: int) -> Tensor:
    """Return which windows (B, 1, V) lie within texts of these lengths (B,); a shorter text keeps its first window."""
    starts = torch.arange(words - width + 1, device=lengths.device)
    return (starts <= (lengths - width).clamp(min=0).unsqueeze(1)).unsqueeze(1)


def pool(pooling: str, maps: Tensor, real: Tensor) -> Tensor:
    """Return the max, min or mean of the real windows (B, 1, V) of each map (B, K, V), (B, K)."""
    if pooling == "mean":
        return (maps * real).sum(dim=2) / real.sum(dim=2)
    if pooling == "min":
        return maps.masked_fill(~real, torch.inf).amin(dim=2)
    return maps.masked_fill(~real, -torch.inf).amax(dim=2)


def compared(x: Tensor, y: Tensor) -> list[Tensor]:
    """Return cosine and distance (...), and absolute differences (..., D), of vectors (..., D)."""
    difference = x - y
    cosine = F.cosine_similarity(x, y, dim=-1)
    return [cosine, torch.linalg.vector_norm(difference, dim=-1), difference.abs()]
