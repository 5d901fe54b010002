"""MT-LSTM: an LSTM in groups of units; the first is updated at every word, each further one half as often.

Source     Liu, Qiu, Chen, Wu, Huang, "Multi-Timescale Long Short-Term Memory Neural Network for Modelling Sentences and
           Documents", EMNLP 2015. From public notes that have all its equations, without their numbers; not checked
           against the published paper.
Equations  group k is active at word t, counted from 1, if t mod T_k = 0, with T_k = 2^(k-1). Sums are over the groups j
           that feed k, with the states and cells of the previous word unless marked: i, f = sigmoid(W x_t + sum U
           h + sum V c), c~ = tanh(W x_t + sum U h), c_t = f c + i c~, o = sigmoid(W x_t + sum U h + sum V c_t), h_t = o
           tanh(c_t). A group that is not active keeps h and c. Fast-to-slow: j feeds k if T_j <= T_k; slow-to-fast: if
           T_j >= T_k. The state at the last word represents the text. Groups at most: log2 of the mean length, less 1.
Reading    no gate has a bias, as in the notes; V are full matrices, from j's cells to k's gates; all groups have one
           size. A group that feeds o and is not active contributes the cell that it keeps.
Decision   300 states as in our LSTM, torch's initial weights, optional dropout on the text vector: the paper's sizes
           and rates were not seen. Three groups suit sentences of 20 words; AdaGrad and an L2 term are the paper's
           (notes); here it is not on word vectors.
Shapes     B texts, T words (padded on the right), D vector size, H states, S of one group, C classes.
"""

from typing import Literal, cast

import torch
from torch import Tensor, nn

from retable.layers.embedding import WordEmbedding
from retable.layers.network import Network
from retable.layers.options import Count, Share
from retable.layers.products import Linear
from retable.layers.recurrent import last_of

Feedback = Literal["fast-to-slow", "slow-to-fast"]


class Group(nn.Module):
    """The weights of one group of units.

    Args:
        dim: size of a word vector, D.
        units: units of the group, S.
        feeding: places, in the states (B, H), of all groups that feed this one, itself included.
        period: words from one update to the next, T_k.
    """

    def __init__(self, dim: int, units: int, feeding: slice, period: int) -> None:
        super().__init__()
        self.feeding, self.period = feeding, period
        seen = feeding.stop - feeding.start
        self.of_words = Linear(dim, 4 * units, bias=False)  # W of i, f, c~, o
        self.of_states = Linear(seen, 4 * units, bias=False)  # U of the same
        self.of_cells = Linear(seen, 2 * units, bias=False)  # V of i and f
        self.of_new_cells = Linear(seen, units, bias=False)  # V of o

    def cell(self, inputs: Tensor, states: Tensor, cells: Tensor, own: Tensor) -> tuple[Tensor, Tensor]:
        """Return the group's next cell, and its output gate's input from words and states, (B, S) each.

        Args:
            inputs: W x_t, (B, 4 S).
            states, cells: those of all groups at the previous word, (B, H).
            own: the group's own cell there, (B, S).
        """
        units = own.shape[1]
        read = inputs + self.of_states(states[:, self.feeding])
        gates, new, output = read.split((2 * units, units, units), dim=1)
        i, f = torch.sigmoid(gates + self.of_cells(cells[:, self.feeding])).chunk(2, dim=1)
        return f * own + i * torch.tanh(new), output

    def state(self, output: Tensor, cells: Tensor, own: Tensor) -> Tensor:
        """Return the group's next state, (B, S), from the new cells of all groups, (B, H), and its own, (B, S)."""
        return torch.sigmoid(output + self.of_new_cells(cells[:, self.feeding])) * torch.tanh(own)


class MTLSTM(Network):
    """Multi-timescale LSTM.

    Args:
        embedding: the word vectors.
        classes: number of classes.
        hidden: states of all groups together, a multiple of `groups`.
        groups: groups of units; 1: an LSTM.
        feedback: which groups feed a group besides itself: fast-to-slow (the faster), slow-to-fast (the slower).
        dropout: dropout rate on the text vector, in [0, 1).
    Raises: ValueError if two options do not fit each other.
    """

    def __init__(
        self,
        embedding: WordEmbedding,
        classes: int,
        *,
        hidden: int = 300,
        groups: Count = 3,
        feedback: Feedback = "fast-to-slow",
        dropout: Share = 0.0,
    ) -> None:
        super().__init__()
        if hidden < 1 or hidden % groups:
            raise ValueError(f"hidden is {hidden}; allowed: multiples of groups ({groups})")
        self.embedding, self.units = embedding, hidden // groups
        self.groups = nn.ModuleList()
        for k in range(groups):
            first, stop = (0, k + 1) if feedback == "fast-to-slow" else (k, groups)
            feeding = slice(first * self.units, stop * self.units)
            self.groups.append(Group(embedding.dim, self.units, feeding, 2**k))
        self.dropout = nn.Dropout(dropout)
        self.output = nn.Linear(hidden, classes)

    def forward(self, words: Tensor, mask: Tensor) -> Tensor:
        """Map words (B, T) and their mask to logits (B, C)."""
        states = self.states(self.embedding(words))
        last = last_of(states, mask)  # (B, H)
        logits: Tensor = self.output(self.dropout(last))
        return logits

    def states(self, x: Tensor) -> Tensor:
        """Map word vectors (B, T, D) to the states at every word, (B, T, H); meaningless after the end of a text."""
        groups = self.each_group()
        inputs = [inputs_of(group, x) for group in groups]
        states, cells = ([x.new_zeros(len(x), self.units)] * len(groups) for _ in range(2))
        of_words = []
        for t in range(1, x.shape[1] + 1):
            active = [k for k, group in enumerate(groups) if t % group.period == 0]
            states_before, cells_before, outputs = torch.cat(states, dim=1), torch.cat(cells, dim=1), {}
            for k in active:
                of_word = inputs[k][t // groups[k].period - 1]
                cells[k], outputs[k] = groups[k].cell(of_word, states_before, cells_before, cells[k])
            new_cells = torch.cat(cells, dim=1)
            for k in active:
                states[k] = groups[k].state(outputs[k], new_cells, cells[k])
            of_words.append(torch.cat(states, dim=1))
        return torch.stack(of_words, dim=1)

    def each_group(self) -> list[Group]:
        """Return the groups, fastest first."""
        return cast("list[Group]", list(self.groups))

    def flops_per_word(self, words_per_text: float) -> float:
        """Return FLOPs, two per multiply-add: S (4 D + 7 x feeding units) per group each T_k words; H C per text."""
        of_word = sum(
            sum(weight.numel() for weight in group.parameters()) / group.period for group in self.each_group()
        )
        return 2 * (of_word + self.output.weight.numel() / words_per_text)


def inputs_of(group: Group, x: Tensor) -> tuple[Tensor, ...]:
    """Return W x_t, (B, 4 S), for each word of x (B, T, D) at which the group is active."""
    read = x[:, group.period - 1 :: group.period]
    return group.of_words(read).unbind(dim=1) if read.shape[1] else ()
