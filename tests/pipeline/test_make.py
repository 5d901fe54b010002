import pytest

from retable.commands import make
from retable.commands.make import Reader, duration_text
from retable.experiments.scale import scale_preset
from retable.files import read_json, write_json


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
    assert "clean@mr  all stages about 60 s, without 1 that have never run here\n" in capsys.readouterr().err
    assert read_json(tmp_path / "plan.json") == {"position": "stage 1 of 3", "this_s": 0.0, "after_s": 60.0}


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
