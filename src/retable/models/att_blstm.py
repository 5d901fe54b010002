"""Att-BLSTM: both directions of an LSTM summed, its states weighted by one learned query, and a tanh of the sum.

Source     Zhou et al., "Attention-Based Bidirectional Long Short-Term Memory Networks for Relation Classification",
           ACL 2016: h_t = forward + backward, M = tanh(H), weights = softmax(w^T M), r = H weights^T, h* = tanh(r).
Departure  torch's LSTM, without the paper's peephole connections. Texts have no marked entities here.
Decision   dropout on word vectors, on the summed states and on h*, at the paper's three rates.
Shapes     B texts, T words (padded on the right), D vector size, H states of one direction and of their sum, C classes.
"""

import torch
from torch import Tensor, nn

from retable.layers.embedding import WordEmbedding
from retable.layers.network import Network
from retable.layers.options import Count, Share
from retable.layers.recurrent import states_of_words


class AttBLSTM(Network):
    """Bidirectional LSTM of one layer under attention.

    Args:
        embedding: the word vectors.
        classes: number of classes.
        hidden: states of each direction, and of their sum.
        dropout_words: share of the word vectors' components that are dropped in training, in [0, 1).
        dropout_states: the same for the summed states H.
        dropout: the same for the text's vector h*.
    """

    def __init__(
        self,
        embedding: WordEmbedding,
        classes: int,
        *,
        hidden: Count = 128,
        dropout_words: Share = 0.3,
        dropout_states: Share = 0.3,
        dropout: Share = 0.5,
    ) -> None:
        super().__init__()
        self.embedding = embedding
        self.lstm = nn.LSTM(embedding.dim, hidden, batch_first=True, bidirectional=True)
        self.query = nn.Linear(hidden, 1, bias=False)  # w
        self.dropout_words, self.dropout_states = nn.Dropout(dropout_words), nn.Dropout(dropout_states)
        self.dropout = nn.Dropout(dropout)
        self.output = nn.Linear(hidden, classes)

    def forward(self, words: Tensor, mask: Tensor) -> Tensor:
        """Map words (B, T) and their mask to logits (B, C)."""
        x = self.dropout_words(self.embedding(words))  # (B, T, D)
        ahead, back = states_of_words(self.lstm, x, mask).chunk(2, dim=2)
        states = self.dropout_states(ahead + back)  # H, (B, T, H)
        scores = self.query(torch.tanh(states)).squeeze(2)  # w^T M, (B, T)
        weights = torch.softmax(scores.masked_fill(~mask, -torch.inf), dim=1)
        text = torch.tanh((weights.unsqueeze(1) @ states).squeeze(1))  # h*, (B, H)
        logits: Tensor = self.output(self.dropout(text))
        return logits

    def flops_per_word(self, words_per_text: float) -> float:
        """Count forward FLOPs (2 per multiply-add): per word both directions 4 H (D + H), 2 H; per text H C."""
        hidden = self.lstm.hidden_size
        of_word = 2 * 4 * hidden * (self.lstm.input_size + hidden) + 2 * hidden
        return 2 * (of_word + self.output.weight.numel() / words_per_text)
