"""Generalized pooling: heads that weight every component of a word's state separately, over a stacked BiLSTM.

Source     Chen, Ling, Zhu, "Enhancing Sentence Embedding with Generalized Pooling", COLING 2018, sections 3 and 4: from
           the authors' code, lukecq1231/generalized-pooling, not checked against the paper.
Equations  layer l reads [h^{l-1}; x]; A^i = softmax(W_2^i ReLU(W_1^i H^T + b_1^i)) over the words, a vector per word;
           v^i = sum_t a_t^i * h_t; v = [v^1; ...; v^I]; penalty mu sum_{i<j} max(lambda - |X^i - X^j|_F^2, 0), where X
           is W_1, A or v.
Reading    lambda is 1; distances of A and v are means over texts, before the maximum. Sizes are from the code: three
           layers of 600 states per direction, I = 6 (its first version; 5 now), d_a = 600, two ReLU layers of 600, of
           which the second also reads v; dropout 0.5; mu = 0.01 on W_1; fixed word vectors.
Departure  no character-based word vectors. A single text has no match: the classifier reads v. The bias b_2^i is left
           out: it is the same for all words and cancels in the softmax. No halving of the learning rate.
Shapes     B texts, T words (padded on the right), D vector size, H states of one direction, I heads, d_a units of a
           head's hidden layer, M units of the classifier's hidden layers, C classes.
"""

from typing import Literal

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from retable.layers.embedding import WordEmbedding
from retable.layers.network import Network
from retable.layers.options import Count, NonNegative, Share
from retable.layers.products import Linear
from retable.layers.recurrent import recurrent_flops, states_of_words
from retable.layers.wide import at_least_float32

MARGIN = 1.0  # lambda
Penalised = Literal["none", "parameters", "attention", "embeddings"]


class GeneralizedPooling(Network):
    """Stacked bidirectional LSTM under vector-based multi-head attention.

    Args:
        embedding: the word vectors.
        classes: number of classes.
        layers: number of layers of the LSTM; each reads the word vectors and the layer below.
        hidden: states of each direction.
        heads: weighted sums of the states, I.
        attention_hidden: units of each head's hidden layer, d_a.
        mlp_hidden: units of each of the classifier's two hidden layers.
        dropout: share of the word vectors' components and of the hidden units, dropped in training, in [0, 1).
        penalised: what should differ between heads: none, parameters (W_1), attention (A), embeddings (v).
        penalty: coefficient of the penalty on similar heads, mu, at least 0.
    """

    def __init__(
        self,
        embedding: WordEmbedding,
        classes: int,
        *,
        layers: Count = 3,
        hidden: Count = 600,
        heads: Count = 6,
        attention_hidden: Count = 600,
        mlp_hidden: Count = 600,
        dropout: Share = 0.5,
        penalised: Penalised = "parameters",
        penalty: NonNegative = 0.01,
    ) -> None:
        super().__init__()
        self.embedding, self.heads, self.penalised, self.penalty = embedding, heads, penalised, penalty
        dim, states = embedding.dim, 2 * hidden
        self.lstms = nn.ModuleList(
            nn.LSTM(dim + (states if layer else 0), hidden, batch_first=True, bidirectional=True)
            for layer in range(layers)
        )
        self.first = Linear(states, heads * attention_hidden)  # W_1, b_1
        self.second = nn.Parameter(torch.empty(heads, attention_hidden, states))  # W_2
        nn.init.normal_(self.second, std=attention_hidden**-0.5)
        self.lower = Linear(heads * states, mlp_hidden)
        self.upper = Linear(heads * states + mlp_hidden, mlp_hidden)
        self.output = nn.Linear(mlp_hidden, classes)
        self.dropout = nn.Dropout(dropout)
        self.of_batch: Tensor | None = None  # in training, from forward to auxiliary_loss: A or v, (B, I, numbers)

    def forward(self, words: Tensor, mask: Tensor) -> Tensor:
        """Map words (B, T) and their mask to logits (B, C)."""
        states = self.states(words, mask)  # H, (B, T, 2 H)
        weights = self.weights(states, mask)
        matrix = torch.einsum("btid,btd->bid", weights, states)  # v, (B, I, 2 H)
        if self.training and self.penalised in {"attention", "embeddings"}:
            self.of_batch = matrix if self.penalised == "embeddings" else weights.transpose(1, 2).flatten(2)
        text = matrix.flatten(1)
        lower = self.dropout(F.relu(self.lower(text)))
        upper = self.dropout(F.relu(self.upper(torch.cat((text, lower), dim=1))))
        logits: Tensor = self.output(upper)
        return logits

    def states(self, words: Tensor, mask: Tensor) -> Tensor:
        """Return the last layer's states (B, T, 2 H), zero on padding."""
        x = self.dropout(self.embedding(words))  # (B, T, D)
        states = x
        for layer, lstm in enumerate(self.lstms):
            assert isinstance(lstm, nn.LSTM)
            states = states_of_words(lstm, torch.cat((states, x), dim=2) if layer else x, mask)
        return states

    def weights(self, states: Tensor, mask: Tensor) -> Tensor:
        """Return A (B, T, I, 2 H), which sums to one over the words; padding has weight 0."""
        hidden = F.relu(self.first(states)).unflatten(2, (self.heads, -1))  # (B, T, I, d_a)
        scores = torch.einsum("btia,iad->btid", hidden, self.second)
        return torch.softmax(scores.masked_fill(~mask[:, :, None, None], -torch.inf), dim=1)

    def auxiliary_loss(self, classes: Tensor) -> Tensor | None:
        """Return the penalty of the last batch of `forward`, times mu; None without a penalty."""
        if self.penalised == "none":
            return None
        of_heads, self.of_batch = self.of_batch, None
        if self.penalised == "parameters":
            of_heads = self.first.weight.view(1, self.heads, -1)  # W_1
        assert of_heads is not None, "call forward first, in training"
        return self.penalty * closeness(of_heads)

    def flops_per_word(self, words_per_text: float) -> float:
        """Count forward FLOPs (2 per multiply-add): LSTMs, W_1, W_2, I sums of 2 H per word; classifier."""
        of_lstms = sum(recurrent_flops(lstm) for lstm in self.lstms if isinstance(lstm, nn.LSTM))
        of_word = self.first.weight.numel() + self.second.numel() + self.heads * self.second.shape[2]
        of_text = sum(layer.weight.numel() for layer in (self.lower, self.upper, self.output))
        return of_lstms + 2 * (of_word + of_text / words_per_text)


def closeness(x: Tensor) -> Tensor:
    """Return how far squared distances of head pairs (B, I, numbers), averaged over texts, fall below lambda."""
    x = at_least_float32(x)
    total = x.new_zeros(())
    for head in range(x.shape[1] - 1):
        distances = (x[:, head + 1 :] - x[:, head : head + 1]).square().sum(dim=2).mean(dim=0)
        total = total + F.relu(MARGIN - distances).sum()
    return total
