"""ASP-MTL: SP-MTL whose shared states hide their domain from an adversary and are orthogonal to the private ones.

Source     Liu, Qiu, Huang, "Adversarial Multi-task Learning for Text Classification", ACL 2017, eq. 8-15: the states
           and classifiers of section 3, the adversary (eq. 12-13), the orthogonality constraints (eq. 14), their sum
           (eq. 15); section 5.5 for the transfer. FCSR's table 5 calls it ASPMTL.
Transfer   FCSR's A-MTLSC and A-MTLBC are ASP-MTL-SC and ASP-MTL-BC, in 31 of 32 cells one minus the error rates of the
           source's table 3. "We take turns choosing 15 tasks to train our model M_S", whose shared LSTM goes, frozen,
           to "a second network M_T that is used for the remaining one task": single channel, a classifier on s_T;
           bi-channel, with "an extra LSTM". Here one network holds all turns: for each domain an M_S of the others,
           which learns by the auxiliary loss, and an M_T, which gives the answers. A step trains K networks.
Reading    L_Adv in eq. 13 already includes lambda; it counts once (eq. 15). U, printed d x d, has a row per domain. The
           reversal's strength is 1. Eq. 6, 10, 13 and 14 are sums over texts: all are divided by the number of texts in
           the batch, with weights alpha_k of 1. A batch has one domain ("batches of one task", after Collobert and
           Weston), so S^k and H^k have a row for each of its texts: their last states, neither centred nor normalised,
           as eq. 14 prints it; the code of Bousmalis et al. does both.
Departure  M_T learns at the same time as its M_S, not after it. All M_S share one table of word vectors: with
           embedding.tune false an M_S has seen nothing of the domain that it leaves out; with true, its word vectors
           have. The unlabelled texts, which eq. 13 could also read, are left out.
Decision   dropout on the classifier's input, none before the adversary. First weights are torch's, as in sp-mtl, where
           the paper draws from [-0.1, 0.1]. An M_S of one domain has no adversary: it would always be right.
Shapes     B texts, T words (padded on the right), D vector size, H states of an LSTM, K domains, C classes.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, cast

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from retable.layers.domains import texts_of_each
from retable.layers.embedding import WordEmbedding
from retable.layers.gradient_reversal import reverse_gradient
from retable.layers.lstms import last_states_of_each
from retable.layers.network import Network, Task
from retable.layers.options import Count, NonNegative, Share
from retable.layers.recurrent import last_of, recurrent_flops, states_of_words
from retable.layers.wide import at_least_float32

Transfer = Literal["none", "single-channel", "bi-channel"]
States = tuple[Tensor, Tensor]  # of the shared and the private LSTM at the last words, (B, H) each


class SharedPrivate(nn.Module):
    """A shared LSTM with its adversary, and an LSTM and a classifier per domain: the paper's ASP-MTL, or an M_S.

    Args:
        size: size of a word vector, D.
        classes: number of classes, in every domain.
        domains: number of domains, 1 or more; a single domain has no adversary.
        hidden: states of an LSTM.
        dropout: share of the components of [h_T; s_T] that are dropped in training.
    """

    def __init__(self, size: int, classes: int, domains: int, *, hidden: int, dropout: float) -> None:
        super().__init__()
        self.shared = nn.LSTM(size, hidden, batch_first=True)  # theta_s
        self.private = nn.ModuleList(nn.LSTM(size, hidden, batch_first=True) for _ in range(domains))  # theta_k
        self.discriminator = nn.Linear(hidden, domains) if domains > 1 else None  # U, b
        self.dropout = nn.Dropout(dropout)
        self.outputs = nn.ModuleList(nn.Linear(2 * hidden, classes) for _ in range(domains))
        self.classes = classes

    def forward(self, x: Tensor, mask: Tensor, domains: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Map word vectors (B, T, D), their mask and the domains (B,) to logits (B, C) and both states, (B, H) each."""
        shared = states_of(self.shared, x, mask)  # s_T, eq. 8
        private = torch.empty_like(shared)
        for domain, own in texts_of_each(domains).items():
            private[own] = states_of(cast(nn.LSTM, self.private[domain]), x[own], mask[own])  # h_T, eq. 9
        return self.answers(shared, private, domains), shared, private

    def answers(self, shared: Tensor, private: Tensor, domains: Tensor) -> Tensor:
        """Map both states of texts, (B, H) each, and their domains (B,) to logits (B, C)."""
        logits = shared.new_empty(len(shared), self.classes)
        text = self.dropout(torch.cat((private, shared), dim=1))  # (B, 2 H)
        for domain, own in texts_of_each(domains).items():
            logits[own] = self.outputs[domain](text[own]).to(logits.dtype)
        return logits

    def adversarial_loss(self, shared: Tensor, domains: Tensor) -> Tensor:
        """Return the loss that the discriminator lowers and the shared LSTM, by gradient reversal, raises, a scalar.

        Returns: the mean over texts of -log D(s_T) for their domains; 0 with one domain.
        """
        if self.discriminator is None:
            return shared.new_zeros(())
        return F.cross_entropy(self.discriminator(reverse_gradient(shared, 1.0)), domains)  # eq. 12-13


@dataclass(frozen=True)
class Seen:
    """Logits and states of an M_S for `texts` of a batch, bool (B,), with the domains as it numbers them."""

    model: SharedPrivate
    texts: Tensor
    domains: Tensor
    logits: Tensor
    shared: Tensor
    private: Tensor


class ASPMTL(Network):
    """Adversarial shared-private model for texts of several domains.

    Args:
        embedding: the word vectors, shared by all domains.
        classes: number of classes, in every domain.
        domains: number of domains, at least 1; with a transfer, at least 2.
        hidden: states of every LSTM.
        adversarial: lambda, weight of the adversary's loss, 0 or more.
        difference: gamma, weight of the orthogonality constraints, 0 or more.
        transfer: none: all domains learn together. Otherwise each domain uses a shared LSTM that the others have
            trained: single-channel, with a classifier on it; bi-channel, with an additional LSTM of its own.
        dropout: share of a classifier's input components that are dropped in training, in [0, 1).
    Raises: ValueError if two options do not fit each other.
    """

    reads = ("domains",)
    domain_a_batch = True

    def __init__(
        self,
        embedding: WordEmbedding,
        classes: int,
        domains: int,
        *,
        hidden: Count = 150,
        adversarial: NonNegative = 0.05,
        difference: NonNegative = 0.01,
        transfer: Transfer = "none",
        dropout: Share = 0.5,
    ) -> None:
        super().__init__()
        moves, has_own = transfer != "none", transfer == "bi-channel"
        if moves and domains < 2:
            raise ValueError(f'transfer is "{transfer}"; allowed: none if there is only one domain')
        self.embedding, self.adversarial, self.difference = embedding, adversarial, difference
        self.moves, self.classes = moves, classes
        size, turns = embedding.dim, domains if moves else 0
        self.models = nn.ModuleList(  # one M_S per left-out domain, or one for all domains
            SharedPrivate(size, classes, domains - moves, hidden=hidden, dropout=dropout) for _ in range(turns or 1)
        )
        self.own = nn.ModuleList(nn.LSTM(size, hidden, batch_first=True) for _ in range(turns if has_own else 0))
        self.dropout = nn.Dropout(dropout)
        self.outputs = nn.ModuleList(nn.Linear((1 + has_own) * hidden, classes) for _ in range(turns))
        self.seen: list[Seen] = []  # in training, from forward to auxiliary_loss

    @classmethod
    def needs(cls, task: Task) -> tuple[object, ...]:
        """Return the numbers of classes and of domains."""
        return task.classes, len(task.domains)

    def forward(self, words: Tensor, mask: Tensor, domains: Tensor) -> Tensor:
        """Map words (B, T), their mask and the domain of each text, (B,), to logits (B, C)."""
        x, self.seen = self.embedding(words), []
        if self.moves:
            return self.transferred(x, mask, domains)
        return self.learnt(0, x, mask, domains, torch.ones_like(domains, dtype=torch.bool), {})

    def model(self, number: int) -> SharedPrivate:
        """Return the M_S that leaves out the domain of this number; without a transfer there is only the first."""
        found = self.models[number]
        assert isinstance(found, SharedPrivate)
        return found

    def learnt(
        self, number: int, x: Tensor, mask: Tensor, domains: Tensor, texts: Tensor, known: Mapping[int, States]
    ) -> Tensor:
        """Return the logits of an M_S for some texts, bool (B,), whose domains, (B,), use its numbering.

        Args:
            known: the states of all texts of the batch by M_S, where they are known already.
        """
        found = self.model(number)
        if number in known:
            shared, private = known[number]
            logits = found.answers(shared, private, domains)
        else:
            logits, shared, private = found(x[texts], mask[texts], domains[texts])
        if self.training:
            self.seen.append(Seen(found, texts, domains[texts], logits, shared, private))
        return logits

    def transferred(self, x: Tensor, mask: Tensor, domains: Tensor) -> Tensor:
        """Return the logits (B, C) of each domain's M_T; in training each M_S reads the other domains' texts."""
        logits = x.new_empty(len(x), self.classes)
        present = domains.unique().tolist()
        known = (
            self.states_at_once(present[0], x, mask)
            if self.training and len(present) == 1 and quicker_together(x)
            else {}
        )
        for left_out in range(len(self.models)):
            own = domains == left_out
            if self.training and not own.all():
                self.learnt(left_out, x, mask, domains - (domains > left_out).long(), ~own, known)
            if own.any():
                logits[own] = self.answers(left_out, x[own].detach(), mask[own]).to(logits.dtype)
        return logits

    def states_at_once(self, domain: int, x: Tensor, mask: Tensor) -> dict[int, States]:
        """Return what each M_S but the domain's own makes of the domain's texts (B, T, D), by its number."""
        others = [number for number in range(len(self.models)) if number != domain]
        models = [self.model(number) for number in others]
        private = [model.private[domain - (domain > number)] for number, model in zip(others, models, strict=True)]
        lstms = [model.shared for model in models] + [cast(nn.LSTM, lstm) for lstm in private]
        of_all = last_states_of_each(lstms, x, mask)
        return dict(zip(others, zip(*of_all.chunk(2), strict=True), strict=True))

    def answers(self, domain: int, x: Tensor, mask: Tensor) -> Tensor:
        """Map word vectors (B, T, D) of one domain's texts to the logits (B, C) of its M_T; E_s is frozen."""
        channels = [states_of(self.model(domain).shared, x, mask).detach()]
        if self.own:
            own = self.own[domain]
            assert isinstance(own, nn.LSTM)
            channels.append(states_of(own, x, mask))
        logits: Tensor = self.outputs[domain](self.dropout(torch.cat(channels, dim=1)))
        return logits

    def auxiliary_loss(self, classes: Tensor) -> Tensor:
        """Return lambda L_Adv + gamma L_Diff of the last batch; with a transfer, the full loss of each M_S."""
        seen, self.seen = self.seen, []  # keep nothing after the step
        assert seen, "call forward first, in training"
        losses = [self.penalty(each) for each in seen]
        if self.moves:  # L_Task, eq. 10
            losses += [F.cross_entropy(at_least_float32(each.logits), classes[each.texts]) for each in seen]
        return torch.stack(losses).sum()

    def penalty(self, seen: Seen) -> Tensor:
        """Return lambda L_Adv + gamma L_Diff of a model (eq. 15), a mean over its texts."""
        shared, private = at_least_float32(seen.shared), at_least_float32(seen.private)
        constraint = overlap(shared, private, seen.domains) / len(shared)
        return self.adversarial * seen.model.adversarial_loss(shared, seen.domains) + self.difference * constraint

    def flops_per_word(self, words_per_text: float) -> float:
        """Count forward FLOPs (2 per multiply-add) in evaluation: 1 or 2 LSTMs per word, their states by C per text."""
        channels = 1 if self.moves and not self.own else 2
        shared = self.model(0).shared
        return channels * (recurrent_flops(shared) + 2 * shared.hidden_size * self.classes / words_per_text)


def overlap(shared: Tensor, private: Tensor, domains: Tensor) -> Tensor:
    """Return the sum over domains of ||S^T H||_F^2 (eq. 14), a scalar.

    This equals the sum over pairs of texts i, j of one domain of (s_i . s_j) (h_i . h_j).

    Args:
        shared, private: one row of states per text, float, (B, H).
        domains: of the texts, int64, (B,).
    """
    same = domains.unsqueeze(1) == domains
    return ((shared @ shared.T) * (private @ private.T) * same).sum()


def quicker_together(x: Tensor) -> bool:
    """Return whether LSTMs take less time together (docs/gpu.md); on a CPU they do not."""
    return x.is_cuda


def states_of(lstm: nn.LSTM, x: Tensor, mask: Tensor) -> Tensor:
    """Return the states (B, H) at the last words of texts (B, T, D), cut to the longest."""
    longest = int(mask.sum(dim=1).max())
    there = mask[:, :longest]
    return last_of(states_of_words(lstm, x[:, :longest], there), there)
