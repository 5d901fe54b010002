"""C-LSTM: one convolution over the words, its windows in order as the steps of an LSTM, the last state.

Source     Zhou, Sun, Liu, Lau, "A C-LSTM Neural Network for Text Classification", arXiv:1511.08630, 2015, sections 3
           and 4; equations and options from notes and public code, not checked against the paper:
           (1) w_j = [x_j, x_(j+1), ..., x_(j+k-1)]
           (2) c_j = f(w_j . m + b), f = ReLU, for every filter m; (3) W = [c_1; c_2; ...; c_n], a row per window
           (4) i = sigma(W_i [h, W_t] + b_i), f, o likewise, q = tanh(W_q [h, W_t] + b_q), c = f c + i q, h = o tanh(c)
           Section 4: softmax of the last h; dropout on word vectors and on it, L2 on the softmax layer's weights.
Reading    "either ... or" of the two dropouts means both, as in the settings of both corpora. The L2 term is the factor
           times the sum of squares. One filter width, the paper's best. No pooling between the two layers.
Departure  Adam at a constant 1e-3, where the paper uses RMSprop.
Decision   a text has only its own windows, T - k + 1, where the paper pads all texts to the longest training text with
           an unknown word, and cuts longer test texts; a text of fewer than k words is padded with zeros and has one
           window.
Shapes     B texts, T words (padded on the right), D vector size, k width, V windows, K filters, H states, C classes.
"""

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from retable.layers.embedding import WordEmbedding
from retable.layers.network import Network
from retable.layers.options import Count, NonNegative, Share
from retable.layers.recurrent import recurrent_flops, states_of_words


class CLSTM(Network):
    """Long short-term memory over the windows of a convolution.

    Args:
        embedding: the word vectors.
        classes: number of classes.
        width: words that a filter spans, k.
        filters: number of filters, and input size of the LSTM.
        hidden: states of the LSTM.
        dropout_words: share of the word vectors' components that are dropped in training, in [0, 1).
        dropout: the same for the last state.
        output_decay: factor of the squared output weights in the loss.
    """

    def __init__(
        self,
        embedding: WordEmbedding,
        classes: int,
        *,
        width: Count = 3,
        filters: Count = 150,
        hidden: Count = 150,
        dropout_words: Share = 0.5,
        dropout: Share = 0.5,
        output_decay: NonNegative = 0.001,
    ) -> None:
        super().__init__()
        self.embedding, self.width, self.output_decay = embedding, width, output_decay
        self.convolution = nn.Conv1d(embedding.dim, filters, width)
        self.lstm = nn.LSTM(filters, hidden, batch_first=True)
        self.dropout_words, self.dropout = nn.Dropout(dropout_words), nn.Dropout(dropout)
        self.output = nn.Linear(hidden, classes)

    def forward(self, words: Tensor, mask: Tensor) -> Tensor:
        """Map words (B, T) and their mask to logits (B, C)."""
        x = self.dropout_words(self.embedding(words)) * mask.unsqueeze(2)  # (B, T, D)
        windows = self.windows(x)
        last = (mask.sum(dim=1) - self.width).clamp(min=0)  # the last window of each text, (B,)
        real = torch.arange(windows.shape[1], device=mask.device) <= last.unsqueeze(1)  # (B, V)
        states = states_of_words(self.lstm, windows, real)  # eq. 4, (B, V, H)
        text = states[torch.arange(len(states), device=mask.device), last]  # (B, H)
        logits: Tensor = self.output(self.dropout(text))
        return logits

    def windows(self, x: Tensor) -> Tensor:
        """Map words (B, T, D), zero after texts, to the filter outputs at every window, eq. 1-3, (B, V, K)."""
        x = F.pad(x, (0, 0, 0, max(self.width - x.shape[1], 0)))
        return F.relu(self.convolution(x.transpose(1, 2))).transpose(1, 2)

    def auxiliary_loss(self, classes: Tensor) -> Tensor:
        """Return the L2 term of the softmax layer's weights."""
        return self.output_decay * self.output.weight.square().sum()

    def flops_per_word(self, words_per_text: float) -> float:
        """Count forward FLOPs (2 per multiply-add): k D K and 4 H (K + H) at T - k + 1 windows (at least 1); H C."""
        windows = max(words_per_text - self.width + 1, 1)
        of_window = 2 * self.convolution.weight.numel() + recurrent_flops(self.lstm)
        return (windows * of_window + 2 * self.output.weight.numel()) / words_per_text
