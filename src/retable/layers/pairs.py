"""Split a batch of pairs of texts, joined by `retable.text.pairs`, into the two texts.

Shapes  B pairs, T words of both texts and the mark between them, M and N words of the longest first and second text.
"""

from typing import NamedTuple

from torch import Tensor

from retable.text.pairs import FIRST, SECOND
from retable.text.vocabulary import PADDING


class TextOfPair(NamedTuple):
    """One text of every pair: `words` int64 (B, M), `mask` bool (B, M), False on padding, on the right."""

    words: Tensor
    mask: Tensor


def two_texts(words: Tensor, mask: Tensor, sides: Tensor) -> tuple[TextOfPair, TextOfPair]:
    """Split pairs into their first and second texts; an empty text becomes one padding word.

    Args:
        words, mask, sides: (B, T).
    """
    return _side(words, mask & (sides == FIRST)), _side(words, mask & (sides == SECOND))


def _side(words: Tensor, own: Tensor) -> TextOfPair:
    """Move the own words of every row to the left, in order."""
    lengths = own.sum(dim=1)
    width = max(1, int(lengths.max()))
    order = own.logical_not().int().argsort(dim=1, stable=True)[:, :width]
    kept = own.gather(1, order)
    kept[:, 0] = True  # attention over no words is undefined
    return TextOfPair(words.masked_fill(~own, PADDING).gather(1, order), kept)
