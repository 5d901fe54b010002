"""SA-LSTM and LM-LSTM: an LSTM that first writes the texts themselves, and then starts a classifier.

Source     Dai and Le, "Semi-supervised Sequence Learning", NIPS 2015: a sequence autoencoder, or a language model, is
           trained on unlabelled texts; its LSTM and word vectors initialise a classifier that reads a text to its last
           state. From notes on the paper, not checked against it.
Equations  autoencoder: the LSTM reads w_1 ... w_T, <end>, w_1 ... w_T; from the first <end> on each state h predicts
           the next word, and the last state <end>: p(w | h) = softmax(U h + u). Language model: the same without the
           first reading. Loss: mean of -log p over the predicted words. Classifier: logits from a hidden layer on h_T.
Reading    one LSTM reads and writes: both have the same weights. The vector of <end> is zero, that of padding.
Departure  only the training texts are available, for a fixed number of epochs. U is an adaptive softmax (Grave et al.,
           ICML 2017) over the tuned words, as a full one takes several times as long: rare words are predicted from
           fewer numbers than H, and words that are not tuned as the unknown word. The paper's linear gain, dropout of
           whole words and clipped cells are left out; its 1024 states are too slow here: 200.
Decision   the hidden layer has 512 ReLU units and dropout 0.5, as in the notes, which drop 80% of IMDB's word vectors,
           take batches of 128 and cut texts at 400 words (here 0.2, 64, none). Adam in both trainings; pretraining
           clips gradients to norm 5 and has dropout on the word vectors too.
Shapes     B texts, T words (padded on the right), D vector size, H states, V predicted words, C classes.
"""

from typing import Literal

from torch import Tensor, nn

from retable.layers.classifier import classifier_flops, text_classifier
from retable.layers.embedding import WordEmbedding
from retable.layers.network import Network, Pass
from retable.layers.options import Count, CountOrZero, NonNegative, Share
from retable.layers.pretraining import learn
from retable.layers.recurrent import last_of, recurrent_flops, states_of_words
from retable.layers.writing import sequences, softmax_of_words
from retable.text.vocabulary import UNKNOWN

Objective = Literal["autoencoder", "language-model"]


class SequenceAutoencoder(Network):
    """A one-layer LSTM that learns to write its texts before it learns their classes.

    Args:
        embedding: the word vectors.
        classes: number of classes.
        objective: of pretraining: autoencoder, language-model.
        hidden: number of states.
        mlp_hidden: units of the classifier's hidden layer; 0: none.
        pretrain_epochs: pretraining epochs; 0: an LSTM without pretraining.
        pretrain_rate: Adam's learning rate in pretraining.
        dropout_words: dropout rate on the word vectors, in [0, 1).
        dropout: the same on the hidden layer or, without one, on the last state.
    """

    def __init__(
        self,
        embedding: WordEmbedding,
        classes: int,
        *,
        objective: Objective = "autoencoder",
        hidden: Count = 200,
        mlp_hidden: CountOrZero = 512,
        pretrain_epochs: CountOrZero = 3,
        pretrain_rate: NonNegative = 0.001,
        dropout_words: Share = 0.2,
        dropout: Share = 0.5,
    ) -> None:
        super().__init__()
        self.embedding, self.objective = embedding, objective
        self.epochs, self.rate = pretrain_epochs, pretrain_rate
        self.lstm = nn.LSTM(embedding.dim, hidden, batch_first=True)
        self.dropout_words = nn.Dropout(dropout_words)
        self.classifier = text_classifier(hidden, mlp_hidden, classes, dropout)

    def forward(self, words: Tensor, mask: Tensor) -> Tensor:
        """Map words (B, T) and their mask to logits (B, C)."""
        states = self.states(words, mask)
        last = last_of(states, mask)  # h_T, (B, H)
        logits: Tensor = self.classifier(last)
        return logits

    def states(self, words: Tensor, mask: Tensor) -> Tensor:
        """Return the LSTM's states, (B, T, H)."""
        return states_of_words(self.lstm, self.dropout_words(self.embedding(words)), mask)

    def pretrain(self, texts: Pass) -> None:
        """Learn to write all texts; changes the LSTM and the tuned word vectors."""
        if not self.epochs:
            return
        softmax = softmax_of_words(self.embedding, self.lstm.hidden_size).to(next(self.lstm.parameters()))
        weights = [*softmax.parameters(), *self.lstm.parameters(), *self.embedding.parameters()]
        learn(weights, texts, lambda batch, _: self.writing_loss(softmax, *batch), self.epochs, self.rate, clip=True)

    def writing_loss(self, softmax: nn.AdaptiveLogSoftmaxWithLoss, words: Tensor, mask: Tensor) -> Tensor:
        """Return the mean of -log p over all predicted words."""
        read, targets, real, predicts = sequences(words, mask, again=self.objective == "autoencoder")
        targets = targets.masked_fill(targets >= softmax.n_classes, UNKNOWN)
        states = self.states(read, real)
        loss: Tensor = softmax(states[predicts], targets[predicts]).loss
        return loss

    def flops_per_word(self, words_per_text: float) -> float:
        """Return forward FLOPs, two per multiply-add: the gates per word; the classifier per text."""
        return recurrent_flops(self.lstm) + classifier_flops(self.classifier) / words_per_text
