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

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Self, cast, get_args

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from retable.layers.embedding import WordEmbedding
from retable.layers.gradient_reversal import reverse_gradient
from retable.layers.lstms import last_states_of_each
from retable.layers.network import Network, Task
from retable.layers.recurrent import recurrent_flops
from retable.models.options import check_at_least, check_choice, check_share
from retable.models.sp_mtl import last_states

Transfer = Literal["none", "single-channel", "bi-channel"]


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
        private, logits = torch.empty_like(shared), shared.new_empty(len(x), self.classes)
        texts_of = {domain: domains == domain for domain in domains.unique().tolist()}
        for domain, own in texts_of.items():
            private[own] = states_of(self.private[domain], x[own], mask[own])  # h_T, eq. 9
        text = self.dropout(torch.cat((private, shared), dim=1))  # (B, 2 H)
        for domain, own in texts_of.items():
            logits[own] = self.outputs[domain](text[own]).to(logits.dtype)
        return logits, shared, private


@dataclass(frozen=True)
class Seen:
    """What M models of one size made of n of the texts in a batch.

    `texts` says which, bool (B,); `domains` are their domains as each model numbers them, (M, n). `logits` (M, n, C),
    `shared` and `private` states (M, n, H). `of_model` is the number of texts in the batch that each model learns
    from, (M,): here, or with another domain.
    """

    models: Sequence[SharedPrivate]
    texts: Tensor
    domains: Tensor
    logits: Tensor
    shared: Tensor
    private: Tensor
    of_model: Tensor


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
    Raises: ValueError if an option is outside its range.
    """

    reads = ("domains",)
    domain_a_batch = True

    def __init__(
        self,
        embedding: WordEmbedding,
        classes: int,
        domains: int,
        *,
        hidden: int = 150,
        adversarial: float = 0.05,
        difference: float = 0.01,
        transfer: Transfer = "none",
        dropout: float = 0.5,
    ) -> None:
        super().__init__()
        check_at_least("hidden", hidden, 1)
        check_at_least("adversarial", adversarial, 0)
        check_at_least("difference", difference, 0)
        check_choice("transfer", transfer, get_args(Transfer))
        check_share("dropout", dropout)
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
    def build(cls, embedding: WordEmbedding, task: Task, options: Mapping[str, Any]) -> Self:
        """Return the network for the domains of a task."""
        return cls(embedding, task.classes, len(task.domains), **options)

    def forward(self, words: Tensor, mask: Tensor, domains: Tensor) -> Tensor:
        """Map words (B, T), their mask and the domain of each text, (B,), to logits (B, C)."""
        x, self.seen = self.embedding(words), []
        if self.moves:
            return self.transferred(x, mask, domains)
        model = self.model(0)
        logits, shared, private = model(x, mask, domains)
        if self.training:
            every = torch.ones_like(domains, dtype=torch.bool)
            one = torch.unsqueeze  # as the only one of M models
            of_one = one(domains, 0), one(logits, 0), one(shared, 0), one(private, 0), every.sum().unsqueeze(0)
            self.seen.append(Seen([model], every, *of_one))
        found: Tensor = logits
        return found

    def model(self, number: int) -> SharedPrivate:
        """Return the M_S that leaves out the domain of this number; without a transfer there is only the first."""
        found = self.models[number]
        assert isinstance(found, SharedPrivate)
        return found

    def transferred(self, x: Tensor, mask: Tensor, domains: Tensor) -> Tensor:
        """Return the logits (B, C) of each domain's M_T; in training each M_S reads the other domains' texts."""
        logits = x.new_empty(len(x), self.classes)
        for domain in domains.unique().tolist():
            own = domains == domain
            if self.training:
                self.seen.append(self.learnt_by_others(domain, x[own], mask[own], domains))
            logits[own] = self.answers(domain, x[own].detach(), mask[own]).to(logits.dtype)
        return logits

    def learnt_by_others(self, domain: int, x: Tensor, mask: Tensor, domains: Tensor) -> Seen:
        """Return what each M_S but this domain's makes of its texts (n, T, D); `domains` are the batch's, (B,)."""
        others = [number for number in range(len(self.models)) if number != domain]
        models, places = [self.model(number) for number in others], [domain - (domain > number) for number in others]
        lstms = [model.shared for model in models]
        lstms += [cast(nn.LSTM, model.private[place]) for model, place in zip(models, places, strict=True)]
        shared, private = states_of_each(lstms, x, mask).chunk(2)  # s_T and h_T, (K - 1, n, H)
        outputs = [cast(nn.Linear, model.outputs[place]) for model, place in zip(models, places, strict=True)]
        logits = of_each(outputs, self.dropout(torch.cat((private, shared), dim=2)))
        numbers = torch.tensor(others, device=x.device)
        return Seen(
            models,
            domains == domain,
            (domain - (domain > numbers).long()).unsqueeze(1).expand(-1, len(x)),
            logits,
            shared,
            private,
            of_model=len(domains) - domains.bincount(minlength=len(self.models))[numbers],
        )

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
        return torch.stack([self.loss_of(each, classes[each.texts]) for each in seen]).sum()

    def loss_of(self, seen: Seen, classes: Tensor) -> Tensor:
        """Return the loss of models over n texts (eq. 15), each over the number of its texts in the batch, summed."""
        shared, private = widened(seen.shared), widened(seen.private)
        losses = self.difference * overlap(shared, private, seen.domains)
        losses = losses + self.adversarial * adversarial_losses(seen.models, shared, seen.domains).sum(dim=1)
        if self.moves:
            losses = losses + losses_of_texts(widened(seen.logits), classes.expand(len(losses), -1)).sum(
                dim=1
            )  # eq. 10
        return (losses / seen.of_model).sum()

    def flops_per_word(self, words_per_text: float) -> float:
        """Count forward FLOPs (2 per multiply-add) in evaluation: 1 or 2 LSTMs per word, their states by C per text."""
        channels = 1 if self.moves and not self.own else 2
        shared = self.model(0).shared
        return channels * (recurrent_flops(shared) + 2 * shared.hidden_size * self.classes / words_per_text)


def adversarial_losses(models: Sequence[SharedPrivate], shared: Tensor, domains: Tensor) -> Tensor:
    """Return the loss that each discriminator lowers and its shared LSTM, by gradient reversal, raises, (M, n).

    Args:
        shared: states of the M models, (M, n, H).
        domains: of the texts, as each model numbers them, int64 (M, n).
    Returns: -log D(s_T) for the text's domain (eq. 12-13); 0 if the models have one domain.
    """
    discriminators = [model.discriminator for model in models if model.discriminator is not None]
    if not discriminators:
        return shared.new_zeros(domains.shape)
    return losses_of_texts(of_each(discriminators, reverse_gradient(shared, 1.0)), domains)


def losses_of_texts(logits: Tensor, classes: Tensor) -> Tensor:
    """Return the cross-entropy of each text, (M, n), from logits (M, n, C) and classes, int64 (M, n)."""
    return F.cross_entropy(logits.transpose(1, 2), classes, reduction="none")


def of_each(layers: Sequence[nn.Linear], x: Tensor) -> Tensor:
    """Return what M linear layers make of M inputs: (M, n, inputs) to (M, n, outputs)."""
    weight, bias = torch.stack([layer.weight for layer in layers]), torch.stack([layer.bias for layer in layers])
    return torch.baddbmm(bias.unsqueeze(1), x, weight.mT)


def overlap(shared: Tensor, private: Tensor, domains: Tensor) -> Tensor:
    """Return the sum over domains of ||S^T H||_F^2 (eq. 14) for each model, (M,).

    This equals the sum over pairs of texts i, j of one domain of (s_i . s_j) (h_i . h_j).

    Args:
        shared, private: one row of states per text, float, (M, n, H).
        domains: of the texts, int64, (M, n).
    """
    same = domains.unsqueeze(-1) == domains.unsqueeze(-2)
    return ((shared @ shared.mT) * (private @ private.mT) * same).sum(dim=(-2, -1))


def states_of_each(lstms: Sequence[nn.LSTM], x: Tensor, mask: Tensor) -> Tensor:
    """Return the states (M, n, H) of M LSTMs at the last words of texts (n, T, D)."""
    if x.is_cuda:  # a GPU waits for each word of each LSTM; a CPU is quicker with torch's own layer
        return last_states_of_each(lstms, x, mask)
    return torch.stack([states_of(lstm, x, mask) for lstm in lstms])


def states_of(lstm: nn.LSTM, x: Tensor, mask: Tensor) -> Tensor:
    """Return the states (B, H) at the last words of texts (B, T, D), cut to the longest."""
    lengths = mask.sum(dim=1)
    longest = int(lengths.max())
    return last_states(lstm, x[:, :longest], mask[:, :longest], lengths)


def widened(x: Tensor) -> Tensor:
    """Return x in float32 or wider."""
    return x.to(torch.promote_types(x.dtype, torch.float32))
