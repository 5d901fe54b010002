"""Dense CNN: each convolution reads all scales before it, and a small network weights the scales of every word.

Source     Wang, Huang, Deng, "Densely Connected CNN with Multi-scale Feature Attention for Text Classification", IJCAI
           2018: x_l = f(W_l, [x_1, ..., x_{l-1}]); per word the filter ensemble s_l = sum over the filters of x_l,
           scale weights = softmax(MLP(s_1, ..., s_L)), and the weighted sum of scales. From the authors' code
           (wangshy31), not checked against the paper, so without equation numbers; sizes, dropout and rate as in that
           code (ten times the rate on its output layer; 64 texts on each of four GPUs).
Reading    f is a convolution, batch norm and ReLU. The first scales are single words, three layers of width 1, each on
           the previous one; all later layers have width 3. The MLP has one hidden layer with ReLU and small first
           weights, so that all scales initially weigh the same (the code has no activation in it). The hidden layer of
           the classifier has no activation, as in the code.
Departure  x_l is read literally. In the code the first layer of width 3 reads only the last one of width 1, all scales
           are normed together after each concatenation, layers are followed by average pooling by two, a scale passes
           convolutions of width 1 before its weights, the MLP has two layers and weights of its own at every place,
           word vectors stay fixed, and the rate falls after 5/6 and 14/15 of the steps (here 2/3 and 5/6). Weight decay
           is an L2 term, L1 in the code.
Decision   the text's vector is the maximum of each filter over the words, where the code cuts or pads texts to 100
           words and concatenates all places. Batch norm sees only real words, in training too (layers/maps.py).
           Convolutions have no bias, which a norm would cancel.
Shapes     B texts, T words (padded on the right), D vector size, K filters, L scales, A and H hidden units, C classes.
"""

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from retable.layers.embedding import WordEmbedding
from retable.layers.maps import TextNorm
from retable.layers.network import Network
from retable.layers.options import Count, CountOrZero, Share
from retable.layers.products import Linear

WIDTH = 3  # words that a convolution spans after the single-word layers
SPREAD = 0.001  # standard deviation of the first weights of the network that weights the scales


class Scale(nn.Module):
    """f: a length-preserving convolution, batch norm and ReLU.

    Args:
        inputs, filters: maps before and after.
        width: words that a filter spans, an odd number.
    """

    def __init__(self, inputs: int, filters: int, width: int) -> None:
        super().__init__()
        self.convolution = nn.Conv1d(inputs, filters, width, padding=width // 2, bias=False)
        self.norm = TextNorm(filters)

    def forward(self, x: Tensor, mask: Tensor) -> Tensor:
        """Map maps (B, inputs, T) to maps (B, K, T), zero where the mask (B, T) is False; padded with zeros."""
        return F.relu(self.norm(self.convolution(x), mask))


class DenseCNN(Network):
    """Densely connected convolutional network with attention over its scales.

    Args:
        embedding: the word vectors.
        classes: number of classes.
        unigrams: number of single-word layers.
        layers: number of densely connected layers after them.
        filters: filters of every layer.
        attention_hidden: hidden units of the network that weights the scales.
        hidden: units of the classifier's hidden layer.
        dropout: share of the components of the text's vector and of the hidden units that are dropped in training, in
            [0, 1).
    """

    def __init__(
        self,
        embedding: WordEmbedding,
        classes: int,
        *,
        unigrams: Count = 3,
        layers: CountOrZero = 5,
        filters: Count = 64,
        attention_hidden: Count = 64,
        hidden: Count = 64,
        dropout: Share = 0.7,
    ) -> None:
        super().__init__()
        self.embedding = embedding
        sizes = [embedding.dim, *[filters] * (unigrams - 1)]
        self.unigrams = nn.ModuleList(Scale(size, filters, 1) for size in sizes)
        scales = unigrams + layers  # L
        self.layers = nn.ModuleList(Scale(before * filters, filters, WIDTH) for before in range(unigrams, scales))
        of_scales = [Linear(scales, attention_hidden), Linear(attention_hidden, scales)]
        self.attention = nn.ModuleList(of_scales)
        for layer in of_scales:
            nn.init.normal_(layer.weight, std=SPREAD)
            nn.init.zeros_(layer.bias)
        self.hidden = nn.Linear(filters, hidden)
        self.dropout = nn.Dropout(dropout)
        self.output = nn.Linear(hidden, classes)

    def forward(self, words: Tensor, mask: Tensor) -> Tensor:
        """Map words (B, T) and their mask to logits (B, C)."""
        scales = torch.stack(self.scales(words, mask), dim=1)  # (B, L, K, T)
        mixed = (scales * self.weights(scales).unsqueeze(2)).sum(dim=1)  # weighted sum of the scales, (B, K, T)
        text = mixed.amax(dim=2)  # (B, K); values are at least zero, so zero padding changes nothing
        logits: Tensor = self.output(self.dropout(self.hidden(self.dropout(text))))
        return logits

    def scales(self, words: Tensor, mask: Tensor) -> list[Tensor]:
        """Return the maps of each scale, (B, K, T), zero after the texts; each dense layer reads all before it."""
        x = self.embedding(words).transpose(1, 2)  # (B, D, T)
        found: list[Tensor] = []
        for layer in self.unigrams:
            found.append(layer(found[-1] if found else x, mask))
        for layer in self.layers:
            found.append(layer(torch.cat(found, dim=1), mask))  # x_l = f(W_l, [x_1, ..., x_{l-1}])
        return found

    def weights(self, scales: Tensor) -> Tensor:
        """Return the weight of each scale at each word: maps (B, L, K, T) to (B, L, T), which sum to 1 over L."""
        ensemble = scales.sum(dim=2).transpose(1, 2)  # s of every word, (B, T, L)
        first, second = self.attention
        scores: Tensor = second(F.relu(first(ensemble)))  # MLP
        return torch.softmax(scores, dim=2).transpose(1, 2)

    def flops_per_word(self, words_per_text: float) -> float:
        """Count forward FLOPs (2 per multiply-add): convolutions, 2 L A and L K per word; K H and H C per text."""
        layers = [*self.unigrams, *self.layers]
        per_word = sum(weight.numel() for layer in layers for weight in layer.parameters() if weight.dim() == 3)
        per_word += sum(weight.numel() for weight in self.attention.parameters() if weight.dim() == 2)
        per_word += len(layers) * self.hidden.in_features
        return 2 * (per_word + (self.hidden.weight.numel() + self.output.weight.numel()) / words_per_text)
