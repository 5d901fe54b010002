"""FCSR: every word with its full left and right context, two gated sub-cells, then attention over features.

Source     "Full-Context Semantic Representation", section 3, eq. 1-9; section 5.3 and figure 3 (the window);
           docs/readings.md, "FCSR".
Reading    the feature attention multiplies over words: (R Wq)^T (R Wk) is a Gram matrix of features (eq. 9). A window
           is what figure 3 counts for its CNN too: a field of w words with the word itself in the middle.
Decision   dropout, which the paper does not specify, is on the word vectors S and on the text's vector r.
Shapes     B texts, T words (padded on the right), N real words in all texts, n vector size, C classes.
"""

from typing import Literal

import torch
from torch import Tensor, nn

from retable.layers.context import full_scale_context
from retable.layers.embedding import WordEmbedding
from retable.layers.network import Network
from retable.layers.options import CountOrZero, NonNegative, Share
from retable.layers.products import Linear

Gate = Literal["relu", "sigmoid"]
Activation = Literal["as-gates", "sigmoid", "softmax"]
WindowMeans = Literal["field", "distance"]
Contexts = tuple[Tensor, Tensor, Tensor]
WEIGHTS = 33  # n^2 multiply-adds per word: 24 gates, 8 Wq and Wk, 1 Gram matrix
GATES = {"relu": torch.relu_, "sigmoid": torch.sigmoid_}  # in place: the inputs are not needed again


class SubCell(nn.Module):
    """Additive attention over three vectors and a gated tanh (eq. 4); one product makes all four gates (eq. 5, 7)."""

    def __init__(self, size: int, gate: str) -> None:
        super().__init__()
        self.gates = Linear(3 * size, 4 * size)  # W and b of Gq, Gk, Gv, Go
        self.activate = GATES[gate]

    def forward(self, x: Tensor, y: Tensor, z: Tensor) -> tuple[Tensor, Tensor]:
        """Map three vectors per word, each (N, n), to f_a and f_t, each (N, n)."""
        gates = self.activate(self.gates(torch.cat((x, y, z), dim=1)))  # eq. 5 or 7, (N, 4n)
        query, key, value, output = gates.chunk(4, dim=1)
        mixed = x * query + y * key + z * value  # f_a, eq. 4
        return mixed, torch.tanh(mixed) * output  # f_t, eq. 4


class FeatureAttention(nn.Module):
    """Map all words of a text to one vector by a Gram matrix of features (eq. 9)."""

    def __init__(self, size: int, activation: str) -> None:
        super().__init__()
        self.size, self.activation = size, activation
        self.projections = Linear(4 * size, 2 * size, bias=False)  # Wq, Wk
        self.selection = nn.Linear(size, 1, bias=False)  # Wf

    def forward(self, features: Tensor, real: Tensor, shape: torch.Size) -> Tensor:
        """Map R, (N, 4n), of the words at the places `real` in a batch of `shape` (B, T) to r, (B, n)."""
        projected = self.projections(features)  # (N, 2n)
        padded = projected.new_zeros(shape.numel(), 2 * self.size).index_copy(0, real, projected)
        query, key = padded.view(*shape, 2 * self.size).chunk(2, dim=2)
        gram = (query / self.size**0.5).transpose(1, 2) @ key  # summed over the words, (B, n, n)
        active = torch.softmax(gram, dim=2) if self.activation == "softmax" else GATES[self.activation](gram)
        r: Tensor = self.selection(active).flatten(1)
        return r


class Representation(nn.Module):
    """Map words and contexts to the vector r of their text: both sub-cells and the feature attention (eq. 4-9)."""

    def __init__(self, size: int, gate: str, activation: str) -> None:
        super().__init__()
        self.integration = SubCell(size, gate)
        self.analysis = SubCell(size, gate)
        self.attention = FeatureAttention(size, gate if activation == "as-gates" else activation)

    def forward(self, contexts: Contexts, real: Tensor, shape: torch.Size) -> Tensor:
        """Map S, S_l and S_r, each (N, n), of the words at places `real` in a batch of `shape` (B, T) to r, (B, n)."""
        s, s_left, s_right = contexts
        c, c_hat = self.integration(s, s_left, s_right)  # eq. 6
        h, h_hat = self.analysis(s, c, c_hat)  # eq. 8
        r: Tensor = self.attention(torch.cat((c, c_hat, h, h_hat), dim=1), real, shape)  # eq. 9
        return r


class FCSR(Network):
    """Full-Context Semantic Representation.

    Args:
        embedding: the word vectors S, of size n.
        classes: number of classes.
        alpha: share of a context kept per step (FOFE), in [0, 1).
        window: words that each word sees, 0 for the whole text (figure 3).
        window_means: field, the word itself and (window - 1) / 2 words on each side, so the window must be odd; or
            distance, `window` words on each side.
        gate: function of the gates: relu (the paper's sentence) or sigmoid (its symbol).
        activation: function of the Gram matrix: as-gates, sigmoid, or softmax over the second feature axis.
        dropout: share of the components of S and of r that are dropped in training, in [0, 1).
        spread: standard deviation of the normal distribution of the first weights; biases start at 0.
    Raises: ValueError if two options do not fit each other.
    """

    def __init__(
        self,
        embedding: WordEmbedding,
        classes: int,
        *,
        alpha: Share = 0.2,
        window: CountOrZero = 0,
        window_means: WindowMeans = "field",
        gate: Gate = "relu",
        activation: Activation = "softmax",
        dropout: Share = 0.5,
        spread: NonNegative = 0.05,
    ) -> None:
        super().__init__()
        self.embedding = embedding
        self.alpha, self.reach = alpha, reach_of(window, window_means)
        self.size, self.classes = embedding.dim, classes
        self.representation = Representation(self.size, gate, activation)
        self.dropout = nn.Dropout(dropout)
        self.output = nn.Linear(self.size, classes)
        self.first_weights(spread)

    def first_weights(self, spread: float) -> None:
        """Draw normal numbers for every matrix and zeros for every bias, except for word vectors."""
        for name, parameter in self.named_parameters():
            if name.endswith("bias"):
                nn.init.zeros_(parameter)
            elif not name.startswith("embedding"):
                nn.init.normal_(parameter, std=spread)

    def forward(self, words: Tensor, mask: Tensor) -> Tensor:
        """Map words (B, T) and their mask to logits (B, C)."""
        contexts, real = self.contexts_of_words(words, mask)
        r = self.representation(contexts, real, mask.shape)
        logits: Tensor = self.output(self.dropout(r))
        return logits

    def contexts_of_words(self, words: Tensor, mask: Tensor) -> tuple[Contexts, Tensor]:
        """Return S, S_l and S_r of the real words, each (N, n), and their places in the batch, (N,)."""
        padded = self.dropout(self.embedding(words))  # (B, T, n)
        contexts = full_scale_context(padded, mask, self.alpha, reach=self.reach)  # eq. 2-3
        real = mask.flatten().nonzero().squeeze(1)  # the sub-cells skip padding
        s, s_left, s_right = (narrowed(x.flatten(0, 1).index_select(0, real)) for x in (padded, *contexts))
        return (s, s_left, s_right), real

    def flops_per_word(self, words_per_text: float) -> float:
        """Count forward FLOPs (2 per multiply-add): 33 n^2 and the contexts per word; n^2 + n C per text."""
        n = self.size
        of_text = n**2 + n * self.classes  # Wf, output
        return 2 * (WEIGHTS * n**2 + self.context_products * n + of_text / words_per_text)

    @property
    def context_products(self) -> int:
        """Return the multiply-adds per component of a word in both contexts: one per side, three with a window."""
        return 2 if self.reach is None else 6


def narrowed(x: Tensor) -> Tensor:
    """Return x in autocast's precision if it is on, so that gates multiply values of their own precision."""
    kind = x.device.type
    return x.to(torch.get_autocast_dtype(kind)) if torch.is_autocast_enabled(kind) else x


def reach_of(window: int, means: WindowMeans) -> int | None:
    """Return the number of words in a context on each side, None for all.

    Raises: ValueError with the option, its value and what is allowed.
    """
    if not window:
        return None
    if means == "distance":
        return window
    if window % 2 == 0:
        raise ValueError(f"window is {window}; allowed: 0 (the whole text) or, as a field, an odd number")
    return (window - 1) // 2
