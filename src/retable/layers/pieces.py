"""Pieces of texts, sentences or the words of characters: those of all texts are one batch.

Method     pieces of similar length, up to a power of two, go through their encoder together, so that less than half of
           a batch is padding; a GPU takes all of them at once, where that pays.
Shapes     B texts, T places (padded on the right), N pieces of all texts, L places in the longest, D vector size.
"""

from collections.abc import Callable, Iterator

import torch
from torch import Tensor

WORDS_PER_SENTENCE = 16  # assumed in operation counts


def first_words(mask: Tensor, sentences: Tensor) -> Tensor:
    """Return which words begin a sentence, bool (B, T), from the mask and the number of each word's sentence."""
    begins = mask.clone()
    begins[:, 1:] &= sentences[:, 1:] != sentences[:, :-1]
    return begins


def lengths_of_pieces(begins: Tensor, real: Tensor) -> Tensor:
    """Return the lengths of all pieces, (N,), from their first places and all their places, bool (B, T) each."""
    return (begins[real].cumsum(0) - 1).bincount()


def in_rows(flat: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor]:
    """Return consecutive vectors, (sum of lengths, D), as rows padded on the right.

    Args:
        lengths: of the rows, int64 (N,), at least 1 each.
    Returns: (N, L, D), zero on padding, and bool (N, L), False on padding.
    """
    real = torch.arange(int(lengths.max()), device=flat.device) < lengths.unsqueeze(1)
    rows = flat.new_zeros(*real.shape, flat.shape[1])
    rows[real] = flat
    return rows, real


def groups(lengths: Tensor, *, apart: bool) -> Iterator[Tensor]:
    """Yield the pieces of each similar length, bool (N,), or all at once if they are not to be apart."""
    kinds = lengths.double().log2().ceil().long() if apart else torch.zeros_like(lengths)
    for kind in kinds.unique().tolist():
        yield kinds == kind


def vectors_of_pieces(
    encode: Callable[[Tensor, Tensor], Tensor], x: Tensor, lengths: Tensor, size: int, *, apart: bool
) -> Tensor:
    """Return the vector of each piece, (N, size).

    Args:
        encode: maps rows (n, L, D) and their mask to vectors (n, size).
        x: the vectors of consecutive pieces, (sum of lengths, D).
        lengths: of the pieces, int64 (N,).
        apart: whether pieces are encoded in groups of similar length.
    """
    vectors = x.new_empty(len(lengths), size)
    for chosen in groups(lengths, apart=apart):
        rows, real = in_rows(x[chosen.repeat_interleave(lengths)], lengths[chosen])
        vectors[chosen] = encode(rows, real).to(vectors.dtype)
    return vectors
