"""Siamese LSTM (MaLSTM): one LSTM reads either text, and the two last states are compared.

Source     Mueller and Thyagarajan, "Siamese Recurrent Architectures for Learning Sentence Similarity", AAAI 2016: the
           similarity g = exp(-|h_a - h_b|_1) of the last states, trained for relatedness; for entailment (SICK) a
           classifier on differences and products of the two states; training details. From memory, notes and the second
           author's code (aditya1503/Siamese-LSTM), not checked against the published paper.
Reading    differences are elementwise and absolute, products elementwise: |h_a - h_b| and h_a * h_b.
Decision   for classes the network learns from the cross-entropy alone, by a linear layer on these features or on g. The
           "small" initial weights are normal with standard deviation 0.1 (the code's: 0.03 and 0.02); all biases are
           zero except the forget gate's 2.5 (the code's: uniform in ±0.5, and 1.5 added twice). Batches of 64 with
           gradients clipped at 1.25 (the code's: 32, no clipping). For relatedness it learns a distribution over grades
           (`retable.text.grades`), where the paper maps g itself to the score.
Departure  Adam at a constant 1e-3, where paper and code have Adadelta. torch's LSTM has two biases per gate. The paper
           learns relatedness first (with synonyms as further texts) and passes the features of that fixed network to a
           support vector machine with an RBF kernel.
Shapes     B pairs, T words of both texts and the mark, M of one, D vector size, H states, C classes.
"""

from typing import Literal

import torch
from torch import Tensor, nn

from retable.layers.embedding import WordEmbedding
from retable.layers.network import Network
from retable.layers.options import Count, NonNegative
from retable.layers.pairs import TextOfPair, two_texts
from retable.layers.recurrent import last_of, recurrent_flops, states_of_words

Compare = Literal["features", "similarity"]


class SiameseLSTM(Network):
    """One LSTM for both texts and a linear layer on the comparison of its last states.

    Args:
        embedding: the word vectors.
        classes: number of classes.
        compare: what the linear layer reads: features (|h_a - h_b| and h_a * h_b), similarity (g alone).
        hidden: states of the LSTM.
        forget_bias: initial bias of the forget gate.
        spread: standard deviation of the LSTM's initial weights.
    """

    reads = ("sides",)

    def __init__(
        self,
        embedding: WordEmbedding,
        classes: int,
        *,
        compare: Compare = "features",
        hidden: Count = 50,
        forget_bias: NonNegative = 2.5,
        spread: NonNegative = 0.1,
    ) -> None:
        super().__init__()
        self.embedding, self.compare = embedding, compare
        self.lstm = nn.LSTM(embedding.dim, hidden, batch_first=True)
        self.output = nn.Linear(2 * hidden if compare == "features" else 1, classes)
        for name, parameter in self.lstm.named_parameters():
            if name.startswith("weight"):
                nn.init.normal_(parameter, std=spread)
            else:
                nn.init.zeros_(parameter)
            if name == "bias_ih_l0":  # gates: input, forget, cell, output
                nn.init.constant_(parameter[hidden : 2 * hidden], forget_bias)

    def forward(self, words: Tensor, mask: Tensor, sides: Tensor) -> Tensor:
        """Map pairs (B, T), their mask and sides to logits (B, C)."""
        first, second = (self.last_states(text) for text in two_texts(words, mask, sides))  # h_a and h_b, (B, H)
        distances = (first - second).abs()
        if self.compare == "similarity":
            compared = torch.exp(-distances.sum(dim=1, keepdim=True))  # g, (B, 1)
        else:
            compared = torch.cat((distances, first * second), dim=1)  # (B, 2 H)
        logits: Tensor = self.output(compared)
        return logits

    def last_states(self, text: TextOfPair) -> Tensor:
        """Return the LSTM's state at the last word of one text of every pair, (B, H)."""
        states = states_of_words(self.lstm, self.embedding(text.words), text.mask)  # (B, M, H)
        return last_of(states, text.mask)

    def flops_per_word(self, words_per_text: float) -> float:
        """Return FLOPs, two per multiply-add: the LSTM per word of either text; products and classifier per pair."""
        pair = self.output.weight.numel() + (self.lstm.hidden_size if self.compare == "features" else 0)
        return recurrent_flops(self.lstm) + 2 * pair / words_per_text
