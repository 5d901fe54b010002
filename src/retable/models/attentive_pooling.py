"""Attentive pooling: each text is a sum of its words, weighted by how well they match the other text.

Source     dos Santos, Tan, Xiang and Zhou, "Attentive Pooling Networks", arXiv 1602.03609, 2016, sections 3 and 4: one
           encoder gives Q and A, G = tanh(Q^T U A), the maxima of rows and columns, their softmax, r_q and r_a, cosine.
           From notes and public code (winterant/Attentive-Pooling-Networks), not checked against the paper.
Reading    the convolution is linear: a window of 3 words around each word, zeros beyond a text's ends. No dropout.
Departure  the paper ranks, by a hinge loss of margin 0.5 or 0.2 between the cosines of a right and a wrong answer. Here
           each pair is classified: the second class has the logit a (cosine - b), further classes their own lines.
Decision   a is initially 10, which makes a margin of 0.2 two logits. Adam at 0.001 in place of SGD, whose printed rates
           belong to the hinge loss.
Shapes     B pairs, T words of both texts, M and N words of the longest first and second text, D vector size, H filters
           or states of both directions, C classes.
"""

from typing import Literal

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from retable.layers.embedding import WordEmbedding
from retable.layers.network import Network
from retable.layers.options import EVEN, Count
from retable.layers.pairs import TextOfPair, two_texts
from retable.layers.products import Linear
from retable.layers.recurrent import recurrent_flops, states_of_words
from retable.layers.scores import ClassesOfScore

Encoder = Literal["bilstm", "cnn"]
FIRST_SLOPE = 10.0  # logit of a cosine of 1


class AttentivePooling(Network):
    """Two texts, each pooled by its matches with the other, and the cosine of the two.

    Args:
        embedding: the word vectors.
        classes: number of classes.
        encoder: for both texts: bilstm (AP-biLSTM), cnn (AP-CNN).
        hidden: states of both directions together, or filters.
        width: words that a filter spans; unused by the biLSTM.
    Raises: ValueError if two options do not fit each other.
    """

    reads = ("sides",)

    def __init__(
        self,
        embedding: WordEmbedding,
        classes: int,
        *,
        encoder: Encoder = "bilstm",
        hidden: Count = 282,
        width: Count = 3,
    ) -> None:
        super().__init__()
        if encoder == "bilstm":
            EVEN.check("hidden", hidden)
        self.embedding = embedding
        self.width = width
        self.encoder = (
            nn.LSTM(embedding.dim, hidden // 2, batch_first=True, bidirectional=True)
            if encoder == "bilstm"
            else Linear(width * embedding.dim, hidden)
        )
        self.similarity = Linear(hidden, hidden, bias=False)  # U^T
        self.output = ClassesOfScore(classes, slope=FIRST_SLOPE)

    def forward(self, words: Tensor, mask: Tensor, sides: Tensor) -> Tensor:
        """Map pairs (B, T), their mask and sides to logits (B, C)."""
        first, second = two_texts(words, mask, sides)
        q, a = self.encoded(first), self.encoded(second)  # Q and A, (B, M, H) and (B, N, H)
        matches = torch.tanh(self.similarity(q) @ a.transpose(1, 2))  # G = tanh(Q^T U A), (B, M, N)
        of_q = pooled(q, matches, first.mask, second.mask)  # r_q, (B, H)
        of_a = pooled(a, matches.transpose(1, 2), second.mask, first.mask)  # r_a, (B, H)
        logits: Tensor = self.output(F.cosine_similarity(of_q, of_a))  # s(q, a)
        return logits

    def encoded(self, text: TextOfPair) -> Tensor:
        """Map one text of every pair to the states of its words (B, M, H)."""
        x = self.embedding(text.words)  # (B, M, D)
        if isinstance(self.encoder, nn.LSTM):
            return states_of_words(self.encoder, x, text.mask)
        before = (self.width - 1) // 2
        windows = F.pad(x, (0, 0, before, self.width - 1 - before)).unfold(1, self.width, 1)  # (B, M, D, w)
        states: Tensor = self.encoder(windows.flatten(2))  # W z + b
        return states

    def flops_per_word(self, words_per_text: float) -> float:
        """Count forward FLOPs (2 per multiply-add), if each text has half of the words."""
        hidden, half = self.similarity.in_features, words_per_text / 2
        encoder = self.encoder.weight.numel() if isinstance(self.encoder, Linear) else recurrent_flops(self.encoder) / 2
        matching = half * self.similarity.weight.numel() + half**2 * hidden
        pair = matching + 3 * hidden + self.output.weight.numel()  # a cosine takes three products
        return 2 * (encoder + hidden + pair / words_per_text)


def pooled(states: Tensor, matches: Tensor, own: Tensor, other: Tensor) -> Tensor:
    """Return the sum of a text's states, weighted by the softmax of each word's best match in the other text, (B, H).

    Args:
        states: (B, M, H).
        matches: between its words and those of the other text, (B, M, N).
        own, other: masks of the two texts, (B, M) and (B, N).
    """
    best = matches.masked_fill(~other.unsqueeze(1), -torch.inf).amax(dim=2)  # g, (B, M)
    weights = torch.softmax(best.masked_fill(~own, -torch.inf), dim=1)  # sigma
    return (weights.unsqueeze(1) @ states).squeeze(1)  # r
