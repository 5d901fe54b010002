"""DCNN: wide convolutions of each row separately, folding, and the k largest values of each row in order.

Source     Kalchbrenner, Grefenstette, Blunsom, "A Convolutional Neural Network for Modelling Sentences", ACL 2014,
           eq. 1 (section 3.1, wide), eq. 4 (k of a layer), section 3.4 (bias and g after pooling), eq. 7 (maps),
           section 3.6 (folding), 5.2 (binary sentiment: widths 7 and 5, 6 and 14 maps, k 4). From code and notes, not
           checked against the paper: the code is Godin's port of the authors' own.
Reading    s of eq. 4 is the number of words of the text itself, not of the batch or of the places after a wide
           convolution. Among equal values the first ones are kept. Figure 3 has k 5 for seven words, where eq. 4 gives
           4. g is tanh, and every folded row of every map has one bias.
Decision   an odd number of rows is folded with a row of zeros at the end: the last row stays unchanged. k is at most
           the first width, so that a text of one word has k values. Adagrad at 0.01 in batches of 50, where the
           authors' code has 0.1 and 4 on random vectors of size 48, and resets its sums every five epochs.
Departure  no L2 term, where the paper's objective has one of a size that it does not print (notes on it), and the code
           one for each layer.
Shapes     B texts, T words (padded on the right), R rows of a map (at first the vector size), J input maps,
           K output maps, m width, n places, C classes.
"""

import math
from collections.abc import Sequence
from itertools import pairwise

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from retable.layers.embedding import WordEmbedding
from retable.layers.maps import k_largest
from retable.layers.network import Network
from retable.layers.options import Count, Counts, Share


class FoldedConv(nn.Module):
    """A wide convolution, folding, k-max pooling, a bias and tanh.

    Args:
        rows: rows of every map, convolved separately.
        inputs, maps: maps before and after.
        width: places that a filter spans.
    """

    def __init__(self, rows: int, inputs: int, maps: int, width: int) -> None:
        super().__init__()
        self.rows, self.maps, self.width = rows, maps, width
        wide = width - 1  # section 3.1
        self.filters = nn.Conv1d(rows * inputs, rows * maps, width, padding=wide, groups=rows, bias=False)
        self.bias = nn.Parameter(torch.zeros(folded(rows) * maps))

    def forward(self, x: Tensor, lengths: Tensor, k: Tensor, most: int) -> Tensor:
        """Map rows (B, R J, n) of texts of these lengths, zero after, to (B, R / 2 K, most), zero from k (B,) on."""
        y = self.filters(x).unflatten(1, (self.rows, self.maps))  # eq. 1 and 7, (B, R, K, n + m - 1)
        y = F.pad(y, (0, 0, 0, 0, 0, self.rows % 2)).unflatten(1, (-1, 2)).sum(dim=2).flatten(1, 2)  # section 3.6
        real = torch.arange(y.shape[2], device=y.device) < (lengths + self.width - 1).unsqueeze(1)
        y = torch.tanh(k_largest(y, real, k, most) + self.bias.unsqueeze(1))  # sections 3.2 and 3.4
        return y * (torch.arange(most, device=y.device) < k.unsqueeze(1)).unsqueeze(1)


class DCNN(Network):
    """Dynamic convolutional network.

    Args:
        embedding: the word vectors.
        classes: number of classes.
        widths: places that a filter spans, layer by layer.
        maps: feature maps of each layer.
        k: values of every row that the last layer keeps, k_top, at most the first width.
        dropout: share of the components of the text's vector that are dropped in training, in [0, 1).
    Raises: ValueError if two options do not fit each other.
    """

    def __init__(
        self,
        embedding: WordEmbedding,
        classes: int,
        *,
        widths: Counts = (7, 5),
        maps: Sequence[int] = (6, 14),
        k: Count = 4,
        dropout: Share = 0.5,
    ) -> None:
        super().__init__()
        if len(maps) != len(widths) or min(maps) < 1:
            raise ValueError(f"maps is {list(maps)}; allowed: {len(widths)} whole numbers >= 1, one for each width")
        if k > widths[0]:
            raise ValueError(f"k is {k}; allowed: k <= {widths[0]}, the first width (one word has that many places)")
        self.embedding, self.k = embedding, k
        self.layers = nn.ModuleList()
        rows = embedding.dim
        for (inputs, outputs), width in zip(pairwise([1, *maps]), widths, strict=True):
            self.layers.append(FoldedConv(rows, inputs, outputs, width))
            rows = folded(rows)
        self.dropout = nn.Dropout(dropout)
        self.output = nn.Linear(rows * maps[-1] * k, classes)

    def forward(self, words: Tensor, mask: Tensor) -> Tensor:
        """Map words (B, T) and their mask to logits (B, C)."""
        words_of_text = mask.sum(dim=1)  # s, (B,)
        x = (self.embedding(words) * mask.unsqueeze(2)).transpose(1, 2)  # (B, D, T)
        lengths = words_of_text
        for number, layer in enumerate(self.layers, start=1):
            later = len(self.layers) - number  # L - l
            k = (-(-words_of_text * later // len(self.layers))).clamp(min=self.k)  # eq. 4
            x = layer(x, lengths, k, self.places(number, words.shape[1]))
            lengths = k
        logits: Tensor = self.output(self.dropout(x.flatten(1)))
        return logits

    def places(self, number: int, words: float) -> int:
        """Return k of a layer, numbered from 1, for a text of this many words (eq. 4)."""
        layers = len(self.layers)
        return max(self.k, math.ceil((layers - number) * words / layers))

    def flops_per_word(self, words_per_text: float) -> float:
        """Count forward FLOPs (2 per multiply-add): convolutions at the places that the previous layer keeps; output.

        A layer on n places has n + m - 1 windows, each with m R J K products; folding only adds.
        """
        of_text, places = float(self.output.weight.numel()), words_per_text
        convolutions = [layer for layer in self.modules() if isinstance(layer, nn.Conv1d)]
        for number, convolution in enumerate(convolutions, start=1):
            of_text += convolution.weight.numel() * (places + convolution.kernel_size[0] - 1)
            places = self.places(number, words_per_text)
        return 2 * of_text / words_per_text


def folded(rows: int) -> int:
    """Return the number of rows after folding: the sums of pairs, and the last of an odd number."""
    return (rows + 1) // 2
