"""Text GCN: two graph convolutions over one graph of all words and texts; here the graph is that of the training texts.

Source     Yao, Mao and Luo, "Graph Convolutional Networks for Text Classification", AAAI 2019; the authors' code,
           yao8839836/text_gcn (layers.py, models.py, train.py), which was read; not checked against the published
           paper. The graph and its weights A~: `retable.layers.word_graph`.
Equations  L1 = relu(A~ X W_0), X = I: each node has its own row of W_0; Z = softmax(A~ L1 W_1) of the texts.
Reading    dropout is on L1: the code's other one, on X, does nothing if X = I. Neither layer has a bias.
Departure  inductive. The paper's graph has the dev and test texts from the start: their words, not their labels, are
           read in training. Here test texts are read once, by evaluation, so the graph is that of the training texts,
           and any text is attached to it through its words: it reads them and itself. Texts have no row of W_0, which a
           new one could not have, and no word reads a text. Rare and new words share one node; the code leaves out
           words with fewer than 5 occurrences, and stop words, which stay here. Dev texts are not in the graph either.
           A step uses one batch of texts, but all words.
Shapes     B texts, T words (padded on the right), V words of the graph, E edges, H components of a node, C classes.
"""

import warnings
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor, nn
from torch.autograd.function import FunctionCtx

from retable.layers.embedding import WordEmbedding
from retable.layers.network import Network, Pass
from retable.layers.options import Count, Share
from retable.layers.word_graph import word_graph
from retable.text.vocabulary import PADDING, UNKNOWN

EDGES = ("starts", "neighbours", "weights")


class TextGCN(Network):
    """Two graph convolutions; for words, the first one's weights are the rows of the embedding.

    Args:
        embedding: the word rows of W_0, H wide.
        classes: number of classes.
        window: words in a window, over which PMI is counted.
        dropout: dropout rate on L1, in [0, 1).
    """

    starts: Tensor
    neighbours: Tensor
    weights: Tensor
    idf: Tensor
    roots: Tensor

    def __init__(self, embedding: WordEmbedding, classes: int, *, window: Count = 20, dropout: Share = 0.5) -> None:
        super().__init__()
        self.embedding, self.window = embedding, window
        self.dropout = nn.Dropout(dropout)
        self.output = nn.Linear(embedding.dim, classes, bias=False)  # W_1
        nn.init.xavier_uniform_(self.output.weight)
        self.known = len(self.table)  # rows of words in training
        # Before `pretrain` every word has only its self-loop, and its idf is 1.
        self.register_buffer("starts", torch.arange(self.known + 1))  # A~ of the words, as compressed rows
        self.register_buffer("neighbours", torch.arange(self.known))
        self.register_buffer("weights", torch.ones(self.known))
        self.register_buffer("idf", (torch.arange(self.known) != PADDING).float())
        self.register_buffer("roots", torch.ones(self.known))  # D^(-1/2)
        self.scores: Tensor | None = None  # of the words, cached until training changes them

    @property
    def table(self) -> Tensor:
        """Return W_0 of the words, (V, H), including padding and the unknown word."""
        return self.embedding.table

    def forward(self, words: Tensor, mask: Tensor) -> Tensor:
        """Map words (B, T) and their mask to logits (B, C)."""
        words = self.nodes(words, mask)
        tfidf = self.idf[words]  # a word's weight is the sum over its occurrences
        own = 1 / (1 + tfidf.sum(dim=1, keepdim=True))  # A~ of a text and itself, (B, 1)
        to_words = (tfidf * self.roots[words] * own.sqrt()).to(self.table)  # A~ of a text and its words, (B, T)
        edges = words[mask], to_words[mask], mask.sum(dim=1)  # flat: one long text would pad all others
        layer_1 = self.dropout(torch.relu(weighted_rows(self.table, *edges)))  # L1 of the texts, (B, H)
        return weighted_rows(self.scores_of_words(), *edges) + own.to(layer_1) * self.output(layer_1)  # Z

    def nodes(self, words: Tensor, mask: Tensor) -> Tensor:
        """Return the nodes of words (B, T), PADDING after the texts."""
        return words.masked_fill(words >= self.known, UNKNOWN).masked_fill(~mask, PADDING)

    def scores_of_words(self) -> Tensor:
        """Return L1 W_1 of the words, (V, C)."""
        if self.scores is not None:
            return self.scores
        layer_1 = torch.relu(of_neighbours(self.table, self.starts, self.neighbours, self.weights))  # (V, H)
        scores: Tensor = self.output(self.dropout(layer_1))
        if not (self.training or torch.is_grad_enabled()):
            self.scores = scores
        return scores

    def train(self, mode: bool = True) -> "TextGCN":
        """Set the mode and drop the cached word scores, which training changes."""
        self.scores = None
        return super().train(mode)

    def pretrain(self, texts: Pass) -> None:
        """Build the graph of the training texts; labels are not used."""
        rows: list[np.ndarray] = []
        for words, mask in texts():
            rows += [text[real].cpu().numpy() for text, real in zip(self.nodes(words, mask), mask, strict=True)]
        graph = word_graph(rows, self.known, self.window)
        found: dict[str, Any] = {
            "starts": graph.edges.indptr.astype(np.int64),
            "neighbours": graph.edges.indices.astype(np.int64),
            "weights": graph.edges.data,
            "idf": graph.idf,
            "roots": graph.sums**-0.5,
        }
        for name, values in found.items():
            before = getattr(self, name)
            setattr(self, name, torch.from_numpy(values).to(before.device, before.dtype))

    def _load_from_state_dict(self, state_dict: dict[str, Any], prefix: str, *rest: Any) -> None:
        """Make room for as many edges as were saved, then load."""
        for name in EDGES:
            if (saved := state_dict.get(prefix + name)) is not None:
                setattr(self, name, torch.empty_like(saved, device=self.idf.device))
        super()._load_from_state_dict(state_dict, prefix, *rest)

    def flops_per_word(self, words_per_text: float) -> float:
        """Return FLOPs, two per multiply-add: H and C per word, C H per text; all texts share the word scores."""
        classes, hidden = self.output.weight.shape
        return 2 * (hidden + classes + classes * hidden / words_per_text)


def weighted_rows(table: Tensor, rows: Tensor, weights: Tensor, counts: Tensor) -> Tensor:
    """Return the weighted sum of each text's rows of a table (V, D): (B, D).

    Args:
        rows, weights: those of all texts, concatenated, (N,); counts: how many each text has, (B,).
    """
    starts = counts.cumsum(0) - counts
    return F.embedding_bag(rows, table, starts, mode="sum", per_sample_weights=weights.to(table.dtype))


def of_neighbours(x: Tensor, starts: Tensor, neighbours: Tensor, weights: Tensor) -> Tensor:
    """Return A x, (V, D), for a symmetric A (V, V) in compressed rows."""
    product: Tensor = _Symmetric.apply(x, starts, neighbours, weights.to(x.dtype))
    return product


class _Symmetric(torch.autograd.Function):
    """A x; its gradient is A times the gradient, so A is never transposed."""

    @staticmethod
    def forward(ctx: FunctionCtx, x: Tensor, starts: Tensor, neighbours: Tensor, weights: Tensor) -> Tensor:
        ctx.save_for_backward(starts, neighbours, weights)
        return product(x, starts, neighbours, weights)

    @staticmethod
    def backward(ctx: FunctionCtx, *gradients: Tensor) -> tuple[Tensor, None, None, None]:
        return product(gradients[0].contiguous(), *ctx.saved_tensors), None, None, None  # type: ignore[attr-defined]


def product(x: Tensor, starts: Tensor, neighbours: Tensor, weights: Tensor) -> Tensor:
    """Return A x, (V, D)."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # torch's CSR support is in beta
        matrix = torch.sparse_csr_tensor(
            starts, neighbours, weights, (len(x), len(x)), device=x.device, check_invariants=False
        )
    with torch.autocast(x.device.type, enabled=False):  # no such product in bfloat16
        found: Tensor = matrix @ x
    return found
