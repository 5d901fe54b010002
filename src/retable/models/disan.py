"""DiSAN: every word attends, component by component, to the words before it and to those after it; no RNN, no CNN.

Source     Shen et al., "DiSAN: Directional Self-Attention Network for RNN/CNN-Free Language Understanding", AAAI 2018:
           multi-dimensional attention (section 3), DiSA and DiSAN (section 4); the authors' code, taoshen58/DiSAN.
Equations  h = ELU(W^h x + b^h); f(h_i, h_j) = c tanh((W^1 h_i + W^2 h_j + b^1) / c) + M_ij, c = 5; M^fw_ij is 0 where
           i < j, M^bw_ij where i > j, -inf elsewhere; s_j = sum_i softmax_i(f(h_i, h_j)) * h_i; F = sigmoid(W^f1 s +
           W^f2 h + b^f); u = F * h + (1 - F) * s; u of both directions concatenated; source2token f(u_i) =
           W ELU(W^1 u_i + b^1) + b, text = sum_i softmax_i(f(u_i)) * u_i. `*` is by component, as is each softmax.
Reading    a word with no word before (after) it has no softmax there: its s is zero, as in the authors' code. The last
           b of source2token is the same for all words and cancels in the softmax: it is left out. The classifier is
           that of the authors' code for SST: a ReLU layer as wide as h, then the output. Dropout, whose place the paper
           does not give, follows the code: on the input of every linear layer (W^1 and W^2 share one draw). The code
           for SST drops 0.3, has ReLU in place of ELU, and trains only the vectors of words without a given one; here
           0.2, and all are tuned, which dev prefers on AG's sample.
Decision   the L2 penalty is part of the loss and excludes biases and word vectors; the authors' code leaves out W^1 and
           W^2 too.
Departure  Adam at 1e-3, where the paper uses Adadelta at 0.5.
Method     pairs times components are too many to keep (64 texts of 400 words, 300 components: 12 GB in float32), so
           they are computed block by block, and again for the gradients (`Directed`). Scores lie within -c and c, so
           exp needs no maximum. The time still grows with the square of the words: cut long texts with max_words.
Shapes     B texts, T words (padded on the right), D vector size, H components of a word in one direction, M hidden
           units of the classifier, C classes, Q words of a block, S words that they can see.
"""

from collections.abc import Iterator
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from retable.layers.classifier import classifier_flops, text_classifier
from retable.layers.embedding import WordEmbedding
from retable.layers.encoder import first_weights
from retable.layers.network import Network
from retable.layers.options import Count, NonNegative, Share
from retable.layers.products import Linear

BOUND = 5.0  # c, bound of the scores
NUMBERS_IN_BLOCK = 1 << 22  # pairs times components computed at a time: 16 MB in float32


class DiSAN(Network):
    """Directional self-attention network.

    Args:
        embedding: the word vectors.
        classes: number of classes.
        hidden: components of a word in each direction, H.
        mlp_hidden: ReLU units between the text's vector and the classes.
        dropout: share of each linear layer's input components that are dropped in training, in [0, 1).
        penalty: factor of the L2 term of all weights except biases and word vectors.
    """

    def __init__(
        self,
        embedding: WordEmbedding,
        classes: int,
        *,
        hidden: Count = 300,
        mlp_hidden: Count = 300,
        dropout: Share = 0.2,
        penalty: NonNegative = 1e-4,
    ) -> None:
        super().__init__()
        self.embedding, self.penalty = embedding, penalty
        self.ahead = DirectionalAttention(embedding.dim, hidden, dropout, earlier=True)
        self.back = DirectionalAttention(embedding.dim, hidden, dropout, earlier=False)
        self.hidden_scores = Linear(2 * hidden, 2 * hidden)  # W^1, b^1 of source2token
        self.scores = Linear(2 * hidden, 2 * hidden, bias=False)  # W of source2token
        self.dropout = nn.Dropout(dropout)
        self.classifier = text_classifier(2 * hidden, mlp_hidden, classes, dropout)
        first_weights(self)

    def forward(self, words: Tensor, mask: Tensor) -> Tensor:
        """Map words (B, T) and their mask to logits (B, C)."""
        x = self.embedding(words)  # (B, T, D)
        u = torch.cat((self.ahead(x, mask), self.back(x, mask)), dim=2)  # (B, T, 2 H)
        logits: Tensor = self.classifier(self.dropout(self.text_vector(u, mask)))
        return logits

    def text_vector(self, u: Tensor, mask: Tensor) -> Tensor:
        """Apply source2token self-attention: map words (B, T, 2 H) and their mask to texts (B, 2 H)."""
        scores = self.scores(self.dropout(F.elu(self.hidden_scores(self.dropout(u)))))
        weights = torch.softmax(scores.masked_fill(~mask.unsqueeze(2), -torch.inf), dim=1)
        return (weights * u).sum(dim=1)

    def auxiliary_loss(self, classes: Tensor) -> Tensor:
        """Return the penalty times half the squared norm of all matrices except the word vectors."""
        matrices = (w for name, w in self.named_parameters() if w.dim() == 2 and not name.startswith("embedding"))
        return self.penalty / 2 * torch.stack([matrix.square().sum() for matrix in matrices]).sum()

    def flops_per_word(self, words_per_text: float) -> float:
        """Count forward FLOPs (2 per multiply-add): D H + 4 H^2 + (T - 1) / 2 H per word and direction, 8 H^2 + 2 H per
        word; the classifier per text.
        """
        parts = (self.ahead, self.back, self.hidden_scores, self.scores)
        matrices = sum(weight.numel() for part in parts for weight in part.parameters() if weight.dim() == 2)
        of_sums = (words_per_text - 1 + 2) * self.scores.in_features / 2  # for s of each word, and for the text
        return 2 * (matrices + of_sums) + classifier_flops(self.classifier) / words_per_text


class DirectionalAttention(nn.Module):
    """DiSA: masked token2token self-attention and a fusion gate.

    Args:
        size: size of a word vector, D.
        hidden: size of the output, H.
        dropout: share of each linear layer's input.
        earlier: whether a word attends to the words before it (M^fw) or after it (M^bw).
    """

    def __init__(self, size: int, hidden: int, dropout: float, *, earlier: bool) -> None:
        super().__init__()
        self.earlier = earlier
        self.hidden = Linear(size, hidden)  # W^h, b^h
        self.attended = Linear(hidden, hidden, bias=False)  # W^1
        self.attending = Linear(hidden, hidden)  # W^2, b^1
        self.gate_context = Linear(hidden, hidden, bias=False)  # W^f1
        self.gate_word = Linear(hidden, hidden)  # W^f2, b^f
        self.dropout = nn.Dropout(dropout)

    def forward(self, x: Tensor, mask: Tensor) -> Tensor:
        """Map words (B, T, D) and their mask to u, (B, T, H)."""
        h = F.elu(self.hidden(self.dropout(x)))
        read = self.dropout(h)
        s = attend(self.attended(read), self.attending(read), h, mask, earlier=self.earlier)
        gate = torch.sigmoid(self.gate_context(self.dropout(s)) + self.gate_word(self.dropout(h)))  # F
        return gate * h + (1 - gate) * s  # u


def attend(attended: Tensor, attending: Tensor, values: Tensor, mask: Tensor, *, earlier: bool) -> Tensor:
    """Return s, (B, T, H): for each word the mean of the words that it sees, weighted component by component.

    Args:
        attended, attending: the two terms of the scores, W^1 h and W^2 h + b^1, (B, T, H).
        values: h, the values that are averaged, (B, T, H).
        mask: (B, T), False on padding, which is never attended to.
        earlier: whether a word sees the words before it or after it.
    """
    dtype = torch.promote_types(values.dtype, torch.float32)  # sums over a text's words in bfloat16 lose digits
    s: Tensor
    s, _ = Directed.apply(attended.to(dtype), attending.to(dtype), values.to(dtype), mask, earlier)
    return s.to(values.dtype)


class Directed(torch.autograd.Function):
    """Compute s (B, T, H) and the softmax denominators (B, T, H), needed only for the gradients, in blocks of words."""

    @staticmethod
    def forward(
        attended: Tensor, attending: Tensor, values: Tensor, mask: Tensor, earlier: bool
    ) -> tuple[Tensor, Tensor]:
        s, totals = torch.empty_like(values), torch.empty_like(values)
        for block, seen in blocks(values, earlier):
            weights = block_weights(bent(attended, attending, block, seen), mask, block, seen, earlier)
            sums = weights.sum(dim=2)
            totals[:, block] = sums.masked_fill_(sums == 0, 1)  # for a word that sees no word, s is zero
            s[:, block] = weights.mul_(values[:, None, seen]).sum(dim=2) / totals[:, block]
        return s, totals

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: tuple[Tensor, Tensor]) -> None:
        ctx.save_for_backward(*inputs[:4], *output)
        ctx.mark_non_differentiable(output[1])
        ctx.earlier = inputs[4]

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor, Tensor, Tensor, None, None]:
        attended, attending, values, mask, s, totals = ctx.saved_tensors
        of_s = gradients[0] / totals
        of_attended, of_attending, of_values = (torch.zeros_like(values) for _ in range(3))
        for block, seen in blocks(values, ctx.earlier):
            curve = bent(attended, attending, block, seen)
            share = block_weights(curve, mask, block, seen, ctx.earlier).mul_(of_s[:, block, None])  # (B, Q, S, H)
            of_values[:, seen] += share.sum(dim=1)
            of_scores = share.mul_(values[:, None, seen] - s[:, block, None]).mul_(1 - curve.square())
            of_attended[:, seen] += of_scores.sum(dim=1)
            of_attending[:, block] = of_scores.sum(dim=2)
        return of_attended, of_attending, of_values, None, None


def blocks(values: Tensor, earlier: bool) -> Iterator[tuple[slice, slice]]:
    """Yield a block of attending words and the part of the text that they can see: slices (Q,) and (S,) of T."""
    texts, words, size = values.shape
    step = max(1, NUMBERS_IN_BLOCK // (texts * words * size))
    for start in range(0, words, step):
        stop = min(start + step, words)
        yield slice(start, stop), slice(0, stop) if earlier else slice(start, words)


def bent(attended: Tensor, attending: Tensor, block: slice, seen: slice) -> Tensor:
    """Return the scores divided by c, tanh((W^1 h_i + W^2 h_j + b^1) / c), (B, Q, S, H)."""
    return (attended[:, None, seen] + attending[:, block, None]).div_(BOUND).tanh_()


def block_weights(curve: Tensor, mask: Tensor, block: slice, seen: slice, earlier: bool) -> Tensor:
    """Return the softmax's numerators, exp(c tanh(.) + M), (B, Q, S, H); 0 where a word is not seen."""
    places = torch.arange(mask.shape[1], device=mask.device)
    distance = places[block].unsqueeze(1) - places[seen]  # j - i, (Q, S)
    visible = (distance > 0 if earlier else distance < 0) & mask[:, None, seen]  # (B, Q, S)
    return (curve * BOUND).exp_().mul_(visible.unsqueeze(3))
