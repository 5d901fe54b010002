"""ABCNN: convolutions of two texts with attention between them before a convolution, after it, both or neither.

Source     Yin, Schuetze, Xiang and Zhou, "ABCNN: Attention-Based Convolutional Neural Network for Modeling Sentence
           Pairs", TACL 4, 2016: section 3 (BCNN: wide convolution, w-ap, all-ap), section 4 (ABCNN-1 to 3), section 5.1
           (output layer). From the authors' code (yinwenpeng/Answer_Selection), galsang/ABCNN and notes, not checked
           against the paper.
Reading    the first block is the word vectors; every block gives the similarities of its two texts under all-ap, and
           these are the only inputs of the logistic regression. The columns W of ABCNN-1 are the same for both texts (a
           footnote, and public code). Pooling under attention is a sum weighted by a, over w columns and over all; in
           the authors' code the weights of a text are scaled to sum 1.
Decision   W has a column for each of the other text's first `places` words, where the paper pads all texts to one
           length; averages and attention cover only a text's own words and windows.
Departure  no word counts or overlaps in addition to the similarities; all blocks are trained at once, not one by one.
           Rate, batches and L2 (on all weights) are galsang's for BCNN; the authors' code takes one pair at a time at
           0.05 or 0.06, with L2 on matrices alone.
Shapes     B pairs, T words of both texts and the mark, M and N words of the first and second text, D vector size,
           K filters, w width, C classes.
"""

from itertools import pairwise
from typing import Literal

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from retable.layers.embedding import WordEmbedding
from retable.layers.encoder import mean_over_words
from retable.layers.network import Network
from retable.layers.options import Count
from retable.layers.pairs import two_texts

Attention = Literal["none", "input", "pooling", "both"]
Similarity = Literal["cosine", "euclidean", "both"]
Two = tuple[Tensor, Tensor]  # of the first text and of the second


class Block(nn.Module):
    """A wide convolution and its pooling, for both texts.

    Args:
        dim: size of an input column.
        filters: size of an output column.
        width: columns that a filter spans, and a window of w-ap.
        places: columns of W in ABCNN-1's attention; 0: no attention in the convolution.
        weigh: whether pooling uses ABCNN-2's attention.
    """

    def __init__(self, dim: int, filters: int, width: int, *, places: int, weigh: bool) -> None:
        super().__init__()
        self.columns = nn.Parameter(torch.randn(places, dim) * 0.01) if places else None  # W, transposed
        self.convolution = nn.Conv1d(2 * dim if places else dim, filters, width, padding=width - 1)
        self.width, self.weigh = width, weigh

    def forward(self, texts: Two, masks: Two) -> tuple[Two, Two]:
        """Map columns (B, M, D) and (B, N, D) to w-ap, (B, M, K) and (B, N, K), and all-ap, (B, K) each."""
        texts = texts if self.columns is None else self.with_attention(texts, masks)
        first, second = self.convolved(texts[0]), self.convolved(texts[1])
        windows = self.windows(masks[0]), self.windows(masks[1])
        if not self.weigh:
            shares = [real / real.sum(dim=1, keepdim=True) for real in windows]
            pooled = [self.averages(x) for x in (first, second)]  # w-ap
        else:
            scores = match_scores(first, second, windows)  # A, (B, M + w - 1, N + w - 1)
            shares = [scores.sum(dim=2), scores.sum(dim=1)]  # a_0 and a_1
            weighed = [x * share.unsqueeze(2) for x, share in zip((first, second), shares, strict=True)]
            pooled = [self.averages(x) * self.width for x in weighed]  # sum of a_k F_k over w columns
        columns = [x * mask.unsqueeze(2) for x, mask in zip(pooled, masks, strict=True)]
        # all-ap
        vectors = [(share.unsqueeze(1).to(x) @ x).squeeze(1) for x, share in zip((first, second), shares, strict=True)]
        return (columns[0], columns[1]), (vectors[0], vectors[1])

    def with_attention(self, texts: Two, masks: Two) -> Two:
        """Append the attention feature map to the columns of both texts: F_0a = W A^T, F_1a = W A."""
        assert self.columns is not None  # forward checks this
        first, second = texts
        scores = match_scores(first, second, masks)  # A, (B, M, N)
        n, m = (min(x.shape[1], len(self.columns)) for x in (second, first))
        of_first = scores[:, :, :n] @ self.columns[:n]
        of_second = scores[:, :m].transpose(1, 2) @ self.columns[:m]
        return torch.cat((first, of_first), dim=2), torch.cat((second, of_second), dim=2)

    def convolved(self, x: Tensor) -> Tensor:
        """Map (B, M, D) to the windows (B, M + w - 1, K): p_i = tanh(W c_i + b)."""
        return torch.tanh(self.convolution(x.transpose(1, 2))).transpose(1, 2)

    def windows(self, mask: Tensor) -> Tensor:
        """Return which windows contain a word, bool (B, M + w - 1)."""
        return F.pad(mask, (self.width - 1, 0), value=True)

    def averages(self, x: Tensor) -> Tensor:
        """Map (B, M + w - 1, K) to the means of w columns (B, M, K)."""
        return F.avg_pool1d(x.transpose(1, 2), self.width, stride=1).transpose(1, 2)


class ABCNN(Network):
    """Blocks of convolution and pooling over both texts, and a linear layer on their similarities.

    Args:
        embedding: the word vectors.
        classes: number of classes.
        attention: none (BCNN), input (ABCNN-1), pooling (ABCNN-2), both (ABCNN-3).
        layers: blocks after the one of the word vectors.
        filters: of each convolution, d_1.
        width: words that a filter spans, w.
        similarity: between a block's two texts: cosine, euclidean (1 / (1 + distance)), both.
        places: words of the other text with weights in ABCNN-1's attention.
    """

    reads = ("sides",)

    def __init__(
        self,
        embedding: WordEmbedding,
        classes: int,
        *,
        attention: Attention = "both",
        layers: Count = 2,
        filters: Count = 50,
        width: Count = 4,
        similarity: Similarity = "cosine",
        places: Count = 64,
    ) -> None:
        super().__init__()
        self.embedding, self.similarity = embedding, similarity
        weights = places if attention in {"input", "both"} else 0
        weigh = attention in {"pooling", "both"}
        sizes = [embedding.dim, *[filters] * layers]
        self.blocks = nn.ModuleList(
            Block(size, after, width, places=weights, weigh=weigh) for size, after in pairwise(sizes)
        )
        self.output = nn.Linear(len(sizes) * (2 if similarity == "both" else 1), classes)

    def forward(self, words: Tensor, mask: Tensor, sides: Tensor) -> Tensor:
        """Map pairs (B, T), their mask and sides to logits (B, C)."""
        first, second = two_texts(words, mask, sides)
        masks = first.mask, second.mask
        x, y = self.embedding(first.words), self.embedding(second.words)  # (B, M, D) and (B, N, D), zero after texts
        means = mean_over_words(x, masks[0]), mean_over_words(y, masks[1])
        scores = self.similarities(*means)  # of block 1, the words
        for block in self.blocks:
            (x, y), vectors = block((x, y), masks)
            scores += self.similarities(*vectors)
        logits: Tensor = self.output(torch.stack(scores, dim=1))
        return logits

    def similarities(self, u: Tensor, v: Tensor) -> list[Tensor]:
        """Return the similarities of vectors (B, K), each (B,)."""
        scores = []
        if self.similarity != "euclidean":
            scores.append(F.cosine_similarity(u, v))
        if self.similarity != "cosine":
            scores.append(1 / (1 + torch.linalg.vector_norm(u - v, dim=1)))
        return scores

    def flops_per_word(self, words_per_text: float) -> float:
        """Count forward FLOPs (2 per multiply-add): each block's attention, convolution, pooling and similarities."""
        half = words_per_text / 2
        products = 3 * (self.similarity != "euclidean") + (self.similarity != "cosine")  # a cosine has three
        of_pair = (words_per_text + products) * self.embedding.dim + self.output.weight.numel()
        for number, block in enumerate(self.blocks.children(), start=1):
            assert isinstance(block, Block)
            windows, filters = half + block.width - 1, block.convolution.out_channels
            if block.columns is not None:  # distances, then A times W for each text
                places, dim = block.columns.shape
                of_pair += half * half * dim + words_per_text * min(half, places) * dim
            of_pair += 2 * windows * (block.convolution.weight.numel() + filters)  # and all-ap
            if block.weigh:  # distances, a times the columns
                of_pair += windows * windows * filters + 2 * windows * filters
            if number < len(self.blocks):  # w-ap
                of_pair += words_per_text * block.width * filters
            of_pair += products * filters
        return 2 * of_pair / words_per_text


def match_scores(first: Tensor, second: Tensor, masks: Two) -> Tensor:
    """Return A_ij = 1 / (1 + |x_i - y_j|), (B, M, N), of columns (B, M, D) and (B, N, D); zero after each text."""
    # Small distances lose digits if computed by matrix products.
    distances = torch.cdist(first, second, compute_mode="donot_use_mm_for_euclid_dist")
    return (1 / (1 + distances)) * (masks[0].unsqueeze(2) & masks[1].unsqueeze(1))
