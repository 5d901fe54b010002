"""Virtual adversarial training: an LSTM on normalised word vectors that also learns from texts moved to its worst side.

Source     Miyato, Dai, Goodfellow, "Adversarial Training Methods for Semi-Supervised Text Classification", ICLR 2017,
           sections 2 and 3, eq. 1 and 5-8. Checked against a copy of the paper's text; the authors' code
           (tensorflow/models, adversarial_text). L MIXED: Sachan, Zaheer, Salakhutdinov, "Revisiting LSTM Networks for
           Semi-Supervised Text Classification via Mixed Objective Function", AAAI 2019, from the abstract and the
           authors' code, which also drops states and does not normalise word vectors: both directions, the max of their
           states over the words, and a loss of cross-entropy, L_adv, L_v-adv and the entropy of the answers, L_EM =
           -sum_y p(y | s) log p(y | s).
Reading    s is the vectors of all words of a text: r and d have one length per text, not per word. Dropout is on the
           word vectors alone, one mask for all words of a text (authors' code); s is taken after it, so all passes of a
           step share the mask. d has length 0.1 (authors' code). Both losses have weight 1. Two directions share one
           perturbation; the authors' code has one for each.
Departure  neither unlabelled texts nor a pretrained language model are available: virtual perturbations are of the
           labelled texts of the batch. Words are sorted by training frequency, without the counts: f_j is 1 / j by
           Zipf's law, over the sum; padding and the unknown word have none. There is no vector for the end of a text:
           with pooling last the last word's state is read. Gradients go back through all of a text, not 400 words. The
           weights of the best epoch are kept, where the paper stops at no epoch and the code averages weights.
Shapes     B texts, T words (padded on the right), D vector size, V rows of the embedding, C classes.
"""

from typing import Literal, NamedTuple

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from retable.layers.classifier import classifier_flops, text_classifier
from retable.layers.embedding import WordEmbedding
from retable.layers.encoder import max_over_words
from retable.layers.network import Network
from retable.layers.options import EVEN, Count, CountOrZero, NonNegative, Share
from retable.layers.recurrent import last_of, recurrent_flops, states_of_words
from retable.text.vocabulary import UNKNOWN

Perturbation = Literal["virtual", "adversarial", "both", "none"]
Pooling = Literal["last", "max"]
LENGTH_OF_D = 0.1  # small_constant_for_finite_diff in the authors' code
LEAST_VARIANCE = 1e-6


class Seen(NamedTuple):
    """Hold a batch's vectors s (B, T, D), its mask and logits, in training, from forward to auxiliary_loss."""

    vectors: Tensor
    mask: Tensor
    logits: Tensor


class VirtualAdversarial(Network):
    """One-layer LSTM, trained against small perturbations of its word vectors.

    Args:
        embedding: the word vectors.
        classes: number of classes.
        perturbation: virtual (towards another answer), adversarial (away from the class), both losses, none.
        epsilon: length of a text's perturbation, 0 or more.
        entropy: weight of the answers' entropy in the loss, 0 or more.
        pooling: which states are read: the last of each direction, or the max over the words.
        bidirectional: whether a second LSTM reads the text backwards.
        hidden: states of all directions together.
        mlp_hidden: ReLU units between the pooled states and the logits; 0: none.
        dropout: dropout rate on the word vectors, one mask for all words of a text, in [0, 1).
    Raises: ValueError if two options do not fit each other.
    """

    def __init__(
        self,
        embedding: WordEmbedding,
        classes: int,
        *,
        perturbation: Perturbation = "virtual",
        epsilon: NonNegative = 5.0,
        entropy: NonNegative = 0.0,
        pooling: Pooling = "last",
        bidirectional: bool = False,
        hidden: Count = 1024,
        mlp_hidden: CountOrZero = 30,
        dropout: Share = 0.5,
    ) -> None:
        super().__init__()
        if bidirectional:
            EVEN.check("hidden", hidden)
        self.embedding, self.perturbation, self.epsilon = embedding, perturbation, epsilon
        self.entropy, self.pooling = entropy, pooling
        side = hidden // 2 if bidirectional else hidden
        self.lstm = nn.LSTM(embedding.dim, side, batch_first=True, bidirectional=bidirectional)
        self.classifier = text_classifier(hidden, mlp_hidden, classes, 0.0)
        self.dropout = nn.Dropout(dropout)
        self.seen: Seen | None = None

    def forward(self, words: Tensor, mask: Tensor) -> Tensor:
        """Map words (B, T) and their mask to logits (B, C)."""
        s = normalised(self.embedding, words)
        s = s * self.dropout(s.new_ones(len(s), 1, s.shape[2]))
        learns = self.training and self.adds_a_loss
        if learns and not s.requires_grad:  # a gradient is needed even if vectors are not tuned
            s.requires_grad_()
        logits = self.logits_of(s, mask)
        if learns:
            self.seen = Seen(s, mask, logits)
        return logits

    @property
    def adds_a_loss(self) -> bool:
        """Return whether anything is added to the cross-entropy."""
        return self.perturbation != "none" or self.entropy > 0

    def logits_of(self, s: Tensor, mask: Tensor) -> Tensor:
        """Map the vectors s (B, T, D) and their mask to logits (B, C)."""
        states = states_of_words(self.lstm, s, mask)
        logits: Tensor = self.classifier(self.pooled(states, mask))
        return logits

    def pooled(self, states: Tensor, mask: Tensor) -> Tensor:
        """Map states of words (B, T, H) to what the classifier reads, (B, H)."""
        if self.pooling == "max":
            return max_over_words(states, mask)
        side = self.lstm.hidden_size
        last = last_of(states[:, :, :side], mask)
        return torch.cat((last, states[:, 0, side:]), dim=1)  # backward states, if any, end at the first word

    def auxiliary_loss(self, classes: Tensor) -> Tensor | None:
        """Return L_adv, L_v-adv, L_EM or a sum of these, for the texts of the last forward pass, in training."""
        if not self.adds_a_loss:
            return None
        seen, self.seen = self.seen, None
        assert seen is not None, "call forward first, in training"
        loss = classes.new_zeros((), dtype=seen.vectors.dtype)
        if self.perturbation in ("adversarial", "both"):
            loss = loss + self.adversarial_loss(seen, classes)
        if self.perturbation in ("virtual", "both"):
            loss = loss + self.virtual_loss(seen)
        if self.entropy:
            loss = loss + self.entropy * entropies(seen.logits.to(seen.vectors.dtype)).mean()
        return loss

    def adversarial_loss(self, seen: Seen, classes: Tensor) -> Tensor:
        """Return -log p(y | s + r), the mean over texts, with r along the gradient of the first pass."""
        of_texts = F.cross_entropy(seen.logits.to(seen.vectors.dtype), classes, reduction="sum")  # -log p(y | s)
        (against,) = torch.autograd.grad(
            of_texts, seen.vectors, retain_graph=True
        )  # -g; the training step needs the graph again
        r = with_length(against, self.epsilon)  # eq. 5
        return F.cross_entropy(self.logits_of(seen.vectors + r, seen.mask), classes)  # eq. 6

    def virtual_loss(self, seen: Seen) -> Tensor:
        """Return KL(p(. | s), p(. | s + r)), the mean over texts, with r by one step of the power iteration."""
        s, mask, logits = seen
        p = logits.detach()
        if p.dtype != s.dtype:  # a first pass in bfloat16 is coarser than the effect of d
            p = self.logits_of(s, mask).detach()  # not by no_grad, where oneDNN may round otherwise
        d = with_length(torch.randn_like(s) * mask.unsqueeze(2), LENGTH_OF_D).requires_grad_()
        (g,) = torch.autograd.grad(divergence(p, self.logits_of(s.detach() + d, mask)).sum(), d)
        r = with_length(g, self.epsilon)  # eq. 7
        return divergence(p, self.logits_of(s + r, mask)).mean()  # eq. 8

    def flops_per_word(self, words_per_text: float) -> float:
        """Return FLOPs, two per multiply-add: four gates of each direction per word, classifier per text; one pass."""
        return recurrent_flops(self.lstm) + classifier_flops(self.classifier) / words_per_text


def normalised(embedding: WordEmbedding, words: Tensor) -> Tensor:
    """Return word vectors (B, T, D) with mean 0 and variance 1 over the training text, for words (B, T).

    Mean and variance are those of the tuned rows, or of all rows if none is tuned. They change with the rows, and
    gradients pass through them.
    """
    table = embedding.table
    f = frequencies(table).unsqueeze(1)  # (V, 1)
    mean = (f * table).sum(dim=0)  # E(v)
    variance = (f * (table - mean).square()).sum(dim=0)  # Var(v)
    vectors: Tensor = (embedding(words) - mean) / (variance + LEAST_VARIANCE).sqrt()  # eq. 1
    return vectors


def frequencies(table: Tensor) -> Tensor:
    """Return each row's share of the words by Zipf's law, (V,); rows after the unknown one are ranked from 1."""
    rank = torch.arange(len(table), device=table.device) - UNKNOWN
    shares = torch.where(rank > 0, 1 / rank.clamp(min=1).to(table.dtype), 0.0)
    return shares / shares.sum()


def with_length(x: Tensor, length: float) -> Tensor:
    """Return x (B, T, D) scaled to this length per text; zero stays zero."""
    least = torch.finfo(x.dtype).tiny
    x = x / x.abs().amax(dim=(1, 2), keepdim=True).clamp(min=least)  # squares of small gradients would underflow
    return length * x / x.square().sum(dim=(1, 2), keepdim=True).sqrt().clamp(min=least)


def entropies(logits: Tensor) -> Tensor:
    """Return -sum_y p(y) log p(y) of each text, (B,), from logits (B, C)."""
    return -(logits.softmax(dim=1) * logits.log_softmax(dim=1)).sum(dim=1)


def divergence(p: Tensor, q: Tensor) -> Tensor:
    """Return KL(p, q) of each text, (B,), from logits (B, C)."""
    return F.kl_div(F.log_softmax(q, dim=1), F.log_softmax(p, dim=1), reduction="none", log_target=True).sum(dim=1)
