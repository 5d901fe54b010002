"""TextCNN: convolutions of several widths, each pooled over time.

Source     Kim, "Convolutional Neural Networks for Sentence Classification", EMNLP 2014, eq. 1-5.
Departure  a window that sees only padding never wins the pooling. The output's weights are not rescaled to norm 3, and
           Adam takes the place of Adadelta.
Shapes     B texts, T words (padded on the right), D vector size, K filters of one width, C classes.
"""

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from retable.layers.embedding import WordEmbedding
from retable.layers.network import Network
from retable.layers.options import Count, Counts, Share
from retable.layers.pooled_convolution import PooledConv1d


class TextCNN(Network):
    """Convolutional network over word vectors.

    Args:
        embedding: the word vectors.
        classes: number of classes.
        widths: words that a filter spans, with one group of filters per width.
        filters: filters per width.
        dropout: dropout rate on the pooled features, in [0, 1).
    """

    def __init__(
        self,
        embedding: WordEmbedding,
        classes: int,
        *,
        widths: Counts = (3, 4, 5),
        filters: Count = 100,
        dropout: Share = 0.5,
    ) -> None:
        super().__init__()
        self.embedding = embedding
        self.convolutions = nn.ModuleList(PooledConv1d(embedding.dim, filters, width) for width in widths)
        self.dropout = nn.Dropout(dropout)
        self.output = nn.Linear(filters * len(widths), classes)
        self.widths, self.filters = tuple(widths), filters

    def forward(self, words: Tensor, mask: Tensor) -> Tensor:
        """Map words (B, T) and their mask to logits (B, C)."""
        x = self.embedding(words) * mask.unsqueeze(2)  # (B, T, D)
        features = []
        for width, convolution in zip(self.widths, self.convolutions, strict=True):  # padded by width - 1 on both sides
            has_word = F.pad(mask, (width - 1, 0), value=True)  # (B, T + width - 1)
            # eq. 2-3 and max over time, (B, K): relu of the maximum is the maximum of relu
            features.append(F.relu(convolution(x, has_word)))
        logits: Tensor = self.output(self.dropout(torch.cat(features, dim=1)))  # eq. 4-5, (B, C)
        return logits

    def flops_per_word(self, words_per_text: float) -> float:
        """Return FLOPs, two per multiply-add: w D K at T + w - 1 places for each width w, and the classes, per text."""
        filter_words = sum(width * (words_per_text + width - 1) for width in self.widths)
        return 2 * (filter_words * self.embedding.dim * self.filters + self.output.weight.numel()) / words_per_text
