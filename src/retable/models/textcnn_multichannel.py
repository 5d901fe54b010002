"""CNN-multichannel: TextCNN on two vectors of every word, one as it was given and one that training changes.

Source     Kim, "Convolutional Neural Networks for Sentence Classification", EMNLP 2014, section 3.3: two sets of word
           vectors, both from word2vec; each filter is applied to both channels and the results are added; gradients go
           through one of them. From notes that quote it. The rest is in models/textcnn.py.
Reading    a filter has its own weights for each channel. With shared weights the network would be CNN-non-static on
           vectors that start at twice their length, since w x + w y = w (x + y).
Shapes     B texts, T words (padded on the right), D vector size.
"""

import torch
import torch.nn.functional as F
from torch import Tensor

from retable.layers.embedding import WordEmbedding
from retable.layers.options import Count, Counts, Share
from retable.models.textcnn import TextCNN


class TwoChannels(WordEmbedding):
    """Every word's tuned vector, followed by the one that it started from.

    Args:
        embedding: the word vectors before training.
    """

    given: Tensor

    def __init__(self, embedding: WordEmbedding) -> None:
        tuned = embedding.fixed[:0] if embedding.tuned is None else embedding.tuned.detach()
        rows = torch.cat([tuned, embedding.fixed])
        super().__init__(rows, tuned=len(tuned), sparse=embedding.sparse)
        self.register_buffer("given", rows)
        self.dim = 2 * embedding.dim

    def forward(self, words: Tensor) -> Tensor:
        """Return both vectors of words: int64 (B, T) to float (B, T, 2 D), the tuned one first."""
        return torch.cat([super().forward(words), F.embedding(words, self.given)], dim=2)


class TextCNNMultichannel(TextCNN):
    """Convolutional network over tuned and given word vectors.

    Args: those of `TextCNN`.
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
        super().__init__(TwoChannels(embedding), classes, widths=widths, filters=filters, dropout=dropout)
