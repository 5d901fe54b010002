from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest
import torch
import torch.nn.functional as F
from torch import nn

from retable.errors import InputError
from retable.layers.domains import PerDomain
from retable.layers.embedding import WordEmbedding
from retable.layers.network import Network
from retable.text.splits import Split
from retable.text.vocabulary import build_vocabulary, count_words, encode
from retable.training.batches import BatchMaker
from retable.training.loop import train_epoch
from retable.training.network import task_of
from retable.training.optimisers import build_optimisers
from retable.training.precision import PRODUCTS
from retable.training.seeds import seed_everything
from tests.training.dtypes import Dtypes
from tests.training.fitting import fit

CPU = torch.device("cpu")


class Mean(Network):
    """The smallest network with the common interface."""

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


@pytest.mark.parametrize("precision", ["float32", "bfloat16"])
def test_a_network_learns_and_keeps_the_best_epoch(opinions, precision):
    network, train, dev = prepared(opinions)
    options = {"seed": 1, "device": CPU, "batch_size": 10, "precision": precision}
    history = fit(network, train, dev, learning_rate=0.05, epochs=15, patience=4, **options)
    best = max(epoch.dev_accuracy for epoch in history.epochs)
    assert best >= 0.9
    assert history.epochs[history.chosen - 1].dev_accuracy == best
    again = fit(network, train, dev, learning_rate=1e-12, epochs=1, **options)
    assert again.epochs[0].dev_accuracy == best  # the weights are those of the chosen epoch


def test_training_and_evaluation_in_bfloat16_multiply_in_float32_without_instructions_for_it(opinions, monkeypatch):
    monkeypatch.setattr(torch.ops.mkldnn, "_is_mkldnn_bf16_supported", lambda: False)
    network, train, dev = prepared(opinions)
    with Dtypes(PRODUCTS) as seen:
        fit(network, train, dev, seed=1, device=CPU, epochs=1, batch_size=10, learning_rate=0.05, precision="bfloat16")
    assert set.union(*seen.of.values()) == {torch.float32}


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


def test_an_answer_on_dev_that_is_no_number_stops_the_training(opinions):  # it counted as one for some label
    network, train, dev = prepared(opinions)
    network.output.register_forward_hook(lambda layer, _, z: z if layer.training else z / (z - z) - z / (z - z))
    with pytest.raises(InputError, match=f"logits of {len(dev)} of {len(dev)} dev texts are nan"):
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


@pytest.mark.parametrize(
    ("option", "value"),
    [
        ("learning_rate", 0.0), ("epochs", 0), ("epochs", 41), ("batch_size", 0), ("patience", 0), ("clip", -1.0),
        ("momentum", 1.0), ("momentum", 0.9),
    ],
)  # fmt: skip
def test_an_impossible_option_is_refused_by_name(opinions, option, value):
    network, train, dev = prepared(opinions)
    with pytest.raises(ValueError, match=f"^{option} is"):
        fit(network, train, dev, seed=1, device=CPU, **{"epochs": 1, option: value})


def test_curve_counts_every_training_text(opinions):
    network, train, dev = prepared(opinions)
    words = []
    fit(
        network, train, dev, seed=1, device=CPU, epochs=2, batch_size=7,
        on_batch=lambda epoch, count: words.append(count),
    )  # fmt: skip
    assert sum(words) == 2 * len(train.words)
    assert np.all(np.array(words) > 0)


def test_a_pretraining_tells_its_pass_and_how_much_of_it_is_done(opinions, monkeypatch):
    """It can take longer than all epochs, and was silent."""
    network, train, dev = prepared(opinions)
    monkeypatch.setattr(Mean, "pretrain", lambda network, texts: [[*texts()] for _ in range(2)])
    told = []
    options = {"epochs": 1, "batch_size": 7, "on_pretraining": lambda number, share: told.append((number, share))}
    fit(network, train, dev, seed=1, device=CPU, **options)
    steps = -(-len(train) // 7)
    assert told == [(number, done / steps) for number in (1, 2) for done in range(1, steps + 1)]


def test_the_curve_tells_the_rate_of_the_epochs_last_step(opinions):
    network, train, dev = prepared(opinions)
    options = {"seed": 1, "device": CPU, "learning_rate": 0.1, "epochs": 3, "batch_size": len(train) // 4}
    history = fit(network, train, dev, schedule="warmup", **options)
    rates = [epoch.learning_rate for epoch in history.epochs]
    steps = -(-len(train) // options["batch_size"])
    assert rates == pytest.approx([0.1 * (steps - 0.5) / steps, 0.1, 0.1])  # a step counts at its midpoint


def test_halving_counts_the_batches_of_the_training(opinions, monkeypatch):
    """Four batches an epoch: half after fifteen, at the last of the fourth epoch, and every fifteen after that."""
    monkeypatch.setattr("retable.training.schedules.HALVED_AFTER", 15)
    network, train, dev = prepared(opinions)
    options = {"seed": 1, "device": CPU, "learning_rate": 0.1, "epochs": 8, "patience": 8, "epochs_max": 8}
    history = fit(network, train, dev, schedule="halving", batch_size=-(-len(train) // 4), **options)
    assert [epoch.learning_rate for epoch in history.epochs] == [0.1] * 3 + [0.05] * 4 + [0.025]


class Penalised(Mean):
    """A network with its own loss, which pulls the weights towards zero; it keeps the classes passed to it."""

    def auxiliary_loss(self, classes):
        self.asked = classes
        return 100.0 * self.output.weight.square().sum()


def test_a_network_adds_a_loss_of_its_own(opinions):
    norms = []
    for kind in (Mean, Penalised):
        network, train, dev = prepared(opinions)
        network.__class__ = kind
        fit(network, train, dev, seed=1, device=CPU, learning_rate=0.05, epochs=1, batch_size=5)
        norms.append(float(network.output.weight.detach().square().sum()))
    assert norms[1] < 0.3 * norms[0]
    assert network.asked.shape == (5,)  # the classes of the last batch


def test_momentum_of_sgd_by_hand(opinions):
    """Two steps with all texts: the second moves by its own gradient and by nine tenths of the first step."""
    network, train, _ = prepared(opinions)
    start, gradient = network.output.bias.detach().clone(), gradient_of_bias(network, train)
    maker, everything = BatchMaker(train, CPU), [np.arange(len(train))]
    optimisers = build_optimisers(network, "sgd", 0.1, 0.0, momentum=0.9)
    train_epoch(network, maker, everything, optimisers, lambda time: 0.1, epoch=1)
    first = network.output.bias.detach() - start
    assert torch.allclose(first, -0.1 * gradient, atol=1e-7)
    gradient = gradient_of_bias(network, train)
    train_epoch(network, maker, everything, optimisers, lambda time: 0.1, epoch=2)
    assert torch.allclose(network.output.bias.detach() - start, 1.9 * first - 0.1 * gradient, atol=1e-7)


def gradient_of_bias(network, encoded):
    """Return the gradient of the loss over all texts with respect to the output's bias."""
    batch = BatchMaker(encoded, CPU)(np.arange(len(encoded)))
    loss = F.cross_entropy(network(*batch.inputs), batch.classes)
    return torch.autograd.grad(loss, network.output.bias)[0]


def test_one_classifier_for_each_domain(opinions):
    """Two domains with opposite labels for the same words: one classifier cannot learn both, two can."""
    train, dev = opinions
    accuracies = {}
    for heads in ("shared", "per-domain"):
        splits = [opposed(split) for split in (train, dev)]
        vocabulary = build_vocabulary(count_words(splits[0].tokens, lowercase=True), [], min_count=1, lowercase=True)
        encoded = [encode(split, vocabulary) for split in splits]
        seed_everything(5)
        task = task_of(splits[0].facts, heads, ())
        embedding = WordEmbedding(torch.randn(len(vocabulary.words), 8), tuned=vocabulary.tuned)
        network = (
            Mean(embedding, 2) if heads == "shared" else PerDomain(Mean(embedding, task.for_each_domain.classes), 2)
        )
        history = fit(network, *encoded, seed=1, device=CPU, learning_rate=0.05, epochs=25, patience=25, batch_size=10)
        accuracies[heads] = max(epoch.dev_accuracy for epoch in history.epochs)
    assert accuracies["per-domain"] >= 0.85 > 0.7 > accuracies["shared"]


def test_what_pretrains_for_several_domains_is_not_told_them(monkeypatch):
    """A network that reads sentences gets words, mask and sentences, but not the domains after them."""
    seen = []
    monkeypatch.setattr(Mean, "pretrain", lambda network, texts: seen.extend(texts()))
    given = tuple(torch.arange(2).unsqueeze(0) + place for place in range(4))  # words, mask, sentences, domains
    PerDomain(Mean(WordEmbedding(torch.zeros(4, 2), tuned=4), 4), 2).pretrain(lambda: iter([given]))
    assert len(seen) == 1
    assert len(seen[0]) == 3
    assert all(ours is theirs for ours, theirs in zip(seen[0], given[:3], strict=True))


def opposed(split):
    """Return the texts twice: unchanged in one domain, with flipped labels in the other."""
    facts = replace(split.facts, domains=("one", "two"))
    ids = [f"{domain}/{text}" for domain in facts.domains for text in split.ids]
    tokens = pa.chunked_array([split.tokens, split.tokens]).combine_chunks()
    return Split(facts, ids, tokens, None, np.concatenate([split.classes, 1 - split.classes]), np.tile(split.clean, 2))


def test_per_domain_heads_need_domains(opinions):
    with pytest.raises(InputError, match=r"training\.heads is per-domain, but made-up has no domains"):
        task_of(opinions[0].facts, "per-domain", ())


class OfDomains(Mean):
    """A network that records the domains of its training batches."""

    reads = ("domains",)
    domain_a_batch = True

    def __init__(self, embedding, classes):
        super().__init__(embedding, classes)
        self.seen = []

    def forward(self, words, mask, domains):
        if self.training:
            self.seen.append(domains.tolist())
        return super().forward(words, mask)


@pytest.mark.parametrize("one", [True, False])
def test_a_training_has_batches_of_one_domain_where_the_network_asks_for_them(opinions, one):
    plain, train, dev = prepared(opinions)
    train, dev = (replace(each, domains=np.arange(len(each)) % 3) for each in (train, dev))
    network = OfDomains(plain.embedding, 2)
    network.domain_a_batch = one
    fit(network, train, dev, seed=1, device=CPU, epochs=2, batch_size=4)
    assert sum(map(len, network.seen)) == 2 * len(train)
    assert all(len(set(batch)) == 1 for batch in network.seen) == one
