"""BiGRU: a bidirectional GRU, its states pooled over the words.

Source     LAMA, "Compact Multi-Head Self-Attention for Learning Supervised Text Representations", section 4.2: one
           bidirectional GRU layer with max pooling, a baseline; its cell is section 3.1, eq. 1-6 (torch's swaps z_t and
           1 - z_t: the same cell with the opposite sign of W_z, U_z, b_z).
Decision   the paper does not say what follows the pooling: LAMA's own classifier (section 3.5), so that the two differ
           only in how the words become one vector.
Shapes     B texts, T words (padded on the right), D vector size, H states of both directions together, C classes.
"""

from typing import Literal

import torch
from torch import Tensor, nn

from retable.layers.classifier import classifier_flops, text_classifier
from retable.layers.embedding import WordEmbedding
from retable.layers.encoder import mean_over_words
from retable.layers.network import Network
from retable.layers.options import CountOrZero, Even, Share
from retable.layers.recurrent import recurrent_flops, states_of_words

Pool = Literal["max", "mean"]


class BiGRU(Network):
    """Bidirectional GRU of one layer.

    Args:
        embedding: the word vectors.
        classes: number of classes.
        hidden: states of both directions together, an even number.
        pool: vector of the text: max or mean of the states over its words.
        mlp_hidden: units of the classifier's hidden layer; 0: one linear layer.
        dropout: share of the hidden layer's units that are dropped in training, in [0, 1).
    """

    def __init__(
        self,
        embedding: WordEmbedding,
        classes: int,
        *,
        hidden: Even = 100,
        pool: Pool = "max",
        mlp_hidden: CountOrZero = 512,
        dropout: Share = 0.4,
    ) -> None:
        super().__init__()
        self.embedding = embedding
        self.pool = pool
        self.gru = nn.GRU(embedding.dim, hidden // 2, batch_first=True, bidirectional=True)
        self.classifier = text_classifier(hidden, mlp_hidden, classes, dropout)

    def forward(self, words: Tensor, mask: Tensor) -> Tensor:
        """Map words (B, T) and their mask to logits (B, C)."""
        x = self.embedding(words)  # (B, T, D)
        if self.pool == "mean":
            pooled = mean_over_words(states_of_words(self.gru, x, mask), mask)
        else:
            pooled = states_of_words(self.gru, x, mask, padding_value=-torch.inf).amax(dim=1)  # (B, H)
        logits: Tensor = self.classifier(pooled)
        return logits

    def flops_per_word(self, words_per_text: float) -> float:
        """Count forward FLOPs (2 per multiply-add): both directions 3 x H/2 x (D + H/2) per word; classifier."""
        return recurrent_flops(self.gru) + classifier_flops(self.classifier) / words_per_text
