"""RCNN: each word with its left and right recurrent context, a tanh layer, and the maximum over words.

Source     Lai, Xu, Liu, Zhao, "Recurrent Convolutional Neural Networks for Text Classification", AAAI 2015, eq. 1-7;
           from public notes on the paper, not checked against the published paper:
           (1) c_l(w_i) = f(W^(l) c_l(w_(i-1)) + W^(sl) e(w_(i-1)))
           (2) c_r(w_i) = f(W^(r) c_r(w_(i+1)) + W^(sr) e(w_(i+1)))
           (3) x_i = [c_l(w_i); e(w_i); c_r(w_i)]
           (4) y_i^(2) = tanh(W^(2) x_i + b^(2))
           (5) y^(3) = max over i of y_i^(2), elementwise
           (6) y^(4) = W^(4) y^(3) + b^(4); (7) its softmax.
Reading    f, "a non-linear activation function", is tanh, as in eq. 4. c_l(w_1) and c_r(w_n) are learned, shared by all
           texts, and initialised uniformly in torch's bounds, like the matrices. Eq. 1 and 2 have no biases, and there
           is no dropout. "Stochastic gradient descent" takes one text at a time.
Departure  word vectors have the preset's size, 50 in the paper; c and H are the paper's 50 and 100.
Fast form  the tanh of the maximum is the maximum of the tanh, so it is taken of one vector per text.
Shapes     B texts, T words (padded on the right), D vector size, c of a context, H of the tanh layer, C classes.
"""

import math

import torch
from torch import Tensor, nn

from retable.layers import products
from retable.layers.embedding import WordEmbedding
from retable.layers.network import Network
from retable.layers.options import Count
from retable.layers.recurrent import in_order, turned_round


class Context(nn.Module):
    """A recurrent network that gives every word the context before it.

    Args:
        dim: size of a word vector.
        size: size of a context.
    """

    def __init__(self, dim: int, size: int) -> None:
        super().__init__()
        self.recurrent = nn.RNN(dim, size, bias=False, batch_first=True)  # W^(sl) and W^(l), f = tanh
        self.first = nn.Parameter(torch.empty(size))  # c_l(w_1)
        nn.init.uniform_(self.first, -1 / math.sqrt(size), 1 / math.sqrt(size))

    def forward(self, x: Tensor) -> Tensor:
        """Map word vectors (B, T, D) to contexts (B, T, c), each from the words before."""
        first = self.first.expand(len(x), 1, -1)
        states: Tensor = self.recurrent(x, first.transpose(0, 1).contiguous())[0]  # each is the next word's context
        return torch.cat((first, states[:, :-1]), dim=1)


class RCNN(Network):
    """Recurrent convolutional network.

    Args:
        embedding: the word vectors.
        classes: number of classes.
        context: size of the context on each side, |c|.
        hidden: units of the tanh layer, H.
    """

    sparse_rows = True  # a step of one text touches few words

    def __init__(self, embedding: WordEmbedding, classes: int, *, context: Count = 50, hidden: Count = 100) -> None:
        super().__init__()
        self.embedding = embedding
        self.left, self.right = Context(embedding.dim, context), Context(embedding.dim, context)
        self.hidden = products.Linear(2 * context + embedding.dim, hidden)  # W^(2) and b^(2)
        self.output = nn.Linear(hidden, classes)  # W^(4) and b^(4)

    def forward(self, words: Tensor, mask: Tensor) -> Tensor:
        """Map words (B, T) and their mask to logits (B, C)."""
        vectors = self.embedding(words)  # e, (B, T, D)
        left = self.left(vectors)  # eq. 1, (B, T, c)
        turned = turned_round(mask)
        right = in_order(self.right(in_order(vectors, turned)), turned)  # eq. 2: the last word is read first
        x = torch.cat((left, vectors, right), dim=2)  # eq. 3, (B, T, 2 c + D)
        scores = self.hidden(x).masked_fill(~mask.unsqueeze(2), -torch.inf)  # eq. 4 without tanh, (B, T, H)
        text = torch.tanh(scores.amax(dim=1))  # eq. 4-5, (B, H)
        logits: Tensor = self.output(text)  # eq. 6
        return logits

    def flops_per_word(self, words_per_text: float) -> float:
        """Return forward FLOPs, two per multiply-add: c (D + c) per side and H (2 c + D) per word; H C per text."""
        sides = sum(weight.numel() for side in (self.left, self.right) for weight in side.recurrent.parameters())
        return 2 * (sides + self.hidden.weight.numel() + self.output.weight.numel() / words_per_text)
