"""VAMPIRE, Gururangan et al. 2019."""

import math

import pytest
import torch
from torch import Tensor, tensor
from torch.testing import assert_close

from retable.layers.bag_encoder import FIRST, BagEncoder, in_bag
from retable.layers.embedding import WordEmbedding
from retable.models.vampire import DocumentModel, Vampire
from tests.models.declared import CLASSES, DIM, Case, Declared, texts, with_random_weights


def parameters(topics: int, layers: int) -> int:
    """Count the mixture with its factor, and the classifier; the document model is frozen."""
    return layers + 1 + 1 + (topics + DIM) * CLASSES + CLASSES


def multiply_adds(t: int, *, topics: int, layers: int, **_: object) -> float:
    """Count a word's row and vector; deeper layers and mu, the mixture of all layers and theta, the classifier."""
    return t * (topics + DIM) + layers * topics**2 + (layers + 1) * topics + (topics + DIM) * CLASSES


EVERY_MODEL = Declared(
    cases=[
        Case("vampire", parameters(5, 2), {"topics": 5, "layers": 2}),
        Case("vampire", parameters(4, 1), {"topics": 4, "layers": 1, "activation": "none", "vocabulary": 9}),
    ],
    dropped=lambda *, topics, **_: [texts(topics), texts(topics + DIM)],
    multiply_adds=multiply_adds,
    refused=[
        ({"topics": 0}, "topics is 0; allowed: topics >= 1"),
        ({"layers": 0}, "layers is 0; allowed: layers >= 1"),
        ({"activation": "tanh"}, 'activation is "tanh"; allowed: relu, none'),
        ({"vocabulary": 0}, "vocabulary is 0; allowed: vocabulary >= 1"),
        ({"pretrain_epochs": -1}, "pretrain_epochs is -1; allowed: pretrain_epochs >= 0"),
        ({"pretrain_rate": -1.0}, "pretrain_rate is -1.0; allowed: pretrain_rate >= 0"),
        ({"annealing": "cosine"}, 'annealing is "cosine"; allowed: linear, sigmoid, constant'),
        ({"annealing_epochs": 0}, "annealing_epochs is 0; allowed: annealing_epochs >= 1"),
        ({"dropout_z": 1.0}, "dropout_z is 1.0; allowed: 0 <= dropout_z < 1"),
        ({"dropout_features": 1.0}, "dropout_features is 1.0; allowed: 0 <= dropout_features < 1"),
        ({"dropout": -0.1}, "dropout is -0.1; allowed: 0 <= dropout < 1"),
    ],
)


def small_network(*, tuned: int = 16, **options) -> Vampire:
    """Return the network in float64, with weights and biases large enough to matter, in evaluation mode."""
    torch.manual_seed(5)
    embedding = WordEmbedding(torch.randn(20, 4), tuned=tuned)
    network = with_random_weights(Vampire(embedding, 2, **({"topics": 3, "layers": 2} | options)).double(), std=0.7)
    for weight in network.encoder.buffers():
        weight.normal_(std=0.7)
    return network


def batches(count: int = 6, seed: int = 3):
    """Return padded batches of texts of two topics: words 2 to 8 and the words 9 to 15."""
    torch.manual_seed(seed)
    topic = torch.randint(0, 2, (count, 8, 1)) * 7
    words = 2 + topic + torch.randint(0, 7, (count, 8, 10))
    lengths = torch.randint(4, 11, (count, 8, 1))
    mask = torch.arange(10) < lengths
    return lambda: iter([(one, real) for one, real in zip(words, mask, strict=True)])


def slow_layers(network: Vampire, numbers: list[int]) -> tuple[list[Tensor], Tensor]:
    """Return the layers and mu of one text from a vector of counts."""
    encoder, counts = network.encoder, torch.zeros(network.words, dtype=torch.float64)
    for number in numbers:
        if FIRST <= number < FIRST + network.words:
            counts[number - FIRST] += 1
    h = encoder.table[FIRST:].T @ counts + encoder.bias
    h = h.clamp(min=0) if encoder.activation == "relu" else h
    layers = [h]
    for layer in encoder.deeper:
        h = layer.weight @ h + layer.bias
        h = h.clamp(min=0) if encoder.activation == "relu" else h
        layers.append(h)
    return layers, encoder.mean.weight @ h + encoder.mean.bias


def slow_logits(network: Vampire, numbers: list[int]) -> Tensor:
    layers, mean = slow_layers(network, numbers)
    powers = [math.exp(number) for number in network.mix.tolist()]
    z = mean.exp()
    r = sum(power / sum(powers) * layer for power, layer in zip(powers, [*layers, z / z.sum()], strict=True))
    vectors = [network.embedding(tensor([[number]]))[0, 0] for number in numbers]
    read = torch.cat((network.gamma * r, sum(vectors) / len(vectors)))
    return network.output.weight @ read + network.output.bias


@pytest.mark.parametrize(
    "options", [{}, {"activation": "none", "layers": 3}, {"vocabulary": 5, "layers": 1}, {"tuned": 0}]
)
def test_fast_form_matches_a_vector_of_counts(options):
    """Check padded texts with arbitrary words in the padding, unknown words and words outside the bag."""
    network = small_network(**options)
    numbers, lengths = torch.randint(1, 20, (4, 30)), (30, 1, 2, 17)
    logits = network(numbers, torch.arange(30) < tensor(lengths).unsqueeze(1))
    for text, length in enumerate(lengths):
        assert_close(logits[text], slow_logits(network, numbers[text, :length].tolist()))


def test_the_bag_has_the_most_frequent_words_that_occur_in_training():
    words = tensor([[0, 1, 2, 6, 7, 15, 16, 19]])
    mask = words > 0
    assert in_bag(words, mask, small_network(vocabulary=5).words).tolist() == [[0, 0, 2, 6, 0, 0, 0, 0]]
    assert in_bag(words, mask, small_network().words).tolist() == [[0, 0, 2, 6, 7, 15, 0, 0]]
    assert small_network(tuned=0).words == 18  # no row is tuned: all count


def model_of(words: int, topics: int, background: Tensor, dropout: float = 0.0) -> DocumentModel:
    """Return the network in float64, with every weight zero."""
    model = DocumentModel(BagEncoder(words, topics, topics, 1, "none"), background, dropout).double()
    with torch.no_grad():
        for weight in model.parameters():
            weight.zero_()
    return model


def test_the_divergence_by_hand():
    """mu = (1, 0) and sigma^2 = (4, 1): (1 + 4 - 1 - ln 4) / 2; a sigma of e^5 is clipped to 10."""
    model, bag = model_of(2, 2, torch.zeros(2)), tensor([[2, 3]])
    with torch.no_grad():
        model.encoder.mean.bias.copy_(tensor([1.0, 0.0]))
        model.log_variance.bias.copy_(tensor([math.log(4), 0.0]))
        bag = bag.repeat(2, 1)
        assert model(bag)[1].tolist() == pytest.approx([(4 - math.log(4)) / 2] * 2)
        model.log_variance.bias[0] = 10.0
        assert model(bag)[1][0].item() == pytest.approx((1 + 100 - 1 - math.log(100)) / 2)


def test_without_topics_words_have_their_shares_of_all_texts():
    """Words of shares 1/4 and 3/4: a text with the first once and the second twice has 1/4 times 9/16."""
    model = model_of(2, 2, tensor([0.25, 0.75]).log())
    likelihood = model.likelihood(torch.randn(2, 2).double(), tensor([[2, 3, 3, 0], [3, 0, 0, 0]]))
    assert likelihood.exp().tolist() == pytest.approx([9 / 64, 3 / 4])


def test_the_likelihood_is_that_of_a_loop():
    torch.manual_seed(4)
    model = model_of(4, 3, torch.randn(4))
    for weight in (model.topics.weight, model.shift):
        torch.nn.init.normal_(weight)
    z, bag = torch.randn(3, 3).double(), tensor([[2, 2, 5, 0], [3, 0, 0, 0], [4, 2, 3, 5]])
    theta = [row.exp() / row.exp().sum() for row in z]
    scores = torch.stack([model.topics.weight @ one for one in theta])
    for column in range(4):  # batch norm
        mean = scores[:, column].mean()
        variance = ((scores[:, column] - mean) ** 2).mean()
        scores[:, column] = (scores[:, column] - mean) / (variance + 0.001).sqrt()
    found = model.likelihood(z, bag)
    for text, score in enumerate(scores + model.shift + model.background):
        eta = score.exp() / score.exp().sum()
        assert_close(found[text], sum(eta[word - 2].log() for word in bag[text] if word))


def test_a_drawn_z_has_mean_and_spread_and_dropout_acts_on_it(monkeypatch):
    seen = []
    for dropout in (0.0, 0.5):
        model = model_of(2, 2000, torch.zeros(2), dropout)
        torch.nn.init.constant_(model.encoder.mean.bias, 3.0)
        torch.nn.init.constant_(model.log_variance.bias, math.log(0.25))
        monkeypatch.setattr(model, "likelihood", lambda z, bag: seen.append(z))
        torch.manual_seed(0)
        model(tensor([[2], [3]]))
    plain, dropped = seen
    assert plain.mean().item() == pytest.approx(3, abs=0.05)
    assert plain.std().item() == pytest.approx(0.5, abs=0.03)
    assert (dropped == 0).double().mean().item() == pytest.approx(0.5, abs=0.05)


def test_background_counts_the_words_of_all_texts():
    network = small_network()
    words, mask = tensor([[2, 2, 3, 9]]), tensor([[True, True, True, False]])
    shares = network.background(lambda: iter([(words, mask), (words[:, 2:3], mask[:, :1])])).exp()
    assert shares[:2].tolist() == pytest.approx([0.5, 0.5])
    assert shares[2:].tolist() == pytest.approx([1e-12] * 12)


@pytest.mark.parametrize(
    ("annealing", "weights"),
    [
        ("linear", [0.1, 0.5, 1.0, 1.0]),
        ("constant", [1.0, 1.0, 1.0, 1.0]),
        ("sigmoid", [1 / (1 + math.exp(0.25 * early)) for early in (14, 10, 5, 0)]),
    ],
)
def test_weights_of_the_divergence_by_hand(annealing, weights):
    network = small_network(annealing=annealing, annealing_epochs=10)
    for epoch, weight in zip((1, 5, 10, 15), weights, strict=True):
        assert network.weight(epoch) == pytest.approx(weight)


def trained(seed: int = 2, **options) -> Vampire:
    torch.manual_seed(seed)
    embedding = WordEmbedding(torch.randn(20, 4), tuned=16)
    network = Vampire(embedding, 2, **({"topics": 3, "pretrain_epochs": 30, "pretrain_rate": 0.01} | options))
    network.train().pretrain(batches())
    return network


def test_pretraining_raises_the_bound_and_tells_topics_apart(monkeypatch):
    bounds, forward = [], DocumentModel.forward

    def noted(model, bag):
        likelihood, divergence = forward(model, bag)
        bounds.append((likelihood - divergence).mean().item())
        return likelihood, divergence

    monkeypatch.setattr(DocumentModel, "forward", noted)
    network = trained(dropout_z=0.0, annealing="constant").eval()
    assert sum(bounds[-6:]) > sum(bounds[:6]) + 6 * 2
    one, same, other = network.features(tensor([[2, 4, 6, 8], [3, 4, 5, 7], [9, 11, 13, 15]]))
    assert (one - same).norm() < 0.7 * (one - other).norm()


def test_pretraining_is_repeatable_and_changes_the_frozen_layers_alone():
    network, again = trained(pretrain_epochs=3), trained(pretrain_epochs=3)
    before = trained(pretrain_epochs=0)
    assert all(map(torch.equal, network.state_dict().values(), again.state_dict().values()))
    changed = {name for name, weight in network.state_dict().items() if not weight.equal(before.state_dict()[name])}
    assert changed == {name for name, _ in network.encoder.named_buffers(prefix="encoder")}
    assert network.training
    assert all(weight.grad is None for weight in network.parameters())


def test_pretraining_weighs_the_divergence():
    """Within the first epoch a weight that is 1 after one epoch is constant, one that is 1 after four is not."""
    constant, at_once, later = (
        trained(pretrain_epochs=1, **options).encoder.mean.weight
        for options in ({"annealing": "constant"}, {"annealing_epochs": 1}, {"annealing_epochs": 4})
    )
    assert at_once.equal(constant)
    assert not later.equal(constant)


def test_frozen_layers_get_no_gradient_and_are_saved():
    network = trained(pretrain_epochs=1)
    network(tensor([[2, 3]]), tensor([[True, True]])).sum().backward()
    assert not any(weight.requires_grad for weight in network.encoder.buffers())
    assert not [*network.encoder.parameters()]
    assert {"encoder.table", "encoder.bias", "encoder.deeper.0.weight", "encoder.mean.bias"} <= {*network.state_dict()}


def test_texts_of_few_known_words_teach_nothing():
    network = small_network(pretrain_epochs=2)
    before = network.encoder.table.clone()
    words = tensor([[2, 3, 1, 18], [2, 3, 4, 5]])
    network.pretrain(lambda: iter([(words, words > 0)]))  # one text is left: batch norm has no variance
    assert network.encoder.table.equal(before)
    network.pretrain(lambda: iter([(words.repeat(2, 1), words.repeat(2, 1) > 0)]))
    assert not network.encoder.table.equal(before)
