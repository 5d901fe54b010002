"""LAMA: several cheap attention distributions over the states of a BiGRU, asked by one context vector.

Source     "Compact Multi-Head Self-Attention for Learning Supervised Text Representations", section 3, eq. 1-19;
           docs/readings.md, "LAMA". The attention, eq. 7-13, is in layers/low_rank_attention.py.
Reading    the context is one learned vector (`lama`) or the mean of the text's word vectors (`lama-ctx`). According to
           the text of section 3.4 heads should disagree: lambda ||A A^T - I||_F^2 or lambda times the mean cosine is
           added to the loss (eq. 18-19), averaged over the batch like the cross-entropy. The classifier has a hidden
           layer (figure 1, section 3.5); eq. 16 has none (`mlp_hidden` 0). Without the encoder (section 5.2, LAMA
           Encoder) the word vectors are the states.
Decision   15 heads: the paper gives no best number other than that of figure 5. The hidden layer uses ReLU. The context
           is not projected if vectors and states differ in width: P and Q then differ in height.
Shapes     B texts, T words (padded on the right), D vector size, H states of both directions together (the paper's 2h;
           D without encoder), m heads, C classes.
"""

from typing import Literal

import torch
from torch import Tensor, nn

from retable.layers.classifier import classifier_flops, text_classifier
from retable.layers.embedding import WordEmbedding
from retable.layers.encoder import mean_over_words
from retable.layers.heads import overlap_of_positions, similarity_of_embeddings
from retable.layers.low_rank_attention import SPREAD, LowRankAttention
from retable.layers.network import Network
from retable.layers.options import Count, CountOrZero, Even, NonNegative, Share
from retable.layers.recurrent import recurrent_flops, states_of_words

Context = Literal["learned", "mean"]
Disagreement = Literal["none", "positions", "embeddings"]
Encoder = Literal["gru", "none"]


class LAMA(Network):
    """Low-rank factorisation based multi-head attention.

    Args:
        embedding: the word vectors.
        classes: number of classes.
        heads: number of attention heads.
        hidden: states of both directions together, an even number.
        context: the query: one learned vector, or the mean of the text's word vectors.
        disagreement: what the penalty compares between heads: none, positions (attended), embeddings (outputs).
        disagreement_weight: lambda, at least 0.
        encoder: gru, or none (the word vectors are the states).
        mlp_hidden: units of the classifier's hidden layer; 0: one linear layer.
        dropout: dropout rate on the hidden layer, in [0, 1).
    """

    def __init__(
        self,
        embedding: WordEmbedding,
        classes: int,
        *,
        heads: Count = 15,
        hidden: Even = 100,
        context: Context = "learned",
        disagreement: Disagreement = "none",
        disagreement_weight: NonNegative = 0.2,
        encoder: Encoder = "gru",
        mlp_hidden: CountOrZero = 512,
        dropout: Share = 0.4,
    ) -> None:
        super().__init__()
        self.embedding = embedding
        self.disagreement, self.disagreement_weight = disagreement, disagreement_weight
        size = hidden if encoder == "gru" else embedding.dim
        self.gru = (
            nn.GRU(embedding.dim, hidden // 2, batch_first=True, bidirectional=True) if encoder == "gru" else None
        )
        self.context = nn.Parameter(torch.randn(size) * SPREAD) if context == "learned" else None
        self.low_rank = LowRankAttention(size, size if context == "learned" else embedding.dim, heads)
        self.classifier = text_classifier(heads * size, mlp_hidden, classes, dropout)
        self.heads_of_batch: Tensor | None = None  # in training, from forward to auxiliary_loss

    def forward(self, words: Tensor, mask: Tensor) -> Tensor:
        """Map words (B, T) and their mask to logits (B, C)."""
        states, context = self.encode(words, mask)
        weights = self.low_rank(states, context, mask)  # A, eq. 13, (B, m, T)
        matrix = weights @ states  # S, eq. 15, (B, m, H)
        if self.training and self.disagreement != "none":
            self.heads_of_batch = weights if self.disagreement == "positions" else matrix
        logits: Tensor = self.classifier(matrix.flatten(1))  # eq. 16
        return logits

    def attention(self, words: Tensor, mask: Tensor) -> Tensor:
        """Return the attention weights, (B, m, T); each head's weights sum to one, padding gets zero."""
        weights: Tensor = self.low_rank(*self.encode(words, mask), mask)
        return weights

    def encode(self, words: Tensor, mask: Tensor) -> tuple[Tensor, Tensor]:
        """Return the states H, (B, T, H), and the context c, (B, D) or, shared by all texts, (H,)."""
        x = self.embedding(words)  # eq. 5, (B, T, D)
        states = states_of_words(self.gru, x, mask) if self.gru else x  # eq. 1-6
        return states, mean_over_words(x, mask) if self.context is None else self.context

    def auxiliary_loss(self, classes: Tensor) -> Tensor:
        """Return -lambda D (eq. 18-19) for the texts of the last forward call, in training."""
        if self.disagreement == "none":
            return torch.zeros((), device=classes.device)
        heads, self.heads_of_batch = self.heads_of_batch, None
        assert heads is not None, "call forward first, in training"
        alike = overlap_of_positions if self.disagreement == "positions" else similarity_of_embeddings
        return self.disagreement_weight * alike(heads)

    def flops_per_word(self, words_per_text: float) -> float:
        """Return FLOPs, two per multiply-add: GRU 3 H (D + H/2), H^2 + 2 H m + m, mean D per word; P, MLP per text."""
        of_context = self.low_rank.of_context.weight.numel()
        a_word = self.low_rank.flops_per_word() + (recurrent_flops(self.gru) if self.gru else 0)
        a_word += 2 * self.embedding.dim if self.context is None else 0
        return a_word + (2 * of_context + classifier_flops(self.classifier)) / words_per_text
