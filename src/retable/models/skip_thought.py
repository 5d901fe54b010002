"""Skip-thought: a GRU that first writes each sentence's neighbours from its last state, and then starts a classifier.

Source     Kiros, Zhu, Salakhutdinov, Zemel, Torralba, Urtasun, Fidler, "Skip-Thought Vectors", NIPS 2015, section 2.1,
           eq. 1-10, checked against a translation of the paper; the authors' code (ryankiros/skip-thoughts, training/).
Equations  1-4: a GRU reads sentence s_i to its last state h_i. 5-8: two GRUs write s_(i-1) and s_(i+1) word by word
           from the previous word; C h_i is added to the input of each of their gates. 9: P(w) ~ exp(v_w h). 10: the sum
           of log P over the words of both neighbours. A text is the mean of its h_i, and logits are linear in it: both
           ours.
Reading    [x; h_i] as a gate's input is W x + C h_i. Torch's GRU resets after U, as the code does, not before it as in
           eq. 3. The first word is written from <end>, whose vector is that of padding. The code starts its decoders
           from h_i instead of adding C h_i.
Departure  neighbours are those within the training texts, where the paper has 74 million sentences of books: of 100
           texts 19 of MR have two sentences, 2 of SST-2, nearly all of IMDB. If no text has two, training is refused.
           The GRU is trained further with the classifier, where the paper's stays fixed. v is an adaptive softmax over
           the tuned words, as in the sequence autoencoder; the first 30 words of a sentence are written (the code
           leaves longer sentences out). Batches of 64 clipped at 5 are the code's, where the paper has 128 and 10; its
           rate of 0.0002 is 0.001 here. No bi-skip, no words beyond the vocabulary, 300 states where the paper has
           2400.
Shapes     B texts, T words (padded on the right), N sentences in all texts, L words in the longest, D vector size, H
           states, C classes.
"""

import torch
from torch import Tensor, nn

from retable.errors import InputError
from retable.layers.embedding import WordEmbedding
from retable.layers.network import Network, Pass
from retable.layers.options import Count, CountOrZero, NonNegative, Share
from retable.layers.pieces import WORDS_PER_SENTENCE, first_words, groups, in_rows, lengths_of_pieces
from retable.layers.pretraining import learn
from retable.layers.recurrent import last_of, recurrent_flops, states_of_words
from retable.layers.writing import sequences, softmax_of_words
from retable.text.vocabulary import UNKNOWN

WRITTEN = 30  # largest number of words of a sentence


class Writer(nn.Module):
    """The parts that only pretraining needs: a GRU for the sentence before, one for the sentence after, a softmax.

    Args:
        embedding: the word vectors that the GRUs read.
        hidden: states of the encoder and of each GRU.
    """

    def __init__(self, embedding: WordEmbedding, hidden: int) -> None:
        super().__init__()
        self.before, self.behind = (nn.GRU(embedding.dim + hidden, hidden, batch_first=True) for _ in range(2))
        self.softmax = softmax_of_words(embedding, hidden)

    def forward(self, embedding: WordEmbedding, h: Tensor, words: Tensor, real: Tensor, follows: Tensor) -> Tensor:
        """Return the mean of -log P over the words of all neighbours, a scalar.

        Args:
            h: sentence states, (N, H).
            words, real: words of the sentences, (N, L), and their mask, bool (N, L).
            follows: which sentences follow the one before in the same text, bool (N - 1,); at least one.
        """
        first = follows.nonzero()[:, 0]
        states, targets = [], []
        for gru, source, target in ((self.before, first + 1, first), (self.behind, first, first + 1)):
            read, y, there, _ = sequences(words[target, :WRITTEN], real[target, :WRITTEN], again=False)
            given = h[source].unsqueeze(1).expand(-1, read.shape[1], -1)
            states.append(states_of_words(gru, torch.cat((embedding(read), given), dim=2), there)[there])  # eq. 5-8
            targets.append(y[there])
        y = torch.cat(targets)
        loss: Tensor = self.softmax(torch.cat(states), y.masked_fill(y >= self.softmax.n_classes, UNKNOWN)).loss
        return loss  # eq. 9-10


class SkipThought(Network):
    """The mean of the states of a text's sentences and a linear classifier.

    Args:
        embedding: the word vectors.
        classes: number of classes.
        hidden: states of the GRU.
        pretrain_epochs: pretraining epochs; 0: no pretraining.
        pretrain_rate: Adam's learning rate in pretraining.
        dropout: dropout rate on the text vector, in [0, 1).
    """

    reads = ("sentences",)

    def __init__(
        self,
        embedding: WordEmbedding,
        classes: int,
        *,
        hidden: Count = 300,
        pretrain_epochs: CountOrZero = 3,
        pretrain_rate: NonNegative = 0.001,
        dropout: Share = 0.5,
    ) -> None:
        super().__init__()
        self.embedding = embedding
        self.epochs, self.rate = pretrain_epochs, pretrain_rate
        self.gru = nn.GRU(embedding.dim, hidden, batch_first=True)
        self.dropout = nn.Dropout(dropout)
        self.output = nn.Linear(hidden, classes)

    def forward(self, words: Tensor, mask: Tensor, sentences: Tensor) -> Tensor:
        """Map words (B, T), their mask and the numbers of their sentences to logits (B, C)."""
        numbers, real, text = sentences_of(words, mask, sentences)
        h = self.last_states(numbers, real)
        total = h.new_zeros(len(words), h.shape[1]).index_add(0, text, h)
        logits: Tensor = self.output(self.dropout(total / text.bincount().unsqueeze(1)))
        return logits

    def last_states(self, words: Tensor, real: Tensor) -> Tensor:
        """Map sentences (N, L) to h, (N, H), eq. 1-4; on a CPU, in batches of similar length."""
        lengths = real.sum(dim=1)
        h = self.output.weight.new_empty(len(words), self.gru.hidden_size)
        for chosen in groups(lengths, apart=not words.is_cuda):
            longest = int(lengths[chosen].max())
            there = real[chosen, :longest]
            states = states_of_words(self.gru, self.embedding(words[chosen, :longest]), there)
            h[chosen] = last_of(states, there).to(h.dtype)
        return h

    def pretrain(self, texts: Pass) -> None:
        """Learn to write the neighbours of all sentences; changes the GRU and the tuned word vectors.

        Raises: InputError if no text has two sentences.
        """
        if not self.epochs:
            return
        writer = Writer(self.embedding, self.gru.hidden_size).to(self.output.weight)
        weights = [*writer.parameters(), *self.gru.parameters(), *self.embedding.parameters()]
        steps = learn(
            weights, texts, lambda batch, _: self.writing_loss(writer, *batch), self.epochs, self.rate, clip=True
        )
        if not steps:
            raise InputError(
                "no training text has two sentences, and skip-thought learns from neighbouring ones; "
                "choose another corpus, or set model.pretrain_epochs to 0."
            )

    def writing_loss(self, writer: Writer, words: Tensor, mask: Tensor, sentences: Tensor) -> Tensor | None:
        """Return the mean of -log P over the words of all neighbours, or None if no text has two sentences."""
        numbers, real, text = sentences_of(words, mask, sentences)
        follows = text[1:] == text[:-1]
        if not follows.any():
            return None
        loss: Tensor = writer(self.embedding, self.last_states(numbers, real), numbers, real, follows)
        return loss

    def flops_per_word(self, words_per_text: float) -> float:
        """Return forward FLOPs, two per multiply-add: gates per word; H per sentence of 16 words; H C per text."""
        a_sentence = 2 * self.gru.hidden_size / WORDS_PER_SENTENCE
        return recurrent_flops(self.gru) + a_sentence + 2 * self.output.weight.numel() / words_per_text


def sentences_of(words: Tensor, mask: Tensor, sentences: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Return the sentences of all texts as rows of words (N, L), their mask (N, L), and the text of each, (N,).

    Args:
        words, mask: the texts, (B, T).
        sentences: the number of each word's sentence in its text, (B, T).
    """
    begins = first_words(mask, sentences)
    rows, real = in_rows(words[mask].unsqueeze(1), lengths_of_pieces(begins, mask))
    return rows.squeeze(2), real, begins.nonzero()[:, 0]
