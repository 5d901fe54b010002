"""Virtual adversarial training of an LSTM, Miyato, Dai, Goodfellow 2017."""

import math

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor, tensor
from torch.testing import assert_close

from retable.layers.embedding import WordEmbedding
from retable.models.virtual_adversarial import VirtualAdversarial, entropies, frequencies, normalised, with_length
from retable.training.precision import forward_pass, wide_products
from tests.models.declared import CLASSES, DIM, Case, Declared, gates, with_random_weights
from tests.models.test_lstm import slow_states

LSTM = 4 * 5 * (DIM + 5) + 2 * 4 * 5  # torch has two biases per gate


def classifier(size: int, hidden: int) -> int:
    """Count weights and biases, with or without a hidden layer."""
    return size * hidden + hidden + hidden * CLASSES + CLASSES if hidden else size * CLASSES + CLASSES


def multiply_adds(t: int, *, hidden: int = 5, mlp_hidden: int = 7, bidirectional: bool = False, **_: object) -> float:
    """Count four gates per direction; the classifier on the last states."""
    directions = 1 + bidirectional
    of_text = hidden * mlp_hidden + mlp_hidden * CLASSES if mlp_hidden else hidden * CLASSES
    return t * directions * gates(4, DIM, hidden // directions) + of_text


EVERY_MODEL = Declared(
    cases=[
        Case("virtual-adversarial", LSTM + classifier(5, 7), {"hidden": 5, "mlp_hidden": 7}),
        Case(
            "virtual-adversarial",
            2 * LSTM + classifier(10, 0),
            {"hidden": 10, "mlp_hidden": 0, "bidirectional": True, "perturbation": "both", "epsilon": 1.0},
        ),
        Case(
            "virtual-adversarial",
            LSTM + classifier(5, 7),
            {"hidden": 5, "mlp_hidden": 7, "perturbation": "adversarial"},
        ),
        Case("virtual-adversarial", LSTM + classifier(5, 7), {"hidden": 5, "mlp_hidden": 7, "perturbation": "none"}),
        Case(
            "virtual-adversarial",
            2 * LSTM + classifier(10, 0),
            {"hidden": 10, "mlp_hidden": 0, "bidirectional": True, "pooling": "max", "entropy": 1.0, "epsilon": 1.0},
        ),
    ],
    dropped=lambda **_: [(8, 1, DIM)],  # one mask for all words of a text, the same in all passes
    multiply_adds=multiply_adds,
    refused=[
        ({"perturbation": "random"}, 'perturbation is "random"; allowed: virtual, adversarial, both, none'),
        ({"epsilon": -1.0}, "epsilon is -1.0; allowed: epsilon >= 0"),
        ({"entropy": -1.0}, "entropy is -1.0; allowed: entropy >= 0"),
        ({"pooling": "mean"}, 'pooling is "mean"; allowed: last, max'),
        ({"hidden": 0}, "hidden is 0; allowed: hidden >= 1"),
        ({"hidden": 3, "bidirectional": True}, "hidden is 3; allowed: even numbers from 2"),
        ({"mlp_hidden": -1}, "mlp_hidden is -1; allowed: mlp_hidden >= 0"),
        ({"dropout": 1.0}, "dropout is 1.0; allowed: 0 <= dropout < 1"),
    ],
)
LENGTHS = (6, 1, 2, 4)
WORDS = torch.randint(2, 20, (4, 6), generator=torch.Generator().manual_seed(5))  # padding contains words, too
MASK = torch.arange(6) < tensor(LENGTHS).unsqueeze(1)
Y = tensor([0, 1, 2, 1])


def small_network(*, tuned: int = 12, **options) -> VirtualAdversarial:
    """Return the network in float64, with large enough weights and biases, in training mode, without dropout."""
    torch.manual_seed(7)
    chosen = {"hidden": 6, "mlp_hidden": 5, "dropout": 0.0, "epsilon": 1.5} | options
    network = VirtualAdversarial(WordEmbedding(torch.randn(20, 4), tuned=tuned), 3, **chosen)
    return with_random_weights(network.double(), std=0.7).train()


def slow_vectors(network: VirtualAdversarial, words: Tensor) -> list[Tensor]:
    """Return the normalised vectors of one unpadded text, computed row by row from eq. 1."""
    table = network.embedding.tuned
    shares = [0.0, 0.0, *(1 / rank for rank in range(1, len(table) - 1))]
    f = [share / sum(shares) for share in shares]
    mean = sum(share * row for share, row in zip(f, table, strict=True))
    variance = sum(share * (row - mean) ** 2 for share, row in zip(f, table, strict=True))
    return [(vector - mean) / (variance + 1e-6).sqrt() for vector in network.embedding(words.unsqueeze(0))[0]]


def slow_logits(network: VirtualAdversarial, vectors: list[Tensor]) -> Tensor:
    """Return the logits of one unpadded text, word by word."""
    directions = [slow_states(network.lstm, vectors, "l0")]
    if network.lstm.bidirectional:
        directions.append(slow_states(network.lstm, vectors[::-1], "l0_reverse"))
    text = torch.cat(
        [torch.stack(states).amax(dim=0) if network.pooling == "max" else states[-1] for states in directions]
    )
    first, _, _, last = network.classifier
    return last.weight @ (first.weight @ text + first.bias).clamp(min=0) + last.bias


def slow_loss(network: VirtualAdversarial, words: Tensor, y: int, d: Tensor) -> Tensor:
    """Return the added losses of one unpadded text; d (T, D) has any length."""
    s = torch.stack(slow_vectors(network, words))
    constant, loss = s.detach(), torch.zeros((), dtype=torch.float64)
    if network.perturbation != "virtual":
        at = constant.clone().requires_grad_()
        (g,) = torch.autograd.grad(slow_logits(network, list(at)).log_softmax(dim=0)[y], at)
        loss = loss - slow_logits(network, list(s - network.epsilon * g / g.norm())).log_softmax(dim=0)[y]  # eq. 5, 6
    if network.perturbation != "adversarial":
        log_p = slow_logits(network, list(constant)).log_softmax(dim=0).detach()
        at = (constant + 0.1 * d / d.norm()).requires_grad_()

        def divergence(vectors: Tensor) -> Tensor:
            return (log_p.exp() * (log_p - slow_logits(network, list(vectors)).log_softmax(dim=0))).sum()

        (g,) = torch.autograd.grad(divergence(at), at)
        loss = loss + divergence(s + network.epsilon * g / g.norm())  # eq. 7, 8
    log_p = slow_logits(network, list(s)).log_softmax(dim=0)
    return loss - network.entropy * sum(each.exp() * each for each in log_p)  # L_EM


@pytest.mark.parametrize(
    "options",
    [{"bidirectional": False}, {"bidirectional": True}, {"bidirectional": True, "pooling": "max", "entropy": 0.7}],
)
@pytest.mark.parametrize("perturbation", ["adversarial", "virtual", "both"])
def test_losses_and_gradients_match_the_equations_text_by_text(monkeypatch, perturbation, options):
    """Check padded texts; it fails with one length for the whole batch, and if p has a gradient."""
    network = small_network(perturbation=perturbation, **options)
    parameters = list(network.parameters())
    d = torch.randn(4, 6, 4, dtype=torch.float64)
    monkeypatch.setattr(torch, "randn_like", lambda _: d)
    logits = network(WORDS, MASK)
    loss = network.auxiliary_loss(Y)
    texts = [(WORDS[text, :length], int(Y[text]), d[text, :length]) for text, length in enumerate(LENGTHS)]
    expected = torch.stack([slow_loss(network, *text) for text in texts]).mean()
    assert_close(loss, expected)
    assert_close(torch.autograd.grad(loss, parameters), torch.autograd.grad(expected, parameters))
    for text, (words, _, _) in enumerate(texts):
        assert_close(logits[text], slow_logits(network, slow_vectors(network, words)))


def test_normalisation_by_hand():
    """Shares 6/11, 3/11, 2/11 of values 11, 0, 0: mean 6, variance 6/11 25 + 5/11 36 = 30."""
    embedding = WordEmbedding(tensor([[9.0], [7.0], [11.0], [0.0], [0.0], [5.0]]), tuned=5)
    found = normalised(embedding, tensor([[2, 3, 5, 1]])).flatten().tolist()
    assert found == pytest.approx([(value - 6) / math.sqrt(30) for value in (11, 0, 5, 7)])


@pytest.mark.parametrize("tuned", [0, 12])
def test_the_words_that_count_have_mean_zero_and_variance_one(tuned):
    embedding = WordEmbedding(torch.randn(20, 4) * 3 + 1, tuned=tuned).double()
    rows = tuned or 20
    f = frequencies(torch.zeros(rows, 1, dtype=torch.float64)).unsqueeze(1)
    vectors = normalised(embedding, torch.arange(rows).unsqueeze(0))[0]
    assert_close((f * vectors).sum(dim=0), torch.zeros(4, dtype=torch.float64))
    assert_close((f * vectors**2).sum(dim=0), torch.ones(4, dtype=torch.float64), rtol=1e-5, atol=1e-5)


def answers_with_the_sum(network: VirtualAdversarial, monkeypatch) -> None:
    """Make the logits the sum of all numbers of the vectors, and 0."""
    monkeypatch.setattr(network, "logits_of", lambda s, _: F.pad(s.sum(dim=(1, 2)).unsqueeze(1), (0, 1)))


@pytest.mark.parametrize(("y", "sign"), [(0, -1), (1, 1)])
def test_an_adversarial_perturbation_by_hand(monkeypatch, y, sign):
    """Eight numbers move by epsilon / sqrt(8) each, making the class less likely: the sum by epsilon sqrt(8)."""
    network = small_network(perturbation="adversarial")
    answers_with_the_sum(network, monkeypatch)
    z = network(tensor([[3, 4]]), tensor([[True, True]]))[0, 0].item() + sign * 1.5 * math.sqrt(8)
    expected = math.log1p(math.exp(-z if y == 0 else z))
    assert network.auxiliary_loss(tensor([y])).item() == pytest.approx(expected)


@pytest.mark.parametrize("sign", [1, -1])
def test_a_virtual_perturbation_by_hand(monkeypatch, sign):
    """Everything moves further in d's direction; the class has no influence."""
    network = small_network(perturbation="virtual")
    answers_with_the_sum(network, monkeypatch)
    monkeypatch.setattr(torch, "randn_like", lambda s: torch.full_like(s, sign * 0.3))
    z = network(tensor([[3, 4]]), tensor([[True, True]]))[0, 0].item()
    p, q = (1 / (1 + math.exp(-logit)) for logit in (z, z + sign * 1.5 * math.sqrt(8)))
    expected = p * math.log(p / q) + (1 - p) * math.log((1 - p) / (1 - q))
    assert network.auxiliary_loss(tensor([0])).item() == pytest.approx(expected)


@pytest.mark.parametrize("tuned", [0, 12])
def test_each_text_moves_by_epsilon_and_its_padding_stays(monkeypatch, tuned):
    """All passes use one dropout mask on the words; it fails if d has padding."""
    network = small_network(perturbation="both", dropout=0.5, tuned=tuned)
    seen, logits_of = [], network.logits_of
    monkeypatch.setattr(network, "logits_of", lambda s, mask: seen.append(s.detach()) or logits_of(s, mask))
    network(WORDS, MASK)
    network.auxiliary_loss(Y)
    first, *others = seen
    dropped = first == 0
    assert dropped.equal(dropped[:, :1].expand(-1, 6, -1))
    assert 0 < dropped.sum() < dropped.numel()
    assert len(others) == 3  # adversarial; d; virtual
    for s, length in zip(others, (1.5, 0.1, 1.5), strict=True):
        moved = s - first
        assert_close(moved.flatten(1).norm(dim=1), torch.full((4,), length, dtype=torch.float64))
        assert not moved[~MASK].any()


def test_without_length_virtual_is_zero_and_adversarial_the_cross_entropy():
    network = small_network(perturbation="virtual", epsilon=0)
    network(WORDS, MASK)
    assert abs(network.auxiliary_loss(Y).item()) < 1e-12
    network = small_network(perturbation="adversarial", epsilon=0)
    logits = network(WORDS, MASK)
    assert_close(network.auxiliary_loss(Y), F.cross_entropy(logits, Y))


def test_an_entropy_by_hand():
    """log 2 for one half and one half, 0 for a sure answer, the value by definition for 3/4 and 1/4."""
    found = entropies(tensor([[1.0, 1.0], [100.0, 0.0], [math.log(3), 0.0]]))
    assert found.tolist() == pytest.approx([math.log(2), 0, math.log(4) - 0.75 * math.log(3)])


def test_entropy_alone_is_added_where_nothing_is_perturbed():
    network = small_network(perturbation="none", entropy=2.0)
    logits = network(WORDS, MASK)
    assert_close(network.auxiliary_loss(Y), 2 * entropies(logits).mean())


def test_evaluation_and_no_perturbation_keep_nothing():
    network = small_network(perturbation="both").eval()
    network(WORDS, MASK)
    assert network.seen is None
    network = small_network(perturbation="none")
    network(WORDS, MASK)
    assert network.seen is None
    assert network.auxiliary_loss(Y) is None


def test_nothing_outlives_its_step():
    network = small_network(perturbation="both")
    network(WORDS, MASK)
    network.auxiliary_loss(Y).backward()
    assert network.seen is None


def test_a_first_pass_in_bfloat16_does_not_blur_the_virtual_loss():
    """The other passes are wider; with epsilon 0 nothing remains. It fails with the logits of the first pass."""
    with wide_products("cpu", "bfloat16"):
        network = small_network(perturbation="both", epsilon=0).float()
        with forward_pass("cpu", "bfloat16"):
            logits = network(WORDS, MASK)
        assert logits.dtype == torch.bfloat16
        loss, cross_entropy = network.auxiliary_loss(Y), F.cross_entropy(logits.float(), Y)
        assert loss.dtype == torch.float32
        network.perturbation = "virtual"
        with forward_pass("cpu", "bfloat16"):
            network(WORDS, MASK)
        assert abs(network.auxiliary_loss(Y).item()) < 1e-9
        assert_close(loss, cross_entropy, rtol=0.02, atol=0.02)


def test_a_small_gradient_gets_its_length_and_zero_stays_zero():
    x = torch.zeros(2, 3, 2)
    x[0, 1] = tensor([3e-30, 4e-30])  # their squares are zero in float32
    expected = torch.zeros(2, 3, 2)
    expected[0, 1] = tensor([3.0, 4.0])
    assert_close(with_length(x, 5.0), expected)
