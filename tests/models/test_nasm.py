"""NASM, Miao, Yu and Blunsom 2016."""

import math

import pytest
import torch
from torch import Tensor, tensor
from torch.testing import assert_close

from retable.layers.embedding import WordEmbedding
from retable.models.nasm import NASM, Gaussian, States, divergence
from tests.models.declared import CLASSES, DIM, Case, Declared, gates, with_random_weights
from tests.models.test_attentive_pooling import PAIRS, batch_of, slow_sum
from tests.models.test_lstm import slow_states

H, K = 5, 4


def gaussian(inputs: int) -> int:
    return 2 * (inputs * inputs + inputs) + 2 * (inputs * K + K)


def parameters(layers: int) -> int:
    """Count the parameters: two LSTMs, labels, both Gaussians; W_h, W_s, w, W_a, W_n; M and b of two classes."""
    lstm = 4 * H * (DIM + H + 2) + (layers - 1) * 4 * H * (H + H + 2)
    return 2 * lstm + CLASSES * H + gaussian(H) + gaussian(3 * H) + K * H + 3 * H**2 + H + (CLASSES - 1) * (H**2 + 1)


def multiply_adds(t: float, *, layers: int, samples: int, **_: object) -> float:
    """Count an LSTM per word, W_s per answer word; w, c, W_h, W_a and the score per draw; p(h | q), W_n, M per pair."""
    a_word = gates(4, DIM, H) + (layers - 1) * gates(4, H, H)
    a_draw = t / 2 * 2 * H + K * H + H**2 + (CLASSES - 1) * H
    return t * a_word + t / 2 * H**2 + samples * a_draw + 2 * H**2 + 2 * K * H + H**2 + (CLASSES - 1) * H**2


SIZES = {"hidden": H, "latent": K}
EVERY_MODEL = Declared(
    cases=[
        Case("nasm", parameters(1), {"layers": 1, "samples": 3, **SIZES}),
        Case("nasm", parameters(2), {"layers": 2, "samples": 1, **SIZES}),
    ],
    dropped=lambda **_: [(8, 3, DIM), (8, 3, DIM)],  # the texts have three words each
    multiply_adds=multiply_adds,
    refused=[
        ({"hidden": 0}, "hidden is 0; allowed: hidden >= 1"),
        ({"layers": 0}, "layers is 0; allowed: layers >= 1"),
        ({"latent": 0}, "latent is 0; allowed: latent >= 1"),
        ({"samples": 0}, "samples is 0; allowed: samples >= 1"),
        ({"dropout": 1.0}, "dropout is 1.0; allowed: 0 <= dropout < 1"),
    ],
)


def small_network(classes: int = 3, **options) -> NASM:
    """Return the network in float64, with weights and biases large enough to matter, in evaluation mode."""
    torch.manual_seed(5)
    given = {"hidden": 3, "latent": 2, "layers": 2, "samples": 4, "dropout": 0.0} | options
    return with_random_weights(NASM(WordEmbedding(torch.randn(20, 3), tuned=20), classes, **given).double(), std=0.7)


def slow_text(network: NASM, lstm: torch.nn.LSTM, text: list[int]) -> list[Tensor]:
    """Return the last layer's states at a text's words."""
    states = list(network.embedding(tensor([text]))[0])
    for layer in range(lstm.num_layers):
        states = slow_states(lstm, states, f"l{layer}")
    return states


def slow_gaussian(layers: Gaussian, x: Tensor) -> tuple[Tensor, Tensor]:
    """Return mean and deviation, computed from the weights."""
    for layer in (layers.layers[0], layers.layers[2]):
        x = torch.tanh(layer.weight @ x + layer.bias)
    return layers.mean.weight @ x + layers.mean.bias, torch.exp(layers.log_sigma.weight @ x + layers.log_sigma.bias)


def slow_probabilities(network: NASM, z_q: Tensor, answer: list[Tensor], h: Tensor) -> Tensor:
    """Return p(y | q, a, h) of one pair and one h, computed word by word from the equations."""
    w_h, w_s, w = network.from_latent.weight, network.from_word.weight, network.score.weight[0]
    c = slow_sum([w @ torch.tanh(w_h @ h + w_s @ s) for s in answer], answer)
    z_a = torch.tanh(network.from_context.weight @ c + network.from_last.weight @ answer[-1])
    scores = [torch.zeros((), dtype=torch.float64)]
    for b, m in zip(network.bias, network.relevance.weight.split(len(z_q)), strict=True):
        scores.append(z_a @ m @ z_q + b)
    exponents = torch.stack(scores).exp()
    return exponents / exponents.sum()


def test_answers_match_the_equations_word_by_word():
    """Check the mean of p over the prior's draws, on padded pairs with arbitrary words in the padding."""
    network = small_network()
    logits = network(*batch_of(PAIRS, width=11))
    for row, (question, answer) in enumerate(PAIRS):
        z_q = slow_text(network, network.of_question, question)[-1]
        s_a = slow_text(network, network.of_answer, answer)
        mean, sigma = slow_gaussian(network.prior, z_q)
        of_draws = [slow_probabilities(network, z_q, s_a, mean + sigma * one) for one in network.noise]
        assert_close(logits[row].exp(), sum(of_draws) / 4)


def test_two_classes_are_a_sigmoid():
    """One draw: log p(y = 1) - log p(y = 0) is z_q^T M z_a + b."""
    network = small_network(classes=2, samples=1)
    question, answer = PAIRS[0]
    z_q = slow_text(network, network.of_question, question)[-1]
    mean, sigma = slow_gaussian(network.prior, z_q)
    p = slow_probabilities(network, z_q, slow_text(network, network.of_answer, answer), mean + sigma * network.noise[0])
    logits = network(*batch_of(PAIRS[:1], 8))[0]
    assert_close(logits[1] - logits[0], torch.logit(p[1]))


def test_bound_matches_the_equations_pair_by_pair(monkeypatch):
    """Training draws from the posterior, which reads the label; here each draw is mu' + sigma'."""
    network, classes = small_network().train(), tensor([2, 0, 1, 1])
    network(*batch_of(PAIRS, width=11))
    monkeypatch.setattr(torch, "randn_like", torch.ones_like)
    loss, bounds = network.auxiliary_loss(classes), []
    for (question, answer), y in zip(PAIRS, classes.tolist(), strict=True):
        z_q = slow_text(network, network.of_question, question)[-1]
        s_a = slow_text(network, network.of_answer, answer)
        mean, sigma = slow_gaussian(network.posterior, torch.cat((z_q, s_a[-1], network.label.weight[y])))
        prior = torch.distributions.Normal(*slow_gaussian(network.prior, z_q))
        kl = torch.distributions.kl_divergence(torch.distributions.Normal(mean, sigma), prior).sum()
        bounds.append(slow_probabilities(network, z_q, s_a, mean + sigma)[y].log() - kl)
    slow = -sum(bounds) / 4
    assert_close(loss, slow)
    weights = list(network.parameters())
    for found, true in zip(*(torch.autograd.grad(each, weights) for each in (loss, slow)), strict=True):
        assert_close(found, true)


def test_divergence_by_hand():
    """N(1, 2^2) from N(0, 4^2): log 2 + (4 + 1) / 32 - 1 / 2; N(3, 1) from itself: 0."""
    found = divergence(tensor([[1.0, 3.0]]), tensor([[2.0, 1.0]]), tensor([[0.0, 3.0]]), tensor([[4.0, 1.0]]))
    assert found.item() == pytest.approx(math.log(2) + 5 / 32 - 1 / 2)


def test_a_latent_vector_chooses_a_word_by_hand():
    """A state is its word, 1 or -1; scores are tanh(h + s) with w = 1, and known for h = ln 2."""
    network = small_network(classes=2, hidden=1, latent=1, layers=1)
    with torch.no_grad():
        for layer in (network.from_latent, network.from_word, network.score, network.from_context, network.relevance):
            layer.weight.fill_(1.0)
        network.from_last.weight.zero_()
        network.bias.fill_(0.5)
    answer = tensor([[[1.0], [-1.0]]], dtype=torch.float64)
    states = States(tensor([[2.0]]).double(), answer, tensor([[True, True]]), answer[:, 1])
    e = [math.exp(math.tanh(math.log(2) + s)) for s in (1, -1)]
    c = (e[0] - e[1]) / (e[0] + e[1])
    found = network.scores(states, tensor([[[math.log(2)]]], dtype=torch.float64))
    assert found.flatten().tolist() == pytest.approx([0.0, 2 * math.tanh(c) + 0.5])


def test_the_label_reaches_the_loss_and_no_answer():
    """Another label gives another posterior; answers do not depend on the trained label, and draw nothing."""
    network = small_network()
    batch = batch_of(PAIRS, width=11)
    before, state = network(*batch), torch.get_rng_state()
    assert network(*batch).equal(before)
    assert torch.get_rng_state().equal(state)
    gradients = []
    for y in (0, 1):
        network.train()(*batch)
        network.zero_grad()
        network.auxiliary_loss(torch.full((4,), y)).backward()
        gradients.append(network.label.weight.grad.abs().sum(dim=1))
    assert [(each > 0).tolist() for each in gradients] == [[True, False, False], [False, True, False]]


def test_in_training_the_logits_teach_nothing():
    logits = small_network().train()(*batch_of(PAIRS, width=11))
    assert not logits.requires_grad
