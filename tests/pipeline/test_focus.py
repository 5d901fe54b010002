"""The stage `train` shares its state with runs of the same key, so it shares their lock as well."""

import subprocess
import sys
from contextlib import nullcontext
from unittest.mock import MagicMock

import pytest

from retable.experiments import resuming
from retable.files import read_json, write_json
from retable.stages import train
from retable.training.run import Trained

OTHER = """\
import fcntl, pathlib, shutil, sys, time
folder = pathlib.Path(sys.argv[1])
with (folder / "lock").open("wb") as lock:
    fcntl.flock(lock, fcntl.LOCK_EX)
    print("locked", flush=True)
    time.sleep(1)
    shutil.rmtree(folder)
"""
FACTS = {"key": "k", "parameters": {"embedding": {}}, "seed": 1}


@pytest.fixture
def focus(tmp_path, monkeypatch):
    """Return a made-up focus run: its folder, and the steps that `train.main` takes."""
    steps = []
    parameters = {
        "corpus": {"name": "mr"}, "embedding": {"vectors": "none"}, "model": {"name": "textcnn"}, "seed": 1,
    }  # fmt: skip

    def train_on(what, parameters, inputs, kept, on_line):
        (kept.folder / "state").touch()
        steps.append("train")
        return Trained(MagicMock(), [], {"run": 1}, {}, {"seconds": 1.0})

    monkeypatch.setattr(resuming, "STATES", tmp_path / "states")
    monkeypatch.setattr("retable.tracking.checkout.live_run", lambda facts: nullcontext(MagicMock()))
    for name, value in {
        "FOCUS": tmp_path / "focus", "load_yaml": lambda path: {"scale": "smoke"}, "check_sections": MagicMock(),
        "check_focus": MagicMock(), "focus_parameters": lambda params: parameters, "read_inputs": MagicMock(),
        "identity": lambda *_: FACTS | {"parameters": parameters}, "train_on": train_on, "write_cost": MagicMock(),
        "write_curve": MagicMock(), "training_facts": lambda *_: {},
    }.items():  # fmt: skip
        monkeypatch.setattr(train, name, value)
    return tmp_path, steps


def test_it_waits_for_a_process_that_trains_the_same_run(focus, capfd):
    """Two processes wrote one state."""
    folder, steps = focus
    place = folder / "states/k"
    place.mkdir(parents=True)
    with subprocess.Popen([sys.executable, "-c", OTHER, place], stdout=subprocess.PIPE) as other:
        assert other.stdout.readline() == b"locked\n"
        train.main()
    assert steps == ["train"]
    assert "waiting for it" in capfd.readouterr().err
    assert read_json(folder / "focus/model/training.json")["key"] == "k"
    assert not list((folder / "states").iterdir())


def test_what_it_waited_for_is_not_trained_again(focus, monkeypatch):
    _, steps = focus
    train.main()
    monkeypatch.setattr(resuming.Kept, "lock_others_out", lambda kept: kept.folder.mkdir(parents=True) or True)
    train.main()
    assert steps == ["train"]


def test_its_state_is_there_until_the_model_is_written(focus, monkeypatch):
    folder, _ = focus
    monkeypatch.setattr(train, "write_json", MagicMock(side_effect=RuntimeError))
    with pytest.raises(RuntimeError):
        train.main()
    assert (folder / "states/k/state").exists()
    monkeypatch.setattr(train, "write_json", write_json)
    train.main()
    assert not list((folder / "states").iterdir())
