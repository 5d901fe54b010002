"""Inner-Attention: the mean of a BiLSTM's states attends to the states themselves, and their weighted sum is the text.

Source     Liu, Sun, Lin, Wang, "Learning Natural Language Inference using Bidirectional LSTM Model and
           Inner-Attention", arXiv 1605.09090, 2016, sections 2.1 and 3.2: from a review that repeats its equations and
           settings, not checked against the paper.
Equations  R_ave = mean of Y; M = tanh(W^y Y + W^h R_ave e_L); alpha = softmax(w^T M); R_att = Y alpha^T.
Reading    Y is both directions concatenated, 300 each, so W^y and W^h are 600 x 600, without biases. Word vectors stay
           fixed, dropout is 0.25, batches of 128.
Departure  a single text has nothing to be matched with: a linear layer reads R_att, where the source reads two vectors,
           their product and difference. Adam, where the source uses RMSprop; the LSTM is torch's.
Decision   dropout on word vectors and on R_att.
Shapes     B texts, T words (padded on the right), D vector size, H states of one direction, C classes.
"""

import torch
from torch import Tensor, nn

from retable.layers.embedding import WordEmbedding
from retable.layers.encoder import mean_over_words
from retable.layers.heads import softmax_over_words
from retable.layers.network import Network
from retable.layers.options import Count, Share
from retable.layers.products import Linear
from retable.layers.recurrent import recurrent_flops, states_of_words


class InnerAttention(Network):
    """Bidirectional LSTM with attention from its own mean.

    Args:
        embedding: the word vectors.
        classes: number of classes.
        hidden: states of each direction.
        dropout: share of the components of word vectors and of the text's vector, dropped in training, in [0, 1).
    """

    def __init__(self, embedding: WordEmbedding, classes: int, *, hidden: Count = 300, dropout: Share = 0.25) -> None:
        super().__init__()
        self.embedding = embedding
        self.lstm = nn.LSTM(embedding.dim, hidden, batch_first=True, bidirectional=True)
        self.of_words = Linear(2 * hidden, 2 * hidden, bias=False)  # W^y
        self.of_mean = Linear(2 * hidden, 2 * hidden, bias=False)  # W^h
        self.query = nn.Linear(2 * hidden, 1, bias=False)  # w
        self.dropout = nn.Dropout(dropout)
        self.output = nn.Linear(2 * hidden, classes)

    def forward(self, words: Tensor, mask: Tensor) -> Tensor:
        """Map words (B, T) and their mask to logits (B, C)."""
        states = self.states(words, mask)
        text = (self.weights(states, mask) @ states).squeeze(1)  # R_att, (B, 2 H)
        logits: Tensor = self.output(self.dropout(text))
        return logits

    def attention(self, words: Tensor, mask: Tensor) -> Tensor:
        """Return the attention weight of each word, (B, 1, T); 0 on padding."""
        return self.weights(self.states(words, mask), mask)

    def states(self, words: Tensor, mask: Tensor) -> Tensor:
        """Return Y, (B, T, 2 H), zero on padding."""
        return states_of_words(self.lstm, self.dropout(self.embedding(words)), mask)

    def weights(self, states: Tensor, mask: Tensor) -> Tensor:
        """Return alpha, (B, 1, T)."""
        mean = mean_over_words(states, mask)  # R_ave, (B, 2 H)
        m = torch.tanh(self.of_words(states) + self.of_mean(mean).unsqueeze(1))  # M, (B, T, 2 H)
        return softmax_over_words(self.query(m), mask)

    def flops_per_word(self, words_per_text: float) -> float:
        """Count forward FLOPs (2 per multiply-add): LSTM, W^y, 2 H for w, mean and sum per word; W^h and output."""
        of_word = self.of_words.weight.numel() + 3 * self.query.in_features
        of_text = self.of_mean.weight.numel() + self.output.weight.numel()
        return recurrent_flops(self.lstm) + 2 * (of_word + of_text / words_per_text)
