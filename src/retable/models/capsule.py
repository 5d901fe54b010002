"""Capsule-A and Capsule-B: n-grams as capsules, routed by agreement to capsules of windows, then of classes.

Source     Zhao, Ye, Yang, Lei, Zhang, Zhao, "Investigating Capsule Networks with Dynamic Routing for Text
           Classification", EMNLP 2018, section 2: from the authors' code, andyweizhao/capsule_text_classification, and
           notes, not checked against the paper, nor are equation numbers. Routing: Sabour, Frosst, Hinton, "Dynamic
           Routing Between Capsules", NIPS 2017. The presets' 32, 32, 16 and 16 are those of both texts.
Equations  m_i = ReLU(W^a x_{i:i+K1-1} + b_0) (eq. 1); p_i = g(W^b m_i + b_1) (2-3), C capsules per place; from child to
           parent u^_{j|i} = W_j u_i + b^_j (4); c_{j|i} = a_i leaky-softmax(b_i)_j (6); v_j = g(sum_i c_{j|i}
           u^_{j|i}), a_j = |v_j| (7); b_{j|i} += u^_{j|i} . v_j (8); g(s) = |s|^2 / (1 + |s|^2) s / |s|. Children are
           first the K2 C capsules of a window, then all capsules of a text; the last parents are classes and orphan.
Reading    Capsule-A is one width of n-grams, 3; Capsule-B has 3, 4 and 5 in parallel, and averages their last capsules.
           Stride 1 (the code 2), squash g of Sabour et al. (the code has 0.5 for 1), a bias b^_j (the code none), leaky
           softmax and amendment of c (both switched off in the code). The leak is a parent of score 0. W_j is shared by
           all children: separate ones need texts of one length. The margin loss counts the orphan as a class that is
           never present, with the code's weight 0.25 for absent classes (Sabour et al.: 0.5).
Method     sum_i c_{j|i} u^_{j|i} = W_j sum_i c_{j|i} u_i + b^_j sum_i c_{j|i}, and u^_{j|i} . v_j = u_i . W_j^T v_j +
           b^_j . v_j: no u^ is formed. In training with the margin loss the logits have no gradient, so the
           cross-entropy adds a constant to the loss and nothing to what is learned.
Decision   the lengths of the classes' capsules are the logits; the orphan is never the answer (it can be the code's).
           Given word vectors are tuned (the code's default: fixed). A text has only its own words, where the code pads
           all to 200; a text of fewer than K1 + K2 - 1 words is padded with zeros to have one window. Biases start at
           0, weights as in He et al. up to the primary capsules, and W_j with standard deviation sqrt(J / d): with the
           code's (Xavier's), amended and leaky coefficients leave all lengths at 0, where nothing is learned.
Shapes     B texts, T words (padded on the right), D vector size, P places of n-grams, W windows, d components of a
           capsule, N groups of children, I children, J parents, E classes and the orphan, C classes.
"""

from typing import Literal

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from retable.layers.embedding import WordEmbedding
from retable.layers.network import Network
from retable.layers.options import Count, Counts
from retable.layers.products import Linear
from retable.layers.wide import at_least_float32

PRESENT, ABSENT, ABSENT_WEIGHT = 0.9, 0.1, 0.25  # m+, m- and lambda of the margin loss
Loss = Literal["margin", "cross-entropy"]


def squash(s: Tensor) -> Tensor:
    """Return g of vectors (..., d): the same direction, with a length between 0 and 1."""
    length = torch.linalg.vector_norm(s, dim=-1, keepdim=True)
    return length / (1 + length.square()) * s


class Routing(nn.Module):
    """Route child capsules to parent capsules by agreement.

    Args:
        size: components of a capsule, d.
        parents: number of parents, J.
        iterations: rounds of routing.
        leaky: whether a child may also be routed nowhere.
        amend: whether a child's output is multiplied by its length.
    """

    def __init__(self, size: int, parents: int, *, iterations: int, leaky: bool, amend: bool) -> None:
        super().__init__()
        self.iterations, self.leaky, self.amend = iterations, leaky, amend
        self.weight = nn.Parameter(torch.empty(parents, size, size))  # W_j
        self.bias = nn.Parameter(torch.zeros(parents, size))  # b^_j
        nn.init.normal_(self.weight, std=(parents / size) ** 0.5)

    def forward(self, u: Tensor, real: Tensor) -> Tensor:
        """Map children (N, I, d), counted where `real` (N, I) is True, to parents (N, J, d)."""
        share = torch.linalg.vector_norm(u, dim=2) * real if self.amend else real.to(u.dtype)  # a_i, (N, I)
        scores = u.new_zeros(*u.shape[:2], len(self.weight))  # b, (N, I, J)
        v = self.parents(u, share, scores)
        for _ in range(self.iterations - 1):
            scores = scores + self.agreement(u, v)
            v = self.parents(u, share, scores)
        return v

    def parents(self, u: Tensor, share: Tensor, scores: Tensor) -> Tensor:
        """Return v (N, J, d), eq. 6 and 7."""
        weights = leaky_softmax(scores) if self.leaky else torch.softmax(scores, dim=2)
        coupling = (weights * share.unsqueeze(2)).transpose(1, 2)  # c, eq. 6, (N, J, I)
        sent = torch.einsum("njd,jed->nje", coupling @ u, self.weight)
        return squash(sent + coupling.sum(dim=2, keepdim=True) * self.bias)  # eq. 7

    def agreement(self, u: Tensor, v: Tensor) -> Tensor:
        """Return u^_{j|i} . v_j (N, I, J), eq. 8."""
        asked = torch.einsum("nje,jed->njd", v, self.weight)
        return u @ asked.transpose(1, 2) + (v * self.bias).sum(dim=2).unsqueeze(1)

    def products(self, children: float) -> float:
        """Return the multiply-adds of a group: c u, W_j times it, and the agreement between rounds."""
        parents, size, _ = self.weight.shape
        return (2 * self.iterations - 1) * (children * parents * size + self.weight.numel())


def leaky_softmax(scores: Tensor) -> Tensor:
    """Return exp(b_j) / (1 + sum_k exp(b_k)) over the last dimension."""
    return torch.softmax(F.pad(scores, (1, 0)), dim=-1)[..., 1:]


class NGrams(nn.Module):
    """Map words to the capsules of the classes, with one width of n-grams.

    Args:
        dim: components of a word.
        width: words of an n-gram, K1.
        filters: filters of the n-gram convolution.
        primary: capsules at each place.
        window: places whose capsules are the children of a convolutional capsule, K2.
        to_windows: routing to the convolutional capsules.
        to_classes: routing to the classes.
    """

    def __init__(
        self, dim: int, width: int, filters: int, primary: int, window: int, to_windows: Routing, to_classes: Routing
    ) -> None:
        super().__init__()
        self.width, self.window, self.capsules = width, window, primary
        self.convolution = nn.Conv1d(dim, filters, width)  # W^a, b_0
        self.primary = Linear(filters, primary * to_windows.weight.shape[1])  # W^b, b_1
        self.to_windows, self.to_classes = to_windows, to_classes
        for layer in (self.convolution, self.primary):
            nn.init.kaiming_normal_(layer.weight, nonlinearity="relu")
            assert layer.bias is not None  # torch's default
            nn.init.zeros_(layer.bias)

    def forward(self, x: Tensor, mask: Tensor) -> Tensor:
        """Map words (B, T, D), zero where the mask (B, T) is False, to capsules (B, E, d)."""
        least = self.width + self.window - 1
        x = F.pad(x, (0, 0, 0, max(least - x.shape[1], 0)))
        grams = F.relu(self.convolution(x.transpose(1, 2))).transpose(1, 2)  # eq. 1, (B, P, filters)
        capsules = squash(self.primary(grams).unflatten(2, (self.capsules, -1)))  # eq. 2-3, (B, P, primary, d)
        windows = capsules.unfold(1, self.window, 1).permute(0, 1, 4, 2, 3)  # (B, W, K2, primary, d)
        children = windows.flatten(2, 3).flatten(0, 1)  # (B W, I, d)
        every = torch.ones(1, 1, dtype=torch.bool, device=x.device).expand(children.shape[:2])
        parents = self.to_windows(children, every).view(len(x), -1, children.shape[2])
        count = mask.sum(dim=1).clamp(min=least) - least + 1  # number of windows of a text's own words
        is_own = torch.arange(windows.shape[1], device=x.device) < count.unsqueeze(1)  # (B, W)
        capsules_of_window = parents.shape[1] // windows.shape[1]
        own: Tensor = self.to_classes(parents, is_own.repeat_interleave(capsules_of_window, dim=1))
        return own

    def products(self, words: float) -> float:
        """Return the multiply-adds of a text."""
        windows = max(words - self.width - self.window + 2, 1)
        places = windows + self.window - 1
        of_places = places * (self.convolution.weight.numel() + self.primary.weight.numel())
        of_windows = windows * self.to_windows.products(self.window * self.capsules)
        return of_places + of_windows + self.to_classes.products(windows * len(self.to_windows.weight))


class Capsule(Network):
    """Capsule network over n-grams.

    Args:
        embedding: the word vectors.
        classes: number of classes.
        widths: words of an n-gram, K1, one network each; [3] is Capsule-A, [3, 4, 5] Capsule-B.
        filters: filters of each n-gram convolution.
        primary: capsules at each place of an n-gram.
        window: places whose capsules are the children of a convolutional capsule, K2.
        capsules: convolutional capsules of a window.
        size: components of a capsule, d.
        iterations: rounds of routing.
        orphan: whether the last layer has a capsule for content that belongs to no class.
        leaky: whether a child capsule may also be routed nowhere (leaky softmax).
        amend: whether a child capsule's output is multiplied by its length (coefficient amendment).
        loss: margin (on the lengths of the last capsules), cross-entropy (of the lengths, as logits).
    """

    answers_for_domains = False  # the margin loss would need the domains

    def __init__(
        self,
        embedding: WordEmbedding,
        classes: int,
        *,
        widths: Counts = (3, 4, 5),
        filters: Count = 32,
        primary: Count = 32,
        window: Count = 3,
        capsules: Count = 16,
        size: Count = 16,
        iterations: Count = 3,
        orphan: bool = True,
        leaky: bool = True,
        amend: bool = True,
        loss: Loss = "margin",
    ) -> None:
        super().__init__()
        self.embedding, self.classes, self.loss = embedding, classes, loss
        self.networks = nn.ModuleList()
        for width in widths:
            to_windows, to_classes = (
                Routing(size, parents, iterations=iterations, leaky=leaky, amend=amend)
                for parents in (capsules, classes + orphan)
            )
            self.networks.append(NGrams(embedding.dim, width, filters, primary, window, to_windows, to_classes))
        self.lengths_of_batch: Tensor | None = None  # in training, from forward to auxiliary_loss

    def forward(self, words: Tensor, mask: Tensor) -> Tensor:
        """Map words (B, T) and their mask to logits (B, C)."""
        x = self.embedding(words) * mask.unsqueeze(2)  # (B, T, D)
        last = torch.stack([network(x, mask) for network in self.networks]).mean(dim=0)  # (B, E, d)
        lengths = torch.linalg.vector_norm(last, dim=2)  # a_j, (B, E)
        by_margin = self.training and self.loss == "margin"
        self.lengths_of_batch = lengths if by_margin else None
        logits = lengths[:, : self.classes]
        return logits.detach() if by_margin else logits

    def auxiliary_loss(self, classes: Tensor) -> Tensor | None:
        """Return the margin loss of the last batch of `forward`; None if another loss is used."""
        lengths, self.lengths_of_batch = self.lengths_of_batch, None
        return None if lengths is None else margin_loss(lengths, classes)

    def flops_per_word(self, words_per_text: float) -> float:
        """Count forward FLOPs (2 per multiply-add): convolutions, primary capsules, both routings per width."""
        of_text = sum(each.products(words_per_text) for each in self.networks if isinstance(each, NGrams))
        return 2 * of_text / words_per_text


def margin_loss(lengths: Tensor, classes: Tensor) -> Tensor:
    """Return the margin loss (Sabour et al., eq. 4) of lengths (B, E) and classes (B,), averaged over texts."""
    lengths = at_least_float32(lengths)
    present = F.one_hot(classes, lengths.shape[1])
    missing, too_long = F.relu(PRESENT - lengths).square(), F.relu(lengths - ABSENT).square()
    return (present * missing + ABSENT_WEIGHT * (1 - present) * too_long).sum(dim=1).mean()
