"""BiLSTM: a bidirectional LSTM, its states pooled over the words.

Source     Graves and Schmidhuber, "Framewise phoneme classification with bidirectional LSTM", 2005; pooled by the
           maximum as in Conneau et al., "Supervised Learning of Universal Sentence Representations", EMNLP 2017.
Shapes     B texts, T words (padded on the right), D vector size, H states of both directions together, C classes.
"""

from typing import Literal, get_args

import torch
from torch import Tensor, nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

from retable.layers.embedding import WordEmbedding
from retable.models.options import check_choice, check_share

Pool = Literal["max", "mean", "last"]


class BiLSTM(nn.Module):
    """Bidirectional LSTM of one layer.

    Args:
        embedding: the words' vectors.
        classes: number of classes.
        hidden: states of both directions together, an even number.
        pool: what stands for the text: max or mean of the states over its words, or the last state of each direction.
        dropout: share of the word vectors' and of the pooled components that are dropped in training, in [0, 1).
    Raises: ValueError if an option is outside its range.
    """

    def __init__(
        self,
        embedding: WordEmbedding,
        classes: int,
        *,
        hidden: int = 300,
        pool: Pool = "max",
        dropout: float = 0.5,
    ) -> None:
        super().__init__()
        if hidden < 2 or hidden % 2:
            raise ValueError(f"hidden is {hidden}; allowed: even numbers from 2 (half of it for each direction)")
        check_choice("pool", pool, get_args(Pool))
        check_share("dropout", dropout)
        self.embedding = embedding
        self.pool = pool
        self.lstm = nn.LSTM(embedding.dim, hidden // 2, batch_first=True, bidirectional=True)
        self.dropout = nn.Dropout(dropout)
        self.output = nn.Linear(hidden, classes)

    def forward(self, words: Tensor, mask: Tensor) -> Tensor:
        """Words (B, T) and their mask to logits (B, C)."""
        lengths = mask.sum(dim=1)
        x = self.dropout(self.embedding(words))  # (B, T, D)
        # Packed, so that the backward direction starts at the last word and not in the padding.
        packed = pack_padded_sequence(x, lengths.cpu(), batch_first=True, enforce_sorted=False)
        states, (last, _) = self.lstm(packed)
        if self.pool == "last":
            pooled = torch.cat((last[0], last[1]), dim=1)
        elif self.pool == "mean":
            pooled = pad_packed_sequence(states, batch_first=True)[0].sum(dim=1) / lengths.unsqueeze(1)
        else:
            pooled = pad_packed_sequence(states, batch_first=True, padding_value=-torch.inf)[0].amax(dim=1)
        logits: Tensor = self.output(self.dropout(pooled))  # (B, C)
        return logits

    def flops_per_word(self, words_per_text: float) -> float:
        """Forward multiply-adds, times two: both directions 4 x H/2 x (D + H/2) a word, H C a text."""
        side = self.lstm.hidden_size
        return 2 * (2 * 4 * side * (self.lstm.input_size + side) + self.output.weight.numel() / words_per_text)
