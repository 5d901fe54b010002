"""LSTM: one or several layers in one direction, the last layer's states pooled over the words.

Source     Hochreiter and Schmidhuber, "Long Short-Term Memory", 1997, in torch's form, with forget gates. The last
           state represents the text as in Liu et al., "Adversarial Multi-task Learning for Text Classification", ACL
           2017, section 2, whose numbers FCSR's table 4 quotes.
Decision   dropout is on the word vectors, between the layers and on the text vector.
Shapes     B texts, T words (padded on the right), D vector size, H states of all directions together, C classes.
"""

from typing import ClassVar, Literal

import torch
from torch import Tensor, nn

from retable.layers.embedding import WordEmbedding
from retable.layers.encoder import mean_over_words
from retable.layers.network import Network
from retable.layers.options import Count, Share
from retable.layers.recurrent import last_of, recurrent_flops, states_of_words

Pool = Literal["max", "mean", "last"]


class LSTM(Network):
    """Long short-term memory.

    Args:
        embedding: the word vectors.
        classes: number of classes.
        layers: number of layers, each reading the states of the one before.
        hidden: states per layer.
        pool: what represents the text: the last state, or the max or mean of the states over its words.
        dropout: dropout rate on the word vectors, the states between two layers and the text vector, in [0, 1).
    """

    directions: ClassVar[int] = 1

    def __init__(
        self,
        embedding: WordEmbedding,
        classes: int,
        *,
        layers: Count = 1,
        hidden: Count = 300,
        pool: Pool = "last",
        dropout: Share = 0.5,
    ) -> None:
        super().__init__()
        self.embedding = embedding
        self.pool = pool
        self.lstm = nn.LSTM(
            embedding.dim,
            hidden // self.directions,
            num_layers=layers,
            batch_first=True,
            dropout=dropout if layers > 1 else 0.0,
            bidirectional=self.directions == 2,
        )
        self.dropout = nn.Dropout(dropout)
        self.output = nn.Linear(hidden, classes)

    def forward(self, words: Tensor, mask: Tensor) -> Tensor:
        """Map words (B, T) and their mask to logits (B, C)."""
        x = self.dropout(self.embedding(words))  # (B, T, D)
        states = states_of_words(self.lstm, x, mask, padding_value=-torch.inf if self.pool == "max" else 0.0)
        logits: Tensor = self.output(self.dropout(self.pooled(states, mask)))
        return logits

    def pooled(self, states: Tensor, mask: Tensor) -> Tensor:
        """Map states (B, T, H) and the mask to (B, H)."""
        if self.pool == "max":
            return states.amax(dim=1)
        if self.pool == "mean":
            return mean_over_words(states, mask)
        side = self.lstm.hidden_size
        last = last_of(states[:, :, :side], mask)
        return torch.cat((last, states[:, 0, side:]), dim=1)  # backward states, if any, end at the first word

    def flops_per_word(self, words_per_text: float) -> float:
        """Return forward FLOPs, two per multiply-add: the gates of every layer and direction per word, H C per text."""
        return recurrent_flops(self.lstm) + 2 * self.output.weight.numel() / words_per_text
