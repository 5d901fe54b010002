"""HLAN: self-attention over the words of each sentence and over the sentences, each pooled by attention from labels.

Source     Gong, Shi and Niu, "Hierarchical Text-Label Integrated Attention Network for Document Classification", HPCCT
           2019, pages 254-260. ONLY ITS ABSTRACT COULD BE READ. It names four ideas and no equation: a hierarchical
           architecture, so that no sequence is long; attention weights in the joint embedding space of text and label;
           multi-head soft attention that compresses a sequence encoded by self-attention into one vector; a class loss
           added to the cross-entropy. All below is our network of these four, not the authors'.
Reading    eq. A: self-attention is that of Vaswani et al. (2017), one post-norm layer without a feed-forward layer,
           over sinusoidal positions. Soft attention is that of HAN (eq. 5-7), with label vectors e_c, shared by both
           levels, in place of its one learned vector. With states h_t, and slices ^k of m heads: u_t = tanh(W h_t + b)
           (eq. B), s_t^k = max over c of u_t^k . e_c^k (eq. C: a word counts as for the label that it fits best, as in
           LEAM, Wang et al. 2018), weights = softmax over t of s_t^k and v^k = sum of weights h_t^k (eq. D). Class
           loss: the classifier should map e_c to c, the mean cross-entropy (eq. E: LEAM's). Sentences as in HAN.
Decision   sizes, dropout (on word vectors and the text's vector) and training are ours. Label vectors start random,
           Xavier uniform like all matrices.
Shapes     B texts, T words (padded on the right), N sequences, L places in the longest, D vector size, d size of the
           model, m heads, C classes.
"""

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from retable.layers.attention import DotProductAttention, padding_bias, split_heads
from retable.layers.embedding import WordEmbedding
from retable.layers.encoder import EncoderInput, check_heads, first_weights
from retable.layers.network import Network
from retable.layers.options import Count, NonNegative, Share
from retable.layers.pieces import WORDS_PER_SENTENCE, first_words, in_rows, lengths_of_pieces, vectors_of_pieces
from retable.layers.products import Linear


class LabelAttention(nn.Module):
    """Compress states to one vector by how well they fit the labels (eq. B-D).

    Args:
        size: size of a state, d.
        heads: number of slices of a state, each weighted separately, m.
    """

    def __init__(self, size: int, heads: int) -> None:
        super().__init__()
        self.heads = heads
        self.joint = Linear(size, size)  # W and b, into the label space

    def forward(self, states: Tensor, real: Tensor, labels: Tensor) -> Tensor:
        """Map states (N, L, d), their mask (N, L) and the label vectors (C, d) to (N, d)."""
        u = split_heads(torch.tanh(self.joint(states)), self.heads)  # eq. B, (N, m, L, d / m)
        e = split_heads(labels.unsqueeze(0), self.heads)  # (1, m, C, d / m)
        scores = (u @ e.transpose(2, 3)).amax(dim=3)  # eq. C, (N, m, L)
        weights = torch.softmax(scores.masked_fill(~real.unsqueeze(1), -torch.inf), dim=2)
        return (weights.unsqueeze(2) @ split_heads(states, self.heads)).flatten(1)  # eq. D


class Level(nn.Module):
    """Map a sequence of words or sentences to one vector.

    Args:
        dim: size of an input vector, D.
        size: size of the states, d.
        heads: heads of both attentions, m.
    """

    def __init__(self, dim: int, size: int, heads: int) -> None:
        super().__init__()
        self.inputs = EncoderInput(dim, size, scale=True, dropout=0.0)
        self.attention = DotProductAttention(size, heads)
        self.norm = nn.LayerNorm(size)
        self.label_attention = LabelAttention(size, heads)

    def forward(self, x: Tensor, real: Tensor, labels: Tensor) -> Tensor:
        """Map sequences (N, L, D), their mask (N, L) and the label vectors (C, d) to (N, d)."""
        x = self.inputs(x)
        states = self.norm(x + self.attention(x, padding_bias(real)))  # eq. A, (N, L, d)
        compressed: Tensor = self.label_attention(states, real, labels)
        return compressed

    def flops(self, length: float, classes: int) -> float:
        """Count FLOPs per place (2 per multiply-add): D d input, 5 d^2, 2 L d self-attention, C d scores, d sum."""
        size = self.inputs.size
        return self.inputs.flops_per_word() + 2 * size * (5 * size + 2 * length + classes + 1)


class HLAN(Network):
    """Hierarchical text-label integrated attention network.

    Args:
        embedding: the word vectors.
        classes: number of classes.
        size: size of states and labels, even and a multiple of `heads`.
        heads: heads of both attentions.
        class_loss: weight of the class loss added to the cross-entropy, at least 0.
        dropout_words: share of the word vectors' components that are dropped in training, in [0, 1).
        dropout: the same for the text's vector.
    Raises: ValueError if two options do not fit each other.
    """

    reads = ("sentences",)

    def __init__(
        self,
        embedding: WordEmbedding,
        classes: int,
        *,
        size: int = 300,
        heads: Count = 6,
        class_loss: NonNegative = 1.0,
        dropout_words: Share = 0.3,
        dropout: Share = 0.3,
    ) -> None:
        super().__init__()
        check_heads(size, heads)
        self.embedding = embedding
        self.class_loss = class_loss
        self.of_words, self.of_sentences = Level(embedding.dim, size, heads), Level(size, size, heads)
        self.labels = nn.Parameter(torch.empty(classes, size))  # e
        self.dropout_words, self.dropout = nn.Dropout(dropout_words), nn.Dropout(dropout)
        self.output = nn.Linear(size, classes)
        first_weights(self)

    def forward(self, words: Tensor, mask: Tensor, sentences: Tensor) -> Tensor:
        """Map words (B, T), their mask and the numbers of their sentences to logits (B, C)."""
        begins = first_words(mask, sentences)
        x = self.dropout_words(self.embedding(words))[mask]  # words of all texts, concatenated
        of_sentences = self.sentence_vectors(x, lengths_of_pieces(begins, mask))
        text = self.of_sentences(*in_rows(of_sentences, begins.sum(dim=1)), self.labels)  # (B, d)
        logits: Tensor = self.output(self.dropout(text))
        return logits

    def sentence_vectors(self, x: Tensor, lengths: Tensor) -> Tensor:
        """Map words of consecutive sentences, and their lengths (N,), to (N, d).

        They are grouped by length on a GPU too: attention over padding costs the square of the longest sentence.
        """
        size = self.output.in_features
        return vectors_of_pieces(lambda *rows: self.of_words(*rows, self.labels), x, lengths, size, apart=True)

    def auxiliary_loss(self, classes: Tensor) -> Tensor | None:
        """Return the weighted class loss (eq. E), or None if its weight is 0."""
        if not self.class_loss:
            return None
        own = torch.arange(len(self.labels), device=self.labels.device)
        return self.class_loss * F.cross_entropy(self.output(self.labels), own)

    def flops_per_word(self, words_per_text: float) -> float:
        """Count FLOPs (2 per multiply-add): the word level, the sentence level once per 16 words, d C per text."""
        classes, sentences = len(self.labels), words_per_text / WORDS_PER_SENTENCE
        a_sentence = self.of_sentences.flops(sentences, classes)
        a_text = 2 * self.output.weight.numel()
        return (
            self.of_words.flops(WORDS_PER_SENTENCE, classes) + a_sentence / WORDS_PER_SENTENCE + a_text / words_per_text
        )
