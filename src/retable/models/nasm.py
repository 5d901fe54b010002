"""NASM: a question draws what it asks for, a Gaussian latent vector, and this attends to the words of an answer.

Source     Miao, Yu, Blunsom, "Neural Variational Inference for Text Processing", ICML 2016, section 4. From memory, not
           checked against the published paper, so the equations here have no numbers.
Equations  s_q and s_a: states of one LSTM over the question and of another over the answer, z_q = s_q(|q|). Prior:
           p(h | q) = N(mu, sigma^2), mu and log sigma linear in g(z_q). Attention: e_i = softmax_i(w^T tanh(W_h h + W_s
           s_a(i))), c = sum of e_i s_a(i), z_a = tanh(W_a c + W_n s_a(|a|)). p(y = 1 | q, a, h) = sigmoid(z_q^T M
           z_a + b). Posterior: q(h | q, a, y) = N(mu', sigma'^2), mu' and log sigma' linear in g'(z_q, s_a(|a|), s_y),
           s_y linear in the label. Lower bound: E_q log p(y | q, a, h) - KL(q(h | q, a, y), p(h | q)), from one draw.
Reading    g and g' have two tanh layers, as wide as their input; the answer's LSTM has weights of its own.
Method     forward does not receive y: it keeps the states, and auxiliary_loss draws h from the posterior with them. In
           training the logits have no gradient, so the cross-entropy adds a number to the loss but teaches nothing.
Decision   the answer is log E p(y | q, a, h) over 20 draws from p(h | q), a number from memory. Their noise is drawn
           once, with the initial weights, and kept: a pair's score depends neither on chance nor on the other pairs.
Departure  M and b for each class but the first, whose score is 0. No word counts are added to the score.
Shapes     B pairs, T words of both texts, N words of the longest answer, D vector size, H states, K numbers in h, S
           draws, C classes.
"""

import math
from typing import NamedTuple

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from retable.layers.embedding import WordEmbedding
from retable.layers.network import Network
from retable.layers.options import Count, Share
from retable.layers.pairs import TextOfPair, two_texts
from retable.layers.recurrent import last_of, recurrent_flops, states_of_words
from retable.layers.wide import at_least_float32


class States(NamedTuple):
    """Hold the states of a batch: z_q (B, H), s_a (B, N, H), its mask (B, N), and s_a(|a|) (B, H)."""

    question: Tensor
    answer: Tensor
    mask: Tensor
    last: Tensor


class Gaussian(nn.Module):
    """Two tanh layers, and the mean and standard deviation of h.

    Args:
        inputs: size of the input and of both layers.
        latent: K.
    """

    def __init__(self, inputs: int, latent: int) -> None:
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(inputs, inputs), nn.Tanh(), nn.Linear(inputs, inputs), nn.Tanh())
        self.mean, self.log_sigma = nn.Linear(inputs, latent), nn.Linear(inputs, latent)

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor]:
        """Map (B, inputs) to the mean and sigma, (B, K) each."""
        pi = self.layers(x)
        return self.mean(pi), self.log_sigma(pi).exp()


class NASM(Network):
    """Two LSTMs, a latent vector of the question, and attention over the answer.

    Args:
        embedding: the word vectors.
        classes: number of classes.
        hidden: states of each LSTM.
        layers: layers of each LSTM.
        latent: size of h.
        samples: draws of h in evaluation.
        dropout: dropout rate on the word vectors, in [0, 1).
    """

    reads = ("sides",)
    answers_for_domains = False  # the bound would have to know the domains
    noise: Tensor

    def __init__(
        self,
        embedding: WordEmbedding,
        classes: int,
        *,
        hidden: Count = 50,
        layers: Count = 3,
        latent: Count = 50,
        samples: Count = 20,
        dropout: Share = 0.4,
    ) -> None:
        super().__init__()
        self.embedding = embedding
        self.dropout = nn.Dropout(dropout)
        self.of_question, self.of_answer = (
            nn.LSTM(embedding.dim, hidden, num_layers=layers, batch_first=True) for _ in range(2)
        )
        self.label = nn.Embedding(classes, hidden)  # s_y
        self.prior, self.posterior = Gaussian(hidden, latent), Gaussian(3 * hidden, latent)
        self.from_latent = nn.Linear(latent, hidden, bias=False)  # W_h
        self.from_word = nn.Linear(hidden, hidden, bias=False)  # W_s
        self.score = nn.Linear(hidden, 1, bias=False)  # w
        self.from_context = nn.Linear(hidden, hidden, bias=False)  # W_a
        self.from_last = nn.Linear(hidden, hidden, bias=False)  # W_n
        self.relevance = nn.Linear(hidden, (classes - 1) * hidden, bias=False)  # M
        self.bias = nn.Parameter(torch.zeros(classes - 1))  # b
        self.register_buffer("noise", torch.randn(samples, latent))
        self.states_of_batch: States | None = None  # in training, from forward to auxiliary_loss

    def forward(self, words: Tensor, mask: Tensor, sides: Tensor) -> Tensor:
        """Map pairs (B, T), their mask and sides to logits (B, C): log p(y | q, a)."""
        question, answer = two_texts(words, mask, sides)
        (_, z_q), (s_a, last) = self.read(self.of_question, question), self.read(self.of_answer, answer)
        states = States(z_q, s_a, answer.mask, last)
        self.states_of_batch = states if self.training else None
        with torch.set_grad_enabled(torch.is_grad_enabled() and not self.training):
            mean, sigma = self.prior(z_q)
            h = mean.unsqueeze(1) + sigma.unsqueeze(1) * self.noise  # (B, S, K)
            of_draws = self.scores(states, h).log_softmax(dim=2)  # log p(y | q, a, h), (B, S, C)
            return of_draws.logsumexp(dim=1) - math.log(len(self.noise))

    def read(self, lstm: nn.LSTM, text: TextOfPair) -> tuple[Tensor, Tensor]:
        """Return the states at the words of one text of every pair (B, N, H), and at its last word (B, H)."""
        states = states_of_words(lstm, self.dropout(self.embedding(text.words)), text.mask)
        return states, last_of(states, text.mask)

    def scores(self, states: States, h: Tensor) -> Tensor:
        """Return z_q^T M z_a + b, (B, S, C), for draws h (B, S, K); 0 for the first class."""
        asked = self.from_latent(h).unsqueeze(2) + self.from_word(states.answer).unsqueeze(1)  # (B, S, N, H)
        matches = self.score(torch.tanh(asked)).squeeze(3).masked_fill(~states.mask.unsqueeze(1), -torch.inf)
        context = torch.softmax(matches, dim=2) @ states.answer  # c, (B, S, H)
        z_a = torch.tanh(self.from_context(context) + self.from_last(states.last).unsqueeze(1))
        sought = self.relevance(states.question).unflatten(1, (-1, z_a.shape[2]))  # z_q^T M, (B, C - 1, H)
        return F.pad(z_a @ sought.transpose(1, 2) + self.bias, (1, 0))

    def auxiliary_loss(self, classes: Tensor) -> Tensor | None:
        """Return the negative lower bound, averaged over the pairs of the last forward call, in training."""
        seen, self.states_of_batch = self.states_of_batch, None
        assert seen is not None, "call forward first, in training"
        question, answer, last = map(at_least_float32, (seen.question, seen.answer, seen.last))
        states = States(question, answer, seen.mask, last)
        mean, sigma = self.posterior(torch.cat((states.question, states.last, self.label(classes)), dim=1))
        h = mean + sigma * torch.randn_like(sigma)  # from q(h | q, a, y)
        wrong = F.cross_entropy(self.scores(states, h.unsqueeze(1)).squeeze(1), classes)
        return wrong + divergence(mean, sigma, *self.prior(states.question)).mean()

    def flops_per_word(self, words_per_text: float) -> float:
        """Return forward FLOPs per word of either text, two per multiply-add; each text has half of the words."""
        samples, latent = self.noise.shape
        hidden, half = self.from_word.in_features, words_per_text / 2
        of_words = half * hidden**2 + samples * half * 2 * hidden  # W_s; w and c per draw
        of_draws = samples * (latent * hidden + hidden**2 + self.relevance.out_features)  # W_h, W_a, (z_q^T M) z_a
        of_pair = 2 * hidden**2 + 2 * latent * hidden + hidden**2 + self.relevance.weight.numel()  # p(h | q), W_n
        return recurrent_flops(self.of_question) + 2 * (of_words + of_draws + of_pair) / words_per_text


def divergence(mean: Tensor, sigma: Tensor, other_mean: Tensor, other_sigma: Tensor) -> Tensor:
    """Return KL(N(mean, sigma^2), N(other_mean, other_sigma^2)), (B,), from values (B, K)."""
    spread = (sigma.square() + (mean - other_mean).square()) / other_sigma.square()
    return (other_sigma.log() - sigma.log() + (spread - 1) / 2).sum(dim=1)
