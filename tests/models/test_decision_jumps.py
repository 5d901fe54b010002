"""LSTM-Jump, Yu, Lee, Le 2017."""

import math
from collections.abc import Iterator

import pytest
import torch
from torch import Tensor, nn, tensor
from torch.testing import assert_close

from retable.layers.embedding import WordEmbedding
from retable.models.decision_jumps import DecisionJumps
from retable.training.precision import forward_pass, wide_products
from tests.models.declared import CLASSES, DIM, Case, Declared, gates, with_random_weights, words
from tests.models.test_lstm import slow_states

PARAMETERS = 4 * 5 * (DIM + 5) + 2 * 4 * 5 + (5 + 1) + 5 * CLASSES + CLASSES  # torch has two biases per gate


def multiply_adds(t: int, *, test_read: int, test_jumps: int, largest_jump: int, **_: object) -> float:
    """Count with every jump to the next word: at most N + 1 stretches of R words, and a jump between any two."""
    stretches = min(test_jumps + 1, math.ceil(t / test_read))
    return min(t, stretches * test_read) * gates(4, DIM, 5) + (stretches - 1) * 5 * (largest_jump + 1) + 5 * CLASSES


SMALL = {"hidden": 5, "read": 2, "jumps": 3, "test_read": 2, "test_jumps": 2, "largest_jump": 3}
EVERY_MODEL = Declared(
    cases=[
        Case("decision-jumps", PARAMETERS + 4 * (5 + 1), SMALL),
        Case("decision-jumps", PARAMETERS + 2 * (5 + 1), SMALL | {"read": 1, "test_read": 80, "largest_jump": 1}),
    ],
    dropped=lambda **_: [words(DIM)],
    multiply_adds=multiply_adds,
    refused=[
        ({"hidden": 0}, "hidden is 0; allowed: hidden >= 1"),
        ({"read": 0}, "read is 0; allowed: read >= 1"),
        ({"jumps": -1}, "jumps is -1; allowed: jumps >= 0"),
        ({"test_read": 0}, "test_read is 0; allowed: test_read >= 1"),
        ({"test_jumps": -1}, "test_jumps is -1; allowed: test_jumps >= 0"),
        ({"largest_jump": 0}, "largest_jump is 0; allowed: largest_jump >= 1"),
        ({"dropout": 1.0}, "dropout is 1.0; allowed: 0 <= dropout < 1"),
    ],
)
LENGTHS = (12, 1, 2, 3, 7, 11)
WORDS = torch.randint(2, 20, (6, 14), generator=torch.Generator().manual_seed(5))  # padding contains words, too
MASK = torch.arange(14) < tensor(LENGTHS).unsqueeze(1)  # two columns are padding in every text
Y = tensor([0, 1, 2, 1, 0, 2])


def small_network(**options) -> DecisionJumps:
    """Return the network in float64, with weights and biases large enough to matter, in evaluation mode."""
    torch.manual_seed(7)
    network = DecisionJumps(
        WordEmbedding(torch.randn(20, 4), tuned=20), CLASSES, **(SMALL | {"dropout": 0.0} | options)
    )
    return with_random_weights(network.double(), std=0.9)


def that_jumps(j: int, **options) -> DecisionJumps:
    """Return a network that always jumps this far."""
    network = small_network(**options)
    nn.init.zeros_(network.jump.weight)
    with torch.no_grad():
        network.jump.bias.fill_(-30.0)[j] = 30.0
    return network


def slow_walk(network: DecisionJumps, text: Tensor, drawn: Iterator[int] | None) -> tuple[Tensor, list[Tensor]]:
    """Return the logits of one unpadded text, and (log p, b) of its jumps, each drawn or else the most likely."""
    read, allowed = (network.read, network.jumps) if drawn else (network.test_read, network.test_jumps)
    vectors = list(network.embedding(text.unsqueeze(0))[0])
    next_word, seen, jumps = 0, [], []
    while True:
        seen += vectors[next_word : next_word + read]
        h = slow_states(network.lstm, seen, "l0")[-1]
        next_word += read
        if next_word >= len(vectors) or len(jumps) == allowed:
            break
        scores = network.jump.weight @ h.detach() + network.jump.bias
        j = next(drawn) if drawn else int(scores.argmax())
        b = network.baseline.weight[0] @ h.detach() + network.baseline.bias[0]
        jumps.append(torch.stack((scores[j] - scores.exp().sum().log(), b)))
        next_word += j - 1
        if j == 0 or next_word >= len(vectors):
            break
    return network.output.weight @ h + network.output.bias, jumps


@pytest.mark.parametrize("seed", range(3))
def test_evaluation_matches_a_walk_word_by_word(seed):
    """Check padded texts, with weights that jump in turn."""
    network = small_network(test_jumps=3)
    torch.manual_seed(seed)
    nn.init.normal_(network.jump.weight, std=3.0)
    nn.init.zeros_(network.jump.bias)
    logits = network(WORDS, MASK)
    for text, length in enumerate(LENGTHS):
        assert_close(logits[text], slow_walk(network, WORDS[text, :length], None)[0])


@pytest.mark.parametrize("read", [1, 2, 5])
def test_training_matches_a_walk_word_by_word(monkeypatch, read):
    """Logits, -J_2 + J_3 and its gradients; it fails if a finished text's draws count."""
    network = small_network(read=read, jumps=4).train()
    drawn = torch.randint(0, 4, (4, 6), generator=torch.Generator().manual_seed(read))
    calls = iter(drawn)
    monkeypatch.setattr(torch, "multinomial", lambda *_: next(calls).unsqueeze(1))
    logits, losses = network(WORDS, MASK), []
    loss = network.auxiliary_loss(Y)
    for text, length in enumerate(LENGTHS):
        expected, jumps = slow_walk(network, WORDS[text, :length], iter(drawn[:, text].tolist()))
        assert_close(logits[text], expected)
        r = 1.0 if int(expected.argmax()) == Y[text] else -1.0
        losses.append(sum(((r - b) ** 2 - log_p * (r - b.detach()) for log_p, b in jumps), torch.zeros(())))
    expected = torch.stack([each.double() for each in losses]).mean()
    assert_close(loss, expected)
    learning = [*network.jump.parameters(), *network.baseline.parameters()]
    found = torch.autograd.grad(loss, learning, retain_graph=True)
    assert_close(found, torch.autograd.grad(expected, learning))
    others = [*network.lstm.parameters(), network.embedding.tuned, network.output.weight]
    assert not any(grad is not None for grad in torch.autograd.grad(loss, others, allow_unused=True))


@pytest.mark.parametrize(("y", "r"), [(0, 1.0), (1, -1.0)])
def test_losses_by_hand(y, r):
    """One jump of p = 1/4 and b = 0.25 in a text that is answered with class 0."""
    network = small_network(jumps=1).train()
    for layer in (network.jump, network.baseline, network.output):
        nn.init.zeros_(layer.weight)
    nn.init.zeros_(network.jump.bias)
    nn.init.constant_(network.baseline.bias, 0.25)
    with torch.no_grad():
        network.output.bias.copy_(tensor([1.0, 0.0, 0.0]))
    network(tensor([[4, 5, 6]]), torch.ones(1, 3, dtype=torch.bool))
    assert network.auxiliary_loss(tensor([y])).item() == pytest.approx((r - 0.25) ** 2 + math.log(4) * (r - 0.25))


@pytest.mark.parametrize(
    ("j", "read"), [(0, [0, 1]), (1, [0, 1, 2, 3, 4, 5]), (2, [0, 1, 3, 4, 6, 7]), (3, [0, 1, 4, 5, 8, 9])]
)
def test_a_jump_goes_from_the_last_word_read(j, read):
    """Two words, twice j further, two words each time; no other word is read."""
    text = WORDS[:1]
    found = that_jumps(j)(text, torch.ones_like(text, dtype=torch.bool))
    network = that_jumps(1, test_read=20)
    assert_close(found, network(text[:, read], torch.ones(1, len(read), dtype=torch.bool)))


def test_a_text_that_is_read_in_one_go_is_a_plain_lstm():
    network = small_network(test_read=80, test_jumps=8)
    logits = network(WORDS, MASK)
    for text, length in enumerate(LENGTHS):
        vectors = network.embedding(WORDS[text : text + 1, :length])
        assert_close(logits[text], network.output(network.lstm(vectors)[1][0][0, 0]))


def test_steps_to_the_next_word_are_a_plain_lstm():
    network = that_jumps(1, test_read=2, test_jumps=20)
    assert_close(network(WORDS, MASK), that_jumps(1, test_read=80)(WORDS, MASK))


def test_a_jump_behind_the_end_keeps_the_state():
    text = WORDS[:1, :4]
    found = that_jumps(3)(text, torch.ones(1, 4, dtype=torch.bool))
    assert_close(found, that_jumps(0)(text, torch.ones(1, 4, dtype=torch.bool)))


def test_jumps_are_drawn_in_training_by_their_probabilities():
    """Shares 0.1, 0.2, 0.3, 0.4 of 4,000 draws; each share's standard deviation is under 0.008."""
    network = small_network(hidden=1)
    nn.init.zeros_(network.jump.weight)
    with torch.no_grad():
        network.jump.bias.copy_(tensor([1.0, 2.0, 3.0, 4.0]).log())
    h, goes_on = torch.zeros(4000, 1, dtype=torch.float64), torch.ones(4000, dtype=torch.bool)
    torch.manual_seed(1)
    shares = network.train().decided(h, goes_on)[0].bincount(minlength=4) / 4000
    assert shares.tolist() == pytest.approx([0.1, 0.2, 0.3, 0.4], abs=0.03)
    torch.manual_seed(1)
    assert (network.decided(h, goes_on)[0].bincount(minlength=4) / 4000).equal(shares)
    assert (network.eval().decided(h, goes_on)[0] == 3).all()


def test_evaluation_has_its_own_stretches_and_jumps():
    network = that_jumps(1, read=1, jumps=0, test_read=3, test_jumps=1)
    text, whole = WORDS[:1], torch.ones(1, 14, dtype=torch.bool)
    plain = that_jumps(1, test_read=20)
    assert_close(network(text, whole), plain(text[:, :6], whole[:, :6]))
    assert_close(network.train()(text, whole), plain(text[:, :1], whole[:, :1]))


def test_no_jump_adds_no_loss_and_evaluation_keeps_nothing():
    network = small_network()
    network(WORDS, MASK)
    assert network.seen is None
    network.train()(WORDS[:, :1], MASK[:, :1])
    assert network.auxiliary_loss(Y).item() == 0
    assert network.seen is None


def test_a_pass_in_bfloat16_has_wider_probabilities():
    network = small_network().float().train()
    with wide_products("cpu", "bfloat16"), forward_pass("cpu", "bfloat16"):
        network(WORDS, MASK)
    assert network.seen[1][0].log_p.dtype == torch.float32
    assert network.auxiliary_loss(Y).isfinite()
