import numpy as np
import pytest
import torch
from torch import nn

from retable.errors import InputError
from retable.layers.embedding import WordEmbedding
from retable.text.vocabulary import build_vocabulary, count_words, encode
from retable.training.fit import fit
from retable.training.optimisers import build_optimisers
from retable.training.seeds import seed_everything

CPU = torch.device("cpu")


class Mean(nn.Module):
    """The smallest network with the interface of all."""

    def __init__(self, embedding, classes):
        super().__init__()
        self.embedding = embedding
        self.output = nn.Linear(embedding.dim, classes)

    def forward(self, words, mask):
        x = self.embedding(words) * mask.unsqueeze(2)
        return self.output(x.sum(1) / mask.sum(1, keepdim=True))


def prepared(opinions, *, tuned=True, sparse=False):
    train, dev = opinions
    vocabulary = build_vocabulary(count_words(train.tokens, lowercase=True), [], min_count=1, lowercase=True)
    seed_everything(5)
    rows = torch.randn(len(vocabulary.words), 8)
    network = Mean(WordEmbedding(rows, tuned=vocabulary.tuned if tuned else 0, sparse=sparse), 2)
    return network, encode(train, vocabulary), encode(dev, vocabulary)


def test_a_network_learns_and_keeps_the_best_epoch(opinions):
    network, train, dev = prepared(opinions)
    history = fit(network, train, dev, seed=1, device=CPU, learning_rate=0.05, epochs=15, batch_size=10, patience=4)
    best = max(epoch.dev_accuracy for epoch in history.epochs)
    assert best >= 0.9
    assert history.epochs[history.chosen - 1].dev_accuracy == best
    again = fit(network, train, dev, seed=1, device=CPU, learning_rate=1e-12, epochs=1, batch_size=10)
    assert again.epochs[0].dev_accuracy == best  # the weights are those of the chosen epoch


def test_training_stops_after_patience_and_says_whether_the_curve_turned(opinions):
    network, train, dev = prepared(opinions)
    history = fit(network, train, dev, seed=1, device=CPU, learning_rate=0.05, epochs=40, batch_size=10, patience=2)
    accuracies = [epoch.dev_accuracy for epoch in history.epochs]
    assert len(accuracies) == accuracies.index(max(accuracies)) + 1 + 2
    assert history.turned


def test_a_run_that_ends_at_its_best_has_not_turned(opinions):
    network, train, dev = prepared(opinions)
    history = fit(network, train, dev, seed=1, device=CPU, learning_rate=0.05, epochs=1, batch_size=10)
    assert not history.turned


def test_equal_seeds_give_equal_curves_and_other_seeds_do_not(opinions):
    curves = []
    for seed in (1, 1, 2):
        network, train, dev = prepared(opinions)
        history = fit(network, train, dev, seed=seed, device=CPU, learning_rate=0.05, epochs=3, batch_size=10)
        curves.append([(epoch.train_loss, epoch.dev_loss) for epoch in history.epochs])
    assert curves[0] == curves[1] != curves[2]


def test_dev_texts_change_nothing_but_the_choice(opinions):
    weights = []
    for flip in (False, True):
        network, train, dev = prepared(opinions)
        if flip:
            dev.classes[:] = 1 - dev.classes
        fit(network, train, dev, seed=1, device=CPU, learning_rate=0.05, epochs=1, batch_size=10)
        weights.append(network.output.weight.detach().clone())
    assert torch.equal(*weights)


def test_a_loss_that_is_no_number_stops_with_advice(opinions):
    network, train, dev = prepared(opinions)
    network.output.weight.data.fill_(float("nan"))
    with pytest.raises(InputError, match=r"lower training\.learning_rate"):
        fit(network, train, dev, seed=1, device=CPU, epochs=1)


def test_sparse_rows_train_like_dense_ones_with_sgd(opinions):
    results = []
    for sparse in (False, True):
        network, train, dev = prepared(opinions, sparse=sparse)
        fit(network, train, dev, seed=1, device=CPU, optimiser="sgd", learning_rate=0.1, epochs=2, batch_size=10)
        results.append(network.embedding.tuned.detach().clone())
    assert torch.allclose(*results, atol=1e-6)


@pytest.mark.parametrize("optimiser", ["adam", "sgd", "adagrad"])
def test_every_weight_has_one_optimiser(opinions, optimiser):
    network, *_ = prepared(opinions, sparse=True)
    held = [
        weight
        for one in build_optimisers(network, optimiser, 0.1, 0.0)
        for group in one.param_groups
        for weight in group["params"]
    ]
    assert sorted(map(id, held)) == sorted(map(id, network.parameters()))


def test_vectors_that_are_not_tuned_stay(opinions):
    network, train, dev = prepared(opinions, tuned=False)
    before = network.embedding.fixed.clone()
    fit(network, train, dev, seed=1, device=CPU, learning_rate=0.05, epochs=2, batch_size=10)
    assert torch.equal(before, network.embedding.fixed)


def test_bfloat16_learns_too(opinions):
    network, train, dev = prepared(opinions)
    history = fit(
        network, train, dev, seed=1, device=CPU, precision="bfloat16", learning_rate=0.05, epochs=15, batch_size=10
    )
    assert max(epoch.dev_accuracy for epoch in history.epochs) >= 0.9


@pytest.mark.parametrize(
    ("option", "value"),
    [("learning_rate", 0.0), ("epochs", 0), ("epochs", 41), ("batch_size", 0), ("patience", 0), ("clip", -1.0)],
)
def test_an_impossible_option_is_refused_by_name(opinions, option, value):
    network, train, dev = prepared(opinions)
    with pytest.raises(ValueError, match=f"^{option} is"):
        fit(network, train, dev, seed=1, device=CPU, **{"epochs": 1, option: value})


def test_curve_counts_every_training_text(opinions):
    network, train, dev = prepared(opinions)
    words = []
    fit(
        network,
        train,
        dev,
        seed=1,
        device=CPU,
        epochs=2,
        batch_size=7,
        on_batch=lambda epoch, count: words.append(count),
    )
    assert sum(words) == 2 * len(train.words)
    assert np.all(np.array(words) > 0)
