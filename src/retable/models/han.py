"""HAN: a GRU and attention over the words of each sentence, then a GRU and attention over the sentences of the text.

Source     Yang, Yang, Dyer, He, Smola, Hovy, "Hierarchical Attention Networks for Document Classification", NAACL 2016,
           section 2, eq. 1-11.
Reading    a sentence ends at a mark that is its own token (. ! ? … 。 ！ ？; a run of them is one end), since texts
           are words; words after the last mark are a sentence too (retable.text.sentence_ends). Eq. 1-4 are torch's
           GRU, which swaps z_t and 1 - z_t: the same cell with the opposite sign of W_z, U_z, b_z. Words start from
           given vectors, which replace W_e w_it.
Method     the sentences of all texts are one batch, on a CPU grouped by length (layers/pieces.py).
Shapes     B texts, T words (padded on the right), N sentences in all texts, L words in the longest, S sentences in the
           text with most, D vector size, H states of both directions together, A size of u_w and u_s, C classes.
"""

from torch import Tensor, nn

from retable.layers.context_attention import ContextAttention
from retable.layers.embedding import WordEmbedding
from retable.layers.network import Network
from retable.layers.options import Count, Even
from retable.layers.pieces import WORDS_PER_SENTENCE, first_words, in_rows, lengths_of_pieces, vectors_of_pieces
from retable.layers.recurrent import recurrent_flops, states_of_words


class HAN(Network):
    """Hierarchical attention network.

    Args:
        embedding: the word vectors.
        classes: number of classes.
        hidden: states of both directions of a GRU together, an even number.
        attention_hidden: size of the learned vectors that words and sentences are compared with.
    """

    reads = ("sentences",)

    def __init__(
        self, embedding: WordEmbedding, classes: int, *, hidden: Even = 100, attention_hidden: Count = 100
    ) -> None:
        super().__init__()
        self.embedding = embedding
        self.of_words = nn.GRU(embedding.dim, hidden // 2, batch_first=True, bidirectional=True)
        self.word_attention = ContextAttention(hidden, attention_hidden)
        self.of_sentences = nn.GRU(hidden, hidden // 2, batch_first=True, bidirectional=True)
        self.sentence_attention = ContextAttention(hidden, attention_hidden)
        self.output = nn.Linear(hidden, classes)  # W_c, b_c

    def forward(self, words: Tensor, mask: Tensor, sentences: Tensor) -> Tensor:
        """Map words (B, T), their mask and the numbers of their sentences to logits (B, C)."""
        begins = first_words(mask, sentences)
        x = self.embedding(words)[mask]  # x_it of all texts, concatenated
        of_sentences = self.sentence_vectors(x, lengths_of_pieces(begins, mask))  # s_i, (N, H)
        rows, real = in_rows(of_sentences, begins.sum(dim=1))  # (B, S, H)
        states = states_of_words(self.of_sentences, rows, real)  # h_i
        logits: Tensor = self.output(self.sentence_attention(states, real))  # v, eq. 8-10; eq. 11
        return logits

    def sentence_vectors(self, x: Tensor, lengths: Tensor) -> Tensor:
        """Map word vectors of consecutive sentences, and their lengths (N,), to s_i, (N, H)."""
        return vectors_of_pieces(self.sentence_vector, x, lengths, self.output.in_features, apart=not x.is_cuda)

    def sentence_vector(self, rows: Tensor, real: Tensor) -> Tensor:
        """Map word vectors of sentences (n, L, D) and their mask (n, L) to s_i, (n, H)."""
        vectors: Tensor = self.word_attention(states_of_words(self.of_words, rows, real), real)  # h_it, eq. 1-4
        return vectors

    def flops_per_word(self, words_per_text: float) -> float:
        """Count forward FLOPs (2 per multiply-add): GRU and attention per word and per sentence of 16 words; H C."""
        a_word = recurrent_flops(self.of_words) + self.word_attention.flops()
        a_sentence = recurrent_flops(self.of_sentences) + self.sentence_attention.flops()
        return a_word + a_sentence / WORDS_PER_SENTENCE + 2 * self.output.weight.numel() / words_per_text
