"""Encoder1-Encoder2: a local extractor, CNN or disconnected RNN, that reads a global vector as an additional word.

Source     Niu et al., "Enhancing Local Feature Extraction with Global Representation for Neural Text Classification",
           EMNLP 2019. Encoder1 reads the whole text to h_1 ... h_T. Interaction SAME: g_t = MLP(max over i of h_i), one
           for all windows. ATTEND: a_ti = softmax over i of tanh(W_q c_t) . tanh(W_k h_i), g_t = MLP(sum of a_ti h_i),
           where c_t is the mean of window t. Encoder2: CNN, l_t = relu(W [window t; g_t] + b), or DRNN, below. The text
           is the maximum of l_t over its words; an MLP follows.
DRNN       Wang, "Disconnected Recurrent Neural Networks for Text Categorization", ACL 2018: l_t is the last state of a
           GRU that starts from zero at every window, here with g_t as the word before it.
Reading    the paper and its equation numbers were not available: all this is from its code (cdbgogo/Encoder1-Encoder2)
           and notes on it. Encoder1 is a one-way GRU by default: "Encoder-" in FCSR's table 3 names none. Window t is
           word t and the k - 1 before it, zeros before the text, for both extractors and for c_t, whose zeros count;
           the code's convolution is centred. l_t of the DRNN passes W^C, linear, before the maximum.
Departure  no batch normalisation, which would make texts of a batch depend on each other; no second dropout on the
           DRNN's input, and its dropout before the classifier is on the hidden units, in the code on the text vector.
           The code's DRNN under ATTEND reads W h_i, linear, in place of h_i. The code's CNN under ATTEND also reads the
           maximum of h_i, and its classifier has 2000 linear units: ours is the same for both. torch's GRU, whose reset
           gate follows the product with the state. Training is ours: the code sums the loss over a batch, clips each
           weight's gradient at 5, lets the rate fall to 5e-5, has L2 in most runs and cuts texts at 128 to 300 words.
Method     a word's contribution to the gates is the same in all its k windows and computed once; the windows of all
           words take their k steps together.
Shapes     B texts, T words (padded on the right), D vector size, G size of h_i, k window, H states, K filters, F size
           of l_t, C classes.
"""

from typing import Literal

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from retable.layers.classifier import classifier_flops, text_classifier
from retable.layers.embedding import WordEmbedding
from retable.layers.encoder import max_over_words
from retable.layers.heads import softmax_over_words
from retable.layers.network import Network
from retable.layers.options import Count, CountOrZero, Share
from retable.layers.products import Linear
from retable.layers.recurrent import recurrent_flops, states_of_words

Encoder = Literal["gru", "cnn", "attention"]
Extractor = Literal["cnn", "drnn"]
Interaction = Literal["same", "attention"]
WIDTHS = (3, 5, 7)  # of Encoder1's filters, in words, if it is a CNN


class GlobalGRU(nn.Module):
    """Encoder1 as a GRU: its states, and their maximum."""

    def __init__(self, dim: int, hidden: int) -> None:
        super().__init__()
        self.gru, self.size = nn.GRU(dim, hidden, batch_first=True), hidden

    def forward(self, x: Tensor, mask: Tensor) -> Tensor:
        """Map words (B, T, D) and their mask to h, (B, T, G)."""
        return states_of_words(self.gru, x, mask)

    def pool(self, states: Tensor, mask: Tensor) -> Tensor:
        """Map h (B, T, G) to one vector per text, (B, G)."""
        return max_over_words(states, mask)

    def flops_per_word(self) -> float:
        """Count forward FLOPs (2 per multiply-add): 3 H (D + H)."""
        return recurrent_flops(self.gru)


class GlobalAttention(GlobalGRU):
    """Encoder1 as a GRU with attention: its states times their weights, and their sum."""

    def __init__(self, dim: int, hidden: int) -> None:
        super().__init__(dim, hidden)
        self.query = nn.Linear(hidden, 1, bias=False)  # w

    def forward(self, x: Tensor, mask: Tensor) -> Tensor:
        """Map words (B, T, D) and their mask to h, (B, T, G)."""
        states = super().forward(x, mask)
        weights = softmax_over_words(self.query(torch.tanh(states)), mask)  # softmax(w . tanh(h_t)), (B, 1, T)
        return states * weights.transpose(1, 2)

    def pool(self, states: Tensor, mask: Tensor) -> Tensor:
        """Map h (B, T, G), zero on padding, to one vector per text, (B, G)."""
        return states.sum(dim=1)

    def flops_per_word(self) -> float:
        """Count forward FLOPs (2 per multiply-add): the GRU, and 2 H for score and weighting."""
        return super().flops_per_word() + 2 * 2 * self.size


class GlobalCNN(nn.Module):
    """Encoder1 as a CNN of three widths, each centred on the word."""

    def __init__(self, dim: int, filters: int) -> None:
        super().__init__()
        self.convolutions = nn.ModuleList(nn.Conv1d(dim, filters, width, padding=width // 2) for width in WIDTHS)
        self.size = filters * len(WIDTHS)

    def forward(self, x: Tensor, mask: Tensor) -> Tensor:
        """Map words (B, T, D), zero on padding, and their mask to h, (B, T, G)."""
        maps = torch.cat([convolution(x.transpose(1, 2)) for convolution in self.convolutions], dim=1)
        return F.relu(maps).transpose(1, 2)

    def pool(self, states: Tensor, mask: Tensor) -> Tensor:
        """Map h (B, T, G) to one vector per text, (B, G)."""
        return max_over_words(states, mask)

    def flops_per_word(self) -> float:
        """Count forward FLOPs (2 per multiply-add): (3 + 5 + 7) D K."""
        return 2.0 * sum(weight.numel() for weight in self.parameters() if weight.dim() == 3)


class Same(nn.Module):
    """One global vector for all windows of a text."""

    def __init__(self, encoder: GlobalGRU | GlobalCNN, dim: int) -> None:
        super().__init__()
        self.encoder, self.mlp = encoder, nn.Linear(encoder.size, dim)

    def forward(self, x: Tensor, before: Tensor, mask: Tensor) -> Tensor:
        """Map words (B, T, D) and their mask to g, (B, 1, D), independent of the windows."""
        pooled = self.encoder.pool(self.encoder(x, mask), mask)
        return F.relu(self.mlp(pooled)).unsqueeze(1)  # g = MLP(max h)

    def flops_per_word(self, words_per_text: float) -> float:
        """Count forward FLOPs (2 per multiply-add): Encoder1 per word, G D per text."""
        return self.encoder.flops_per_word() + 2 * self.mlp.weight.numel() / words_per_text


class Attend(nn.Module):
    """A global vector for each window: Encoder1's states weighted by their match with the window's mean."""

    def __init__(self, encoder: GlobalGRU | GlobalCNN, dim: int, window: int) -> None:
        super().__init__()
        self.encoder, self.mlp, self.window = encoder, Linear(encoder.size, dim), window
        self.query, self.key = Linear(dim, dim, bias=False), Linear(encoder.size, dim, bias=False)  # W_q, W_k

    def forward(self, x: Tensor, before: Tensor, mask: Tensor) -> Tensor:
        """Map words (B, T, D), the same with k - 1 zeros before them, and the mask to g, (B, T, D)."""
        states = self.encoder(x, mask)
        means = F.avg_pool1d(before.transpose(1, 2), self.window, stride=1).transpose(1, 2)  # c_t, (B, T, D)
        scores = torch.tanh(self.query(means)) @ torch.tanh(self.key(states)).transpose(1, 2)  # (B, T, T)
        weights = torch.softmax(scores.masked_fill(~mask.unsqueeze(1), -torch.inf), dim=2)  # a_ti
        return F.relu(self.mlp(weights @ states))  # g_t = MLP(sum of a_ti h_i)

    def flops_per_word(self, words_per_text: float) -> float:
        """Count forward FLOPs (2 per multiply-add) per word: Encoder1, D D + 2 G D, T (D + G) for scores and sums."""
        size, dim = self.key.weight.shape[1], self.key.weight.shape[0]
        return self.encoder.flops_per_word() + 2 * (dim**2 + 2 * size * dim + words_per_text * (dim + size))


class LocalCNN(nn.Module):
    """Encoder2 as a CNN with filters over a window and its global vector."""

    def __init__(self, dim: int, filters: int, window: int) -> None:
        super().__init__()
        self.convolution = nn.Conv1d(dim, filters, window)
        self.of_global = Linear(dim, filters, bias=False)  # the filters' part for g_t
        self.size = filters

    def forward(self, before: Tensor, g: Tensor) -> Tensor:
        """Map words with k - 1 zeros before them (B, k - 1 + T, D), and g, to l, (B, T, K)."""
        maps = self.convolution(before.transpose(1, 2)).transpose(1, 2)
        return F.relu(maps + self.of_global(g))  # relu(W [window t; g_t] + b)

    def flops(self) -> tuple[int, int]:
        """Count forward FLOPs (2 per multiply-add): k D K per word, D K per global vector."""
        return 2 * self.convolution.weight.numel(), 2 * self.of_global.weight.numel()


class LocalDRNN(nn.Module):
    """Encoder2 as a disconnected RNN: a GRU that restarts at every window, from its global vector."""

    def __init__(self, dim: int, hidden: int, window: int, dropout: float) -> None:
        super().__init__()
        self.inputs, self.states = Linear(dim, 3 * hidden), Linear(hidden, 3 * hidden)  # gates r, z and candidate n
        self.dropout = nn.Dropout(dropout)
        self.last = Linear(hidden, hidden, bias=False)  # W^C
        self.window, self.size = window, hidden

    def forward(self, before: Tensor, g: Tensor) -> Tensor:
        """Map words with k - 1 zeros before them (B, k - 1 + T, D), and g, to l, (B, T, H)."""
        given, count = self.inputs(before), before.shape[1] - self.window + 1
        zero = before.new_zeros(1, 1, self.size)
        state = gru_step(self.inputs(g), self.states.bias, zero)  # from a zero state; (B, 1 or T, H)
        for step in range(self.window):  # word t - k + 1 + step of every window t
            state = gru_step(given[:, step : step + count], self.states(state), state)
        local: Tensor = self.last(self.dropout(state))
        return local

    def flops(self) -> tuple[int, int]:
        """Count forward FLOPs (2 per multiply-add): 3 D H + k 3 H H + H H per word, 3 D H per global vector."""
        of_inputs = self.inputs.weight.numel()
        return 2 * (of_inputs + self.window * self.states.weight.numel() + self.last.weight.numel()), 2 * of_inputs


class EncoderExtractor(Network):
    """Encoder1-Encoder2.

    Args:
        embedding: the word vectors.
        classes: number of classes.
        encoder: Encoder1: gru, cnn, attention (a GRU's states times their weights, summed under SAME).
        extractor: Encoder2: cnn, drnn.
        interaction: global vector of a window: same (one for all windows of a text), attention.
        window: words per window, k.
        hidden: states of a GRU, in Encoder1 and in the DRNN.
        filters: filters per width in Encoder1 and Encoder2; no effect unless one of them is a CNN.
        mlp_hidden: units of the classifier's hidden layer; 0: one linear layer.
        dropout_words: share of the word vectors' components that are dropped in training, in [0, 1).
        dropout_states: the same for the DRNN's last states; no effect unless `extractor` is drnn.
        dropout: the same for the classifier's hidden units, or without them for the text's vector.
    """

    def __init__(
        self,
        embedding: WordEmbedding,
        classes: int,
        *,
        encoder: Encoder = "gru",
        extractor: Extractor = "cnn",
        interaction: Interaction = "same",
        window: Count = 15,
        hidden: Count = 300,
        filters: Count = 128,
        mlp_hidden: CountOrZero = 300,
        dropout_words: Share = 0.2,
        dropout_states: Share = 0.1,
        dropout: Share = 0.2,
    ) -> None:
        super().__init__()
        self.embedding, self.window = embedding, window
        self.dropout_words = nn.Dropout(dropout_words)
        dim = embedding.dim
        encoder1 = build_encoder(encoder, dim, hidden, filters)
        self.interaction = Same(encoder1, dim) if interaction == "same" else Attend(encoder1, dim, window)
        self.extractor = (
            LocalCNN(dim, filters, window) if extractor == "cnn" else LocalDRNN(dim, hidden, window, dropout_states)
        )
        self.classifier = text_classifier(self.extractor.size, mlp_hidden, classes, dropout)

    def forward(self, words: Tensor, mask: Tensor) -> Tensor:
        """Map words (B, T) and their mask to logits (B, C)."""
        x = self.dropout_words(self.embedding(words)) * mask.unsqueeze(2)  # (B, T, D)
        before = F.pad(x, (0, 0, self.window - 1, 0))  # zeros before the text, (B, k - 1 + T, D)
        local = self.extractor(before, self.interaction(x, before, mask))  # l_t, (B, T, F)
        logits: Tensor = self.classifier(max_over_words(local, mask))
        return logits

    def flops_per_word(self, words_per_text: float) -> float:
        """Count forward FLOPs (2 per multiply-add): Encoder1, interaction, Encoder2, global vectors, classifier."""
        of_word, of_vector = self.extractor.flops()
        vectors = 1 / words_per_text if isinstance(self.interaction, Same) else 1.0
        own = of_word + of_vector * vectors + classifier_flops(self.classifier) / words_per_text
        return self.interaction.flops_per_word(words_per_text) + own


def build_encoder(encoder: Encoder, dim: int, hidden: int, filters: int) -> GlobalGRU | GlobalCNN:
    """Return Encoder1."""
    if encoder == "cnn":
        return GlobalCNN(dim, filters)
    return GlobalGRU(dim, hidden) if encoder == "gru" else GlobalAttention(dim, hidden)


def gru_step(given: Tensor, kept: Tensor, state: Tensor) -> Tensor:
    """Return the next state of torch's GRU, (..., H).

    Args:
        given: W x + b for both gates and the candidate, (..., 3 H).
        kept: U h + b for the same, (..., 3 H).
        state: h, (..., H).
    """
    size = state.shape[2]
    r, z = torch.sigmoid(given[..., : 2 * size] + kept[..., : 2 * size]).chunk(2, dim=-1)
    n = torch.tanh(given[..., 2 * size :] + r * kept[..., 2 * size :])
    return torch.lerp(n, state.expand_as(n).to(n.dtype), z)  # (1 - z) n + z h
