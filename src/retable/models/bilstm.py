"""BiLSTM: an LSTM in both directions, one or several layers, the last layer's states pooled over the words.

Source     Graves and Schmidhuber, "Framewise phoneme classification with bidirectional LSTM", 2005; pooled by the
           maximum as in Conneau et al., "Supervised Learning of Universal Sentence Representations", EMNLP 2017.
Shapes     B texts, T words (padded on the right), D vector size, H states of both directions together, C classes.
"""

from typing import ClassVar

from retable.layers.embedding import WordEmbedding
from retable.layers.options import Count, Even, Share
from retable.models.lstm import LSTM, Pool


class BiLSTM(LSTM):
    """Bidirectional LSTM. Every layer reads both directions of the previous one.

    Args:
        embedding: the word vectors.
        classes: number of classes.
        layers: number of layers; each reads the states of the previous one.
        hidden: states of both directions of a layer together, an even number.
        pool: vector of the text: max or mean of the states over its words, or the last state of each direction.
        dropout: share of the components of word vectors, of states between layers and of the pooled vector that are
            dropped in training, in [0, 1).
    """

    directions: ClassVar[int] = 2

    def __init__(
        self,
        embedding: WordEmbedding,
        classes: int,
        *,
        layers: Count = 1,
        hidden: Even = 300,
        pool: Pool = "max",
        dropout: Share = 0.5,
    ) -> None:
        super().__init__(embedding, classes, layers=layers, hidden=hidden, pool=pool, dropout=dropout)
