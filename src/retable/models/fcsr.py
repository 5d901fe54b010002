"""FCSR: every word with all that stands left and right of it, two gated sub-cells, then attention over features.

Source     "Full-Context Semantic Representation", section 3, eq. 1-9; docs/readings.md, "FCSR".
Reading    the feature attention multiplies over words: (R Wq)^T (R Wk) is a Gram matrix of features (eq. 9).
Decision   dropout, which the paper leaves open, stands on the word vectors S and on the text's vector r.
Shapes     B texts, T words (padded on the right), N real words in all texts, n vector size, C classes.
"""

from typing import Literal, get_args

import torch
from torch import Tensor, nn

from retable.layers.context import full_scale_context
from retable.layers.embedding import WordEmbedding
from retable.models.options import check_at_least, check_choice, check_share

Gate = Literal["relu", "sigmoid"]
Activation = Literal["as-gates", "sigmoid", "softmax"]
GATES = {"relu": torch.relu_, "sigmoid": torch.sigmoid_}  # in place: nothing needs the values before


class SubCell(nn.Module):
    """Additive attention over three vectors and a gated tanh (eq. 4); one product makes all four gates (eq. 5, 7)."""

    def __init__(self, size: int, gate: str) -> None:
        super().__init__()
        self.gates = nn.Linear(3 * size, 4 * size)  # W and b of Gq, Gk, Gv, Go
        self.activate = GATES[gate]

    def forward(self, x: Tensor, y: Tensor, z: Tensor) -> tuple[Tensor, Tensor]:
        """Three vectors a word, each (N, n), to f_a and f_t, each (N, n)."""
        gates = self.activate(self.gates(torch.cat((x, y, z), dim=1)))  # eq. 5 or 7, (N, 4n)
        query, key, value, output = gates.chunk(4, dim=1)
        mixed = x * query + y * key + z * value  # f_a, eq. 4
        return mixed, torch.tanh(mixed) * output  # f_t, eq. 4


class FeatureAttention(nn.Module):
    """All words of a text to one vector, by a Gram matrix of features (eq. 9)."""

    def __init__(self, size: int, activation: str) -> None:
        super().__init__()
        self.size, self.activation = size, activation
        self.projections = nn.Linear(4 * size, 2 * size, bias=False)  # Wq, Wk
        self.selection = nn.Linear(size, 1, bias=False)  # Wf

    def forward(self, features: Tensor, real: Tensor, shape: torch.Size) -> Tensor:
        """R, (N, 4n), of the words at the places `real` of a batch of `shape` (B, T), to r, (B, n)."""
        projected = self.projections(features)  # (N, 2n)
        padded = projected.new_zeros(shape.numel(), 2 * self.size).index_copy(0, real, projected)
        query, key = padded.view(*shape, 2 * self.size).chunk(2, dim=2)
        gram = (query / self.size**0.5).transpose(1, 2) @ key  # summed over the words, (B, n, n)
        active = torch.softmax(gram, dim=2) if self.activation == "softmax" else GATES[self.activation](gram)
        r: Tensor = self.selection(active).flatten(1)
        return r


class FCSR(nn.Module):
    """Full-Context Semantic Representation.

    Args:
        embedding: the words' vectors S, of size n.
        classes: number of classes.
        alpha: share of a context kept per step (FOFE), in [0, 1).
        gate: function of the gates: relu (the paper's sentence) or sigmoid (its symbol).
        activation: function of the Gram matrix: as-gates, sigmoid, or softmax over the second feature axis.
        dropout: share of the components of S and of r that are dropped in training, in [0, 1).
        spread: standard deviation of the normal distribution of the first weights; biases start at 0.
    Raises: ValueError if an option is outside its range.
    """

    def __init__(
        self,
        embedding: WordEmbedding,
        classes: int,
        *,
        alpha: float = 0.2,
        gate: Gate = "relu",
        activation: Activation = "as-gates",
        dropout: float = 0.5,
        spread: float = 0.05,
    ) -> None:
        super().__init__()
        check_share("alpha", alpha)
        check_choice("gate", gate, get_args(Gate))
        check_choice("activation", activation, get_args(Activation))
        check_share("dropout", dropout)
        check_at_least("spread", spread, 0)
        self.embedding = embedding
        self.alpha, self.size, self.classes = alpha, embedding.dim, classes
        self.integration = SubCell(self.size, gate)
        self.analysis = SubCell(self.size, gate)
        self.attention = FeatureAttention(self.size, gate if activation == "as-gates" else activation)
        self.dropout = nn.Dropout(dropout)
        self.output = nn.Linear(self.size, classes)
        for name, parameter in self.named_parameters():
            if name.endswith("bias"):
                nn.init.zeros_(parameter)
            elif not name.startswith("embedding"):
                nn.init.normal_(parameter, std=spread)

    def forward(self, words: Tensor, mask: Tensor) -> Tensor:
        """Words (B, T) and their mask to logits (B, C)."""
        padded = self.dropout(self.embedding(words))  # (B, T, n)
        contexts = full_scale_context(padded, mask, self.alpha)  # eq. 2-3
        real = mask.flatten().nonzero().squeeze(1)  # padding takes no part in the sub-cells, and costs nothing there
        s, s_left, s_right = (x.flatten(0, 1).index_select(0, real) for x in (padded, *contexts))  # (N, n)
        c, c_hat = self.integration(s, s_left, s_right)  # eq. 6
        h, h_hat = self.analysis(s, c, c_hat)  # eq. 8
        r = self.attention(torch.cat((c, c_hat, h, h_hat), dim=1), real, mask.shape)  # eq. 9, (B, n)
        logits: Tensor = self.output(self.dropout(r))
        return logits

    def flops_per_word(self, words_per_text: float) -> float:
        """Forward multiply-adds, times two: 24 n^2 gates, 8 n^2 Wq and Wk, n^2 Gram, 2 n contexts; n^2 + n C a text."""
        n = self.size
        return 2 * (33 * n**2 + 2 * n + (n**2 + n * self.classes) / words_per_text)
