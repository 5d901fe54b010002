"""Average of the word vectors, then a linear classifier: the simplest network on word vectors.

Source     Iyyer et al., "Deep Unordered Composition Rivals Syntactic Methods", ACL 2015:
           the bag of words without hidden layers.
Shapes     B texts, T words (padded on the right), D vector size, C classes.
"""

from torch import Tensor, nn

from retable.layers.embedding import WordEmbedding
from retable.layers.encoder import mean_over_words
from retable.layers.network import Network
from retable.layers.options import Share


class AvgEmbedding(Network):
    """Mean word vector and a linear layer.

    Args:
        embedding: the word vectors.
        classes: number of classes.
        dropout: share of the mean's components that are dropped in training, in [0, 1).
    """

    def __init__(self, embedding: WordEmbedding, classes: int, *, dropout: Share = 0.5) -> None:
        super().__init__()
        self.embedding = embedding
        self.dropout = nn.Dropout(dropout)
        self.output = nn.Linear(embedding.dim, classes)

    def forward(self, words: Tensor, mask: Tensor) -> Tensor:
        """Map words (B, T) and their mask to logits (B, C)."""
        mean = mean_over_words(self.embedding(words), mask)  # (B, D)
        logits: Tensor = self.output(self.dropout(mean))  # (B, C)
        return logits

    def flops_per_word(self, words_per_text: float) -> float:
        """Count forward FLOPs (2 per multiply-add): D per word, D C per text."""
        return 2 * (self.embedding.dim + self.output.weight.numel() / words_per_text)
