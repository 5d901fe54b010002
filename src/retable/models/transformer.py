"""Transformer: the plain encoder, its words averaged, and a linear layer.

Source     Vaswani et al., "Attention Is All You Need", NIPS 2017, the encoder; docs/readings.md, "Transformer-F".
Decision   the mean over the words represents the text. Dropout is where Vaswani et al. have it: on the sum of words and
           positions, and on the output of each sublayer; its rate, which Transformer-F's paper does not name, is also
           from Vaswani et al., 0.1. Initial weights: Xavier uniform, biases 0.
Training   at the paper's rate, 5e-4 from the first step on, the six post-norm layers get stuck at a constant answer
           (loss 2.40 after 60 steps on THUCNews headlines, where guessing costs 2.30); with the schedule `warmup`,
           which raises the rate from zero during the first epoch, they learn (1.7), without `scale` more slowly (2.3).
Shapes     B texts, T words (padded on the right), D vector size, d size of the model, C classes.
"""

from torch import Tensor, nn

from retable.layers.attention import DotProductAttention, padding_bias
from retable.layers.embedding import WordEmbedding
from retable.layers.encoder import EncoderInput, EncoderLayer, check_heads, first_weights, layer_flops, mean_over_words
from retable.layers.network import Network
from retable.layers.options import Count, Share


class Transformer(Network):
    """Transformer encoder.

    Args:
        embedding: the word vectors; they are projected if their width is not `size`.
        classes: number of classes.
        layers: encoder layers.
        size: width of the encoder, an even number and a multiple of `heads`.
        heads: attention heads.
        dropout: dropout rate, in [0, 1).
        scale: multiply the words by sqrt(size) before positions are added (Vaswani et al., 3.4).
    Raises: ValueError if two options do not fit each other.
    """

    def __init__(
        self,
        embedding: WordEmbedding,
        classes: int,
        *,
        layers: Count = 6,
        size: int = 512,
        heads: Count = 1,
        dropout: Share = 0.1,
        scale: bool = True,
    ) -> None:
        super().__init__()
        check_heads(size, heads)
        self.embedding = embedding
        self.inputs = EncoderInput(embedding.dim, size, scale=scale, dropout=dropout)
        self.layers = nn.ModuleList(
            EncoderLayer(DotProductAttention(size, heads), size, dropout=dropout) for _ in range(layers)
        )
        self.output = nn.Linear(size, classes)
        first_weights(self)

    def forward(self, words: Tensor, mask: Tensor) -> Tensor:
        """Map words (B, T) and their mask to logits (B, C)."""
        x, bias = self.inputs(self.embedding(words)), padding_bias(mask)
        for layer in self.layers:
            x = layer(x, bias)  # (B, T, d)
        logits: Tensor = self.output(mean_over_words(x, mask))
        return logits

    def flops_per_word(self, words_per_text: float) -> float:
        """Return FLOPs, two per multiply-add: D d in, 4 d^2 + 2 T d attention and 8 d^2 per layer; d C per text."""
        size = self.inputs.size
        of_layers = len(self.layers) * layer_flops(size, words_per_text, projections=4)
        return self.inputs.flops_per_word() + of_layers + 2 * self.output.weight.numel() / words_per_text
