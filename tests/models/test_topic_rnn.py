"""TopicRNN, Dieng, Wang, Gao and Paisley 2017."""

import math

import pytest
import torch
from torch import Tensor, nn, tensor
from torch.testing import assert_close

from retable.layers.bag_encoder import in_bag
from retable.layers.embedding import WordEmbedding
from retable.models.topic_rnn import LanguageModel, TopicRNN
from tests.models.declared import CLASSES, DIM, TUNED, Case, Declared, gates, texts, with_random_weights

SMALL = {"hidden": 5, "units": 4, "topics": 3}


def parameters(words: int) -> int:
    """Count a GRU with torch's two biases per gate, the bag's rows, mu, 50 sigmoids and the classifier."""
    return gates(3, DIM, 5) + 6 * 5 + (words + 2) * 4 + 4 + 5 * 3 + 9 * 50 + 51 * CLASSES


EVERY_MODEL = Declared(
    cases=[
        Case("topic-rnn", parameters(TUNED - 2), SMALL | {"stop_words": 3}),
        Case("topic-rnn", parameters(9), SMALL | {"stop_words": 0, "vocabulary": 9}),
    ],
    dropped=lambda **_: [texts(5 + 3)],
    multiply_adds=lambda t, **_: t * (gates(3, DIM, 5) + 4) + 4 * 3 + 8 * 50 + 50 * CLASSES,
    refused=[
        ({"hidden": 0}, "hidden is 0; allowed: hidden >= 1"),
        ({"units": 0}, "units is 0; allowed: units >= 1"),
        ({"topics": 0}, "topics is 0; allowed: topics >= 1"),
        ({"vocabulary": 0}, "vocabulary is 0; allowed: vocabulary >= 1"),
        ({"stop_words": -1}, "stop_words is -1; allowed: stop_words >= 0"),
        ({"pretrain_epochs": -1}, "pretrain_epochs is -1; allowed: pretrain_epochs >= 0"),
        ({"pretrain_rate": -1.0}, "pretrain_rate is -1.0; allowed: pretrain_rate >= 0"),
        ({"pretrain_words": 0}, "pretrain_words is 0; allowed: pretrain_words >= 1"),
        ({"dropout": 1.0}, "dropout is 1.0; allowed: 0 <= dropout < 1"),
    ],
)


def small_network(*, tuned: int = 16, **options) -> TopicRNN:
    """Return the network in float64, with weights and biases large enough to matter, in evaluation mode."""
    torch.manual_seed(5)
    embedding = WordEmbedding(torch.randn(20, 4), tuned=tuned)
    network = TopicRNN(embedding, 2, **(SMALL | {"stop_words": 3} | options)).double()
    return with_random_weights(network, std=0.7)


def slow_states(rnn: nn.GRU, vectors: list[Tensor]) -> list[Tensor]:
    """Return the states of a GRU, gate by gate, word by word."""
    size = rnn.hidden_size
    h, states = torch.zeros(size, dtype=torch.float64), []
    for x in vectors:
        given = rnn.weight_ih_l0 @ x + rnn.bias_ih_l0
        own = rnn.weight_hh_l0 @ h + rnn.bias_hh_l0
        r, z = (torch.sigmoid(given[g * size : (g + 1) * size] + own[g * size : (g + 1) * size]) for g in (0, 1))
        h = (1 - z) * torch.tanh(given[2 * size :] + r * own[2 * size :]) + z * h
        states.append(h)
    return states


def slow_g(network: TopicRNN, numbers: list[int]) -> Tensor:
    """Compute g(X) from a vector of counts of words that are neither stop words nor out of the vocabulary."""
    counts = torch.zeros(2 + network.words, dtype=torch.float64)
    for number in numbers:
        if 2 + network.stop_words <= number < 2 + network.words:
            counts[number] += 1
    return (network.encoder.table.T @ counts + network.encoder.bias).clamp(min=0)


def slow_logits(network: TopicRNN, numbers: Tensor) -> Tensor:
    last = slow_states(network.rnn, list(network.embedding(numbers.unsqueeze(0))[0]))[-1]
    mean = network.encoder.mean.weight @ slow_g(network, numbers.tolist()) + network.encoder.mean.bias
    units = 1 / (1 + (-(network.hidden.weight @ torch.cat((last, mean)) + network.hidden.bias)).exp())
    return network.output.weight @ units + network.output.bias


@pytest.mark.parametrize("options", [{}, {"vocabulary": 6}, {"stop_words": 0}, {"tuned": 0}])
def test_fast_form_matches_the_equations_word_by_word(options):
    """Check padded texts with arbitrary words in the padding, unknown words and words outside the bag."""
    network = small_network(**options)
    numbers, lengths = torch.randint(1, 20, (4, 12)), (12, 1, 2, 7)
    logits = network(numbers, torch.arange(12) < tensor(lengths).unsqueeze(1))
    for text, length in enumerate(lengths):
        assert_close(logits[text], slow_logits(network, numbers[text, :length]))


def slow_bound(network: TopicRNN, model: LanguageModel, numbers: list[int]) -> Tensor:
    """Compute the lower bound of one text with a noise of 1, word by word."""
    g = slow_g(network, numbers)
    mean = network.encoder.mean.weight @ g + network.encoder.mean.bias
    log_sigma = model.log_sigma.weight @ g + model.log_sigma.bias
    theta = mean + log_sigma.exp()
    bound = -0.5 * (mean**2 + (2 * log_sigma).exp() - 1 - 2 * log_sigma).sum()
    numbers = numbers[: network.written]
    vectors = [network.embedding(tensor([[number]]))[0, 0] for number in [0, *numbers]]
    for h, y in zip(slow_states(network.rnn, vectors), [*numbers, 0], strict=True):
        y = 1 if y >= model.rows else y
        is_stop = y < 2 + network.stop_words
        scores = model.words.weight @ h
        if not is_stop:
            scores = scores + model.topics.weight @ theta
        share = 1 / (1 + (-(model.stop.weight @ h)[0]).exp())
        bound = bound + scores[y] - scores.exp().sum().log() + (share if is_stop else 1 - share).log()
    return bound


@pytest.mark.parametrize("options", [{}, {"vocabulary": 6}, {"pretrain_words": 4}])
def test_bound_matches_the_equations_word_by_word(options, monkeypatch):
    network = small_network(**options)
    model = network.language_model().double()
    numbers, lengths = torch.randint(1, 20, (3, 8)), (8, 1, 5)
    monkeypatch.setattr(torch, "randn_like", torch.ones_like)
    loss = network.writing_loss(model, numbers, torch.arange(8) < tensor(lengths).unsqueeze(1))
    bounds = [slow_bound(network, model, numbers[text, :length].tolist()) for text, length in enumerate(lengths)]
    assert_close(loss, -sum(bounds) / 3)


def test_bound_by_hand(monkeypatch):
    """Rows <end>, unknown, a stop word, another: all scores are 0, except that the topic gives the last 2 theta."""
    model = LanguageModel(1, 1, 1, 4, stop_words=1)
    for weight in model.parameters():
        nn.init.zeros_(weight)
    with torch.no_grad():
        model.topics.weight[3] = 2.0
    monkeypatch.setattr(torch, "randn_like", torch.zeros_like)
    real = tensor([[True, True, True]])
    loss = model(torch.zeros(1, 3, 1), tensor([[2, 3, 0]]), real, torch.ones(1, 1), tensor([[0.5]]))
    of_words = 2 * math.log(1 / 4) + math.log(math.e / (3 + math.e))  # a topic of 0.5 affects only row 3
    assert loss.item() == pytest.approx(-(of_words + 3 * math.log(1 / 2) - 0.5 * 0.5**2), rel=1e-5)


def test_topics_are_no_part_of_a_text_of_stop_words():
    """Whatever theta is, the loss of the words is the same; only the divergence remains."""
    network = small_network()
    model = network.language_model().double()
    words, mask = tensor([[2, 3, 4]]), torch.ones(1, 3, dtype=torch.bool)
    before = network.writing_loss(model, words, mask)
    nn.init.normal_(model.topics.weight)
    assert_close(network.writing_loss(model, words, mask), before)


def test_the_bag_has_neither_stop_words_nor_rare_ones():
    words = tensor([[0, 1, 2, 4, 5, 7, 8, 15, 16, 19]])
    for options, expected in (({"vocabulary": 6}, [5, 7, 0, 0]), ({}, [5, 7, 8, 15])):
        network = small_network(**options)
        rows = in_bag(words, words > 0, network.words, skipped=network.stop_words)
        assert rows.tolist() == [[0] * 4 + expected + [0, 0]]


def batches(count: int = 4):
    """Return padded batches of texts of two topics: words 5 to 9 and 10 to 14, between the stop words 2 to 4."""
    torch.manual_seed(3)
    words = 5 + torch.randint(0, 2, (count, 8, 1)) * 5 + torch.randint(0, 5, (count, 8, 9))
    words = torch.where(torch.rand(words.shape) < 0.4, torch.randint(2, 5, words.shape), words)
    mask = torch.arange(9) < torch.randint(3, 10, (count, 8, 1))
    return lambda: iter([(one, real) for one, real in zip(words, mask, strict=True)])


def trained(**options) -> TopicRNN:
    torch.manual_seed(2)
    network = TopicRNN(WordEmbedding(torch.randn(20, 4), tuned=16), 2, **(SMALL | {"stop_words": 3} | options))
    network.train().pretrain(batches())
    return network


def test_pretraining_lowers_the_loss(monkeypatch):
    losses, writing_loss = [], TopicRNN.writing_loss

    def noted(network, *given):
        losses.append(writing_loss(network, *given))
        return losses[-1]

    monkeypatch.setattr(TopicRNN, "writing_loss", noted)
    trained(pretrain_epochs=10, pretrain_rate=0.03)
    assert len(losses) == 10 * 4
    assert sum(losses[-4:]) < 0.9 * sum(losses[:4])


def test_pretraining_is_repeatable_and_leaves_the_classifier():
    network, again, before = (trained(pretrain_epochs=epochs) for epochs in (2, 2, 0))
    assert all(map(torch.equal, network.state_dict().values(), again.state_dict().values()))
    same = {name for name, weight in network.state_dict().items() if weight.equal(before.state_dict()[name])}
    assert same == {
        "embedding.fixed",
        *(f"{layer}.{kind}" for layer in ("hidden", "output") for kind in ("weight", "bias")),
    }
    assert not network.embedding.tuned[0].any()  # padding, read as <end>
    assert all(weight.grad is None for weight in network.parameters())
