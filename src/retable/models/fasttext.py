"""fastText's classifier: the average of the rows of all words and hashed n-grams, then a linear layer.

Source     Joulin et al., "Bag of Tricks for Efficient Text Classification", EACL 2017.
Departure  an n-gram is hashed from word numbers, not from letters; a bias replaces the end-of-text word.
Shapes     B texts, T words (padded on the right), G n-gram slots, D vector size, C classes.
"""

import torch
from torch import Tensor, nn

from retable.layers.bags import PADDING, sum_of_rows
from retable.layers.embedding import WordEmbedding
from retable.layers.hashing import MULTIPLIER, hashed_rows
from retable.layers.network import Network
from retable.layers.options import Count


def ngram_rows(words: Tensor, mask: Tensor, *, ngrams: int, buckets: int) -> Tensor:
    """Return the table row, 1 to buckets, of every n-gram of 2 to `ngrams` words.

    Args:
        words: word numbers, int64, (B, T).
        mask: True on a word, False on padding (on the right), bool, (B, T).
        ngrams: longest n-gram, in words, at least 2.
        buckets: number of rows that the n-grams share.
    Returns: int64 (B, (ngrams - 1) * T), one n-gram of each size starting at each word; PADDING past the text's end.
    """
    words_left = mask.sum(dim=1, keepdim=True) - torch.arange(words.shape[1], device=words.device)  # (B, T)
    rows = []
    hashes = words
    for order in range(2, ngrams + 1):
        hashes = hashes.mul(MULTIPLIER).add_(words.roll(1 - order, dims=1)).mul_(MULTIPLIER)
        rows.append(hashed_rows(hashes, buckets).mul_(words_left >= order))
    return torch.cat(rows, dim=1) if len(rows) > 1 else rows[0]


class NgramTable(nn.Module):
    """Table of n-gram rows; the first row means no n-gram.

    Args:
        buckets: rows that the n-grams share.
        dim: size of a row.
    """

    sparse = True  # sparse gradients: needs an optimiser for sparse tables

    def __init__(self, buckets: int, dim: int) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.empty(buckets + 1, dim))
        nn.init.uniform_(self.weight, -1 / dim, 1 / dim)

    def forward(self, rows: Tensor) -> Tensor:
        """Return the sum of each text's rows: int64 (B, G) to (B, D)."""
        return sum_of_rows(self.weight, rows, sparse=self.sparse)


class FastText(Network):
    """Bag of words and hashed n-grams; n-gram rows have sparse gradients and need SGD, Adagrad or SparseAdam.

    Args:
        embedding: the word rows, preferably with sparse gradients too.
        classes: number of classes.
        ngrams: longest n-gram, in words; 1 is a plain bag of words.
        buckets: rows that the n-grams share by hash.
    """

    sparse_rows = True

    def __init__(self, embedding: WordEmbedding, classes: int, *, ngrams: Count = 2, buckets: Count = 200_000) -> None:
        super().__init__()
        self.embedding = embedding
        self.ngrams, self.buckets = ngrams, buckets
        self.table = NgramTable(buckets, embedding.dim) if ngrams > 1 else None
        self.output = nn.Linear(embedding.dim, classes)
        nn.init.zeros_(self.output.weight)
        nn.init.zeros_(self.output.bias)

    def forward(self, words: Tensor, mask: Tensor) -> Tensor:
        """Map words (B, T) and their mask to logits (B, C)."""
        total = self.embedding.total(words.masked_fill(~mask, PADDING))  # (B, D)
        count = mask.sum(dim=1)
        if self.table is not None:
            rows = ngram_rows(words, mask, ngrams=self.ngrams, buckets=self.buckets)  # (B, G)
            total = total + self.table(rows)
            count = count + (rows != PADDING).sum(dim=1)
        logits: Tensor = self.output(total / count.unsqueeze(1))  # (B, C)
        return logits

    def flops_per_word(self, words_per_text: float) -> float:
        """Count forward FLOPs (2 per multiply-add): D for every word and n-gram, D C per text."""
        grams = sum(words_per_text - order + 1 for order in range(1, self.ngrams + 1))
        return 2 * (grams * self.embedding.dim + self.output.weight.numel()) / words_per_text
