"""Two texts by one encoder, compared by what they are, how they differ and what they share.

Source     Conneau, Kiela, Schwenk, Barrault and Bordes, "Supervised Learning of Universal Sentence Representations from
           Natural Language Inference Data", EMNLP 2017, section 3.1 and 3.2 (figure 1): one encoder for both texts, (u,
           v, |u - v|, u * v), a layer of 512 units. Bowman, Angeli, Potts and Manning, "A large annotated corpus for
           learning natural language inference", EMNLP 2015, section 3.3: sum of words and LSTM as encoders, with tanh
           layers. From memory, not checked against the published papers.
Decision   the hidden layer uses tanh, as in Bowman et al.; dropout is on word vectors, u and v, and the hidden layer.
Shapes     B pairs, T words of both texts, M of one, D vector size, H states, C classes.
"""

from typing import Annotated, Literal

import torch
from torch import Tensor, nn

from retable.layers.embedding import WordEmbedding
from retable.layers.encoder import mean_over_words
from retable.layers.network import Network
from retable.layers.options import AtLeast, Count, Share
from retable.layers.pairs import TextOfPair, two_texts
from retable.layers.recurrent import last_of, recurrent_flops, states_of_words

Encoder = Literal["mean", "lstm", "bilstm"]


class PairEncoder(Network):
    """One encoder for both texts of a pair, and a classifier on the two encodings.

    Args:
        embedding: the word vectors.
        classes: number of classes.
        encoder: mean (of word vectors), lstm (its last state), bilstm (the max of its states over the words).
        hidden: states of the encoder, both directions together.
        mlp_hidden: units of the classifier's hidden layer.
        dropout: dropout rate on word vectors, text vectors and the hidden layer, in [0, 1).
    """

    reads = ("sides",)

    def __init__(
        self,
        embedding: WordEmbedding,
        classes: int,
        *,
        encoder: Encoder = "bilstm",
        hidden: Annotated[int, AtLeast(2)] = 300,
        mlp_hidden: Count = 512,
        dropout: Share = 0.2,
    ) -> None:
        super().__init__()
        self.embedding = embedding
        directions = 2 if encoder == "bilstm" else 1
        size = embedding.dim if encoder == "mean" else hidden // directions * directions
        self.recurrent = (
            None
            if encoder == "mean"
            else nn.LSTM(embedding.dim, hidden // directions, batch_first=True, bidirectional=directions == 2)
        )
        self.dropout = nn.Dropout(dropout)
        self.hidden = nn.Linear(4 * size, mlp_hidden)
        self.output = nn.Linear(mlp_hidden, classes)

    def forward(self, words: Tensor, mask: Tensor, sides: Tensor) -> Tensor:
        """Map pairs (B, T), their mask and sides to logits (B, C)."""
        u, v = (self.dropout(self.encoded(text)) for text in two_texts(words, mask, sides))  # (B, H)
        compared = torch.cat((u, v, (u - v).abs(), u * v), dim=1)  # figure 1
        logits: Tensor = self.output(self.dropout(torch.tanh(self.hidden(compared))))
        return logits

    def encoded(self, text: TextOfPair) -> Tensor:
        """Map one text of every pair to (B, H)."""
        x = self.dropout(self.embedding(text.words))  # (B, M, D)
        if self.recurrent is None:
            return mean_over_words(x, text.mask)
        if self.recurrent.bidirectional:
            return states_of_words(self.recurrent, x, text.mask, padding_value=-torch.inf).amax(dim=1)
        states = states_of_words(self.recurrent, x, text.mask)
        return last_of(states, text.mask)

    def flops_per_word(self, words_per_text: float) -> float:
        """Return forward FLOPs per word of either text, two per multiply-add; the classifier's per pair."""
        encoder = 2 * self.embedding.dim if self.recurrent is None else recurrent_flops(self.recurrent)
        pair = self.hidden.weight.numel() + self.output.weight.numel()
        return encoder + 2 * pair / words_per_text
