"""WideMLP: a bag of words through one wide hidden layer, whose weights are a row for every word.

Source     Galke and Scherp, "Bag-of-Words vs. Graph vs. Sequence in Text Classification: Questioning the Necessity of
           Text-Graphs and the Surprising Strength of a Wide MLP", ACL 2022; the authors' code (text-clf-baselines):
           h = W^T x, x how often each word stands in the text over its words (mean) or plain (sum), then
           logits = U dropout(relu(h)) + c; the first layer has no bias. WideMLP-2 is two layers, GloVe+WideMLP the mean
           of given vectors, as given, through a layer with a bias.
Reading    a row of W is a word's row of the embedding: without given vectors, 1024 numbers wide, from N(0, 1).
Departure  TF-IDF WideMLP is left out, for a network is not told in how many texts a word stands. Its frequencies only
           scale the rows of W, which are trained; its norm of a text has no counterpart. Words where the authors have
           BERT's pieces of words. Adam changes the rows of the batch alone.
Shapes     B texts, T words (padded on the right), D numbers in a row, H hidden units, C classes.
"""

from typing import Literal, get_args

import torch
from torch import Tensor, nn

from retable.layers.bags import PADDING
from retable.layers.embedding import WordEmbedding
from retable.layers.network import Network
from retable.layers.products import Linear
from retable.models.options import check_at_least, check_choice, check_share

Pool = Literal["mean", "sum"]


class WideMLP(Network):
    """Bag of words and a wide hidden layer; its rows have sparse gradients.

    Args:
        embedding: the words' rows of the first layer's weights, or their vectors.
        classes: number of classes.
        pool: of the words' rows: mean, sum.
        hidden: units of a first layer over the pooled vectors (GloVe+WideMLP); 0: the words' rows are its weights, and
            it has as many units as numbers in a row.
        layers: hidden layers, all of the first one's width.
        dropout: share of the units of every hidden layer that are dropped in training, in [0, 1).
    Raises: ValueError if an option is outside its range.
    """

    sparse_rows = True

    def __init__(
        self,
        embedding: WordEmbedding,
        classes: int,
        *,
        pool: Pool = "mean",
        hidden: int = 0,
        layers: int = 1,
        dropout: float = 0.5,
    ) -> None:
        super().__init__()
        check_choice("pool", pool, get_args(Pool))
        check_at_least("hidden", hidden, 0)
        check_at_least("layers", layers, 1)
        check_share("dropout", dropout)
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
        """Forward multiply-adds, times two: D a word; every matrix once a text."""
        layers = [*self.deeper, self.output, *([self.first] if self.first else [])]
        of_text = sum(weight.numel() for layer in layers for weight in layer.parameters() if weight.dim() == 2)
        return 2 * (self.embedding.dim + of_text / words_per_text)
