"""HAN: a GRU and attention over the words of each sentence, then a GRU and attention over the sentences of the text.

Source     Yang, Yang, Dyer, He, Smola, Hovy, "Hierarchical Attention Networks for Document Classification", NAACL 2016,
           section 2, eq. 1-11.
Reading    a sentence ends at a mark that is its own token (. ! ? … 。 ！ ？; a run of them is one end), since texts
           are words; words after the last mark are a sentence too (retable.text.sentence_ends). Eq. 1-4 are torch's
           GRU, which swaps z_t and 1 - z_t: the same cell with the opposite sign of W_z, U_z, b_z. Words start from
           given vectors, which replace W_e w_it.
Method     the sentences of all texts are one batch. On a CPU sentences of similar length, up to a power of two, go
           through the GRU together, so that less than half of a batch is padding.
Shapes     B texts, T words (padded on the right), N sentences in all texts, L words in the longest, S sentences in the
           text with most, D vector size, H states of both directions together, A size of u_w and u_s, C classes.
"""

import torch
from torch import Tensor, nn

from retable.layers.embedding import WordEmbedding
from retable.layers.network import Network
from retable.layers.recurrent import check_both_directions, recurrent_flops, states_of_words
from retable.models.options import check_at_least

WORDS_PER_SENTENCE = 16  # assumed in operation counts


class ContextAttention(nn.Module):
    """Sum states weighted by their similarity to one learned vector (eq. 5-7 and 8-10).

    Args:
        size: size of a state, H.
        hidden: size of the learned vector, A.
    """

    def __init__(self, size: int, hidden: int) -> None:
        super().__init__()
        self.hidden = nn.Linear(size, hidden)  # W_w and b_w, or W_s and b_s
        self.context = nn.Linear(hidden, 1, bias=False)  # u_w, or u_s

    def forward(self, states: Tensor, real: Tensor) -> Tensor:
        """Map states (N, L, H) and their mask (N, L) to (N, H)."""
        scores = self.context(torch.tanh(self.hidden(states))).squeeze(2)  # u_it^T u_w, eq. 5-6
        weights = torch.softmax(scores.masked_fill(~real, -torch.inf), dim=1)  # eq. 6
        return (weights.unsqueeze(1) @ states).squeeze(1)  # eq. 7

    def flops(self) -> int:
        """Count forward FLOPs per state (2 per multiply-add): A H + A, and H for the sum."""
        return 2 * (self.hidden.weight.numel() + self.context.weight.numel() + self.hidden.in_features)


def in_rows(flat: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor]:
    """Return consecutive vectors, (sum of lengths, D), as rows padded on the right.

    Args:
        lengths: of the rows, int64 (N,), at least 1 each.
    Returns: (N, L, D), zero on padding, and bool (N, L), False on padding.
    """
    real = torch.arange(int(lengths.max()), device=flat.device) < lengths.unsqueeze(1)
    rows = flat.new_zeros(*real.shape, flat.shape[1])
    rows[real] = flat
    return rows, real


class HAN(Network):
    """Hierarchical attention network.

    Args:
        embedding: the word vectors.
        classes: number of classes.
        hidden: states of both directions of a GRU together, an even number.
        attention_hidden: size of the learned vectors that words and sentences are compared with.
    Raises: ValueError if an option is outside its range.
    """

    reads = ("sentences",)

    def __init__(
        self, embedding: WordEmbedding, classes: int, *, hidden: int = 100, attention_hidden: int = 100
    ) -> None:
        super().__init__()
        check_both_directions(hidden)
        check_at_least("attention_hidden", attention_hidden, 1)
        self.embedding = embedding
        self.of_words = nn.GRU(embedding.dim, hidden // 2, batch_first=True, bidirectional=True)
        self.word_attention = ContextAttention(hidden, attention_hidden)
        self.of_sentences = nn.GRU(hidden, hidden // 2, batch_first=True, bidirectional=True)
        self.sentence_attention = ContextAttention(hidden, attention_hidden)
        self.output = nn.Linear(hidden, classes)  # W_c, b_c

    def forward(self, words: Tensor, mask: Tensor, sentences: Tensor) -> Tensor:
        """Map words (B, T), their mask and the numbers of their sentences to logits (B, C)."""
        begins = mask.clone()  # True on the first word of a sentence
        begins[:, 1:] &= sentences[:, 1:] != sentences[:, :-1]
        x = self.embedding(words)[mask]  # x_it of all texts, concatenated
        of_sentences = self.sentence_vectors(x, (begins[mask].cumsum(0) - 1).bincount())  # s_i, (N, H)
        rows, real = in_rows(of_sentences, begins.sum(dim=1))  # (B, S, H)
        states = states_of_words(self.of_sentences, rows, real)  # h_i
        logits: Tensor = self.output(self.sentence_attention(states, real))  # v, eq. 8-10; eq. 11
        return logits

    def sentence_vectors(self, x: Tensor, lengths: Tensor) -> Tensor:
        """Map word vectors of consecutive sentences, and their lengths (N,), to s_i, (N, H)."""
        vectors = x.new_empty(len(lengths), self.output.in_features)
        kinds = torch.zeros_like(lengths) if x.is_cuda else lengths.double().log2().ceil().long()
        kind_of_word = kinds.repeat_interleave(lengths)
        for kind in kinds.unique().tolist():
            chosen = kinds == kind
            rows, real = in_rows(x[kind_of_word == kind], lengths[chosen])  # (n, L, D)
            states = states_of_words(self.of_words, rows, real)  # h_it, eq. 1-4
            vectors[chosen] = self.word_attention(states, real).to(vectors.dtype)
        return vectors

    def flops_per_word(self, words_per_text: float) -> float:
        """Count forward FLOPs (2 per multiply-add): GRU and attention per word and per sentence of 16 words; H C."""
        a_word = recurrent_flops(self.of_words) + self.word_attention.flops()
        a_sentence = recurrent_flops(self.of_sentences) + self.sentence_attention.flops()
        return a_word + a_sentence / WORDS_PER_SENTENCE + 2 * self.output.weight.numel() / words_per_text
