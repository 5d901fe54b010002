"""Two processes train as one; tests/training/ranks.py is what they do."""

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import torch

from retable.errors import InputError
from retable.text.vocabulary import Encoded
from retable.training.parallel import ALONE, Ranks, texts_of
from retable.training.state import StateFile
from tests.training import ranks as two

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    """What two processes left in a folder; the second was killed in the end."""
    folder = tmp_path_factory.mktemp("ranks")
    processes = [
        subprocess.Popen(
            [sys.executable, "-m", "tests.training.ranks", str(folder), str(rank)],
            cwd=ROOT,
            env=os.environ | {"OMP_NUM_THREADS": "1", "PYTHONPATH": f"{ROOT / 'src'}{os.pathsep}{ROOT}"},
        )
        for rank in (0, 1)
    ]
    assert [process.wait(timeout=600) for process in processes] == [0, -9]
    return folder


def load(folder, name):
    return torch.load(folder / name, weights_only=True)


@pytest.mark.parametrize("name", two.CASES)
def test_two_processes_train_as_one(results, name):
    alone, first, second = two.train(two.CASES[name]), load(results, f"{name}.0"), load(results, f"{name}.1")
    moved = [
        (now - before.detach()).abs().max()
        for now, before in zip(alone["weights"], two.network(*two.CASES[name][:2]).parameters(), strict=True)
    ]
    assert max(moved) > 0.01  # there was something to learn
    for expected, one, other in zip(alone["weights"], first["weights"], second["weights"], strict=True):
        assert torch.equal(one, other)
        torch.testing.assert_close(one, expected, rtol=1e-10, atol=1e-10)
    assert first["curve"] == second["curve"]
    for expected, line in zip(alone["curve"], first["curve"], strict=True):
        assert line == pytest.approx(expected, rel=1e-6)


def test_a_dev_split_of_one_text_is_answered_by_one_process(results):
    expected = two.train(two.CASES["fcsr"], dev=1)["curve"]
    for rank in "01":
        for line, of_one in zip(load(results, f"one-dev-text.{rank}")["curve"], expected, strict=True):
            assert line == pytest.approx(of_one, rel=1e-6)


def test_each_process_drops_other_units(results):
    dropped, alone = load(results, "dropped.0")["weights"], two.train(two.DROPPED)["weights"]
    assert not all(map(torch.equal, dropped, alone))
    assert all(map(torch.equal, dropped, load(results, "dropped.1")["weights"]))


def test_a_signal_to_one_process_stops_all_and_they_go_on_as_if_nothing_had_been(results):
    for rank in "01":
        said = (results / f"stopped.{rank}").read_text()
        assert said.startswith("143 stopped at epoch 2, step 3 of 5; its state is saved")
        unbroken, gone_on = load(results, f"dropped.{rank}"), load(results, f"gone-on.{rank}")
        assert all(map(torch.equal, unbroken["weights"], gone_on["weights"]))
        assert unbroken["curve"] == gone_on["curve"]
    assert (results / "told.0").read_text().startswith("goes on at epoch 2, step 3 of 5")
    assert (results / "told.1").read_text() == ""


def test_a_state_of_two_processes_goes_on_in_one(results):
    told = []
    curve = two.train(two.DROPPED, file=StateFile(results / "copy", "key", told.append))["curve"]
    assert told[0].startswith("goes on at epoch 2, step 3 of 5")
    unbroken = load(results, "dropped.0")["curve"]
    assert curve[0] == unbroken[0]
    assert curve[1]["train_loss"] == pytest.approx(unbroken[1]["train_loss"], rel=0.2)  # other units are dropped


def test_a_killed_process_ends_the_run_with_a_sentence_and_a_state(results):
    seconds, sentence = (results / "killed.0").read_text().splitlines()
    assert float(seconds) < 60  # it is seen at once, not after the time that silence is allowed
    assert sentence.startswith("another process of this training has ended or does not answer; what was saved is kept")
    header = json.loads((results / "killed.state").read_bytes().partition(b"\n")[0])
    assert header["where"] == "epoch 2, step 1 of 5"  # killed in the seventh step, before its end


def test_a_process_that_is_silent_for_too_long_is_lost(results):
    seconds, sentence = (results / "silent.0").read_text().splitlines()
    assert float(seconds) >= two.SILENCE_S - 1
    assert sentence.startswith("another process of this training has ended or does not answer; what was saved is kept")
    assert (results / "silent.1").exists()  # when it speaks again, nobody answers


def test_a_part_of_the_texts():
    words = np.arange(6, dtype=np.int32)
    encoded = Encoded(words, np.array([0, 1, 3, 6]), np.arange(3), words * 2, np.array([5, 6, 7]), words % 2)
    part = texts_of(encoded, np.array([2, 0]))
    assert part.words.tolist() == [3, 4, 5, 0]
    assert part.parts.tolist() == [6, 8, 10, 0]
    assert part.offsets.tolist() == [0, 3, 4]
    assert part.classes.tolist() == [2, 0]
    assert part.domains.tolist() == [7, 5]
    assert part.sentences.tolist() == [1, 0, 1, 0]


def test_a_process_alone_has_everything():
    assert ALONE.share(np.arange(3)).tolist() == [0, 1, 2]
    assert (ALONE.gather("x"), ALONE.from_first("x"), ALONE.agreed(3)) == (["x"], "x", 3)
    assert [Ranks(rank, 3).share(np.arange(2)).tolist() for rank in range(3)] == [[0], [1], []]


def test_more_processes_than_gpus_are_refused(monkeypatch):
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 1)
    Ranks(0, 2, 0).check_device(torch.device("cuda"))
    Ranks(1, 2, 1).check_device(torch.device("cpu"))
    with pytest.raises(InputError, match=r"more processes here than torch sees GPUs \(1\)"):
        Ranks(1, 2, 1).check_device(torch.device("cuda"))
