"""Capsule networks, Zhao et al. 2018."""

import math
from itertools import chain

import pytest
import torch
from torch import Tensor, nn, tensor
from torch.testing import assert_close

from retable.layers.embedding import WordEmbedding
from retable.models.capsule import Capsule, NGrams, Routing, leaky_softmax, margin_loss, squash
from tests.models.declared import CLASSES, DIM, Case, Declared, with_random_weights

FILTERS, PRIMARY, WINDOW, CAPSULES, SIZE = 8, 4, 2, 6, 4
SMALL = {"filters": FILTERS, "primary": PRIMARY, "window": WINDOW, "capsules": CAPSULES, "size": SIZE}


def parameters(widths: list[int], last: int = CLASSES + 1) -> int:
    """Count convolution and primary capsules with biases, and W_j and b^_j of two routings, for each width."""
    primary = FILTERS * PRIMARY * SIZE + PRIMARY * SIZE
    routings = (CAPSULES + last) * (SIZE * SIZE + SIZE)
    return sum(width * DIM * FILTERS + FILTERS + primary + routings for width in widths)


def of_routing(children: int, parents: int, iterations: int) -> int:
    """Count the children's sums and W_j times them in every round, and the way back in every round but the last."""
    return (2 * iterations - 1) * (children * parents * SIZE + parents * SIZE * SIZE)


def multiply_adds(t: int, *, widths: list[int], iterations: int = 3, orphan: bool = True, **_: object) -> int:
    """Count K1 D and C d filters at every place; the capsules of a window to its parents, all those to classes."""
    of_text = 0
    for width in widths:
        places = t - width + 1
        windows = places - WINDOW + 1
        of_text += places * (width * DIM * FILTERS + FILTERS * PRIMARY * SIZE)
        of_text += windows * of_routing(WINDOW * PRIMARY, CAPSULES, iterations)
        of_text += of_routing(windows * CAPSULES, CLASSES + orphan, iterations)
    return of_text


EVERY_MODEL = Declared(
    cases=[
        Case("capsule", parameters([3]), {"widths": [3], **SMALL, "iterations": 1}),
        Case("capsule", parameters([2, 4]), {"widths": [2, 4], **SMALL}),
        Case("capsule", parameters([2, 4]), {"widths": [2, 4], **SMALL, "iterations": 2, "leaky": False}),
        Case("capsule", parameters([1, 2], CLASSES), {"widths": [1, 2], **SMALL, "orphan": False, "amend": False}),
        Case("capsule", parameters([2, 3]), {"widths": [2, 3], **SMALL, "loss": "cross-entropy"}),
    ],
    dropped=lambda **_: [],
    multiply_adds=multiply_adds,
    refused=[
        ({"widths": []}, "widths is []; allowed: one or more whole numbers >= 1"),
        ({"filters": 0}, "filters is 0; allowed: filters >= 1"),
        ({"primary": 0}, "primary is 0; allowed: primary >= 1"),
        ({"window": 0}, "window is 0; allowed: window >= 1"),
        ({"capsules": 0}, "capsules is 0; allowed: capsules >= 1"),
        ({"size": 0}, "size is 0; allowed: size >= 1"),
        ({"iterations": 0}, "iterations is 0; allowed: iterations >= 1"),
        ({"loss": "spread"}, 'loss is "spread"; allowed: margin, cross-entropy'),
    ],
)


def small_network(**options) -> Capsule:
    """Return the network in float64, with weights and biases large enough to matter, in evaluation mode."""
    torch.manual_seed(6)
    options = {"widths": [2, 3], "filters": 4, "primary": 3, "window": 2, "capsules": 4, "size": 3} | options
    return with_random_weights(Capsule(WordEmbedding(torch.randn(20, 5), tuned=20), 2, **options).double(), std=0.9)


def slow_squash(s: Tensor) -> Tensor:
    """Apply Sabour et al., eq. 1."""
    square = (s @ s).item()
    return square / (1 + square) * s / math.sqrt(square)


def slow_routing(routing: Routing, u: list[Tensor]) -> list[Tensor]:
    """Route child by child and parent by parent, with every u^_{j|i} (eq. 4 and 6-8)."""
    parents = range(len(routing.weight))
    u_hat = [[routing.weight[j] @ u_i + routing.bias[j] for j in parents] for u_i in u]
    b = [[0.0 for _ in parents] for _ in u]
    v: list[Tensor] = []
    for _ in range(routing.iterations):
        c = []
        for u_i, b_i in zip(u, b, strict=True):
            total = sum(math.exp(score) for score in b_i) + (1 if routing.leaky else 0)
            a_i = math.sqrt((u_i @ u_i).item()) if routing.amend else 1
            c.append([a_i * math.exp(score) / total for score in b_i])
        v = [slow_squash(sum(c_i[j] * u_hat_i[j] for c_i, u_hat_i in zip(c, u_hat, strict=True))) for j in parents]
        b = [[b_i[j] + (u_hat_i[j] @ v[j]).item() for j in parents] for b_i, u_hat_i in zip(b, u_hat, strict=True)]
    return v


def slow_classes(network: NGrams, x: list[Tensor]) -> list[Tensor]:
    """Return the class capsules of one unpadded text, place by place (eq. 1-3)."""
    width = network.width
    x = x + [torch.zeros_like(x[0])] * (width + network.window - 1 - len(x))
    places = []
    for i in range(len(x) - width + 1):
        sums = sum(network.convolution.weight[:, :, k] @ x[i + k] for k in range(width))
        m = (sums + network.convolution.bias).relu()
        poses = (network.primary.weight @ m + network.primary.bias).view(network.capsules, -1)
        places.append([slow_squash(pose) for pose in poses])
    last_window = len(places) - network.window + 1
    windows = [chain.from_iterable(places[i : i + network.window]) for i in range(last_window)]
    parents = chain.from_iterable(slow_routing(network.to_windows, list(u)) for u in windows)
    return slow_routing(network.to_classes, list(parents))


def slow_logits(network: Capsule, words: Tensor) -> Tensor:
    """Return the lengths of the mean class capsules, without the orphan's."""
    x = list(network.embedding(words.unsqueeze(0))[0])
    of_widths = [torch.stack(slow_classes(each, x)) for each in network.networks]
    return (sum(of_widths) / len(of_widths)).norm(dim=1)[: network.classes]


@pytest.mark.parametrize(
    "options",
    [{}, {"leaky": False}, {"amend": False}, {"orphan": False}, {"iterations": 1}, {"widths": [1], "window": 3}],
    ids=str,
)
def test_fast_form_matches_the_equations_capsule_by_capsule(options):
    """Check padded texts with arbitrary words in the padding.

    It fails without the mask of the words, that of the windows, the zeros of short texts and each term of eq. 4-8.
    """
    network = small_network(**options)
    words, lengths = torch.randint(2, 20, (5, 7)), (7, 1, 2, 3, 5)
    logits = network(words, torch.arange(7) < tensor(lengths).unsqueeze(1))
    assert logits.std(dim=0).min() > 0.005  # the texts differ
    for text, length in enumerate(lengths):
        assert_close(logits[text], slow_logits(network, words[text, :length]), msg=f"{length} words")


def test_squash_by_hand():
    """A vector of length 5 is squashed to 25/26; one of length 0 stays, with a finite gradient."""
    s = tensor([[3.0, 4.0], [0.0, 0.0]], requires_grad=True)
    v = squash(s)
    assert_close(v, tensor([[0.6, 0.8], [0.0, 0.0]]) * 25 / 26)
    v.sum().backward()
    assert s.grad is not None
    assert s.grad.isfinite().all()


def test_leaky_softmax_by_hand():
    """Scores 0 and ln 2 with a leak of score 0: 1/4 and 2/4."""
    assert_close(leaky_softmax(tensor([0.0, math.log(2)])), tensor([0.25, 0.5]))


def test_one_round_of_routing_by_hand():
    """Children of length 2 and 1, one parent, W doubles: c = 2/2 and 1/2, s = 1 x 4 + 1/2 x 2 and twice b^."""
    routing = Routing(1, 1, iterations=1, leaky=True, amend=True)
    with torch.no_grad():
        routing.weight.fill_(2.0)
        routing.bias.fill_(2.0)
    v = routing(tensor([[[2.0], [1.0]]]), torch.ones(1, 2, dtype=torch.bool))
    s = 4 + 1 + (1 + 0.5) * 2
    assert v.item() == pytest.approx(s**2 / (1 + s**2))


def test_a_child_is_routed_to_the_parent_that_it_agrees_with():
    """Of two parents one sees all children alike, the other every second one negated."""
    routing = Routing(2, 2, iterations=1, leaky=False, amend=False)
    with torch.no_grad():
        routing.weight.copy_(torch.stack((torch.diag(tensor([1.0, 0.0])), torch.diag(tensor([0.0, 1.0])))))
    u, real = tensor([[[1.0, 1.0], [1.0, -1.0], [1.0, 1.0]]]), torch.ones(1, 3, dtype=torch.bool)
    scores = routing.agreement(u, routing(u, real))[0]
    assert scores[1, 0] > 0 > scores[1, 1]
    routing.iterations = 3
    first, second = routing(u, real)[0].norm(dim=1)
    assert first > 0.7
    assert second < first


def test_capsules_that_do_not_count_change_no_parent():
    routing = Routing(3, 2, iterations=3, leaky=True, amend=False)
    nn.init.normal_(routing.bias)
    u = torch.randn(1, 6, 3)
    assert_close(routing(u, torch.arange(6).unsqueeze(0) < 4), routing(u[:, :4], torch.ones(1, 4, dtype=torch.bool)))


def test_margin_loss_by_hand():
    """Lengths 0.7 for the class, 0.5 for the other, 0.05 for the orphan: 0.2^2 + 0.4^2 / 4; the second text adds 0."""
    lengths = tensor([[0.7, 0.5, 0.05], [0.1, 0.95, 0.0]])
    assert margin_loss(lengths, tensor([0, 1])).item() == pytest.approx((0.04 + 0.25 * 0.16) / 2)


def test_training_minimises_the_margin_loss_alone():
    """The logits have no gradient; what the loss needs is kept from forward to the loss only in training."""
    network, words, classes = small_network(), torch.randint(2, 20, (4, 6)), tensor([0, 1, 1, 0])
    mask = torch.ones(4, 6, dtype=torch.bool)
    in_evaluation = network(words, mask)
    assert network.auxiliary_loss(classes) is None
    logits = network.train()(words, mask)
    assert not logits.requires_grad
    assert logits.equal(in_evaluation)
    loss = network.auxiliary_loss(classes)
    assert loss is not None
    assert network.lengths_of_batch is None
    every = torch.stack([each(network.embedding(words), mask) for each in network.networks]).mean(dim=0).norm(dim=2)
    assert every.shape == (4, 3)  # two classes and the orphan
    assert_close(loss, margin_loss(every, classes))


def test_cross_entropy_has_the_lengths_as_logits():
    network, words = small_network(loss="cross-entropy").train(), torch.randint(2, 20, (4, 6))
    assert network(words, torch.ones(4, 6, dtype=torch.bool)).requires_grad
    assert network.auxiliary_loss(tensor([0, 1, 1, 0])) is None
