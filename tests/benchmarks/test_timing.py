"""Check the timing functions, the watch on the training loop, and the peers."""

import time

import numpy as np
import pytest
import torch
import torch.nn.functional as F
from torch import nn

from benchmarks import loop, models, toolkit
from benchmarks.headlines import padded
from benchmarks.inputs import first, prepared, sample_split, split_of, vectors_of
from benchmarks.loop import train_beside, watched
from benchmarks.timing import in_turns, training_epoch
from retable.errors import InputError
from retable.experiments.scale import model_preset
from retable.text.vocabulary import Encoded
from retable.training.optimisers import SGD
from retable.vectors.store import NO_VECTORS


def test_ways_are_called_in_turns():
    calls = []
    times = in_turns({"a": lambda: calls.append("a"), "b": lambda: calls.append("b")}, 2)
    assert calls == ["a", "b"] * 3  # once to warm up
    assert [len(taken) for taken in times.values()] == [2, 2]


def test_the_watch_counts_forward_backward_and_step_and_nothing_else():
    class Slow(nn.Linear):
        def forward(self, x):
            time.sleep(0.02)
            return super().forward(x)

    network = Slow(3, 2)
    optimiser, step = SGD(network.parameters(), lr=0.1), SGD.step
    backward = torch.Tensor.backward
    with watched(network) as spent:
        loss = F.cross_entropy(network(torch.ones(4, 3)), torch.zeros(4, dtype=torch.int64))
        time.sleep(0.2)  # the loop's own time
        loss.backward()
        optimiser.step()
        before = sum(spent)
        network.eval()
        network(torch.ones(4, 3))  # dev is not training
    assert 0.02 <= before < 0.2
    assert len(spent) == 3
    assert sum(spent) == before
    assert torch.Tensor.backward is backward
    assert SGD.step is step
    assert "forward" not in vars(network)


def test_an_epoch_is_its_work_and_its_overhead(monkeypatch):
    made = prepared(model_preset("avg-embedding"), first(sample_split("sample-en", "train"), 60), NO_VECTORS)
    cross_entropy = F.cross_entropy

    def slowly(*arguments, **options):
        time.sleep(0.02)  # outside forward, backward and step
        return cross_entropy(*arguments, **options)

    monkeypatch.setattr(F, "cross_entropy", slowly)
    found = train_beside(made, model_preset("avg-embedding")["training"], repeats=2, peer=lambda: time.sleep(0.05))
    assert len(found.whole) == len(found.work) == len(found.peer) == 2
    assert all(0.05 <= seconds < 5 for seconds in found.peer)
    assert loop.OPERATIONS / found.products[0] > 1e6
    assert all(whole - work >= 2 * 0.02 for whole, work in zip(found.whole, found.work, strict=True))  # two steps
    assert all(0 < work < whole for whole, work in zip(found.whole, found.work, strict=True))


def encoded(*lengths):
    offsets = np.concatenate([[0], np.cumsum(lengths)])
    return Encoded(np.arange(2, 2 + offsets[-1], dtype=np.int32), offsets, np.arange(len(lengths)))


def test_headlines_are_padded_and_cut_as_the_toolkit_does_it():
    words, classes = padded(encoded(3, 40))
    assert words.shape == (2, toolkit.CHARACTERS)
    assert words[0].tolist() == [2, 3, 4] + [0] * 29
    assert words[1].tolist() == list(range(5, 37))
    assert classes.tolist() == [0, 1]


@pytest.mark.parametrize("model", toolkit.MODELS)
def test_the_peers_learn(model):
    torch.manual_seed(1)
    build = toolkit.MODELS[model]
    network = toolkit.FastText(30, 3, buckets=50) if model == "fasttext" else build(30, 3)
    words, classes = torch.randint(1, 30, (6, toolkit.CHARACTERS)), torch.arange(6) % 3
    optimiser = torch.optim.Adam(network.parameters(), lr=1e-3)
    epoch = training_epoch(lambda x, y: F.cross_entropy(network(x), y), optimiser, [(words, classes)])
    epoch()
    assert network(words).shape == (6, 3)
    assert all(weight.grad is not None for weight in network.parameters() if weight.requires_grad)
    losses = [float(F.cross_entropy(network.eval()(words), classes).detach())]
    network.train()
    for _ in range(8):
        epoch()
    losses.append(float(F.cross_entropy(network.eval()(words), classes).detach()))
    assert losses[1] < losses[0]


def test_data_that_are_not_there_are_named_with_their_stage(tmp_path, monkeypatch):
    monkeypatch.setattr("benchmarks.inputs.TAGGED", tmp_path)
    monkeypatch.setattr("benchmarks.inputs.VECTORS", tmp_path / "vectors")
    monkeypatch.setattr("benchmarks.inputs.ROOT", tmp_path)
    with pytest.raises(InputError, match="dvc repro tag@sst-2"):
        split_of("sst-2", "train", quick=False)
    with pytest.raises(InputError, match=r"dvc repro embed@pool-en\.word2vec-300"):
        vectors_of("pool-en.word2vec-300", quick=False)


@pytest.mark.parametrize("model", models.ASKED)
def test_the_plain_layers_read_the_shapes_of_their_models(model):
    preset = model_preset(model)
    preset["model"] |= {size: 1 for size in ("layers", "steps") if size in preset["model"]}
    made = prepared(preset, first(sample_split("sample-en", "train"), 4), NO_VECTORS)
    models.epoch_of_layer(models.ASKED[model][2], model, preset, made)()
