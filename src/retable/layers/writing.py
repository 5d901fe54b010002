"""Texts that a recurrent network writes word by word: the sequences that it reads and predicts, and its softmax.

Source     Dai and Le, "Semi-supervised Sequence Learning", NIPS 2015; the softmax: Grave et al., "Efficient softmax
           approximation for GPUs", ICML 2017.
Shapes     B texts, T words (padded on the right), n places of the longest sequence.
"""

import torch
from torch import Tensor, nn

from retable.layers.embedding import WordEmbedding
from retable.text.vocabulary import PADDING, UNKNOWN

END = PADDING  # its row represents <end>: no word uses it
CUTOFFS = (1000, 5000)  # words in the adaptive softmax's head, and in head and first tail


def softmax_of_words(embedding: WordEmbedding, states: int) -> nn.AdaptiveLogSoftmaxWithLoss:
    """Return an adaptive softmax of states, one row per tuned word, the most frequent first."""
    rows = max(UNKNOWN + 1, len(embedding.table))
    cutoffs = [cutoff for cutoff in CUTOFFS if cutoff < rows - 1] or [rows - 1]
    return nn.AdaptiveLogSoftmaxWithLoss(states, rows, cutoffs)


def sequences(words: Tensor, mask: Tensor, *, again: bool) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """Return the inputs and targets of an LSTM that writes texts, each (B, n), n the longest sequence.

    Args:
        words, mask: the texts, (B, T).
        again: whether the text is read before it is written; if not, the sequence begins with <end>.
    Returns: rows to read: the text (if `again`), <end>, the text; the target of each place, <end> last; which places
        belong to the sequence; which places predict.
    """
    lengths = mask.sum(dim=1, keepdim=True)
    before = lengths if again else torch.zeros_like(lengths)  # words before <end>
    places = torch.arange(int((before + lengths).max()) + 1, device=words.device).expand(len(words), -1)
    ended = nn.functional.pad(words.masked_fill(~mask, END), (0, 1), value=END)  # the place after a text holds <end>

    def at(place: Tensor) -> Tensor:
        return ended.gather(1, place.clamp(min=0).minimum(lengths))

    written = at(places - before)  # targets of the places after the first reading
    read = torch.where(places < before, at(places), at(places - before - 1)).masked_fill(places == before, END)
    real = places <= before + lengths
    return read, written, real, real & (places >= before)
