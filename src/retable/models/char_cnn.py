"""Character-level CNN: six convolutions over one-hot characters, and three fully-connected layers.

Source     Zhang, Zhao, LeCun, "Character-level Convolutional Networks for Text Classification", NIPS 2015, section 2,
           tables 1 and 2 (the small network).
Reading    characters are quantised backward from the last one (section 2.2: "the latest reading on characters is
           always placed near the begin of the output"); only the last `frames` are read. The alphabet's hyphen,
           printed twice, has one row: 69 rows, not 70. Biases start at 0; only weights are Gaussian.
Fast form  places that see only frames after a text all give one answer, whatever the text: of the columns that the last
           pooling leaves, the first such column is computed once and repeated for the rest. The gradients are equal
           within rounding. Not in a trace (ONNX), which would keep the number of columns of the traced texts.
Shapes     B texts, T characters (padded on the right), F frames, A characters of the alphabet, K filters, L columns,
           C classes.
"""

import math
from itertools import pairwise
from typing import Annotated

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from retable.layers.embedding import WordEmbedding
from retable.layers.network import Network
from retable.layers.options import AtLeast, Count, NonNegative, Share

KERNELS = (7, 7, 3, 3, 3, 3)  # table 1
POOLED = (True, True, False, False, False, True)  # by 3, without overlap
POOL = 3
STEP = POOL ** sum(POOLED)  # frames from the start of one column to the next
LEAST_FRAMES = 123  # that a column sees; F frames give (F - 96) / 27 columns


class CharCNN(Network):
    """Convolutional network over raw characters.

    Args:
        embedding: one-hot rows of the alphabet, zero for padding and every other character.
        classes: number of classes.
        frames: characters read per text, l_0.
        filters: filters of each convolution.
        hidden: units of each of the two hidden fully-connected layers.
        dropout: share of the hidden units that are dropped in training, in [0, 1).
        spread: standard deviation of the first weights.
    """

    alphabet = "abcdefghijklmnopqrstuvwxyz0123456789-,;.!?:'\"/\\|_@#$%^&*~`+=<>()[]{}\n"  # section 2.2

    def __init__(
        self,
        embedding: WordEmbedding,
        classes: int,
        *,
        frames: Annotated[int, AtLeast(LEAST_FRAMES)] = 1014,
        filters: Count = 256,
        hidden: Count = 1024,
        dropout: Share = 0.5,
        spread: NonNegative = 0.05,
    ) -> None:
        super().__init__()
        self.embedding, self.frames = embedding, frames
        sizes = [embedding.dim, *[filters] * len(KERNELS)]
        self.convolutions = nn.ModuleList(
            nn.Conv1d(*pair, kernel) for pair, kernel in zip(pairwise(sizes), KERNELS, strict=True)
        )
        self.lengths = lengths_of(frames)
        self.hidden = nn.ModuleList([nn.Linear(self.lengths[-1] // POOL * filters, hidden), nn.Linear(hidden, hidden)])
        self.output = nn.Linear(hidden, classes)
        self.dropout = nn.Dropout(dropout)
        for layer in (*self.convolutions, *self.hidden, self.output):
            nn.init.normal_(layer.weight, std=spread)
            nn.init.zeros_(layer.bias)

    def forward(self, words: Tensor, mask: Tensor) -> Tensor:
        """Map characters (B, T) and their mask to logits (B, C)."""
        traced = torch.jit.is_tracing()  # type: ignore[attr-defined]
        frames = self.frames if traced else self.frames_worked_out(words.shape[1])
        x = self.embedding(backward_frames(words, mask, frames)).transpose(1, 2)  # (B, A, frames)
        for convolution, pooled in zip(self.convolutions, POOLED, strict=True):
            x = F.relu(convolution(x))  # eq. for h_j(y), section 2.1; only valid places
            x = F.max_pool1d(x, POOL) if pooled else x
        behind = x[:, :, -1:].expand(-1, -1, self.lengths[-1] // POOL - x.shape[2])  # the columns not computed
        x = torch.cat([x, behind], dim=2).flatten(1)  # (B, K L)
        for layer in self.hidden:
            x = self.dropout(F.relu(layer(x)))
        logits: Tensor = self.output(x)
        return logits

    def frames_worked_out(self, words: float) -> int:
        """Return how many frames to compute: those of every column that sees a character, and of one more."""
        return min(self.frames, math.ceil(words / STEP) * STEP + LEAST_FRAMES)

    def flops_per_word(self, words_per_text: float) -> float:
        """Return forward FLOPs, two per multiply-add: each convolution at its places and the three layers, per text."""
        weights = [layer.weight for layer in (*self.convolutions, *self.hidden, self.output)]
        places = [*lengths_of(self.frames_worked_out(words_per_text)), 1, 1, 1]
        of_text: int = sum(weight.numel() * count for weight, count in zip(weights, places, strict=True))
        return 2 * of_text / words_per_text


def backward_frames(words: Tensor, mask: Tensor, frames: int) -> Tensor:
    """Return the last characters of each text in reverse order, padded on the right: int64 (B, F)."""
    places = mask.sum(dim=1, keepdim=True) - 1 - torch.arange(frames, device=words.device)
    return words.gather(1, places.clamp(min=0)).masked_fill(places < 0, 0)


def lengths_of(frames: int) -> list[int]:
    """Return the output length of each convolution before its pooling."""
    found = []
    for kernel, pooled in zip(KERNELS, POOLED, strict=True):
        frames -= kernel - 1
        found.append(frames)
        frames = frames // POOL if pooled else frames
    return found
