"""NSE: the vectors of a text's words as a memory, which is read, composed with the next word and written at each word.

Source     Munkhdalai and Yu, "Neural Semantic Encoders", EACL 2017, eq. 1-6; a copy of the authors' code,
           github.com/StevenLOL/Neural_Semantic_Encoders (snli/NSE.py). From the code, which names eq. 1-6, and a
           summary of eq. 1-3, not checked against the published paper.
Equations  1. o_t = LSTM_read(x_t); 2. z_t = softmax(o_t M_(t-1)); 3. m_t = z_t M_(t-1); 4. c_t = MLP(o_t, m_t); 5.
           h_t = LSTM_write(c_t); 6. M_t = (1 - z_t) M_(t-1) + z_t h_t, slot by slot; M_0 = x_1, ..., x_T.
Reading    the MLP of eq. 4 is one linear layer of 2 D units; h_T represents the text and is read by a ReLU hidden layer
           and a linear one. This, the options and the training follow the code, which is for SNLI: those for sentence
           classification were not seen. Word vectors are tuned, where that code keeps them fixed; dev prefers it on SST
           and TREC. Patience is ours. Dropout is on the input of the read LSTM; M_0 has whole vectors.
Decision   slots, o_t and h_t are as wide as a word vector, so there is no size option (300 in the paper).
Departure  torch's LSTMs. Padding has no slot and is not read; the code pads texts on the left.
Cost       training keeps the memory of every word, T D numbers each: texts of thousands of words need a length limit.
Shapes     B texts, T words (padded on the right), D vector size, C classes; M_t (B, T, D), z_t (B, T).
"""

import torch
from torch import Tensor, nn

from retable.layers.classifier import classifier_flops, text_classifier
from retable.layers.embedding import WordEmbedding
from retable.layers.network import Network
from retable.layers.options import CountOrZero, Share
from retable.layers.products import Linear
from retable.layers.recurrent import last_of, recurrent_flops, states_of_words

SPREAD = 0.1  # initial weights are uniform in [-0.1, 0.1], as in the authors' code


class NSE(Network):
    """Neural semantic encoder with one memory.

    Args:
        embedding: the word vectors.
        classes: number of classes.
        mlp_hidden: units of the classifier's hidden layer; 0: one linear layer.
        dropout_words: dropout rate on the input of the read LSTM, in [0, 1).
        dropout_composed: the same on the composed vectors c_t.
        dropout: the same on the classifier's hidden layer or, without one, on the text vector.
    """

    def __init__(
        self,
        embedding: WordEmbedding,
        classes: int,
        *,
        mlp_hidden: CountOrZero = 1024,
        dropout_words: Share = 0.3,
        dropout_composed: Share = 0.3,
        dropout: Share = 0.3,
    ) -> None:
        super().__init__()
        dim = embedding.dim
        self.embedding = embedding
        self.dropout_words, self.dropout_composed = nn.Dropout(dropout_words), nn.Dropout(dropout_composed)
        self.read = nn.LSTM(dim, dim, batch_first=True)
        self.compose_state = Linear(dim, 2 * dim)  # the half of eq. 4 that reads o_t, with the bias
        self.compose_memory = Linear(dim, 2 * dim, bias=False)  # the half that reads m_t
        self.write = nn.LSTMCell(2 * dim, dim)
        self.classifier = text_classifier(dim, mlp_hidden, classes, dropout)
        for layer in (self.read, self.compose_state, self.compose_memory, self.write, self.classifier):
            for parameter in layer.parameters():
                nn.init.uniform_(parameter, -SPREAD, SPREAD)

    def forward(self, words: Tensor, mask: Tensor) -> Tensor:
        """Map words (B, T) and their mask to logits (B, C)."""
        x = self.embedding(words)  # (B, T, D)
        reads = states_of_words(self.read, self.dropout_words(x), mask)  # eq. 1
        written = self.written(x, reads, mask)
        last = last_of(written, mask)  # h_T
        logits: Tensor = self.classifier(last)
        return logits

    def written(self, memory: Tensor, reads: Tensor, mask: Tensor) -> Tensor:
        """Return what is written at each word, h_t, (B, T, D); meaningless after the end of a text.

        Args:
            memory: M_0, (B, T, D).
            reads: o_t, (B, T, D).
        """
        of_reads = self.compose_state(reads)  # (B, T, 2 D)
        h = cell = memory.new_zeros(len(memory), memory.shape[2])
        written = []
        for read, of_read in zip(reads.unbind(dim=1), of_reads.unbind(dim=1), strict=True):
            scores = (memory @ read.unsqueeze(2)).squeeze(2)
            z = torch.softmax(scores.masked_fill(~mask, -torch.inf), dim=1)  # eq. 2
            m = (z.unsqueeze(1) @ memory).squeeze(1)  # eq. 3
            c = of_read + self.compose_memory(m)  # eq. 4
            h, cell = self.write(self.dropout_composed(c), (h, cell))  # eq. 5
            memory = torch.lerp(memory, h.unsqueeze(1).to(memory.dtype), z.unsqueeze(2).to(memory.dtype))  # eq. 6
            written.append(h)
        return torch.stack(written, dim=1)

    def flops_per_word(self, words_per_text: float) -> float:
        """Return FLOPs, two per multiply-add: LSTMs 8 D^2 + 12 D^2, composition 4 D^2, scores, sum and memory 3 T D."""
        layers = (self.compose_state, self.compose_memory, self.write)
        weights = sum(weight.numel() for layer in layers for weight in layer.parameters() if weight.dim() == 2)
        of_memory = 3 * words_per_text * self.embedding.dim
        of_text = classifier_flops(self.classifier)
        return recurrent_flops(self.read) + 2 * (weights + of_memory) + of_text / words_per_text
