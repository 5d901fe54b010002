"""Region embedding: each word has a vector and a unit that scales its neighbours' vectors place by place.

Source     Qiao, Huang, Niu, Li, Dong, He, Yu, Wu, "A New Method of Region Embedding for Text Classification", ICLR
           2018: p = K_{w_i,t} * e_{w_{i+t}} (the projected vector), word-context r_i = max over t of K_{w_i,t} *
           e_{w_{i+t}}, context-word r_i = max over t of K_{w_{i+t},t} * e_{w_i}, t from -c to c; the text is the sum of
           all r_i under a linear layer. From the authors' code and a wiki's summary, not checked against the published
           paper.
Reading    there is nothing between the sum and the linear layer, and no dropout, as in the code.
Decision   a place outside the text does not enter the maximum; the code has vectors and units for padding. A word that
           is not tuned has the unit of the unknown word, unless no word is tuned: then all have their own. Word vectors
           are given ones, in the code random ones of 128 numbers. Units start from normal noise of variance 2 / (rows
           times places), as in the code. Their gradients are sparse, so Adam is SparseAdam, which updates only the
           units of a batch's words.
Shapes     B texts, T words (padded on the right), D vector size, W = 2 c + 1 places of a region, V rows, C classes.
"""

from typing import Literal

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from retable.layers.bags import PADDING
from retable.layers.embedding import WordEmbedding
from retable.layers.network import Network
from retable.layers.options import Odd
from retable.text.vocabulary import UNKNOWN

View = Literal["word-context", "context-word"]


class ContextUnits(nn.Module):
    """K: one vector for every word and place of a region.

    Args:
        rows: words with units of their own; later words share the unknown word's.
        region: places in a region.
        dim: size of a vector.
    """

    sparse = True  # sparse gradients, so an optimiser of sparse tables trains it

    def __init__(self, rows: int, region: int, dim: int) -> None:
        super().__init__()
        self.region = region
        self.weight = nn.Parameter(torch.empty(rows, region * dim))
        nn.init.normal_(self.weight, std=(2 / (rows * region)) ** 0.5)

    def forward(self, words: Tensor) -> Tensor:
        """Return the units of words: int64 (B, T) to (B, T, W, D)."""
        own = words.masked_fill(words >= len(self.weight), UNKNOWN)
        return F.embedding(own, self.weight, padding_idx=PADDING, sparse=self.sparse).unflatten(2, (self.region, -1))


class RegionEmbedding(Network):
    """Bag of region embeddings with local context units; its rows have sparse gradients.

    Args:
        embedding: the word vectors.
        classes: number of classes.
        region: words in a region, an odd number, 2 c + 1.
        view: whose units apply: word-context (the middle word's, to its neighbours' vectors), context-word (its
            neighbours', to its own vector).
    """

    sparse_rows = True

    def __init__(self, embedding: WordEmbedding, classes: int, *, region: Odd = 7, view: View = "word-context") -> None:
        super().__init__()
        self.embedding, self.region, self.view = embedding, region, view
        rows = len(embedding.table)
        self.units = ContextUnits(rows, region, embedding.dim)
        self.output = nn.Linear(embedding.dim, classes)

    def forward(self, words: Tensor, mask: Tensor) -> Tensor:
        """Map words (B, T) and their mask to logits (B, C)."""
        vectors, units = self.embedding(words), self.units(words)  # e (B, T, D), K (B, T, W, D)
        if self.view == "word-context":
            projected = units * self.neighbours(vectors)  # K_{w_i,t} * e_{w_{i+t}}
        else:
            own = [each.select(2, t) for t, each in enumerate(self.shifted(units))]  # K_{w_{i+t},t}
            projected = torch.stack(own, dim=2) * vectors.unsqueeze(2)
        inside = self.neighbours(mask.unsqueeze(2))  # (B, T, W, 1)
        regions = projected.masked_fill(~inside, -torch.inf).amax(dim=2)  # r, (B, T, D)
        text = regions.masked_fill(~mask.unsqueeze(2), 0.0).sum(dim=1)  # (B, D)
        logits: Tensor = self.output(text)
        return logits

    def neighbours(self, x: Tensor) -> Tensor:
        """Return x at the places of each word's region: (B, T, n) to (B, T, W, n), zero outside the text."""
        return torch.stack(self.shifted(x), dim=2)

    def shifted(self, x: Tensor) -> list[Tensor]:
        """Return x shifted to each place of a region, place by place; zero before and after the text."""
        reach = self.region // 2  # c
        padding = (0, 0) * (x.dim() - 2) + (reach, reach)
        padded = F.pad(x, padding)
        return [padded[:, t : t + x.shape[1]] for t in range(self.region)]

    def flops_per_word(self, words_per_text: float) -> float:
        """Return forward FLOPs, two per multiply-add: W D per word, D C per text."""
        return 2 * (self.region * self.embedding.dim + self.output.weight.numel() / words_per_text)
