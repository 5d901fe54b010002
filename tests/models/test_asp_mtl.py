"""ASP-MTL, Liu, Qiu and Huang 2017: the three losses, and the transfer of the shared LSTM."""

import math

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor, nn, tensor
from torch.testing import assert_close

import retable.models.asp_mtl
from retable.layers.embedding import WordEmbedding
from retable.models.asp_mtl import ASPMTL, SharedPrivate, overlap
from retable.models.sp_mtl import SPMTL
from tests.models.declared import CLASSES, DIM, Case, Declared, gates, texts, with_random_weights
from tests.models.test_lstm import slow_states

OF_LSTM = 4 * 5 * (DIM + 5) + 2 * 4 * 5
OF_PAIR = 10 * CLASSES + CLASSES  # a classifier on [h_T; s_T]
OF_ONE = 2 * OF_LSTM + OF_PAIR  # an M_S of one domain
MOVED = {"none": 0, "single-channel": 1, "bi-channel": 2}  # channels of an M_T


def dropped(*, hidden: int, transfer: str = "none", **_: object) -> list[tuple[int, ...]]:
    """Return the shapes of [h_T; s_T]; with a transfer, per half of the texts, of the other domains' M_S, then M_T."""
    if transfer == "none":
        return [texts(2 * hidden)]
    return 2 * [(4, 2 * hidden), (4, MOVED[transfer] * hidden)]


def multiply_adds(t: int, *, hidden: int, transfer: str = "none", **_: object) -> float:
    channels = MOVED[transfer] or 2
    return channels * (t * gates(4, DIM, hidden) + hidden * CLASSES)


EVERY_MODEL = Declared(
    cases=[
        Case("asp-mtl", 3 * OF_LSTM + 2 * OF_PAIR + 2 * 5 + 2, {"hidden": 5}),
        Case("asp-mtl", 2 * (OF_ONE + 5 * CLASSES + CLASSES), {"hidden": 5, "transfer": "single-channel"}),
        Case("asp-mtl", 2 * (OF_ONE + OF_LSTM + OF_PAIR), {"hidden": 5, "transfer": "bi-channel"}),
    ],
    dropped=dropped,
    multiply_adds=multiply_adds,
    refused=[
        ({"hidden": 0}, "hidden is 0; allowed: hidden >= 1"),
        ({"adversarial": -0.1}, "adversarial is -0.1; allowed: adversarial >= 0"),
        ({"difference": -1}, "difference is -1; allowed: difference >= 0"),
        ({"transfer": "both"}, 'transfer is "both"; allowed: none, single-channel, bi-channel'),
        ({"dropout": 1.0}, "dropout is 1.0; allowed: 0 <= dropout < 1"),
    ],
)
WORDS = tensor([[4, 5, 6, 7], [8, 4, 0, 0], [5, 0, 0, 0], [3, 3, 2, 0], [4, 5, 6, 7], [2, 8, 0, 0]])
MASK, DOMAINS, LABELS = WORDS != 0, tensor([2, 0, 0, 2, 0, 1]), tensor([0, 1, 1, 1, 0, 0])


def network(domains: int = 3, **options) -> ASPMTL:
    """Return the network in float64, with large enough weights and biases, in training mode, without dropout."""
    torch.manual_seed(1)
    options = {"hidden": 4, "dropout": 0.0} | options
    asp_mtl = ASPMTL(WordEmbedding(torch.randn(9, 3), tuned=9), 2, domains, **options)
    return with_random_weights(asp_mtl).double().train()


def slow_state(asp_mtl: ASPMTL, lstm: nn.LSTM, text: int) -> Tensor:
    """Return the state of an LSTM at the last word of one of the texts, word by word."""
    vectors = asp_mtl.embedding(WORDS[text][MASK[text]].unsqueeze(0))[0]
    return slow_states(lstm, list(vectors), "l0")[-1]


def slow_losses(asp_mtl: ASPMTL, model: SharedPrivate, of_domain: dict[int, int]) -> tuple[Tensor, Tensor, Tensor]:
    """Return L_Task, L_Adv and L_Diff of a model, summed over its texts; `of_domain` are the domains that it knows."""
    task = adversary = difference = torch.zeros((), dtype=torch.float64)
    for domain, place in of_domain.items():
        product = torch.zeros(4, 4, dtype=torch.float64)  # S^T H: a sum over texts of s h^T
        for text in DOMAINS.eq(domain).nonzero().flatten().tolist():
            s, h = (slow_state(asp_mtl, lstm, text) for lstm in (model.shared, model.private[place]))
            task = task - torch.log_softmax(model.outputs[place](torch.cat((h, s))), dim=0)[LABELS[text]]
            guess = model.discriminator.weight @ s + model.discriminator.bias
            adversary = adversary - torch.log_softmax(guess, dim=0)[place]
            product = product + torch.outer(s, h)
        difference = difference + product.square().sum()
    return task, adversary, difference


def gradients(loss: Tensor, asp_mtl: ASPMTL) -> dict[str, Tensor | None]:
    """Return the gradient of every parameter, None if the loss does not reach it."""
    names, parameters = zip(*asp_mtl.named_parameters(), strict=True)
    return dict(zip(names, torch.autograd.grad(loss, parameters, allow_unused=True), strict=True))


def test_the_constraint_by_hand():
    """Domain 0: S^T H = [1 2]^T [3 0] + [0 1]^T [1 1] = [[3 0] [7 1]]; domain 1: [[4 0] [0 0]]."""
    shared, private = tensor([[1.0, 2.0], [2.0, 0.0], [0.0, 1.0]]), tensor([[3.0, 0.0], [2.0, 0.0], [1.0, 1.0]])
    assert overlap(shared, private, tensor([0, 1, 0])).item() == 9 + 49 + 1 + 16
    assert overlap(shared, private, tensor([0, 1, 2])).item() == 9 + 36 + 16 + 2


def test_orthogonal_columns_have_no_overlap():
    """S^T H is zero if every component of s is orthogonal to every component of h over the texts."""
    shared, private = tensor([[1.0, 2.0], [1.0, 2.0]]), tensor([[3.0, -1.0], [-3.0, 1.0]])
    assert overlap(shared, private, tensor([0, 0])).item() == 0
    assert overlap(shared, private, tensor([0, 1])).item() == 2 * 5 * 10


def test_the_adversarial_loss_and_its_gradients_by_hand():
    """U = ln 3 for the first domain, 0 for the second, s = 1: D = 3/4, 1/4."""
    model = SharedPrivate(3, 2, 2, hidden=1, dropout=0.0).double()
    with torch.no_grad():
        model.discriminator.weight.copy_(tensor([[math.log(3)], [0.0]]))
        model.discriminator.bias.zero_()
    shared = torch.ones(2, 1, dtype=torch.float64, requires_grad=True)
    loss = model.adversarial_loss(shared, tensor([0, 1]))
    assert loss.item() == pytest.approx((math.log(4 / 3) + math.log(4)) / 2)
    loss.backward()
    assert model.discriminator.bias.grad.tolist() == pytest.approx([0.25, -0.25])  # mean of D - d: lowered
    raised = [0.25 * math.log(3) / 2, -0.75 * math.log(3) / 2]  # minus U^T (D - d) / 2
    assert shared.grad.flatten().tolist() == pytest.approx(raised)


def test_the_sum_of_the_losses_by_hand(monkeypatch):
    """Eq. 15 over 2 texts: D is one half, so L_Adv = ln 2 per text; s = 2, h = 3 for two domains, L_Diff = 36 each."""
    asp_mtl = network(domains=2, hidden=1, adversarial=0.05, difference=0.01)
    for parameter in (*asp_mtl.models[0].discriminator.parameters(), *asp_mtl.models[0].outputs.parameters()):
        nn.init.zeros_(parameter)

    def states(lstm, x, mask):
        return torch.full((len(x), 1), 2.0 if lstm is asp_mtl.models[0].shared else 3.0, dtype=torch.float64)

    monkeypatch.setattr("retable.models.asp_mtl.states_of", states)
    logits = asp_mtl(WORDS[:2], MASK[:2], tensor([0, 1]))
    assert F.cross_entropy(logits, tensor([1, 1])).item() == pytest.approx(math.log(2))
    assert asp_mtl.auxiliary_loss(tensor([1, 1])).item() == pytest.approx(0.05 * math.log(2) + 0.01 * 36)


@pytest.mark.parametrize("weights", [(0.05, 0.01), (2.0, 0.0), (0.0, 3.0)])
def test_losses_match_the_equations_word_by_word(weights):
    asp_mtl = network(adversarial=weights[0], difference=weights[1])
    task, adversary, difference = slow_losses(asp_mtl, asp_mtl.models[0], {0: 0, 1: 1, 2: 2})
    assert_close(F.cross_entropy(asp_mtl(WORDS, MASK, DOMAINS), LABELS), task / 6)
    assert_close(asp_mtl.auxiliary_loss(LABELS), (weights[0] * adversary + weights[1] * difference) / 6)


def test_the_shared_states_climb_what_the_adversary_descends():
    asp_mtl = network(adversarial=0.3, difference=0.0)
    asp_mtl(WORDS, MASK, DOMAINS)
    found = gradients(asp_mtl.auxiliary_loss(LABELS), asp_mtl)
    plain = gradients(slow_losses(asp_mtl, asp_mtl.models[0], {0: 0, 1: 1, 2: 2})[1] / 6, asp_mtl)
    for name in ("discriminator.weight", "discriminator.bias"):
        assert_close(found[f"models.0.{name}"], 0.3 * plain[f"models.0.{name}"])
    reached = [name for name in plain if name.startswith(("models.0.shared", "embedding"))]
    for name in reached:
        assert_close(found[name], -0.3 * plain[name])
    assert len(reached) == 5


def test_the_constraint_moves_both_kinds_of_states():
    asp_mtl = network(adversarial=0.0, difference=0.2)
    asp_mtl(WORDS, MASK, DOMAINS)
    found = gradients(asp_mtl.auxiliary_loss(LABELS), asp_mtl)
    plain = gradients(slow_losses(asp_mtl, asp_mtl.models[0], {0: 0, 1: 1, 2: 2})[2] / 6, asp_mtl)
    for name, gradient in plain.items():
        if name.startswith(("models.0.shared", "models.0.private", "embedding")):
            assert gradient.any()
            assert_close(found[name], 0.2 * gradient)


def test_without_both_losses_it_is_the_shared_private_model():
    asp_mtl = network(adversarial=0.0, difference=0.0)
    sp_mtl = SPMTL(asp_mtl.embedding, 2, 3, hidden=4, dropout=0.0).double()
    of_both = {name: weight for name, weight in asp_mtl.models[0].state_dict().items() if "discriminator" not in name}
    sp_mtl.load_state_dict(of_both | {"embedding." + name: w for name, w in asp_mtl.embedding.state_dict().items()})
    assert_close(asp_mtl(WORDS, MASK, DOMAINS), sp_mtl(WORDS, MASK, DOMAINS))
    assert asp_mtl.auxiliary_loss(LABELS).item() == 0


def test_one_domain_has_no_adversary():
    asp_mtl = network(domains=1, difference=0.0)
    asp_mtl(WORDS, MASK, torch.zeros(6, dtype=torch.long))
    assert asp_mtl.models[0].discriminator is None
    assert asp_mtl.auxiliary_loss(LABELS).item() == 0


@pytest.mark.parametrize("transfer", ["single-channel", "bi-channel"])
def test_a_domain_is_answered_from_the_shared_states_of_the_others(transfer):
    asp_mtl, logits = network(transfer=transfer), []
    for text, domain in enumerate(DOMAINS.tolist()):
        channels = [slow_state(asp_mtl, asp_mtl.models[domain].shared, text)]
        if transfer == "bi-channel":
            channels.append(slow_state(asp_mtl, asp_mtl.own[domain], text))
        logits.append(asp_mtl.outputs[domain](torch.cat(channels)))
    assert_close(asp_mtl(WORDS, MASK, DOMAINS), torch.stack(logits))
    assert_close(asp_mtl.eval()(WORDS, MASK, DOMAINS), torch.stack(logits))


@pytest.mark.parametrize("transfer", ["single-channel", "bi-channel"])
def test_each_source_learns_the_losses_of_the_other_domains(transfer):
    asp_mtl = network(transfer=transfer, adversarial=0.3, difference=0.2)
    asp_mtl(WORDS, MASK, DOMAINS)
    expected, places = torch.zeros((), dtype=torch.float64), ({1: 0, 2: 1}, {0: 0, 2: 1}, {0: 0, 1: 1})
    for left_out, of_domain in enumerate(places):
        task, adversary, difference = slow_losses(asp_mtl, asp_mtl.models[left_out], of_domain)
        expected = expected + (task + 0.3 * adversary + 0.2 * difference) / DOMAINS.ne(left_out).sum()
    assert_close(asp_mtl.auxiliary_loss(LABELS), expected)


@pytest.mark.parametrize("transfer", ["single-channel", "bi-channel"])
def test_what_is_transferred_is_frozen(transfer):
    """The loss of the answers reaches M_T's own parts, but neither an M_S nor the word vectors, and not vice versa."""
    asp_mtl = network(transfer=transfer)
    loss = F.cross_entropy(asp_mtl(WORDS, MASK, DOMAINS), LABELS)
    of_answers = gradients(loss, asp_mtl)
    of_sources = gradients(asp_mtl.auxiliary_loss(LABELS), asp_mtl)
    for name in of_answers:
        is_own = name.startswith(("own", "outputs"))
        assert (of_answers[name] is not None) == is_own, name
        assert (of_sources[name] is not None) == (not is_own), name


def test_a_source_learns_nothing_from_the_domain_that_it_leaves_out():
    asp_mtl, others = network(transfer="single-channel"), DOMAINS != 0
    asp_mtl(WORDS, MASK, DOMAINS)
    of_all = gradients(asp_mtl.auxiliary_loss(LABELS), asp_mtl)
    asp_mtl(WORDS[others], MASK[others], DOMAINS[others])
    of_others = gradients(asp_mtl.auxiliary_loss(LABELS[others]), asp_mtl)
    for name, gradient in of_all.items():
        if name.startswith("models.0"):
            assert_close(gradient, of_others[name])


@pytest.mark.parametrize("transfer", ["single-channel", "bi-channel"])
def test_a_batch_of_one_domain_trains_the_sources_of_the_others(transfer):
    asp_mtl, own = network(transfer=transfer), DOMAINS == 2
    asp_mtl(WORDS[own], MASK[own], DOMAINS[own])
    found = gradients(asp_mtl.auxiliary_loss(LABELS[own]), asp_mtl)
    trained = {
        name.split(".")[1] for name, gradient in found.items() if name.startswith("models") and gradient is not None
    }
    assert trained == {"0", "1"}


def test_the_sources_learn_in_training_alone(monkeypatch):
    """An answer costs what `flops_per_word` says: the shared LSTM of one M_S, and none of its classifiers."""
    asp_mtl, asked = network(transfer="single-channel"), []
    monkeypatch.setattr("retable.models.asp_mtl.states_of", lambda lstm, x, *_: asked.append(lstm) or x[:, 0, :1])
    monkeypatch.setattr(asp_mtl, "answers", lambda domain, x, mask: x.new_zeros(len(x), 2))
    asp_mtl.eval()(WORDS, MASK, DOMAINS)
    assert not asked


def test_one_domain_has_no_others_to_learn_from():
    with pytest.raises(ValueError, match='transfer is "bi-channel"; allowed: none if there is only one domain'):
        network(domains=1, transfer="bi-channel")


@pytest.mark.parametrize("transfer", ["none", "single-channel", "bi-channel"])
def test_nothing_of_a_batch_is_kept_after_its_loss_nor_in_evaluation(transfer):
    asp_mtl = network(transfer=transfer)
    asp_mtl(WORDS, MASK, DOMAINS)
    asp_mtl.auxiliary_loss(LABELS)
    assert not asp_mtl.seen
    asp_mtl.eval()(WORDS, MASK, DOMAINS)
    assert not asp_mtl.seen


@pytest.mark.parametrize("domain", [0, 1, 2])
@pytest.mark.parametrize("transfer", ["single-channel", "bi-channel"])
def test_the_sources_learn_the_same_at_once_as_a_gpu_has_them(monkeypatch, transfer, domain):
    asp_mtl, found = network(transfer=transfer, adversarial=0.3, difference=0.2), []
    domains, asked = torch.full((6,), domain), []
    real = retable.models.asp_mtl.last_states_of_each
    monkeypatch.setattr("retable.models.asp_mtl.last_states_of_each", lambda *of: asked.append(len(of[0])) or real(*of))
    for at_once in (False, True):
        monkeypatch.setattr("retable.models.asp_mtl.quicker_together", lambda x, at_once=at_once: at_once)
        logits = asp_mtl(WORDS, MASK, domains)
        found.append((logits, gradients(asp_mtl.auxiliary_loss(LABELS) + F.cross_entropy(logits, LABELS), asp_mtl)))
    assert asked == [4]  # the shared and a private LSTM of two M_S
    assert_close(*(logits for logits, _ in found))
    one_by_one, together = (of_names for _, of_names in found)
    for name, gradient in one_by_one.items():
        assert_close(together[name], gradient)


@pytest.mark.parametrize("transfer", ["none", "single-channel", "bi-channel"])
def test_the_order_of_the_texts_does_not_matter(transfer):
    asp_mtl, order = network(transfer=transfer), [5, 2, 0, 4, 1, 3]
    logits, added = asp_mtl(WORDS, MASK, DOMAINS), asp_mtl.auxiliary_loss(LABELS)
    assert_close(asp_mtl(WORDS[order], MASK[order], DOMAINS[order]), logits[order])
    assert_close(asp_mtl.auxiliary_loss(LABELS[order]), added)
