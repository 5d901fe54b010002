"""TopicRNN: a recurrent language model whose content words depend on topics of the text, then a classifier.

Source     Dieng, Wang, Gao, Paisley, "TopicRNN: A Recurrent Neural Network with Long-Range Semantic Dependency", ICLR
           2017, sections 3 and 4, read without the appendix (the paper numbers two equations); public code
           (dangitstam/topic-rnn).
Equations  theta ~ N(0, I); h_t = f(y_(t-1), h_(t-1)); l_t ~ Bernoulli(sigma(Gamma h_t)), 1 for stop words; p(y_t = i) ~
           exp(v_i h_t + (1 - l_t) b_i theta). q(theta | X) = N(mu, sigma^2), mu and log sigma linear in g(X), a
           feed-forward network on word counts without stop words. Lower bound: E_q sum of (log p(y_t | h_t, l_t,
           theta) + log p(l_t | h_t)) - KL(q, N(0, I)), from one draw. Classifier: 50 hidden sigmoid units on [h_T; mu].
Reading    f is a GRU; y_0 and the word after the last are <end>, whose vector is that of padding. <end> and the unknown
           word count as stop words.
Departure  a network does not see the words themselves, so the stop words are the most frequent ones in training. Only
           the training texts are available, for a fixed number of epochs; the paper's classifier reads fixed features,
           here all weights are trained further with it. The language model writes only the first words of a text (to
           save memory), the bag has all of them.
Decision   sizes are ours: 200 states, 200 units of g (one layer, ReLU), 100 topics, 100 stop words, dropout 0.5 and 5
           epochs. The paper's for IMDB are two layers of 300 states, two of 500 units, 200 topics, 439 stop words, no
           dropout and 13 epochs. Pretraining clips the norm of gradients at 5.
Shapes     B texts, T words (padded on the right), D vector size, H states, R predicted rows, E units of g, K topics, C
           classes.
"""

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from retable.layers.bag_encoder import FIRST, BagEncoder, draw, in_bag
from retable.layers.embedding import WordEmbedding
from retable.layers.network import Network, Pass
from retable.layers.options import Count, CountOrZero, NonNegative, Share
from retable.layers.pretraining import learn
from retable.layers.recurrent import last_of, recurrent_flops, states_of_words
from retable.layers.writing import sequences
from retable.text.vocabulary import UNKNOWN

CLASSIFIER_UNITS = 50


class LanguageModel(nn.Module):
    """The parts that only pretraining needs: sigma, word scores of states and topics, and a stop-word predictor.

    Args:
        hidden: number of states, H.
        units: units of g, E.
        topics: number of topics, K.
        rows: number of rows, R: padding for <end>, the unknown word, and the most frequent words.
        stop_words: how many of these words are stop words.
    """

    def __init__(self, hidden: int, units: int, topics: int, rows: int, stop_words: int) -> None:
        super().__init__()
        self.log_sigma = nn.Linear(units, topics)
        self.words = nn.Linear(hidden, rows, bias=False)  # v
        self.topics = nn.Linear(topics, rows, bias=False)  # b
        self.stop = nn.Linear(hidden, 1, bias=False)  # Gamma
        self.rows, self.first_content = rows, FIRST + stop_words

    def forward(self, states: Tensor, targets: Tensor, real: Tensor, g: Tensor, mean: Tensor) -> Tensor:
        """Return the negative lower bound, averaged over texts, a scalar.

        Args:
            states: states that predict, (B, T, H).
            targets: rows of the next words, (B, T).
            real: which of these exist, bool (B, T).
            g, mean: g(X), (B, E), and mu, (B, K).
        """
        theta, divergence = draw(mean, self.log_sigma(g).exp())
        h, y = states[real], targets[real]  # of all texts, concatenated
        y = y.masked_fill(y >= self.rows, UNKNOWN)
        stop = y < self.first_content  # l
        text = real.nonzero()[:, 0]
        scores = self.words(h)
        scores = scores.index_add(0, (~stop).nonzero()[:, 0], self.topics(theta)[text[~stop]])
        of_words = F.cross_entropy(scores, y, reduction="sum")
        of_stops = F.binary_cross_entropy_with_logits(self.stop(h).squeeze(1), stop.to(h.dtype), reduction="sum")
        return (of_words + of_stops) / len(real) + divergence.mean()


class TopicRNN(Network):
    """A GRU and a network on the bag of words, which first learn to write the texts.

    Args:
        embedding: the word vectors.
        classes: number of classes.
        hidden: states of the GRU.
        units: units of the network that reads the bag.
        topics: size of theta.
        vocabulary: largest number of words written and counted, the most frequent ones.
        stop_words: how many of them are stop words, which topics neither write nor are read from.
        pretrain_epochs: pretraining epochs; 0: no pretraining.
        pretrain_rate: Adam's learning rate in pretraining.
        pretrain_words: words of a text that pretraining writes.
        dropout: dropout rate on the classifier's inputs, in [0, 1).
    """

    def __init__(
        self,
        embedding: WordEmbedding,
        classes: int,
        *,
        hidden: Count = 200,
        units: Count = 200,
        topics: Count = 100,
        vocabulary: Count = 5000,
        stop_words: CountOrZero = 100,
        pretrain_epochs: CountOrZero = 5,
        pretrain_rate: NonNegative = 0.001,
        pretrain_words: Count = 200,
        dropout: Share = 0.5,
    ) -> None:
        super().__init__()
        self.embedding, self.stop_words = embedding, stop_words
        self.epochs, self.rate, self.written = pretrain_epochs, pretrain_rate, pretrain_words
        rows = len(embedding.table)
        self.words = max(1, min(vocabulary, rows - FIRST))
        self.rnn = nn.GRU(embedding.dim, hidden, batch_first=True)
        self.encoder = BagEncoder(self.words, units, topics, 1, "relu")
        self.dropout = nn.Dropout(dropout)
        self.hidden = nn.Linear(hidden + topics, CLASSIFIER_UNITS)
        self.output = nn.Linear(CLASSIFIER_UNITS, classes)

    def forward(self, words: Tensor, mask: Tensor) -> Tensor:
        """Map words (B, T) and their mask to logits (B, C)."""
        states = states_of_words(self.rnn, self.embedding(words), mask)
        last = last_of(states, mask)  # h_T, (B, H)
        bag = in_bag(words, mask, self.words, skipped=self.stop_words)
        mean = self.encoder.mean(self.encoder(bag)[-1])  # mu, (B, K)
        features = self.dropout(torch.cat((last, mean), dim=1))
        logits: Tensor = self.output(torch.sigmoid(self.hidden(features)))
        return logits

    def pretrain(self, texts: Pass) -> None:
        """Learn to write all texts; changes the GRU, the bag's network and the tuned word vectors."""
        if not self.epochs:
            return
        model = self.language_model().to(self.output.weight)
        weights = [*model.parameters(), *self.rnn.parameters(), *self.encoder.parameters()]
        weights += self.embedding.parameters()
        learn(weights, texts, lambda batch, _: self.writing_loss(model, *batch), self.epochs, self.rate, clip=True)

    def language_model(self) -> LanguageModel:
        """Return the parts that pretraining needs in addition to the network."""
        units, topics = self.encoder.bias.numel(), self.encoder.mean.out_features
        return LanguageModel(self.rnn.hidden_size, units, topics, FIRST + self.words, self.stop_words)

    def writing_loss(self, model: LanguageModel, words: Tensor, mask: Tensor) -> Tensor:
        """Return the negative lower bound of the texts' first words, a scalar."""
        g = self.encoder(in_bag(words, mask, self.words, skipped=self.stop_words))[-1]
        read, targets, real, _ = sequences(words[:, : self.written], mask[:, : self.written], again=False)
        states = states_of_words(self.rnn, self.embedding(read), real)
        loss: Tensor = model(states, targets, real, g, self.encoder.mean(g))
        return loss

    def flops_per_word(self, words_per_text: float) -> float:
        """Return forward FLOPs, two per multiply-add: gates and E per word; K E and the classifier per text."""
        of_text = sum(layer.weight.numel() for layer in (self.encoder.mean, self.hidden, self.output))
        return recurrent_flops(self.rnn) + 2 * (self.encoder.bias.numel() + of_text / words_per_text)
