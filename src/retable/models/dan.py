"""DAN: the mean of the word vectors, several ReLU layers on it, and a linear classifier; training drops whole words.

Source     Iyyer, Manjunatha, Boyd-Graber, Daumé III, "Deep Unordered Composition Rivals Syntactic Methods for Text
           Classification", ACL 2015; the code of the authors, github.com/miyyer/dan: r_w ~ Bernoulli,
           S = {w : r_w = 1}, z_0 = sum of v_w over S / |S|, z_i = f(W_i z_(i-1) + b_i), logits = W_s z_n + b.
Reading    from the code: f is ReLU, and a text that would lose every word keeps all of them. Its L2 weight, 1e-4, is
           divided by its 15 texts per batch; hence 1e-5 in the preset. It is on word vectors too, where the 1e-3 that
           the code adds to AdaGrad's root leaves next to nothing of it: here they have none. The paper itself was not
           available.
Decision   first weights: torch's own.
Shapes     B texts, T words (padded on the right), D vector size, H units in a layer, C classes.
"""

import torch
from torch import Tensor, nn

from retable.layers.embedding import WordEmbedding
from retable.layers.encoder import mean_over_words
from retable.layers.network import Network
from retable.layers.options import Count, Share


class DAN(Network):
    """Deep averaging network.

    Args:
        embedding: the word vectors.
        classes: number of classes.
        layers: number of layers between the mean vector and the classifier.
        hidden: units in each layer.
        dropout: share of the words of each text that are dropped in training, in [0, 1).
    """

    def __init__(
        self, embedding: WordEmbedding, classes: int, *, layers: Count = 3, hidden: Count = 300, dropout: Share = 0.3
    ) -> None:
        super().__init__()
        self.embedding = embedding
        sizes = [embedding.dim, *[hidden] * (layers - 1)]
        self.layers = nn.ModuleList(nn.Linear(size, hidden) for size in sizes)  # W_i and b_i
        self.dropout = nn.Dropout(dropout)
        self.output = nn.Linear(hidden, classes)  # W_s and b

    def forward(self, words: Tensor, mask: Tensor) -> Tensor:
        """Map words (B, T) and their mask to logits (B, C)."""
        z = self.mean_vector(words, mask)
        for layer in self.layers:
            z = torch.relu(layer(z))  # z_i
        logits: Tensor = self.output(z)
        return logits

    def mean_vector(self, words: Tensor, mask: Tensor) -> Tensor:
        """Return z_0, the mean of the words that are kept, (B, D)."""
        vectors = self.embedding(words)
        left = mask & (self.dropout(torch.ones_like(mask, dtype=vectors.dtype)) > 0)  # r_w = 1, (B, T)
        return mean_over_words(vectors, torch.where(left.any(dim=1, keepdim=True), left, mask))

    def flops_per_word(self, words_per_text: float) -> float:
        """Count forward FLOPs (2 per multiply-add): D per word; D H, the other layers' H H and H C per text."""
        weights = [parameter for name, parameter in self.named_parameters() if not name.startswith("embedding")]
        matrices = sum(weight.numel() for weight in weights if weight.dim() == 2)
        return 2 * (self.embedding.dim + matrices / words_per_text)
