"""Transformer-F: an encoder with correlation attention, weights for parts of speech, and fusion of all layers.

Source     Shi, "Transformer-F", section 3, eq. 1-7; docs/readings.md, "Transformer-F". What the paper leaves out is as
           in the plain Transformer: values and output projection, residuals, norms, feed-forward, positions.
Strategies each an option, so that it can run alone: `attention` (+ATT_COR), `weigh_parts` (+W_POS), `fusion`
           (+Hook_multi). With dot-product, false and last the network is the plain Transformer.
Reading    the correlated vectors are the layer's input, so these layers have no queries and keys; nothing is divided by
           sqrt(d). Rows of the correlation matrix have unit norm over the real words, without padding. A vector of
           equal components has no variance: it correlates 0 with all. With several heads each correlates its slice of
           the components. Eq. 7 sums from l = 1, because b / 0 is undefined.
Method     the softmax times the weights, rescaled to sum to one, is the softmax of scores + log weight; without
           rescaling the weights may as well multiply the values. Each layer is averaged over words before the layers
           are fused: the sums commute.
Shapes     B texts, T words (padded on the right), d size of the model, h heads, N layers, P parts of speech, C classes.
"""

from collections.abc import Sequence
from typing import Annotated, Literal

import torch
from torch import Tensor, nn

from retable.errors import InputError
from retable.layers.attention import attend, padding_bias, split_heads
from retable.layers.embedding import WordEmbedding
from retable.layers.encoder import EncoderInput, EncoderLayer, check_heads, first_weights, layer_flops, mean_over_words
from retable.layers.network import Network, Task
from retable.layers.options import Count, Positive, Range, Share
from retable.layers.products import Linear
from retable.layers.wide import at_least_float32
from retable.text.parts.content import CONTENT, is_content

Attention = Literal["correlation", "dot-product"]
On = Literal["inputs", "projections"]
Weigh = Literal["after", "before"]
Fusion = Literal["hook", "last"]
UNIVERSAL = (
    *("ADJ", "ADP", "ADV", "AUX", "CCONJ", "DET", "INTJ", "NOUN", "NUM", "PART"),
    *("PRON", "PROPN", "PUNCT", "SCONJ", "SYM", "VERB", "X"),
)
Content = Annotated[
    Sequence[str],
    Range(
        f"one or more of {', '.join(UNIVERSAL)} and of jieba's flags",
        lambda parts: bool(parts) and all(part in UNIVERSAL or part.islower() for part in parts),
    ),
]
EQUAL = 1e-6  # smaller differences of components, relative to the vector's length, are rounding


def standardised(x: Tensor) -> Tensor:
    """Return vectors (..., d) minus their mean component, scaled to length one; zeros for equal components."""
    x = at_least_float32(x)
    centred = x - x.mean(dim=-1, keepdim=True)
    length = torch.linalg.vector_norm(centred, dim=-1, keepdim=True)
    has_none = length <= EQUAL * torch.linalg.vector_norm(x, dim=-1, keepdim=True)
    return centred / length.masked_fill(has_none, torch.inf)


def correlations(x: Tensor, y: Tensor) -> Tensor:
    """Return the correlation coefficients rho of every vector of x with every one of y (eq. 2-4).

    Args:
        x, y: vectors, float, (..., T, d); mean and variance are over their d components.
    Returns: (..., T, T), in [-1, 1].
    """
    left = standardised(x)
    right = left if y is x else standardised(y)
    return left @ right.transpose(-1, -2)


def with_unit_rows(matrix: Tensor, is_padding: Tensor) -> Tensor:
    """Return rows scaled to unit norm over the columns that are not padding; a row of zeros stays."""
    norm = torch.linalg.vector_norm(matrix.masked_fill(is_padding, 0.0), dim=-1, keepdim=True)
    return matrix / norm.masked_fill(norm == 0, torch.inf)


def hook(layers: int, a: float, b: float) -> list[float]:
    """Return the weight of each layer's output, (a l + b / l) / (N / 2) for l = 1 ... N (eq. 6)."""
    return [(a * layer + b / layer) / (layers / 2) for layer in range(1, layers + 1)]


class WeighedAttention(nn.Module):
    """Attention by correlation or dot product, with weights on the attended words (eq. 1-5).

    Args: those of TransformerF, except `rescale`, which the model puts into the bias.
    """

    def __init__(self, size: int, heads: int, *, attention: Attention, on: On, normalise: bool, weigh: Weigh) -> None:
        super().__init__()
        self.heads, self.correlate, self.normalise, self.weigh = heads, attention == "correlation", normalise, weigh
        self.on_inputs = self.correlate and on == "inputs"
        self.projections = Linear(size, (1 if self.on_inputs else 3) * size)
        self.output = Linear(size, size)

    def forward(self, x: Tensor, bias: Tensor, weights: Tensor | None = None) -> Tensor:
        """Map words (B, T, d), the bias and optional weights of the attended words (B, 1, 1, T) to (B, T, d)."""
        projected = self.projections(x)
        if self.on_inputs:
            query = key = split_heads(x, self.heads)
            value = split_heads(projected, self.heads)
        else:
            query, key, value = (split_heads(part, self.heads) for part in projected.chunk(3, dim=2))
        if not self.correlate:
            scores = (query * query.shape[3] ** -0.5) @ key.transpose(2, 3)
        elif self.normalise:
            scores = with_unit_rows(correlations(query, key), bias == -torch.inf)
        else:
            scores = correlations(query, key)
        if weights is not None and self.weigh == "before":
            scores = scores * weights
        elif weights is not None:
            value = value * weights.transpose(2, 3)
        attended: Tensor = self.output(attend(scores + bias, value))  # eq. 1 and 5
        return attended


class TransformerF(Network):
    """Transformer-F.

    Args:
        embedding: the word vectors; they are projected if their width is not `size`.
        classes: number of classes.
        parts: names of the parts of speech, the unknown one first.
        layers: encoder layers, N.
        size: width of the encoder, an even number and a multiple of `heads`.
        heads: attention heads.
        dropout: dropout rate, in [0, 1).
        scale: multiply the words by sqrt(size) before positions are added.
        attention: correlation (eq. 1-4), or the plain dot-product.
        on: what is correlated, the layer's inputs or their query and key projections.
        normalise: scale the rows of the correlation matrix to unit norm (3.1).
        weigh_parts: weigh the attended words by their part of speech (eq. 5).
        weigh: after the softmax (the paper's equation) or before it (its text).
        rescale: scale the weighted rows to sum to one again; no effect if `weigh` is before.
        content: parts of speech of content words; a letter means all of jieba's flags that begin with it.
        content_weight, other_weight: weights of content words (A_weight) and all others (R_weight), above 0.
        fusion: hook (eq. 6-7), or the last layer's output alone.
        hook_a, hook_b: a and b of eq. 6, of the same sign.
    Raises: ValueError if two options do not fit each other, InputError if no part of speech of the texts is content.
    """

    reads = ("parts",)
    part_weights: Tensor
    layer_weights: Tensor

    def __init__(
        self,
        embedding: WordEmbedding,
        classes: int,
        parts: Sequence[str],
        *,
        layers: Count = 6,
        size: int = 512,
        heads: Count = 1,
        dropout: Share = 0.1,
        scale: bool = True,
        attention: Attention = "correlation",
        on: On = "inputs",
        normalise: bool = True,
        weigh_parts: bool = True,
        weigh: Weigh = "after",
        rescale: bool = True,
        content: Content = CONTENT,
        content_weight: Positive = 1.0,
        other_weight: Positive = 0.5,
        fusion: Fusion = "hook",
        hook_a: float = 0.4,
        hook_b: float = 2.9,
    ) -> None:
        super().__init__()
        check_heads(size, heads)
        if not hook_a * hook_b > 0:
            raise ValueError(f"hook_a is {hook_a}, hook_b is {hook_b}; allowed: nonzero numbers of the same sign")
        self.embedding = embedding
        self.inputs = EncoderInput(embedding.dim, size, scale=scale, dropout=dropout)
        self.layers = nn.ModuleList(
            EncoderLayer(
                WeighedAttention(size, heads, attention=attention, on=on, normalise=normalise, weigh=weigh),
                size,
                dropout=dropout,
            )
            for _ in range(layers)
        )
        self.output = nn.Linear(size, classes)
        first_weights(self)
        self.projections = 2 if attention == "correlation" and on == "inputs" else 4
        self.weigh_parts, self.in_bias = weigh_parts, weigh == "after" and rescale
        of_parts = [content_weight if is_content(part, content) else other_weight for part in parts]
        if weigh_parts and len(parts) > 1 and not any(is_content(part, content) for part in parts):
            raise InputError(
                f"model.content is {list(content)}, but the parts of speech of the training texts are "
                f"{', '.join(parts[1:])}: no word would be a content word."
            )
        of_layers = hook(layers, hook_a, hook_b) if fusion == "hook" else [0.0] * (layers - 1) + [1.0]
        self.register_buffer("part_weights", torch.tensor(of_parts), persistent=False)  # (P,)
        self.register_buffer("layer_weights", torch.tensor(of_layers), persistent=False)  # (N,)

    @classmethod
    def needs(cls, task: Task) -> tuple[object, ...]:
        """Return the number of classes, and the parts of speech."""
        return task.classes, task.parts

    def forward(self, words: Tensor, mask: Tensor, parts: Tensor) -> Tensor:
        """Map words (B, T), their mask and their parts of speech to logits (B, C)."""
        x, attended = self.inputs(self.embedding(words)), self.attended(mask, parts)
        of_layers = []
        for layer in self.layers:
            x = layer(x, *attended)  # (B, T, d)
            of_layers.append(mean_over_words(x, mask))
        fused = (self.layer_weights[:, None, None] * torch.stack(of_layers)).sum(dim=0)  # eq. 7, (B, d)
        logits: Tensor = self.output(fused)
        return logits

    def attended(self, mask: Tensor, parts: Tensor) -> tuple[Tensor, ...]:
        """Return a bias on the attended words and, unless the bias includes them, their weights (B, 1, 1, T)."""
        bias = padding_bias(mask)
        if not self.weigh_parts:
            return (bias,)
        weights = self.part_weights[parts][:, None, None]  # W_POS, eq. 5
        return (bias + weights.log(),) if self.in_bias else (bias, weights)

    def flops_per_word(self, words_per_text: float) -> float:
        """Return FLOPs, two per multiply-add: like the plain Transformer, without queries and keys if unused."""
        of_layers = len(self.layers) * layer_flops(self.inputs.size, words_per_text, projections=self.projections)
        return self.inputs.flops_per_word() + of_layers + 2 * self.output.weight.numel() / words_per_text
