"""VDCNN: very many small convolutions over characters in four levels, each of half the places and twice the maps.

Source     Conneau, Schwenk, Barrault, Lecun, "Very Deep Convolutional Networks for Text Classification", EACL 2017,
           section 3, figures 1 and 2, table 2 (depths), section 4.2 (training): a lookup table, one convolution, blocks
           of two convolutions with batch norm and ReLU, k-max pooling and three fully-connected layers. Shortcuts: He
           et al., "Deep Residual Learning for Image Recognition", CVPR 2016, eq. 1 and 2. k-max pooling: Kalchbrenner
           et al., "A Convolutional Neural Network for Modelling Sentences", ACL 2014, section 3.2.
Reading    the first convolution has a bias but neither norm nor ReLU (figure 1). A shortcut is the identity or, where
           the number of maps grows, W_s x by a convolution of width 1; ReLU follows the sum, as in He et al. The k
           largest values keep their order, and ties go to the first. Halving n places leaves ceil(n / 2).
Decision   a text has only its own characters, the first `frames`; the paper pads all to 1014. Places after it are zero
           before every convolution and pooling, and hidden from batch norm, even in training. Fewer places than k at
           the end are padded with zeros, the minimum of ReLU. Convolutions with a norm have no bias, which it would
           cancel. A batch with a single place is normalised by the running statistics. The table is a layer on one-hot
           rows whose bias is the unknown character's vector, initially normal noise.
Shapes     B texts, T characters (padded on the right), A of the alphabet, n places, K maps, C classes.
"""

from itertools import pairwise
from typing import Annotated, Literal

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from retable.layers.embedding import WordEmbedding
from retable.layers.maps import TextNorm, k_largest
from retable.layers.network import Network
from retable.layers.options import Choice, Count

WIDTH = 3  # places that a convolution and a max pooling window span
BLOCKS = {9: (1, 1, 1, 1), 17: (2, 2, 2, 2), 29: (5, 5, 2, 2), 49: (8, 8, 5, 3)}  # table 2: depth 1 + 2 x blocks
Pooling = Literal["max", "k-max", "convolution"]


class Block(nn.Module):
    """Two convolutions, each with batch norm and ReLU (figure 2), and an optional shortcut around them.

    Args:
        inputs, maps: feature maps before and after.
        stride: stride of the first convolution; 2 halves the places.
        shortcut: whether its input is added before the last ReLU.
    """

    def __init__(self, inputs: int, maps: int, *, stride: int, shortcut: bool) -> None:
        super().__init__()
        self.first = nn.Conv1d(inputs, maps, WIDTH, stride=stride, padding=WIDTH // 2, bias=False)
        self.second = nn.Conv1d(maps, maps, WIDTH, padding=WIDTH // 2, bias=False)
        self.first_norm, self.second_norm = TextNorm(maps), TextNorm(maps)
        self.shortcut: nn.Module | None = None
        if shortcut:
            self.shortcut = nn.Conv1d(inputs, maps, 1, stride=stride, bias=False) if inputs != maps else nn.Identity()

    def forward(self, x: Tensor, real: Tensor) -> Tensor:
        """Map maps (B, inputs, n), zero after texts, to (B, maps, n), zero where `real` (B, n) is False."""
        y = F.relu(self.first_norm(self.first(x), real))
        y = self.second_norm(self.second(y), real)
        return F.relu(y if self.shortcut is None else y + self.shortcut(x))  # He et al., eq. 1 and 2


class VDCNN(Network):
    """Very deep convolutional network over characters.

    Args:
        embedding: one-hot rows of the alphabet, zero for padding and every other character.
        classes: number of classes.
        depth: number of convolutions, the first one and those of the blocks: 9, 17, 29, 49.
        pooling: what halves the places between two levels: max (windows of 3, stride 2), k-max (the larger
            half of each map), convolution (the next level's first has stride 2).
        shortcut: whether every block has a shortcut.
        frames: characters read of a text, s.
        character_size: size of a character vector, f_0.
        maps: feature maps of the first level; each level has twice as many as the one before.
        k: number of largest values of each map kept at the end.
        hidden: units of each of the two hidden fully-connected layers.
    """

    alphabet = "abcdefghijklmnopqrstuvwxyz0123456789-,;.!?:'\"/|_#$%^&*~`+=<>()[]{} "  # section 4.2, with the space

    def __init__(
        self,
        embedding: WordEmbedding,
        classes: int,
        *,
        depth: Annotated[int, Choice(BLOCKS)] = 29,
        pooling: Pooling = "max",
        shortcut: bool = False,
        frames: Count = 1014,
        character_size: Count = 16,
        maps: Count = 64,
        k: Count = 8,
        hidden: Count = 2048,
    ) -> None:
        super().__init__()
        self.embedding, self.pooling, self.frames, self.k = embedding, pooling, frames, k
        self.lookup = nn.Linear(embedding.dim, character_size)
        self.first = nn.Conv1d(character_size, maps, WIDTH, padding=WIDTH // 2)
        self.levels = nn.ModuleList()
        of_levels = [maps, *(maps * 2**level for level in range(len(BLOCKS[depth])))]
        for level, (inputs, outputs) in enumerate(pairwise(of_levels)):
            stride = 2 if level and pooling == "convolution" else 1
            blocks = [Block(inputs, outputs, stride=stride, shortcut=shortcut)]
            blocks += [Block(outputs, outputs, stride=1, shortcut=shortcut) for _ in range(BLOCKS[depth][level] - 1)]
            self.levels.append(nn.ModuleList(blocks))
        self.hidden = nn.ModuleList([nn.Linear(of_levels[-1] * k, hidden), nn.Linear(hidden, hidden)])
        self.output = nn.Linear(hidden, classes)
        nn.init.normal_(self.lookup.weight)
        nn.init.normal_(self.lookup.bias)
        for layer in self.modules():
            if isinstance(layer, nn.Conv1d):
                nn.init.kaiming_normal_(layer.weight, nonlinearity="relu")  # section 4.2: He et al. 2015

    def forward(self, words: Tensor, mask: Tensor) -> Tensor:
        """Map characters (B, T) and their mask to logits (B, C)."""
        words, real = words[:, : self.frames], mask[:, : self.frames]
        x = self.lookup(self.embedding(words)) * real.unsqueeze(2)
        x = self.first(x.transpose(1, 2)) * real.unsqueeze(1)  # (B, K, n)
        for level, blocks in enumerate(self.levels):
            if level:
                x, real = self.halved(x, real)
            for block in blocks.children():
                x = block(x, real)
        x = k_largest(x, real, real.sum(dim=1).clamp(max=self.k), self.k).flatten(1)  # (B, 8 K k)
        for layer in self.hidden:
            x = F.relu(layer(x))
        logits: Tensor = self.output(x)
        return logits

    def halved(self, x: Tensor, real: Tensor) -> tuple[Tensor, Tensor]:
        """Return the next level's input maps and its places; with a convolution of stride 2 the maps are unchanged."""
        lengths = (real.sum(dim=1) + 1) // 2
        half = torch.arange((x.shape[2] + 1) // 2, device=x.device) < lengths.unsqueeze(1)  # (B, n / 2)
        if self.pooling == "max":
            x = F.max_pool1d(x, WIDTH, stride=2, padding=WIDTH // 2) * half.unsqueeze(1)
        elif self.pooling == "k-max":
            x = k_largest(x, real, lengths, half.shape[1])
        return x, half

    def flops_per_word(self, words_per_text: float) -> float:
        """Return FLOPs, two per multiply-add: table, layers, and convolutions, whose places halve at each level."""
        places = min(words_per_text, self.frames)
        of_text = places * (self.lookup.weight.numel() + self.first.weight.numel())
        for level, blocks in enumerate(self.levels):
            convolutions = [layer for layer in blocks.modules() if isinstance(layer, nn.Conv1d)]
            of_text += places / 2**level * sum(layer.weight.numel() for layer in convolutions)
        of_text += sum(layer.weight.numel() for layer in (*self.hidden, self.output))
        return 2 * of_text / words_per_text
