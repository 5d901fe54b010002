"""WideMLP: a bag of words through one wide hidden layer, whose weights are a row for every word.

Source     Galke and Scherp, "Bag-of-Words vs. Graph vs. Sequence in Text Classification: Questioning the Necessity of
           Text-Graphs and the Surprising Strength of a Wide MLP", ACL 2022; the authors' code (text-clf-baselines): h =
           W^T x, x the counts of each word in the text, divided by its length (mean) or plain (sum), then logits = U
           dropout(relu(h)) + c; the first layer has no bias. WideMLP-2 has two layers, GloVe+WideMLP is the mean of
           fixed given vectors through a layer with a bias.
Reading    a row of W is a word's row of the embedding: without given vectors, 1024 numbers wide, from N(0, 1).
Departure  TF-IDF WideMLP is left out, as a network does not know in how many texts a word occurs. Its frequencies only
           scale the rows of W, which are trained; its norm of a text has no counterpart. Words replace the authors'
           BERT word pieces. Adam updates only the rows of the batch.
Shapes     B texts, T words (padded on the right), D numbers in a row, H hidden units, C classes.
"""

from typing import Literal

import torch
from torch import Tensor, nn

from retable.layers.bags import PADDING
from retable.layers.embedding import WordEmbedding
from retable.layers.network import Network
from retable.layers.options import Count, CountOrZero, Share
from retable.layers.products import Linear

Pool = Literal["mean", "sum"]


class WideMLP(Network):
    """Bag of words and a wide hidden layer; its rows have sparse gradients.

    Args:
        embedding: the first layer's weights, one row per word, or word vectors.
        classes: number of classes.
        pool: of the word rows: mean, sum.
        hidden: units of a first layer over the pooled vectors (GloVe+WideMLP); 0: the word rows are its weights, and
            their width is its number of units.
        layers: number of hidden layers, all as wide as the first.
        dropout: dropout rate on every hidden layer, in [0, 1).
    """

    sparse_rows = True

    def __init__(
        self,
        embedding: WordEmbedding,
        classes: int,
        *,
        pool: Pool = "mean",
        hidden: CountOrZero = 0,
        layers: Count = 1,
        dropout: Share = 0.5,
    ) -> None:
        super().__init__()
        self.embedding = embedding
        self.pool = pool
        self.first = Linear(embedding.dim, hidden) if hidden else None
        width = hidden or embedding.dim  # H
        self.deeper = nn.ModuleList(Linear(width, width) for _ in range(layers - 1))
        self.dropout = nn.Dropout(dropout)
        self.output = nn.Linear(width, classes)  # U and c

    def forward(self, words: Tensor, mask: Tensor) -> Tensor:
        """Map words (B, T) and their mask to logits (B, C)."""
        x = self.embedding.total(words.masked_fill(~mask, PADDING))  # W^T x of plain counts, (B, D)
        if self.pool == "mean":
            x = x / mask.sum(dim=1, keepdim=True)  # W^T x of shares
        if self.first is not None:
            x = self.first(x)
        x = self.dropout(torch.relu(x))  # (B, H)
        for layer in self.deeper:
            x = self.dropout(torch.relu(layer(x)))
        logits: Tensor = self.output(x)
        return logits

    def flops_per_word(self, words_per_text: float) -> float:
        """Return forward FLOPs, two per multiply-add: D per word; every matrix once per text."""
        layers = [*self.deeper, self.output, *([self.first] if self.first else [])]
        of_text = sum(weight.numel() for layer in layers for weight in layer.parameters() if weight.dim() == 2)
        return 2 * (self.embedding.dim + of_text / words_per_text)
