"""BiMPM: every state of each text is matched with the other text in four ways, under several weightings.

Source     Wang, Hamza and Florian, "Bilateral Multi-Perspective Matching for Natural Language Sentences", IJCAI 2017:
           section 3.1 (layers), section 3.2 (matching), section 4.1 (sizes). From code and notes, not checked against
           the paper.
Equation   m_k = cosine(W_k * v_1, W_k * v_2), k = 1 ... l, of two states under l perspectives. For a state h_i of one
           text and the states h_j of the other: full (v_2 is the state after the other text's last word), maxpooling
           (the largest m_k over j), attentive (v_2 = sum_j a_ij h_j / sum_j a_ij, a_ij = cosine(h_i, h_j)),
           max-attentive (v_2 = the h_j with the largest a_ij).
Reading    each matching has its own weights in each direction of the LSTM (W^1 to W^8), shared by both texts. The
           backward direction ends at the first word. Both texts share the context and the aggregation layer (the
           authors' code shares the context layer alone); the classifier reads the four last states of the latter, two
           per text. Its hidden layer uses tanh (code).
Decision   dropout is applied to the word vectors, both texts' contexts and matchings, the four states and the hidden
           layer ("every layer"). Of the sum of weights in the attentive mean only the sign is computed: a cosine
           ignores length. W starts from normal numbers of He et al. (public code).
Departure  no LSTM over the characters of a word: a word is only its vector. No means beside the maxima and no plain
           cosines, which the authors' code adds to the matchings; gradients are not clipped.
Shapes     B pairs, T words of both texts and the mark, M and N words of the two texts, D vector size,
           H states of a direction, l perspectives, C classes.
"""

from collections.abc import Sequence
from typing import Annotated, Literal, get_args

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from retable.layers.embedding import WordEmbedding
from retable.layers.network import Network
from retable.layers.options import Count, Range, Share
from retable.layers.pairs import two_texts
from retable.layers.recurrent import last_of, recurrent_flops, states_of_words

Matching = Literal["full", "maxpooling", "attentive", "max-attentive"]
ALL: tuple[Matching, ...] = get_args(Matching)
ONCE = Range(f"one or more of {', '.join(ALL)}, each once", lambda names: 0 < len(names) == len(set(names)))
TINY = 1e-12  # lower bound of the squared lengths in a cosine's divisor


class BiMPM(Network):
    """Context layer, matching layer and aggregation layer over both texts, and a classifier.

    Args:
        embedding: the word vectors.
        classes: number of classes.
        hidden: states of each direction of the context layer and of the aggregation layer.
        perspectives: weightings per matching and direction, l.
        matching: one or more of full, maxpooling, attentive, max-attentive.
        mlp_hidden: units of the classifier's hidden layer.
        dropout: share of the components that are dropped in training, in [0, 1).
    """

    reads = ("sides",)

    def __init__(
        self,
        embedding: WordEmbedding,
        classes: int,
        *,
        hidden: Count = 100,
        perspectives: Count = 20,
        matching: Annotated[Sequence[Matching], ONCE] = ALL,
        mlp_hidden: Count = 200,
        dropout: Share = 0.1,
    ) -> None:
        super().__init__()
        self.embedding, self.matching = embedding, tuple(matching)
        self.context = nn.LSTM(embedding.dim, hidden, batch_first=True, bidirectional=True)
        # W: rows per matching, forward before backward, (matchings, 2, l, H)
        self.weights = nn.Parameter(torch.randn(len(matching), 2, perspectives, hidden) * (2 / hidden) ** 0.5)
        matched = 2 * len(matching) * perspectives
        self.aggregation = nn.LSTM(matched, hidden, batch_first=True, bidirectional=True)
        self.dropout = nn.Dropout(dropout)
        self.hidden, self.output = nn.Linear(4 * hidden, mlp_hidden), nn.Linear(mlp_hidden, classes)

    def forward(self, words: Tensor, mask: Tensor, sides: Tensor) -> Tensor:
        """Map pairs (B, T), their mask and sides to logits (B, C)."""
        first, second = two_texts(words, mask, sides)
        p, q = (self.contexts(text.words, text.mask) for text in (first, second))
        p_q, q_p = self.matched(p, q, second.mask), self.matched(q, p, first.mask)  # both directions, P to Q and Q to P
        ends: list[Tensor] = []
        for matchings, own in ((p_q, first.mask), (q_p, second.mask)):
            ends += last_states(states_of_words(self.aggregation, self.dropout(matchings), own), own)
        pair = self.dropout(torch.cat(ends, dim=1))  # (B, 4 H)
        logits: Tensor = self.output(self.dropout(torch.tanh(self.hidden(pair))))
        return logits

    def contexts(self, words: Tensor, mask: Tensor) -> Tensor:
        """Return the states of both directions at every word of one text, (B, M, 2 H), zero after it."""
        return self.dropout(states_of_words(self.context, self.dropout(self.embedding(words)), mask))

    def matched(self, own: Tensor, other: Tensor, other_mask: Tensor) -> Tensor:
        """Match every state (B, M, 2 H) with the other text's (B, N, 2 H), zero after it, to (B, M, 2 l matchings)."""
        ends = last_states(other, other_mask)  # (B, H) each
        found = []
        for direction, (x, y) in enumerate(zip(own.chunk(2, dim=2), other.chunk(2, dim=2), strict=True)):
            scores = F.normalize(x, dim=2) @ F.normalize(y, dim=2).transpose(1, 2)  # a_ij, (B, M, N)
            real = other_mask.unsqueeze(1)
            for number, name in enumerate(self.matching):
                weights = self.weights[number, direction]
                if name == "full":
                    found.append(perspectives(x, ends[direction].unsqueeze(1), weights))
                elif name == "maxpooling":
                    found.append(best_perspectives(x, y, real, weights))
                elif name == "attentive":
                    found.append(perspectives(x, mean_of_states(scores, y), weights))
                else:
                    best = scores.masked_fill(~real, -torch.inf).argmax(dim=2, keepdim=True)  # (B, M, 1)
                    found.append(perspectives(x, y.gather(1, best.expand(-1, -1, y.shape[2])), weights))
        return torch.cat(found, dim=2)

    def flops_per_word(self, words_per_text: float) -> float:
        """Count forward FLOPs (2 per multiply-add): LSTMs per word, matchings and classifier per pair."""
        half, (_, _, count, hidden) = words_per_text / 2, self.weights.shape
        pairs, length = half * half, (1 + count) * hidden  # word pairs; squares of a vector, times squares of W
        of_directions = 2 * hidden * (pairs + words_per_text)  # products and lengths of a_ij, for both texts
        for name in self.matching:
            if name == "maxpooling":  # W * h_i, products with all h_j, lengths
                of_directions += words_per_text * count * hidden + 2 * pairs * count * hidden
                of_directions += 2 * words_per_text * length
            else:  # product and lengths of h_i and v_2
                of_directions += 2 * words_per_text * length + (2 if name == "full" else words_per_text) * length
            if name == "attentive":  # weighted sums
                of_directions += 2 * pairs * hidden
        of_pair = 2 * of_directions + self.hidden.weight.numel() + self.output.weight.numel()
        return recurrent_flops(self.context) + recurrent_flops(self.aggregation) + 2 * of_pair / words_per_text


def last_states(states: Tensor, mask: Tensor) -> tuple[Tensor, Tensor]:
    """Return the forward state at the last word and the backward state at the first: (B, M, 2 H) to (B, H) each."""
    ahead, back = states.chunk(2, dim=2)
    return last_of(ahead, mask), back[:, 0]


def perspectives(x: Tensor, y: Tensor, weights: Tensor) -> Tensor:
    """Return m_k = cosine(W_k * x, W_k * y), (B, M, l), of states (B, M, H) and (B, M, H) or (B, 1, H)."""
    return F.linear(x * y, weights.square()) / (lengths(x, weights) * lengths(y, weights))


def best_perspectives(x: Tensor, y: Tensor, real: Tensor, weights: Tensor) -> Tensor:
    """Return the largest m_k of each state x (B, M, H) over the `real` (B, 1, N) states y (B, N, H)."""
    products = (x.unsqueeze(1) * weights.square().unsqueeze(1)) @ y.unsqueeze(1).transpose(2, 3)  # (B, l, M, N)
    of_x, of_y = (lengths(states, weights).transpose(1, 2) for states in (x, y))  # (B, l, M) and (B, l, N)
    cosines = products / (of_x.unsqueeze(3) * of_y.unsqueeze(2))
    return cosines.masked_fill(~real.unsqueeze(1), -torch.inf).amax(dim=3).transpose(1, 2)


def lengths(x: Tensor, weights: Tensor) -> Tensor:
    """Return |W_k * x|, (B, M, l), of states (B, M, H); tiny but positive for a zero state."""
    return F.linear(x.square(), weights.square()).clamp(min=TINY).sqrt()


def mean_of_states(scores: Tensor, states: Tensor) -> Tensor:
    """Return the direction of the mean of states (B, N, H) weighted by scores (B, M, N), as (B, M, H)."""
    total = scores.sum(dim=2, keepdim=True)
    return (scores @ states) * torch.where(total < 0, -1.0, 1.0).to(states)
