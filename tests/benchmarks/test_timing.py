"""Times, the watch on the training loop, and what the peers are."""

import time

import numpy as np
import pytest
import torch
import torch.nn.functional as F
from torch import nn

from benchmarks import loop, starting, toolkit
from benchmarks.fasttext_row import PEERS, program_of_peers, run_program
from benchmarks.headlines import padded
from benchmarks.inputs import first, padded_batches, prepared, sample_split, split_of, vectors_of
from benchmarks.loop import Watch, first_texts, train_beside
from benchmarks.timing import child_seconds, in_turns, scaled_s
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


def test_figures_from_elsewhere_are_scaled_by_the_rate_of_products():
    assert scaled_s(10.0, 195e9) == 10.0
    assert scaled_s(10.0, 390e9) == 5.0


def test_a_child_is_timed():
    wall, cpu = child_seconds(["sleep", "0.2"], 1)
    assert 0.2 <= wall < 5
    assert cpu < wall


def test_the_watch_counts_forward_backward_and_step_and_nothing_else():
    class Slow(nn.Linear):
        def forward(self, x):
            time.sleep(0.02)
            return super().forward(x)

    network = Slow(3, 2)
    optimiser, step = SGD(network.parameters(), lr=0.1), SGD.step
    watch, backward = Watch(network), torch.Tensor.backward
    with watch.watching():
        loss = F.cross_entropy(network(torch.ones(4, 3)), torch.zeros(4, dtype=torch.int64))
        time.sleep(0.2)  # the loop's own time
        loss.backward()
        optimiser.step()
        before = watch.total
        network.eval()
        network(torch.ones(4, 3))  # dev is not training
    assert 0.02 <= before < 0.2
    assert watch.total == before
    assert torch.Tensor.backward is backward
    assert SGD.step is step
    assert "forward" not in vars(network)


def test_an_epoch_is_its_work_and_its_overhead(monkeypatch):
    made = prepared(model_preset("avg-embedding"), first(sample_split("sample-en", "train"), 60), NO_VECTORS)
    slowly = loop.Watch.stop

    def stop(watch, *arguments):
        slowly(watch, *arguments)
        time.sleep(0.01)  # after the watch has stopped: the loop's own time, three times a step

    monkeypatch.setattr(loop.Watch, "stop", stop)
    called = []
    found = train_beside(
        made.network, made.texts, model_preset("avg-embedding")["training"], repeats=2,
        beside=lambda: called.append(time.sleep(0.05)),
    )  # fmt: skip
    assert len(found.beside) == 2
    assert all(0.05 <= seconds < 5 for seconds in found.beside)
    assert found.rate > 1e6
    assert len(called) == 3
    assert all(whole - work >= 2 * 3 * 0.01 for whole, work in zip(found.whole, found.work, strict=True))  # 2 steps
    assert 0.0 < found.overhead < 1.0


def encoded(*lengths):
    offsets = np.concatenate([[0], np.cumsum(lengths)])
    return Encoded(np.arange(2, 2 + offsets[-1], dtype=np.int32), offsets, np.arange(len(lengths)))


def test_padding_by_hand():
    assert padded_batches(np.array([2, 4, 3]), [np.array([0, 1]), np.array([2])]) == (9, 8 + 3)


def test_the_first_texts():
    texts = first_texts(encoded(2, 4, 3), 2)
    assert texts.lengths.tolist() == [2, 4]
    assert len(texts.words) == 6


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
    step = toolkit.toolkit_step(network)
    step(words, classes)
    assert network(words).shape == (6, 3)
    assert all(weight.grad is not None for weight in network.parameters() if weight.requires_grad)
    losses = [float(F.cross_entropy(network.eval()(words), classes).detach())]
    network.train()
    for _ in range(8):
        step(words, classes)
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


def test_nothing_is_timed_where_a_stage_would_train():
    unchanged = "Stage 'clean@mr' didn't change, skipping\nStage 'tag@mr' didn't change, skipping\n"
    always = "Running stage 'record':\n> python -m retable.tracking.checkout\n"
    assert starting.unchanged_stages(unchanged + always) == 2
    with pytest.raises(InputError, match="the stage train and 1 more would be run"):
        starting.unchanged_stages(f"{unchanged}Running stage 'train':\n> x\nRunning stage 'evaluate':\n> x\n{always}")


def test_a_program_that_is_no_fasttext_is_told(tmp_path, monkeypatch):
    monkeypatch.delenv(PEERS, raising=False)
    assert program_of_peers("fasttext") is None
    monkeypatch.setenv(PEERS, str(tmp_path))
    with pytest.raises(InputError, match="holds no program fasttext"):
        program_of_peers("fasttext")
    program = tmp_path / "fasttext"
    program.write_text("#!/bin/sh\necho N 5\n")
    program.chmod(0o755)
    assert program_of_peers("fasttext") == program
    with pytest.raises(InputError, match="did not train and test"):
        run_program(program, tmp_path / "train.txt", tmp_path / "test.txt", 1)
