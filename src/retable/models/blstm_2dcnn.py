"""BLSTM-2DCNN: the summed states of a BiLSTM treated as an image, with 2D convolution and 2D max pooling.

Source     Zhou, Qi, Zheng, Xu, Bao, Xu, "Text Classification Improved by Integrating Bidirectional LSTM with
           Two-dimensional Max Pooling", COLING 2016, section 3; equations (not numbered here) from public notes on
           the paper, options from slides that quote it, neither checked against the paper; ReLU from public code:
           h_i = forward + backward; H = (h_1, ..., h_l)
           o_i,j = f(m . H_i:i+k-1,j:j+d-1 + b), for every filter m, at (l - k + 1) (D - d + 1) places
           p_i,j = max of p1 x p2 values of O, without overlap, floor((l-k+1) / p1) floor((D-d+1) / p2) of them
           h* = all p; softmax of W h* + b. BLSTM-2DPooling: p of H itself.
Reading    f is ReLU. The directions are summed, since H has as many columns as a word vector has components, 300.
           Dropout on word vectors, on H and on h*, at the paper's three rates.
Departure  Adam at a constant 1e-3, where the paper uses AdaDelta. torch's LSTM has biases.
Decision   h* has a fixed length, so W reads a fixed number of words: `frames`, by default as many as the longest
           sentences have; later words are left out. A text has only its own windows, at least one: zeros follow a text
           of fewer than k words. A p without a window of the text is 0.
Fast form  rows of p that are 0 for the whole batch, and the matching columns of W, are left out; ReLU follows the
           pooling, since it preserves the maximum. The results are the same.
Shapes     B texts, T words (padded on the right), D vector size, H states of one direction and of their sum, R rows of
           O, K filters, P x Q values p of a filter, C classes.
"""

import math
from collections.abc import Sequence
from typing import Annotated

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from retable.layers.embedding import WordEmbedding
from retable.layers.network import Network
from retable.layers.options import AtLeast, CountOrZero, Range, Share
from retable.layers.recurrent import recurrent_flops, states_of_words

Pair = Annotated[Sequence[int], Range("two whole numbers >= 1", lambda values: len(values) == 2 and min(values) >= 1)]


class BLSTM2DCNN(Network):
    """Bidirectional LSTM under two-dimensional convolution and pooling.

    Args:
        embedding: the word vectors.
        classes: number of classes.
        frames: words read per text, l.
        hidden: states of each direction and of their sum.
        filters: number of filters; 0 pools the states themselves: BLSTM-2DPooling.
        window: words and states that a filter spans, k and d.
        pool: rows and columns of a pooling window, p1 and p2.
        dropout_words: share of the word vectors' components that are dropped in training, in [0, 1).
        dropout_states: the same for the summed states H.
        dropout: the same for the text's vector h*.
    Raises: ValueError if two options do not fit each other.
    """

    def __init__(
        self,
        embedding: WordEmbedding,
        classes: int,
        *,
        frames: int = 60,
        hidden: int = 300,
        filters: CountOrZero = 100,
        window: Pair = (3, 3),
        pool: Pair = (2, 2),
        dropout_words: Share = 0.5,
        dropout_states: Share = 0.2,
        dropout: Share = 0.4,
    ) -> None:
        super().__init__()
        rows, columns = (window[0], window[1]) if filters else (1, 1)
        AtLeast(rows + pool[0] - 1).check("frames", frames)
        AtLeast(columns + pool[1] - 1).check("hidden", hidden)
        self.embedding, self.frames, self.window, self.pool = embedding, frames, (rows, columns), (pool[0], pool[1])
        self.lstm = nn.LSTM(embedding.dim, hidden, batch_first=True, bidirectional=True)
        self.convolution = nn.Conv2d(1, filters, self.window) if filters else None
        self.dropout_words, self.dropout_states = nn.Dropout(dropout_words), nn.Dropout(dropout_states)
        self.dropout = nn.Dropout(dropout)
        self.pooled_rows = (frames - rows + 1) // pool[0]  # P of a text of all frames
        self.row_size = max(filters, 1) * ((hidden - columns + 1) // pool[1])  # K Q
        self.output = nn.Linear(self.pooled_rows * self.row_size, classes)

    def forward(self, words: Tensor, mask: Tensor) -> Tensor:
        """Map words (B, T) and their mask to logits (B, C)."""
        words, mask = words[:, : self.frames], mask[:, : self.frames]
        x = self.dropout_words(self.embedding(words))  # (B, T, D)
        ahead, back = states_of_words(self.lstm, x, mask).chunk(2, dim=2)
        states = self.dropout_states(ahead + back)  # H, (B, T, H)
        text = self.dropout(self.pooled(states, mask).flatten(1))  # h* without trailing zeros, (B, P K Q)
        return F.linear(text, self.output.weight[:, : text.shape[1]], self.output.bias)

    def pooled(self, states: Tensor, mask: Tensor) -> Tensor:
        """Map states (B, T, H), zero after texts, to all p up to the last that is not 0, (B, P, K, Q)."""
        windows = (mask.sum(dim=1) - self.window[0] + 1).clamp(min=1)  # rows of O of each text, (B,)
        count = self.rows_of(mask.shape[1] - self.window[0] + 1)  # P of the longest text
        rows = count * self.pool[0]
        # As many words as these rows see: padded with zeros, or without the words that pooling drops.
        image = F.pad(states, (0, 0, 0, rows + self.window[0] - 1 - states.shape[1])).unsqueeze(1)
        maps = image if self.convolution is None else self.convolution(image)  # m . H + b, (B, K, R, H - d + 1)
        real = torch.arange(rows, device=mask.device) < windows.unsqueeze(1)  # (B, R)
        best = F.max_pool2d(maps.masked_fill(~real[:, None, :, None], -torch.inf), self.pool)  # p, (B, K, P, Q)
        best = best if self.convolution is None else F.relu(best)
        return best.transpose(1, 2).masked_fill(~real[:, :: self.pool[0], None, None], 0.0)

    def rows_of(self, windows: float) -> int:
        """Return the number of rows of p that contain at least one of these windows, P."""
        return min(math.ceil(max(windows, 1) / self.pool[0]), self.pooled_rows)

    def flops_per_word(self, words_per_text: float) -> float:
        """Count forward FLOPs (2 per multiply-add): both directions 4 H (D + H) per word; k d K at every window of a
        text, and P K Q C.
        """
        words = min(words_per_text, self.frames)
        of_text = words * recurrent_flops(self.lstm)
        windows = max(words - self.window[0] + 1, 1)
        if self.convolution is not None:
            columns = self.lstm.hidden_size - self.window[1] + 1
            of_text += 2 * windows * columns * self.convolution.weight.numel()
        of_text += 2 * self.rows_of(windows) * self.row_size * self.output.out_features
        return of_text / words_per_text
