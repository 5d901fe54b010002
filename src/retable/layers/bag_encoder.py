"""Shared parts of bag-of-words autoencoders: the encoder, the draw of a latent vector, the likelihood of a bag.

Source     Kingma and Welling, "Auto-Encoding Variational Bayes", ICLR 2014, section 2.4 and appendix B; bags of words:
           Miao, Yu, Blunsom, "Neural Variational Inference for Text Processing", ICML 2016.
Shapes     B texts, T words, V words of the bag, H numbers in a layer, K in the latent vector.
"""

from typing import Literal

import torch
from torch import Tensor, nn

from retable.layers.bags import PADDING, sum_of_rows
from retable.text.vocabulary import UNKNOWN

Activation = Literal["relu", "none"]
FIRST = UNKNOWN + 1  # row of the most frequent word


def in_bag(words: Tensor, mask: Tensor, size: int, *, skipped: int = 0) -> Tensor:
    """Return the rows of the words in the bag, PADDING elsewhere, (B, T).

    Args:
        words, mask: rows of the words, int64 (B, T), and their mask.
        size: rank by frequency up to which a word is in the bag.
        skipped: how many of the most frequent words are left out, as stop words.
    """
    there = mask & (words >= FIRST + skipped) & (words < FIRST + size)
    return words.masked_fill(~there, PADDING)


class BagEncoder(nn.Module):
    """Encode a bag of words: layers h_1 ... h_L, and mu.

    Args:
        words: size of the bag's vocabulary, V.
        hidden: units per layer, H.
        topics: size of mu, K.
        layers: number of layers, L.
        activation: applied after every layer: relu, none.
    """

    def __init__(self, words: int, hidden: int, topics: int, layers: int, activation: Activation) -> None:
        super().__init__()
        bound = words**-0.5  # as in torch's linear layer
        self.table = nn.Parameter(torch.empty(FIRST + words, hidden).uniform_(-bound, bound))  # a row per word
        self.bias = nn.Parameter(torch.empty(hidden).uniform_(-bound, bound))
        self.deeper = nn.ModuleList(nn.Linear(hidden, hidden) for _ in range(layers - 1))
        self.mean = nn.Linear(hidden, topics)
        self.activation = activation

    def forward(self, bag: Tensor) -> list[Tensor]:
        """Map word rows (B, T), PADDING for words outside the bag, to L layers (B, H)."""
        layers = [self.activated(sum_of_rows(self.table, bag, sparse=False) + self.bias)]  # h_1
        for layer in self.deeper:
            layers.append(self.activated(layer(layers[-1])))  # h_l
        return layers

    def activated(self, h: Tensor) -> Tensor:
        """Apply the activation."""
        return torch.relu(h) if self.activation == "relu" else h


def draw(mean: Tensor, sigma: Tensor) -> tuple[Tensor, Tensor]:
    """Return z, (B, K), drawn from N(mean, sigma^2), and KL(N(mean, sigma^2), N(0, I)), (B,)."""
    z = mean + sigma * torch.randn_like(sigma)
    return z, 0.5 * (mean.square() + sigma.square() - 1 - 2 * sigma.log()).sum(dim=1)


def log_likelihood(scores: Tensor, bag: Tensor) -> Tensor:
    """Return the log-likelihood of each bag, the sum of its words' log-probabilities, (B,).

    Args:
        scores: of the V words before the softmax, (B, V).
        bag: word rows (B, T), PADDING for words outside the bag.
    """
    of_words = torch.log_softmax(scores, dim=1).gather(1, (bag - FIRST).clamp(min=0)) * (bag != PADDING)
    return of_words.sum(dim=1)
