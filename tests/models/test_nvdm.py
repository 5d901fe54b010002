"""NVDM, Miao, Yu and Blunsom 2016."""

import math

import pytest
import torch
from torch import Tensor, tensor
from torch.testing import assert_close

from retable.layers.bag_encoder import FIRST
from retable.layers.embedding import WordEmbedding
from retable.models.nvdm import NVDM, Decoder
from tests.models.declared import CLASSES, DIM, Case, Declared, texts, with_random_weights


def parameters(topics: int) -> int:
    """Count the parameters: the bias of the hidden layer, whose weights are the words' rows; mu and the classifier."""
    return DIM + (DIM + 1) * topics + (topics + 1) * CLASSES


EVERY_MODEL = Declared(
    cases=[Case("nvdm", parameters(8), {"topics": 8}), Case("nvdm", parameters(5), {"topics": 5, "dropout": 0.3})],
    dropped=lambda *, topics, **_: [texts(topics)],
    multiply_adds=lambda t, *, topics, **_: t * DIM + topics * DIM + topics * CLASSES,
    refused=[
        ({"topics": 0}, "topics is 0; allowed: topics >= 1"),
        ({"pretrain_epochs": -1}, "pretrain_epochs is -1; allowed: pretrain_epochs >= 0"),
        ({"pretrain_rate": -1.0}, "pretrain_rate is -1.0; allowed: pretrain_rate >= 0"),
        ({"dropout": 1.0}, "dropout is 1.0; allowed: 0 <= dropout < 1"),
    ],
)


def small_network(*, tuned: int = 20, **options) -> NVDM:
    """Return the network in float64, with weights and biases large enough to matter, in evaluation mode."""
    torch.manual_seed(5)
    embedding = WordEmbedding(torch.randn(20, 4), tuned=tuned)
    return with_random_weights(NVDM(embedding, 2, **({"topics": 3} | options)).double(), std=0.7)


def slow_logits(network: NVDM, numbers: list[int]) -> Tensor:
    """Return the logits of one text from a vector of counts, as long as the vocabulary."""
    rows = network.embedding.fixed if network.embedding.tuned is None else network.embedding.tuned
    counts = torch.zeros(len(rows), dtype=torch.float64)
    for number in numbers:
        if FIRST <= number < len(rows):
            counts[number] += 1
    pi = torch.tanh(rows.T @ counts + network.bias)
    mean = network.mean.weight @ pi + network.mean.bias
    return network.output.weight @ mean + network.output.bias


@pytest.mark.parametrize("tuned", [20, 9, 0])
def test_fast_form_matches_a_vector_of_counts(tuned):
    """Check padded texts with arbitrary padding, unknown words, and words never seen in training."""
    network = small_network(tuned=tuned)
    numbers, lengths = torch.randint(1, 20, (4, 30)), (30, 1, 2, 17)
    logits = network(numbers, torch.arange(30) < tensor(lengths).unsqueeze(1))
    for text, length in enumerate(lengths):
        assert_close(logits[text], slow_logits(network, numbers[text, :length].tolist()))


def test_logits_by_hand():
    """Rows 0.3 and 0.1, the second twice: pi = tanh(0.3 + 0.1 + 0.1 - 0.2); mu = 2 pi + 1; logits -mu and 3 mu."""
    network = NVDM(WordEmbedding(tensor([[0.0], [9.0], [0.3], [0.1]]), tuned=4), 2, topics=1)
    with torch.no_grad():
        network.bias.fill_(-0.2)
        network.mean.weight.fill_(2.0)
        network.mean.bias.fill_(1.0)
        network.output.weight.copy_(tensor([[-1.0], [3.0]]))
        network.output.bias.zero_()
    mean = 2 * math.tanh(0.3) + 1
    assert_close(network(tensor([[2, 3, 1, 3]]), tensor([[True] * 4])), tensor([[-mean, 3 * mean]]))


def test_bound_by_hand(monkeypatch):
    """With two words in the bag, z = mu + sigma (the noise is 1): R z + b = (z, 0)."""
    decoder = Decoder(2, 1, 2)
    with torch.no_grad():
        decoder.log_sigma.weight.copy_(tensor([[1.0, 0.0]]))
        decoder.words.weight.copy_(tensor([[1.0], [0.0]]))
        decoder.words.bias.zero_()
    monkeypatch.setattr(torch, "randn_like", torch.ones_like)
    likelihood, divergence = decoder(tensor([[0.5, 7.0]]), tensor([[0.2]]), tensor([[2, 3, 2, 0]]))
    sigma = math.exp(0.5)
    z = 0.2 + sigma
    shares = [math.exp(z) / (math.exp(z) + 1), 1 / (math.exp(z) + 1)]
    assert likelihood.item() == pytest.approx(2 * math.log(shares[0]) + math.log(shares[1]), rel=1e-5)
    assert divergence.item() == pytest.approx(0.5 * (0.2**2 + sigma**2 - 1 - 2 * 0.5), rel=1e-5)


def test_a_new_decoder_draws_with_a_deviation_of_one():
    """log sigma starts at zero, so the divergence is half the square of mu."""
    _, divergence = Decoder(4, 3, 5)(torch.randn(2, 4), torch.full((2, 3), 2.0), tensor([[2], [3]]))
    assert_close(divergence, torch.full((2,), 0.5 * 3 * 4.0))


def batches(count: int = 6):
    """Return padded batches of texts of two topics: words 2 to 8 and the words 9 to 15."""
    torch.manual_seed(3)
    words = 2 + torch.randint(0, 2, (count, 8, 1)) * 7 + torch.randint(0, 7, (count, 8, 10))
    mask = torch.arange(10) < torch.randint(4, 11, (count, 8, 1))
    return lambda: iter([(one, real) for one, real in zip(words, mask, strict=True)])


def trained(**options) -> NVDM:
    torch.manual_seed(2)
    network = NVDM(WordEmbedding(torch.randn(20, 4), tuned=16), 2, **({"topics": 3, "pretrain_rate": 0.01} | options))
    network.train().pretrain(batches())
    return network


def test_pretraining_raises_the_bound_and_tells_topics_apart(monkeypatch):
    bounds, forward = [], Decoder.forward

    def noted(decoder, *given):
        likelihood, divergence = forward(decoder, *given)
        bounds.append((likelihood - divergence).mean().item())
        return likelihood, divergence

    monkeypatch.setattr(Decoder, "forward", noted)
    network = trained(pretrain_epochs=40)
    assert sum(bounds[-6:]) > sum(bounds[:6]) + 6 * 2
    one, same, other = network.mean(network.hidden(tensor([[2, 4, 6, 8], [3, 4, 5, 7], [9, 11, 13, 15]])))
    assert (one - same).norm() < 0.7 * (one - other).norm()


def test_pretraining_is_repeatable_and_changes_the_encoder_alone():
    network, again, before = (trained(pretrain_epochs=epochs) for epochs in (3, 3, 0))
    assert all(map(torch.equal, network.state_dict().values(), again.state_dict().values()))
    changed = {name for name, weight in network.state_dict().items() if not weight.equal(before.state_dict()[name])}
    assert changed == {"embedding.tuned", "bias", "mean.weight", "mean.bias"}
    assert all(weight.grad is None for weight in network.parameters())


def test_texts_without_a_known_word_teach_nothing():
    network = small_network(tuned=16, pretrain_epochs=1)
    before = network.mean.weight.clone()
    words = tensor([[1, 17], [1, 1]])
    network.pretrain(lambda: iter([(words, words > 0)]))
    assert network.mean.weight.equal(before)
