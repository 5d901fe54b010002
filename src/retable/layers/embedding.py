"""Word vectors as a layer: words of the training split are tuned, all others keep their given vectors."""

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from retable.layers.bags import sum_of_rows
from retable.text.vocabulary import PADDING


class WordEmbedding(nn.Module):
    """Look up word vectors.

    A dense gradient for every word with a vector would cost more than a small model itself and would not change
    words that do not occur in training, so only the first `tuned` rows are parameters.

    Args:
        vectors: one row per word, float, (word, dim); row 0 is padding and is set to zero, row 1 the unknown word.
        tuned: number of rows, from the top, that are trained; 0 keeps every vector fixed.
        sparse: gradients cover only the rows used in a batch (for huge tables).
    Raises: ValueError if tuned is outside 0..len(vectors).
    """

    fixed: Tensor

    def __init__(self, vectors: Tensor, *, tuned: int, sparse: bool = False) -> None:
        super().__init__()
        if not 0 <= tuned <= len(vectors):
            raise ValueError(f"tuned is {tuned}; allowed: 0 to {len(vectors)}, the number of vectors")
        vectors = vectors.clone().to(torch.get_default_dtype())
        vectors[PADDING] = 0.0
        self.tuned = nn.Parameter(vectors[:tuned]) if tuned else None
        self.register_buffer("fixed", vectors[tuned:], persistent=True)
        self.dim = vectors.shape[1]
        self.sparse = sparse

    @property
    def table(self) -> Tensor:
        """Return the tuned rows, those of words in training, or all rows if none is tuned."""
        return self.fixed if self.tuned is None else self.tuned

    def forward(self, words: Tensor) -> Tensor:
        """Return vectors of words: int64 (batch, word) to float (batch, word, dim)."""
        if self.tuned is None:
            return F.embedding(words, self.fixed)
        rows = len(self.tuned)
        # Row 0 is padding and never learns.
        tuned = F.embedding(words.clamp(max=rows - 1), self.tuned, padding_idx=PADDING, sparse=self.sparse)
        if not len(self.fixed):
            return tuned
        is_fixed = words >= rows
        fixed = F.embedding((words - rows).clamp(min=0), self.fixed)
        return torch.where(is_fixed.unsqueeze(2), fixed, tuned)

    def total(self, words: Tensor) -> Tensor:
        """Return the sum of each text's vectors: int64 (batch, word) to float (batch, dim); padding adds nothing."""
        if self.tuned is None:
            return sum_of_rows(self.fixed, words, sparse=False)
        rows = len(self.tuned)
        if not len(self.fixed):
            return sum_of_rows(self.tuned, words, sparse=self.sparse)
        is_fixed = words >= rows
        fixed = F.embedding_bag(
            (words - rows).clamp(min=0), self.fixed, mode="sum", per_sample_weights=is_fixed.to(self.fixed.dtype)
        )
        return fixed + sum_of_rows(self.tuned, words.masked_fill(is_fixed, PADDING), sparse=self.sparse)
