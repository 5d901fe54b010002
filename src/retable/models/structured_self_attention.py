"""Structured self-attention: several learned distributions over the states of a BiLSTM make a matrix of a text.

Source     Lin et al., "A Structured Self-Attentive Sentence Embedding", ICLR 2017, section 2, eq. 1-8.
Decision   LAMA, which uses this model as a baseline, gives no sizes: d_a = 350, r = 30 and a penalty coefficient of 1
           are from Lin et al.; the encoder's width and the classifier (with a hidden layer, as in Lin et al.) are
           LAMA's, so that the two differ in the attention (and in LSTM against GRU). The penalty is averaged over the
           batch, like the cross-entropy.
Shapes     B texts, T words (padded on the right), D vector size, H states of both directions together (the paper's 2u),
           r heads, C classes.
"""

import torch
from torch import Tensor, nn

from retable.layers.classifier import classifier_flops, text_classifier
from retable.layers.embedding import WordEmbedding
from retable.layers.heads import overlap_of_positions, softmax_over_words
from retable.layers.network import Network
from retable.layers.options import Count, CountOrZero, Even, NonNegative, Share
from retable.layers.recurrent import recurrent_flops, states_of_words


class StructuredSelfAttention(Network):
    """Self-attentive sentence embedding.

    Args:
        embedding: the word vectors.
        classes: number of classes.
        hidden: states of both directions together, an even number.
        attention_hidden: units of the attention's hidden layer, d_a.
        heads: rows of the text's matrix, r.
        penalty: coefficient of the penalty on heads that attend to the same words, at least 0.
        mlp_hidden: units of the classifier's hidden layer; 0: one linear layer.
        dropout: dropout rate on the hidden layer, in [0, 1).
    """

    def __init__(
        self,
        embedding: WordEmbedding,
        classes: int,
        *,
        hidden: Even = 100,
        attention_hidden: Count = 350,
        heads: Count = 30,
        penalty: NonNegative = 1.0,
        mlp_hidden: CountOrZero = 512,
        dropout: Share = 0.4,
    ) -> None:
        super().__init__()
        self.embedding = embedding
        self.penalty = penalty
        self.lstm = nn.LSTM(embedding.dim, hidden // 2, batch_first=True, bidirectional=True)
        self.hidden_scores = nn.Linear(hidden, attention_hidden, bias=False)  # W_s1
        self.scores = nn.Linear(attention_hidden, heads, bias=False)  # W_s2
        self.classifier = text_classifier(heads * hidden, mlp_hidden, classes, dropout)
        self.weights_of_batch: Tensor | None = None  # in training, from forward to auxiliary_loss

    def forward(self, words: Tensor, mask: Tensor) -> Tensor:
        """Map words (B, T) and their mask to logits (B, C)."""
        states = self.states(words, mask)
        weights = self.weights(states, mask)
        self.weights_of_batch = weights if self.training else None
        matrix = weights @ states  # M, eq. 7, (B, r, H)
        logits: Tensor = self.classifier(matrix.flatten(1))
        return logits

    def attention(self, words: Tensor, mask: Tensor) -> Tensor:
        """Return the attention weights, (B, r, T); each head's weights sum to one, padding gets zero."""
        return self.weights(self.states(words, mask), mask)

    def states(self, words: Tensor, mask: Tensor) -> Tensor:
        """Return H, eq. 1-4, (B, T, H)."""
        return states_of_words(self.lstm, self.embedding(words), mask)

    def weights(self, states: Tensor, mask: Tensor) -> Tensor:
        """Return A of eq. 6, (B, r, T)."""
        return softmax_over_words(self.scores(torch.tanh(self.hidden_scores(states))), mask)

    def auxiliary_loss(self, classes: Tensor) -> Tensor:
        """Return ||A A^T - I||_F^2 (eq. 8) for the texts of the last forward call, times its coefficient."""
        weights, self.weights_of_batch = self.weights_of_batch, None
        assert weights is not None, "call forward first, in training"
        return self.penalty * overlap_of_positions(weights)

    def flops_per_word(self, words_per_text: float) -> float:
        """Return FLOPs, two per multiply-add: 8 x H/2 x (D + H/2), H d_a, d_a r, H r per word; classifier per text."""
        hidden, heads = self.hidden_scores.in_features, self.scores.out_features
        attention = self.hidden_scores.weight.numel() + self.scores.weight.numel() + hidden * heads
        return recurrent_flops(self.lstm) + 2 * attention + classifier_flops(self.classifier) / words_per_text
