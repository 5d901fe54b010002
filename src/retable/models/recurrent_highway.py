"""RHN: a recurrent network whose step from word to word is a stack of highway layers.

Source     Zilly, Srivastava, Koutnik, Schmidhuber, "Recurrent Highway Networks", ICML 2017, eq. 6-9; the authors' code,
           github.com/jzilly/RecurrentHighwayNetworks (rhn.py, rhn_train.py). Checked against a copy of the paper's text
           (arXiv 1607.03474), which models language and classifies no texts.
Equations  6. s_l = h_l t_l + s_(l-1) c_l, elementwise; 7. h_l = tanh(W_H x [l = 1] + R_H,l s_(l-1) + b_H,l); 8.
           t_l = sigma(W_T x [l = 1] + R_T,l s_(l-1) + b_T,l); 9. c_l likewise with its own weights. s_0 at a word is y
           of the previous word, y_0 = 0; y = s_L.
Reading    the gates are coupled, c_l = 1 - t_l, as in all experiments of the paper, so eq. 9 has no weights. Dropout is
           variational as in the code: each text has one mask for its words, one for the states that all R read and one
           for its vector; the carried state is not dropped. Initial weights are uniform in [-0.04, 0.04], initial
           biases of t are -2 (the code's for Penn Treebank; the paper's for enwik8 are -4).
Decision   the text is the mean of y over the words, or the last y: the initial gates forget a word within few words.
           300 units and the code's own depth 4, where the best language model has 830 and 10; dropout rates of enwik8,
           0.4, 0.1 and 0.4 (Penn Treebank: 0.75, 0.25, 0.75); Adam instead of SGD at 0.2, whose rate falls; no weight
           decay, 1e-7 in the paper.
Departure  no word types are dropped (drop_x in the code).
Shapes     B texts, T words (padded on the right), D vector size, H states, L layers in a step, C classes.
"""

from typing import Literal

import torch
from torch import Tensor, nn

from retable.layers.embedding import WordEmbedding
from retable.layers.encoder import mean_over_words
from retable.layers.network import Network
from retable.layers.options import Count, Share
from retable.layers.products import Linear
from retable.layers.recurrent import last_of

Pool = Literal["mean", "last"]
SPREAD = 0.04  # initial weights are uniform in [-0.04, 0.04], as in the authors' code


class RecurrentHighway(Network):
    """Recurrent highway network of one direction.

    Args:
        embedding: the word vectors.
        classes: number of classes.
        hidden: number of states.
        depth: highway layers in the step from one word to the next.
        gate_bias: initial bias of the transform gates; the lower, the longer a state is kept at first.
        pool: what represents the text: the mean of the states over its words, or the last one.
        dropout_words: dropout rate on the word vectors, one mask for all words of a text, in [0, 1).
        dropout_states: the same on the states that the layers read, one mask for all words and layers.
        dropout: the same on the text vector.
    """

    def __init__(
        self,
        embedding: WordEmbedding,
        classes: int,
        *,
        hidden: Count = 300,
        depth: Count = 4,
        gate_bias: float = -2.0,
        pool: Pool = "mean",
        dropout_words: Share = 0.4,
        dropout_states: Share = 0.1,
        dropout: Share = 0.4,
    ) -> None:
        super().__init__()
        self.embedding, self.hidden, self.pool = embedding, hidden, pool
        self.of_words = Linear(embedding.dim, 2 * hidden, bias=False)  # W_H and W_T
        self.of_states = nn.ModuleList(Linear(hidden, 2 * hidden) for _ in range(depth))  # R_H and R_T of each layer
        self.dropout_words, self.dropout_states = nn.Dropout(dropout_words), nn.Dropout(dropout_states)
        self.dropout = nn.Dropout(dropout)
        self.output = nn.Linear(hidden, classes)
        for layer in (self.of_words, self.of_states, self.output):
            for parameter in layer.parameters():
                nn.init.uniform_(parameter, -SPREAD, SPREAD)
        for name, parameter in self.of_states.named_parameters():
            if name.endswith("bias"):
                nn.init.constant_(parameter[hidden:], gate_bias)  # b_T

    def forward(self, words: Tensor, mask: Tensor) -> Tensor:
        """Map words (B, T) and their mask to logits (B, C)."""
        states = self.states(self.embedding(words))
        if self.pool == "mean":
            text = mean_over_words(states, mask)
        else:
            text = last_of(states, mask)
        logits: Tensor = self.output(self.dropout(text))
        return logits

    def states(self, x: Tensor) -> Tensor:
        """Map word vectors (B, T, D) to y at every word, (B, T, H); meaningless after the end of a text."""
        noise = self.dropout_words(torch.ones_like(x[:, 0])).unsqueeze(1)  # (B, 1, D)
        of_words = self.of_words(x * noise)  # (B, T, 2 H)
        s = x.new_zeros(len(x), self.hidden)
        state_noise = self.dropout_states(torch.ones_like(s))  # (B, H)
        states = []
        for of_word in of_words.unbind(dim=1):
            for number, layer in enumerate(self.of_states):
                read = layer(s * state_noise)
                h, t = (read if number else read + of_word).chunk(2, dim=1)
                s = torch.lerp(s, torch.tanh(h).to(s.dtype), torch.sigmoid(t).to(s.dtype))  # eq. 6-9: h t + s (1 - t)
            states.append(s)
        return torch.stack(states, dim=1)

    def flops_per_word(self, words_per_text: float) -> float:
        """Return forward FLOPs, two per multiply-add: 2 H (D + L H) per word; H C per text."""
        layers = (self.of_words, self.of_states)
        of_word = sum(weight.numel() for layer in layers for weight in layer.parameters() if weight.dim() == 2)
        return 2 * (of_word + self.output.weight.numel() / words_per_text)
