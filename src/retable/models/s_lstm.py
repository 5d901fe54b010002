"""S-LSTM: a state per word and one for the sentence, all updated together in a fixed number of steps.

Source     Zhang, Liu and Song, "Sentence-State LSTM for Text Representation", ACL 2018, sections 3.2 and 3.3; the
           authors' code, github.com/leuchine/S-LSTM.
Words      near = [h_(i-1); h_i; h_(i+1)]; the gates read near, x_i and g: i, l, f, r, s, o = sigmoid(W near + U x_i + V
           g + b), u = tanh(the same with its own weights); i, l, f, r, s = softmax(i, l, f, r, s), per component;
           c_i = l c_(i-1) + f c_i + r c_(i+1) + s c_g + i u, h_i = o tanh(c_i).
Sentence   m = mean(h_i), f_i = sigmoid(W_f g + U_f h_i + b_f), f_g = sigmoid(W_g g + U_g m + b_g), o likewise; f_0,
           ..., f_(n+1), f_g = softmax of them, per component; c_g = f_g c_g + sum(f_i c_i), g = o tanh(c_g). The
           right-hand sides of both have the states of the previous step.
Reading    a wider window has a gate and a cell for each of its words; the code sums the states of a side. Words 0 and n
           + 1 are <s> and </s>, two learned vectors; outside them all states are zero. The initial states are one
           learned vector, h^0, and so are the initial cells, which are not mentioned. Dropout is on the word vectors.
           The published paper was not available: Words is its eq. 2 and Sentence its eq. 3 (the authors, issue 2 of
           their code); u and the gates are checked against nn/gnn/slstm of github.com/nlpodyssey/spago, softmax and c_g
           against the authors' code. No source was found for <s> and </s> that are updated.
Decision   torch's own initial weights; the learned vectors are normal, with the spread of all weights in the code.
Departure  the code's words start at their vectors and have no candidate u but a gate for the word vector as a cell; its
           classifier has a tanh layer, with dropout on the words' last states before it, and its sentence starts as the
           mean of the words. It takes batches of 5, clips at 5 and lets the rate fall by 5% an epoch (here 10, 3,
           constant). Here the equations are followed; `pool: mean` is the code's.
Method     the last step is skipped for states that are not read.
Shapes     B texts, T words (padded on the right) with <s> and </s>, D vector size, H states, w words of the window on
           each side, G = 2 w + 5 gates with o and u, C classes.
"""

from typing import Annotated, Literal, NamedTuple

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from retable.layers.context_attention import ContextAttention
from retable.layers.embedding import WordEmbedding
from retable.layers.encoder import mean_over_words
from retable.layers.network import Network
from retable.layers.options import AtLeast, Count, CountOrZero, Share
from retable.layers.products import Linear

Pool = Literal["sentence", "mean", "attention"]
FIRST_SPREAD = 0.1  # spread of the learned vectors, as of all weights in the authors' code


class State(NamedTuple):
    """Hold states h or g and their cells c: of words (B, T, H), of sentences (B, H)."""

    hidden: Tensor
    cell: Tensor


class WordStep(nn.Module):
    """One update of the word states.

    Args:
        dim: size of a word vector, D.
        hidden: size of a state, H.
        window: words that a word sees on each side, w.
    """

    def __init__(self, dim: int, hidden: int, window: int) -> None:
        super().__init__()
        self.window, self.gates = window, 2 * window + 5
        self.of_words = Linear(dim, self.gates * hidden)  # U and b
        self.of_near = Linear((2 * window + 1) * hidden, self.gates * hidden, bias=False)  # W
        self.of_sentence = Linear(hidden, self.gates * hidden, bias=False)  # V

    def forward(self, inputs: Tensor, words: State, sentence: State, mask: Tensor) -> State:
        """Return the next states, zero on padding.

        Args:
            inputs: U x + b, the same in all steps, (B, T, G H).
        """
        near = in_window(words.hidden, self.window).flatten(2)
        gates = inputs + self.of_near(near) + self.of_sentence(sentence.hidden).unsqueeze(1)
        *shares, o, u = gates.unflatten(2, (self.gates, -1)).unbind(dim=2)
        weights = torch.softmax(torch.sigmoid(torch.stack(shares, dim=2)), dim=2)  # l, f, r, s, i: (B, T, G - 2, H)
        of_sentence = sentence.cell[:, None, None].expand(-1, inputs.shape[1], -1, -1)
        cells = torch.cat([in_window(words.cell, self.window), of_sentence, torch.tanh(u).unsqueeze(2)], dim=2)
        cell = (weights * cells).sum(dim=2)  # l c_(i-1) + f c_i + r c_(i+1) + s c_g + i u
        is_padding = ~mask.unsqueeze(2)
        hidden = torch.sigmoid(o) * torch.tanh(cell)
        return State(hidden.masked_fill(is_padding, 0.0), cell.masked_fill(is_padding, 0.0))


class SentenceStep(nn.Module):
    """One update of the sentence state.

    Args:
        hidden: size of a state, H.
    """

    def __init__(self, hidden: int) -> None:
        super().__init__()
        self.of_sentence = Linear(hidden, 3 * hidden)  # W_f, W_g, W_o and their b
        self.of_words = Linear(hidden, hidden, bias=False)  # U_f
        self.of_mean = Linear(hidden, 2 * hidden, bias=False)  # U_g, U_o

    def forward(self, words: State, sentence: State, mask: Tensor) -> State:
        """Return the next state; padding is ignored."""
        by_words, by_sentence, o = self.of_sentence(sentence.hidden).chunk(3, dim=1)
        from_mean, o_from_mean = self.of_mean(mean_over_words(words.hidden, mask)).chunk(2, dim=1)
        f_words = torch.sigmoid(by_words.unsqueeze(1) + self.of_words(words.hidden))  # f_i, (B, T, H)
        f_sentence = torch.sigmoid(by_sentence + from_mean).unsqueeze(1)  # f_g
        f_words = f_words.masked_fill(~mask.unsqueeze(2), -torch.inf)
        weights = torch.softmax(torch.cat([f_words, f_sentence], dim=1), dim=1)  # (B, T + 1, H)
        cell = (weights * torch.cat([words.cell, sentence.cell.unsqueeze(1)], dim=1)).sum(dim=1)  # c_g
        return State(torch.sigmoid(o + o_from_mean) * torch.tanh(cell), cell)


class SLSTM(Network):
    """Sentence-state LSTM.

    Args:
        embedding: the word vectors.
        classes: number of classes.
        hidden: size of a word's state and of the sentence's.
        steps: updates of all states, at least two: the first sentence state has seen no word.
        window: words that a word sees on each side.
        borders: whether <s> and </s> surround each text.
        pool: what the classifier reads: sentence (its state), mean (of the sentence's and all words' states), attention
            (weighted sum of the words' states).
        dropout: dropout rate on the word vectors, in [0, 1).
    """

    def __init__(
        self,
        embedding: WordEmbedding,
        classes: int,
        *,
        hidden: Count = 300,
        steps: Annotated[int, AtLeast(2)] = 9,
        window: CountOrZero = 1,
        borders: bool = True,
        pool: Pool = "sentence",
        dropout: Share = 0.5,
    ) -> None:
        super().__init__()
        self.embedding, self.steps, self.pool = embedding, steps, pool
        self.borders = nn.Parameter(FIRST_SPREAD * torch.randn(2, embedding.dim)) if borders else None  # <s>, </s>
        self.start = nn.Parameter(FIRST_SPREAD * torch.randn(hidden))  # h^0
        self.word_step = WordStep(embedding.dim, hidden, window)
        self.sentence_step = SentenceStep(hidden)
        self.attention = ContextAttention(hidden, hidden) if pool == "attention" else None
        self.dropout = nn.Dropout(dropout)
        self.output = nn.Linear(hidden, classes)

    def forward(self, words: Tensor, mask: Tensor) -> Tensor:
        """Map words (B, T) and their mask to logits (B, C)."""
        x = self.embedding(words)
        if self.borders is not None:
            x, mask = with_borders(x, mask, self.borders)
        states, sentence = self.revised(self.dropout(x), mask)
        logits: Tensor = self.output(self.text_vector(states.hidden, sentence.hidden, mask))
        return logits

    def revised(self, x: Tensor, mask: Tensor) -> tuple[State, State]:
        """Return the states of words and sentence after the last step, or the one before if `pool` does not read them.

        Args:
            x: word vectors, (B, T, D).
        """
        first = self.start.expand(*mask.shape, -1).masked_fill(~mask.unsqueeze(2), 0.0)
        words, sentence = State(first, first), State(*[self.start.expand(len(x), -1)] * 2)
        inputs = self.word_step.of_words(x)
        for _ in range(self.steps - 1):
            words, sentence = self.word_step(inputs, words, sentence, mask), self.sentence_step(words, sentence, mask)
        last_words = self.word_step(inputs, words, sentence, mask) if self.pool != "sentence" else words
        last_sentence = self.sentence_step(words, sentence, mask) if self.pool != "attention" else sentence
        return last_words, last_sentence

    def text_vector(self, words: Tensor, sentence: Tensor, mask: Tensor) -> Tensor:
        """Return text vectors, (B, H), from word states, zero on padding, (B, T, H), and sentence states, (B, H)."""
        if self.attention is not None:
            text: Tensor = self.attention(words, mask)
            return text
        if self.pool == "mean":
            return (words.sum(dim=1) + sentence) / (mask.sum(dim=1, keepdim=True) + 1)
        return sentence

    def flops_per_word(self, words_per_text: float) -> float:
        """Return forward FLOPs, two per multiply-add: U once, W per word and V per text in each word step, U_f per word
        and the other five sentence matrices per text in each sentence step, H C per text; <s> and </s> count as words.
        The last step of states that are not read is left out.
        """
        places = words_per_text + (2 if self.borders is not None else 0)
        of_words, of_sentence = self.word_step, self.sentence_step
        a_step = places * of_words.of_near.weight.numel() + of_words.of_sentence.weight.numel()
        a_sentence_step = places * of_sentence.of_words.weight.numel()
        a_sentence_step += of_sentence.of_sentence.weight.numel() + of_sentence.of_mean.weight.numel()
        of_text = places * of_words.of_words.weight.numel() + (self.steps - (self.pool == "sentence")) * a_step
        of_text += (self.steps - (self.pool == "attention")) * a_sentence_step
        pooled = places * self.attention.flops() if self.attention is not None else 0.0
        return (2 * (of_text + self.output.weight.numel()) + pooled) / words_per_text


def in_window(states: Tensor, window: int) -> Tensor:
    """Return the states that each word sees, left to right: (B, T, H) to (B, T, 2 w + 1, H); zero outside the text."""
    return F.pad(states, (0, 0, window, window)).unfold(1, 2 * window + 1, 1).transpose(2, 3)


def with_borders(x: Tensor, mask: Tensor, borders: Tensor) -> tuple[Tensor, Tensor]:
    """Return texts with a vector before the first word and one after the last, (B, T + 2, D), and their mask.

    Args:
        x: word vectors, (B, T, D).
        mask: True on a word, False on padding, bool, (B, T).
        borders: the two vectors, (2, D).
    """
    places, last = torch.arange(mask.shape[1] + 2, device=mask.device), mask.sum(dim=1, keepdim=True) + 1
    start, end = borders
    x = torch.where((places == 0).unsqueeze(1), start, F.pad(x, (0, 0, 1, 1)))
    return torch.where((places == last).unsqueeze(2), end, x), places <= last
