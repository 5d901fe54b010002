import os
import signal
import subprocess
import sys
import time
from functools import cache

import pytest

from retable.commands import fit, make, predict
from retable.commands.make import Reader, duration_text
from retable.experiments import estimate
from retable.experiments.scale import scale_preset
from retable.files import read_json, write_json
from retable.project import progress
from retable.project.alone import alone
from retable.project.command import command, continuing
from retable.project.parser import Parser

READ_ONCE = cache(estimate.read_measured)  # the whole bank


@pytest.fixture(autouse=True)
def bank_read_once(monkeypatch):
    monkeypatch.setattr(estimate, "read_measured", READ_ONCE)


def test_the_reader_follows_dvc(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(make, "PLAN", tmp_path / "plan.json")
    monkeypatch.setattr(make, "TIMES", tmp_path / "stages.json")
    reader = Reader({"clean@mr": 5.0, "tag@mr": 7.0, "train": 60.0}, "cpu")
    output = """Stage 'clean@mr' didn't change, skipping
Running stage 'tag@mr':
> retable stage tag mr
Updating lock file 'dvc.lock'

Running stage 'train':
> retable stage train
ERROR: failed to reproduce 'train'
"""
    reader.read(iter(output.splitlines(keepends=True)))
    assert reader.skipped == 1
    assert list(reader.took) == list(read_json(tmp_path / "stages.json")["cpu"]) == ["tag@mr"]  # train has failed
    shown = capsys.readouterr()
    assert shown.out == "ERROR: failed to reproduce 'train'\n"
    assert "stage 2 of 3 tag@mr" in shown.err
    assert "all stages about 67 s" in shown.err


def test_what_never_ran_here_is_told(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(make, "PLAN", tmp_path / "plan.json")
    Reader({"clean@mr": 0.0, "tag@mr": 0.0, "train": 60.0}, "cpu").begin("clean@mr")
    assert "clean@mr  all stages about 60 s, not counting 1 that have never run here\n" in capsys.readouterr().err
    assert read_json(tmp_path / "plan.json") == {"position": "stage 1 of 3", "this_s": 0.0, "after_s": 60.0}


@pytest.mark.parametrize("text", ["", "[]", "{}", "[" * 9_999, "\xff", '{"cpu": {"a": NaN}}', '{"cpu": {"a": true}}'])
def test_damaged_times_and_plans_are_as_good_as_none(tmp_path, monkeypatch, text):
    monkeypatch.setattr(make, "TIMES", tmp_path / "stages.json")
    monkeypatch.setattr(progress, "SCRATCH", tmp_path)
    for name in ("stages.json", "plan.json"):
        (tmp_path / name).write_text(text, encoding="latin-1")
    assert make.known_times() == {}
    assert progress.read_plan() is None


@pytest.mark.parametrize("name", ["smoke", "cpu"])
def test_every_table_of_a_scale_has_an_estimate_before_it_first_ran(tmp_path, monkeypatch, name):
    monkeypatch.setattr(make, "TIMES", tmp_path / "stages.json")
    preset = scale_preset(name)
    stages = make.estimates(preset, 1)
    assert all(stages[f"table@{table}"] > 0 for table in preset["cells"])
    assert {"code", "tagger", "clean@mr" if name == "cpu" else "clean@sample-en", "train", "record"} <= stages.keys()
    write_json(tmp_path / "stages.json", {name: {"tagger": 7.0, "gone": 1.0}})
    assert make.estimates(preset, 1) == stages | {"tagger": 7.0}


def test_times_as_people_say_them():
    assert [duration_text(seconds) for seconds in (0.4, 99, 100, 1500)] == ["0 s", "99 s", "2 min", "25 min"]


def test_cells_that_are_trained_at_once_share_the_time_of_their_table(monkeypatch, tmp_path):
    monkeypatch.setattr(make, "TIMES", tmp_path / "stages.json")
    preset = scale_preset("smoke")
    alone, two = (make.estimates(preset, jobs) for jobs in (1, 2))
    assert two["table@fcsr-table-3"] == alone["table@fcsr-table-3"] / 2


def test_more_jobs_than_processors_are_refused(capsys):
    with pytest.raises(SystemExit) as stopped:
        make.main(["--jobs", "1000"])
    assert stopped.value.code == 1
    assert "JOBS is 1000; allowed: 1 to" in capsys.readouterr().err


@pytest.mark.parametrize("damage", [b"", b"{", b"[]", b'{"cpu": 3}', b'{"cpu": {"train": "long"}}', b"\xff"])
def test_damaged_times_are_no_estimate_and_stop_nothing(tmp_path, monkeypatch, damage):
    monkeypatch.setattr(make, "TIMES", tmp_path / "stages.json")
    (tmp_path / "stages.json").write_bytes(damage)
    preset = scale_preset("smoke")
    assert make.estimates(preset, 1)["train"] == 0.0
    reader = Reader({}, "smoke")
    reader.took["train"] = 7.04
    reader.keep_time("train")
    assert make.estimates(preset, 1)["train"] == 7.0


# Like DVC: it waits for its stage and ignores Ctrl-C meanwhile; the stage has a training as a child process.
DVC = """
import os, signal, subprocess, sys
signal.signal(signal.SIGINT, signal.SIG_IGN)
sys.exit(subprocess.call([sys.executable, "-c", os.environ["STAGE"]]))
"""
STAGE = """
import os, subprocess, sys
sys.exit(subprocess.call([sys.executable, "-c", os.environ["TRAINING"]]))
"""
SAVES = """
import pathlib, signal, sys, time
def save(*_):
    pathlib.Path("saved").touch()
    sys.exit(143)
signal.signal(signal.SIGTERM, save)
pathlib.Path("begun").touch()
time.sleep(600)
"""
IGNORES = (
    "import pathlib, signal, time; signal.signal(15, signal.SIG_IGN); pathlib.Path('begun').touch(); time.sleep(600)"
)


def like_dvc(folder, training):
    """Start DVC, a stage and its training, and return DVC and all three."""
    environment = os.environ | {"STAGE": STAGE, "TRAINING": training}
    process = subprocess.Popen([sys.executable, "-c", DVC], cwd=folder, env=environment)
    while not (folder / "begun").exists():
        time.sleep(0.02)
    parent = make.psutil.Process(process.pid)
    return process, [parent, *parent.children(recursive=True)]


def test_a_stopped_make_ends_dvc_its_stage_and_the_training_which_saves(tmp_path):
    process, three = like_dvc(tmp_path, SAVES)
    assert len(three) == 3
    make.end(process)
    assert (tmp_path / "saved").exists()
    assert process.wait(1)
    assert not any(map(make.is_alive, three))


def test_what_does_not_stop_is_killed(tmp_path, monkeypatch):
    monkeypatch.setattr(make, "GRACE_S", 0.5)
    process, three = like_dvc(tmp_path, IGNORES)
    make.end(process)
    process.wait(5)
    assert not any(map(make.is_alive, three))


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize(
    ("way", "sentence"), [(continuing, "finished work is kept, and"), (command, "nothing is left half-written, and")]
)
def test_a_signal_ends_a_command_tidily_with_a_sentence(way, sentence, capsys, number):
    tidied = []

    @way
    def waits():
        try:
            os.kill(os.getpid(), number)
            os.kill(os.getpid(), number)  # a signal sent by both make and the terminal counts as one request
            time.sleep(5)
        finally:
            tidied.append(True)

    handler = signal.getsignal(number)
    with pytest.raises(SystemExit) as ended:
        waits()
    assert ended.value.code == 128 + number
    assert tidied
    assert capsys.readouterr().err.startswith(f"error: stopped; {sentence} the same command ")
    assert signal.getsignal(number) is handler


@pytest.mark.parametrize(
    ("main", "arguments", "sentence"),
    [
        (fit.main, ["votes.csv"], "stopped; the model folder is written only at the end, and"),
        (
            predict.main,
            ["votes-model", "-"],
            "stopped; the answers so far are written, and the same command starts again",
        ),
    ],
)
def test_a_command_that_does_not_continue_says_so_after_ctrl_c(main, arguments, sentence, monkeypatch, capsys):
    monkeypatch.setattr(Parser, "parse_args", lambda *_: signal.raise_signal(signal.SIGINT))
    with pytest.raises(SystemExit):
        main(arguments)
    assert sentence in capsys.readouterr().err


def test_ctrl_c_while_dvc_or_a_stage_is_imported_shows_no_traceback(tmp_path, monkeypatch):
    monkeypatch.setattr(make, "ROOT", tmp_path)
    stage = "import signal; signal.raise_signal(signal.SIGINT)"
    (tmp_path / "dvc.py").write_text(
        f"{stage}; import subprocess, sys; subprocess.run([sys.executable, '-c', '{stage}'], check=True)"
    )
    process = make.start_dvc(1)
    process.communicate(timeout=20)
    assert process.returncode == 0


@pytest.mark.parametrize("half", ["", '{"read": {"/a'])
def test_what_a_full_disk_left_of_dvcs_lock_is_removed_and_a_whole_one_stays(tmp_path, monkeypatch, capsys, half):
    monkeypatch.setattr(make, "ROOT", tmp_path)
    make.mend_lock_of_dvc()
    write_json(tmp_path / ".dvc/tmp/rwlock", {"read": {}, "write": {}})
    make.mend_lock_of_dvc()
    assert (tmp_path / ".dvc/tmp/rwlock").exists()
    (tmp_path / ".dvc/tmp/rwlock").write_text(half)
    make.mend_lock_of_dvc()
    assert not (tmp_path / ".dvc/tmp/rwlock").exists()
    assert "left half-written" in capsys.readouterr().err


def test_a_second_process_says_that_it_waits_and_a_killed_one_lets_go(tmp_path):
    program = f"""
import sys, time
from pathlib import Path
from retable.project.alone import alone
with alone(Path({str(tmp_path / "lock")!r}), "is running the pipeline"):
    print("has it", flush=True)
    time.sleep(float(sys.argv[1]))
"""
    options = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    first = subprocess.Popen([sys.executable, "-c", program, "600"], **options)
    assert first.stdout.readline() == "has it\n"
    second = subprocess.Popen([sys.executable, "-c", program, "0"], **options)
    assert second.stderr.readline() == "another process is running the pipeline; waiting for it\n"
    first.kill()
    first.wait()
    assert second.communicate(timeout=30)[0] == "has it\n"
    with alone(tmp_path / "lock"):
        pass


def test_after_another_scale_the_way_back_is_told():
    assert "`make params SCALE=cpu` restores cpu" in make.way_back("cpu", "smoke")
    assert make.way_back("smoke", "smoke") == make.way_back("cpu", "") == ""
