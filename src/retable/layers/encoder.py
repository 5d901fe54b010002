"""Parts of a Transformer encoder other than its attention.

Source     Vaswani et al., "Attention Is All You Need", 2017, sections 3.1, 3.3, 3.4 and 5.4.
Method     padding is computed too: batches of similar lengths contain less than 2% of it.
Shapes     B texts, T words (padded on the right), D vector size, d size of the model.
"""

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from retable.layers.positions import sinusoidal_positions
from retable.layers.products import Linear

WIDENING = 4  # hidden units of the feed-forward layer per component of a word


class EncoderInput(nn.Module):
    """Map word vectors to the encoder's input: projected if their size differs, scaled, positions added.

    Args:
        dim: components of a word vector, D.
        size: components of a word in the encoder, d.
        scale: multiply by sqrt(d), so that positions do not drown out words with small components.
        dropout: share of the sum's components that are dropped in training.
    """

    def __init__(self, dim: int, size: int, *, scale: bool, dropout: float) -> None:
        super().__init__()
        self.projection = Linear(dim, size, bias=False) if dim != size else nn.Identity()
        self.size, self.scale = size, size**0.5 if scale else 1.0
        self.dropout = nn.Dropout(dropout)

    def forward(self, vectors: Tensor) -> Tensor:
        """Map (B, T, D) to (B, T, d)."""
        positions = sinusoidal_positions(vectors.shape[1], self.size, vectors.device).to(vectors.dtype)
        x: Tensor = self.dropout(self.projection(vectors) * self.scale + positions)
        return x

    def flops_per_word(self) -> float:
        """Count forward FLOPs (2 per multiply-add): D d, if there is a projection."""
        return 2.0 * sum(weight.numel() for weight in self.projection.parameters())


class EncoderLayer(nn.Module):
    """Compute norm(x + attention(x)), then norm(x + feed-forward(x)); dropout on the output of each sublayer.

    Args:
        attention: called with the words (B, T, d) and whatever it needs about the attended words.
        size: components of a word, d.
        dropout: share of the components of a sublayer's output that are dropped in training.
    """

    def __init__(self, attention: nn.Module, size: int, *, dropout: float) -> None:
        super().__init__()
        self.attention = attention
        self.attention_norm = nn.LayerNorm(size)
        self.widen = Linear(size, WIDENING * size)
        self.narrow = Linear(WIDENING * size, size)
        self.feed_forward_norm = nn.LayerNorm(size)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x: Tensor, *attended: Tensor) -> Tensor:
        """Map words (B, T, d), and what the attention needs about the attended words, to (B, T, d)."""
        x = self.attention_norm(x + self.dropout(self.attention(x, *attended)))
        y: Tensor = self.feed_forward_norm(x + self.dropout(self.narrow(F.relu_(self.widen(x)))))
        return y


def layer_flops(size: int, words_per_text: float, *, projections: int) -> float:
    """Count forward FLOPs per word (2 per multiply-add): d^2 per projection, 8 d^2 feed-forward, 2 T d attention."""
    return 2 * ((projections + 2 * WIDENING) * size**2 + 2 * words_per_text * size)


def mean_over_words(x: Tensor, mask: Tensor) -> Tensor:
    """Return the mean of the real words of every text: (B, T, d) to (B, d)."""
    real = mask.unsqueeze(2)
    return (x * real).sum(dim=1) / real.sum(dim=1)


def max_over_words(x: Tensor, mask: Tensor) -> Tensor:
    """Return the largest value of each component over the real words of every text: (B, T, d) to (B, d)."""
    return x.masked_fill(~mask.unsqueeze(2), -torch.inf).amax(dim=1)


def first_weights(network: nn.Module) -> None:
    """Set Xavier uniform matrices and zero biases, as in torch's Transformer; word vectors are kept.

    The matrix that gives queries, keys and values in one product counts as one matrix here too.
    """
    for name, parameter in network.named_parameters():
        if name.startswith("embedding"):
            continue
        if parameter.dim() > 1:
            nn.init.xavier_uniform_(parameter)
        elif name.endswith("bias"):
            nn.init.zeros_(parameter)


def check_heads(size: int, heads: int) -> None:
    """Raise ValueError unless a word's components can be shared out among the heads, and its positions are pairs."""
    if size < 2 or size % 2 or size % heads:
        raise ValueError(f"size is {size}; allowed: even numbers from 2 divisible by heads ({heads})")
