"""MwAN: each word of a text attends to the other text in four ways, whose findings are read, mixed and read again.

Source     Tan, Wei, Wang, Lv and Zhou, "Multiway Attention Networks for Modeling Sentence Pairs", IJCAI 2018; from
           notes and public code that quotes its equations 8, 9, 11 and 12; not checked against the published paper.
Equations  a state p_t of the second text and the states q_j of the first have four scores: concat v_c tanh(W_c1
           q_j + W_c2 p_t), bilinear q_j W_b p_t, dot v_d tanh(W_d (q_j * p_t)), minus v_m tanh(W_m (q_j - p_t));
           q_t^k = sum_j softmax_j(s^k) q_j, k one of the four. Inside aggregation (eq. 8): x = [q_t^k; p_t],
           h^k = BiGRU(sigmoid(W_g x) * x). Mixed aggregation (eq. 9): a BiGRU reads the mean of the h_t^k, weighted by
           softmax_k(v_a tanh(W_a h_t^k + b_a)), and gives o_t. Prediction (eq. 11, 12): r_q is the mean of the q_j,
           weighted by softmax_j(v_q tanh(W_q q_j + b_q)), r_p that of the o_t, by softmax_t(v_p tanh(W_p1 o_t + W_p2
           r_q)), scores = W r_p + b. `*` is elementwise.
Reading    one encoder reads both texts (public codes have two); all four ways share W_g and the GRU after it (code).
           b_a and b_q replace the paper's products of a matrix and a learned vector: the same functions.
Decision   the direction of matching is that of answer selection: the answer, second, with the question. Dropout is on
           word vectors, on the inputs of both aggregation GRUs, and on r_p.
Departure  a word is its vector, without the contextual vector of a language model that the paper adds (ELMo, in notes
           on it). r_p goes to a linear layer (notes: an MLP). Sizes and training are from memory.
Shapes     B pairs, T words of both texts and the mark, M and N words of the second and the first text, D vector size, H
           states of both directions, A = H / 2 units of an attention, C classes.
"""

import torch
from torch import Tensor, nn

from retable.layers.embedding import WordEmbedding
from retable.layers.network import Network
from retable.layers.options import Even, Share
from retable.layers.pairs import two_texts
from retable.layers.products import Linear
from retable.layers.recurrent import recurrent_flops, states_of_words

WAYS = 4  # concat, bilinear, dot, minus


class MwAN(Network):
    """Four attentions from one text to the other, two aggregations and a classifier.

    Args:
        embedding: the word vectors.
        classes: number of classes.
        hidden: states of each GRU, both directions together, H.
        dropout: dropout rate, in [0, 1).
    """

    reads = ("sides",)

    def __init__(self, embedding: WordEmbedding, classes: int, *, hidden: Even = 150, dropout: Share = 0.2) -> None:
        super().__init__()
        units = hidden // 2  # A

        def gru(inputs: int) -> nn.GRU:
            return nn.GRU(inputs, units, batch_first=True, bidirectional=True)

        self.embedding = embedding
        self.encoder = gru(embedding.dim)
        self.concat_q, self.concat_p = (Linear(hidden, units, bias=False) for _ in range(2))  # W_c1, W_c2
        self.bilinear = Linear(hidden, hidden, bias=False)  # W_b
        self.dot, self.minus = (Linear(hidden, units, bias=False) for _ in range(2))  # W_d, W_m
        self.of_concat, self.of_dot, self.of_minus = (nn.Linear(units, 1, bias=False) for _ in range(3))  # v
        self.gate = Linear(2 * hidden, 2 * hidden, bias=False)  # W_g
        self.inside, self.mixed = gru(2 * hidden), gru(hidden)
        self.mix, self.of_mix = Linear(hidden, units), nn.Linear(units, 1, bias=False)  # W_a, b_a, v_a
        self.pool_q, self.of_q = Linear(hidden, units), nn.Linear(units, 1, bias=False)  # W_q, b_q, v_q
        self.pool_p, self.of_p = Linear(hidden, units, bias=False), nn.Linear(units, 1, bias=False)  # W_p1, v_p
        self.pool_by_q = nn.Linear(hidden, units, bias=False)  # W_p2
        self.dropout = nn.Dropout(dropout)
        self.output = nn.Linear(hidden, classes)  # W, b

    def forward(self, words: Tensor, mask: Tensor, sides: Tensor) -> Tensor:
        """Map pairs (B, T), their mask and sides to logits (B, C)."""
        first, second = two_texts(words, mask, sides)
        q, p = (
            states_of_words(self.encoder, self.dropout(self.embedding(text.words)), text.mask)
            for text in (first, second)
        )  # (B, N, H), (B, M, H)
        found = torch.stack([weights @ q for weights in self.attentions(q, p, first.mask)])  # q_t^k, (4, B, M, H)
        x = torch.cat((found, p.expand_as(found)), dim=3)
        x = self.dropout(torch.sigmoid(self.gate(x)) * x).flatten(0, 1)  # (4 B, M, 2 H)
        inside = states_of_words(self.inside, x, second.mask.repeat(WAYS, 1)).unflatten(0, (WAYS, -1))  # eq. 8
        shares = torch.softmax(self.of_mix(torch.tanh(self.mix(inside))), dim=0)  # (4, B, M, 1)
        outer = states_of_words(self.mixed, self.dropout((shares * inside).sum(dim=0)), second.mask)  # eq. 9, o
        r_q = pooled(self.of_q(torch.tanh(self.pool_q(q))), q, first.mask)  # eq. 11, (B, H)
        asked = self.pool_p(outer) + self.pool_by_q(r_q).unsqueeze(1)
        r_p = pooled(self.of_p(torch.tanh(asked)), outer, second.mask)  # eq. 12, (B, H)
        logits: Tensor = self.output(self.dropout(r_p))
        return logits

    def attentions(self, q: Tensor, p: Tensor, q_mask: Tensor) -> list[Tensor]:
        """Return the attention weights over q (B, N, H) for each of p (B, M, H), in the four ways, (B, M, N) each."""
        of_q, of_p = q.unsqueeze(1), p.unsqueeze(2)  # (B, 1, N, H), (B, M, 1, H)
        scores = (
            self.of_concat(torch.tanh(self.concat_q(of_q) + self.concat_p(of_p))).squeeze(3),
            self.bilinear(p) @ q.transpose(1, 2),
            self.of_dot(torch.tanh(self.dot(of_q * of_p))).squeeze(3),
            self.of_minus(torch.tanh(self.minus(of_q) - self.minus(of_p))).squeeze(3),
        )
        return [torch.softmax(each.masked_fill(~q_mask.unsqueeze(1), -torch.inf), dim=2) for each in scores]

    def flops_per_word(self, words_per_text: float) -> float:
        """Return forward FLOPs, two per multiply-add: W_c1 or W_c2, W_m and the encoder per word; W_b, aggregations and
        W_p1 per word of the second text, W_q of the first; scores and four weighted sums per pair of words.
        """
        half, hidden, units = words_per_text / 2, self.output.in_features, self.of_q.in_features
        square = hidden * units
        of_pairs = 3 * units + 2 * hidden + square + WAYS * hidden  # v; W_b's and dot's products, W_d; weighted sums
        gated = self.gate.weight.numel() + 2 * hidden  # and gates times x
        of_second = hidden**2 + WAYS * (gated + square + units + hidden) + square + units + hidden
        of_first = square + units + hidden
        of_pair = words_per_text * 2 * square + half**2 * of_pairs + half * (of_second + of_first)
        of_pair += square + self.output.weight.numel()
        grus = words_per_text * recurrent_flops(self.encoder)
        grus += half * (WAYS * recurrent_flops(self.inside) + recurrent_flops(self.mixed))
        return (grus + 2 * of_pair) / words_per_text


def pooled(scores: Tensor, states: Tensor, mask: Tensor) -> Tensor:
    """Return the mean of states (B, M, H), weighted by the softmax of scores (B, M, 1) over the real words, (B, H)."""
    weights = torch.softmax(scores.masked_fill(~mask.unsqueeze(2), -torch.inf), dim=1)
    return (weights * states).sum(dim=1)
