"""DPCNN: a pyramid of residual convolutions; every text is halved between blocks, with a constant number of maps.

Source     Johnson and Zhang, "Deep Pyramid Convolutional Neural Networks for Text Categorization", ACL 2017: a region
           embedding W x + b without activation; blocks z + f(z) of two convolutions with pre-activation,
           W relu(x) + b; max pooling of size 3 and stride 2 before every block but the first; then one maximum.
Departure  word vectors are given and tuned, where the paper learns them with the region embedding; its unsupervised
           (tv-) embeddings, from additional text, are left out.
Reading    pooling is padded by one zero at the end of a text, as in public code for Chinese: n positions become n // 2,
           and a text of one position is not pooled and passes no further block, regardless of the rest of the batch.
           `shared` is another option from that code: one pair of convolutions for all blocks.
Decision   all convolutions preserve length, the region embedding too, so that a text of one word has a position.
           Dropout on the text's vector.
Shapes     B texts, T words (padded on the right), D vector size, K maps, n positions of a text, C classes.
"""

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from retable.layers.embedding import WordEmbedding
from retable.layers.network import Network
from retable.layers.options import Count, Odd, Share

WIDTH = 3  # positions that a convolution of a block spans


class Block(nn.Module):
    """Compute z + f(z): two length-preserving convolutions with pre-activation, and a shortcut around them."""

    def __init__(self, maps: int) -> None:
        super().__init__()
        self.first = nn.Conv1d(maps, maps, WIDTH, padding=WIDTH // 2)
        self.second = nn.Conv1d(maps, maps, WIDTH, padding=WIDTH // 2)

    def forward(self, x: Tensor, real: Tensor) -> Tensor:
        """Map feature maps (B, K, n), zero where `real` (B, 1, n) is False, to maps that are zero there too."""
        y = self.first(F.relu(x)) * real  # else the next convolution would see the bias in padding
        shortcut: Tensor = x + self.second(F.relu_(y)) * real
        return shortcut


class DPCNN(Network):
    """Deep pyramid convolutional network.

    Args:
        embedding: the word vectors.
        classes: number of classes.
        maps: feature maps of every convolution.
        region: width of the region embedding in words, an odd number.
        blocks: maximum number; a text is pooled before each but the first until one position is left.
        shared: whether all blocks have the same two convolutions.
        dropout: share of the components of the text's vector that are dropped in training, in [0, 1).
    """

    def __init__(
        self,
        embedding: WordEmbedding,
        classes: int,
        *,
        maps: Count = 250,
        region: Odd = 3,
        blocks: Count = 7,
        shared: bool = False,
        dropout: Share = 0.5,
    ) -> None:
        super().__init__()
        self.embedding = embedding
        self.region = nn.Conv1d(embedding.dim, maps, region, padding=region // 2)
        self.blocks = nn.ModuleList(Block(maps) for _ in range(1 if shared else blocks))
        self.depth = blocks
        self.dropout = nn.Dropout(dropout)
        self.output = nn.Linear(maps, classes)

    def forward(self, words: Tensor, mask: Tensor) -> Tensor:
        """Map words (B, T) and their mask to logits (B, C)."""
        lengths, real = mask.sum(dim=1), mask.unsqueeze(1)
        x = self.region((self.embedding(words) * mask.unsqueeze(2)).transpose(1, 2)) * real  # (B, K, T)
        x = self.block(1)(x, real)
        for number in range(2, self.depth + 1):
            if x.shape[2] == 1:
                break
            more = lengths > 1
            lengths = torch.where(more, lengths // 2, lengths)
            pooled = F.max_pool1d(F.pad(x, (0, 1)), kernel_size=3, stride=2)  # (B, K, n // 2)
            real = (torch.arange(pooled.shape[2], device=x.device) < lengths.unsqueeze(1)).unsqueeze(1)
            deeper = self.block(number)(pooled * real, real)
            x = torch.where(more[:, None, None], deeper, x[:, :, : pooled.shape[2]])
        text = x.masked_fill(~real, -torch.inf).amax(dim=2)  # (B, K)
        logits: Tensor = self.output(self.dropout(text))
        return logits

    def block(self, number: int) -> nn.Module:
        """Return a block by its number, from 1."""
        return self.blocks[min(number, len(self.blocks)) - 1]

    def flops_per_word(self, words_per_text: float) -> float:
        """Count FLOPs (2 per multiply-add): region x D K per word, 6 K^2 per block and position (halving); K C."""
        maps, positions = self.output.in_features, sum(0.5**number for number in range(self.depth))
        of_word = self.region.weight.numel() + 2 * WIDTH * maps**2 * positions
        return 2 * (of_word + self.output.weight.numel() / words_per_text)
