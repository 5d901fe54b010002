"""Universal Transformer: one encoder layer applied again and again, a fixed number of times or until each word halts.

Source     Dehghani et al., "Universal Transformers", ICLR 2019, the encoder: sections 2.1 and 2.2, appendix C. Halting
           is Graves, "Adaptive Computation Time for Recurrent Neural Networks", 2016 (ACT).
Options    `halting`: fixed (2.1) or adaptive (2.2). `combine`: how the steps of a word form its output; interpolate is
           appendix C, out = w step + (1 - w) out starting from zeros; sum is ACT's own mean field, out = sum of w step.
Reading    w is the halting probability of a step or, in the step in which the word halts, the remainder to one. As in
           appendix C, the probability is computed from the state before the step, here with its signals, and a word
           that has halted is still updated for the words that attend to it, while its output stays. In the last step
           all words halt with their remainder, so that the weights of every word sum to one.
Decision   open choices follow the plain Transformer (models/transformer.py): scaled words, dropout on them and on the
           output of each sublayer, the mean over the words. The transition is the fully-connected one. The halting bias
           starts at 1, the threshold is 0.99 and the ponder cost has weight 0.01, as in the authors' own code.
Shapes     B texts, T words (padded on the right), D vector size, d size of the model, C classes.
"""

from typing import Annotated, Literal

import torch
from torch import Tensor, nn

from retable.layers.attention import DotProductAttention, padding_bias
from retable.layers.embedding import WordEmbedding
from retable.layers.encoder import EncoderLayer, check_heads, first_weights, layer_flops, mean_over_words
from retable.layers.network import Network
from retable.layers.options import Count, NonNegative, Range, Share
from retable.layers.positions import sinusoidal_positions

Halting = Literal["fixed", "adaptive"]
Combine = Literal["interpolate", "sum"]
FIRST_HALTING_BIAS = 1.0


def halting_weights(
    probability: Tensor, spent: Tensor, running: Tensor, *, threshold: float, last: bool
) -> tuple[Tensor, Tensor]:
    """Return the weights of one step and the words that halt in it.

    Args:
        probability: of halting in this step, in (0, 1), (B, T).
        spent: sum of the weights of a word's earlier steps, (B, T).
        running: words that have not halted yet, bool, (B, T); False on padding.
        threshold: a word halts once its probabilities exceed it.
        last: whether this is the last step, in which all words halt.
    Returns: weights, 0 for words that have halted, and halting words, bool, each (B, T).
    """
    halts = running & (spent + probability > threshold) if not last else running
    weights = torch.where(halts, 1 - spent, probability) * running  # R or p of appendix C
    return weights, halts


class UniversalTransformer(Network):
    """Universal Transformer encoder.

    Args:
        embedding: the word vectors; they are projected if their width is not `size`.
        classes: number of classes.
        steps: updates of every word; with adaptive halting, the most.
        size: width of the encoder, an even number and a multiple of `heads`.
        heads: attention heads.
        dropout: dropout rate, in [0, 1).
        scale: multiply the words by sqrt(size).
        halting: fixed or adaptive.
        combine: for adaptive halting: interpolate or sum.
        threshold: for adaptive halting, between 0 and 1.
        ponder: weight in the loss of the ponder cost, steps plus remainder, averaged over words.
    Raises: ValueError if two options do not fit each other.
    """

    def __init__(
        self,
        embedding: WordEmbedding,
        classes: int,
        *,
        steps: Count = 6,
        size: int = 512,
        heads: Count = 1,
        dropout: Share = 0.1,
        scale: bool = True,
        halting: Halting = "fixed",
        combine: Combine = "interpolate",
        threshold: Annotated[float, Range("0 < {} < 1", lambda value: 0 < value < 1)] = 0.99,
        ponder: NonNegative = 0.01,
    ) -> None:
        super().__init__()
        check_heads(size, heads)
        self.embedding = embedding
        self.projection = nn.Linear(embedding.dim, size, bias=False) if embedding.dim != size else nn.Identity()
        self.dropout = nn.Dropout(dropout)
        self.layer = EncoderLayer(DotProductAttention(size, heads), size, dropout=dropout)
        self.halting = nn.Linear(size, 1) if halting == "adaptive" else None
        self.output = nn.Linear(size, classes)
        self.steps, self.size, self.scale = steps, size, size**0.5 if scale else 1.0
        self.combine, self.threshold, self.ponder = combine, threshold, ponder
        self.pondered: Tensor | None = None  # cost of the last batch, in training
        first_weights(self)
        if self.halting is not None:
            nn.init.constant_(self.halting.bias, FIRST_HALTING_BIAS)

    def forward(self, words: Tensor, mask: Tensor) -> Tensor:
        """Map words (B, T) and their mask to logits (B, C)."""
        x = self.dropout(self.projection(self.embedding(words)) * self.scale)  # H^0, (B, T, d)
        encoded = self.revised(x, mask) if self.halting is None else self.revised_until_halted(x, mask, self.halting)
        logits: Tensor = self.output(mean_over_words(encoded, mask))
        return logits

    def signals(self, x: Tensor) -> list[Tensor]:
        """Return P^t of every step: positions and steps count from 1 (section 2.1), each (T, d)."""
        length = x.shape[1]
        waves = sinusoidal_positions(max(length, self.steps) + 1, self.size, x.device).to(x.dtype)
        return [waves[1 : length + 1] + waves[step] for step in range(1, self.steps + 1)]

    def revised(self, x: Tensor, mask: Tensor) -> Tensor:
        """Return H^T after the same number of steps for all words: (B, T, d) to (B, T, d)."""
        bias = padding_bias(mask)
        for signal in self.signals(x):
            x = self.layer(x + signal, bias)
        return x

    def revised_until_halted(self, x: Tensor, mask: Tensor, halting: nn.Module) -> Tensor:
        """Return the output of every word, made of its steps until it halts (appendix C): (B, T, d) to (B, T, d)."""
        bias, running = padding_bias(mask), mask
        spent = torch.zeros(mask.shape, device=x.device, dtype=torch.promote_types(x.dtype, torch.float32))
        output, cost = torch.zeros_like(x), torch.zeros_like(spent)
        for step, signal in enumerate(self.signals(x), start=1):
            x = x + signal
            probability = torch.sigmoid(halting(x).squeeze(2).to(spent.dtype))
            last = step == self.steps
            weights, halts = halting_weights(probability, spent, running, threshold=self.threshold, last=last)
            x = self.layer(x, bias)
            weight = weights.unsqueeze(2)
            output = output + weight * (x - output if self.combine == "interpolate" else x)
            cost = cost + running + torch.where(halts, weights, 0)  # N + R; only R has a gradient
            spent, running = spent + weights, running & ~halts
            if not running.any():
                break
        if self.training:
            self.pondered = cost.sum() / mask.sum()
        return output

    def auxiliary_loss(self, classes: Tensor) -> Tensor:
        """Return the weighted ponder cost of the last batch (ACT), a scalar; zero if halting is fixed."""
        return torch.zeros((), device=classes.device) if self.pondered is None else self.ponder * self.pondered

    def flops_per_word(self, words_per_text: float) -> float:
        """Return FLOPs, two per multiply-add: as a plain Transformer for all steps, and d per step for halting."""
        in_and_halting = sum(weight.numel() for weight in self.projection.parameters())
        if self.halting is not None:
            in_and_halting += self.steps * self.size
        of_steps = self.steps * layer_flops(self.size, words_per_text, projections=4)
        return 2 * in_and_halting + of_steps + 2 * self.output.weight.numel() / words_per_text
