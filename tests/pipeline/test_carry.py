import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest
from ruamel.yaml import YAML

from pipeline import carry
from retable.errors import InputError
from retable.evaluation.run_folder import write_curve, write_predictions
from retable.files import write_json
from retable.tables.bank import Entry
from retable.text.splits import Facts, Split

SPLIT = Split(
    Facts("made-up", "en", ("no", "yes")), ["a/1", "a/2"], None, None, np.array([0, 1]), np.array([True, True])
)
ANSWERS = np.array([[0.75, 0.25], [0.4, 0.6]], dtype=np.float32)
LINE = {"epoch": 1, "train_loss": 0.5, "seconds": 3.25}
ENTRY = Entry.from_metrics(
    {
        "row": "cnn", "column": "polarity", "seed": 1, "scale": "cpu", "git_commit": "abcdef+", "device": "a processor",
        "threads": 2, "date": "2026-11-20", "hashes": {"parameters": "p", "data": "d", "code": "old"},
        "test": {"accuracy": 0.5, "texts": 2}, "test_clean": None, "vectors": None,
        "epochs": {"run": 7, "turned": True}, "parameters": {"training": {"max_words": 0}},
    },
    {"seconds_per_epoch": 1.5}, "accuracy", "cnn", carry.paper("fcsr").result_table("fcsr-table-3").column("polarity"),
)  # fmt: skip
CELL = {"row": "cnn", "column": "polarity", "model": "textcnn", "corpus": "mr", "vectors": "none"}
TRIAL = carry.Trial("fcsr-table-3", ENTRY, CELL, "new")


def write_run(tree, code, answers=ANSWERS, line=LINE):
    folder = tree / "results/runs" / TRIAL.folder
    folder.mkdir(parents=True)
    write_predictions(folder / "predictions.parquet", SPLIT, answers)
    write_curve(folder / "curve.csv", [line])
    facts = {"hashes": {"code": code}, "git_commit": "abc", "device": "a processor", "threads": 2}
    write_json(folder / "metrics.json", facts)
    return tree


def compared(tmp_path, **changed):
    old = write_run(tmp_path / "old", "old")
    return carry.compare(TRIAL, old, write_run(tmp_path / "new", **({"code": "new"} | changed)))


def test_equal_bits_are_carried_whatever_the_seconds(tmp_path):
    line = compared(tmp_path, line=LINE | {"seconds": 9.0})
    assert (line.table, line.row, line.old, line.new) == ("fcsr-table-3", "cnn", "old", "new")


def test_one_bit_of_one_probability_is_a_difference(tmp_path):
    other = ANSWERS.copy()
    other[0, 0] = np.nextafter(other[0, 0], np.float32(1))
    assert "predictions" in compared(tmp_path, answers=other)


def test_another_loss_is_a_difference(tmp_path):
    assert "curve" in compared(tmp_path, line=LINE | {"train_loss": 0.5000000001})


def test_a_commit_without_the_code_that_made_the_run_carries_nothing(tmp_path):
    old = write_run(tmp_path / "old", "another")
    assert "does not hold" in carry.compare(TRIAL, old, write_run(tmp_path / "new", "new"))


def test_sources_that_are_not_committed_carry_nothing(tmp_path):
    assert "commit first" in compared(tmp_path, code="newer")


def test_a_cell_that_the_old_code_refuses_carries_nothing(tmp_path):
    outcome = carry.compare(TRIAL, tmp_path / "old", write_run(tmp_path / "new", "new"))
    assert outcome == "the code of abcdef+ refused its cell (above)"


@pytest.mark.parametrize("form", ["a file a scale", "changes of base"])
def test_a_cell_of_another_scale_finds_its_vectors(tmp_path, form):
    scales = tmp_path / "pipeline/presets/scales"
    scales.mkdir(parents=True)
    whole = "corpora: {}\npools: {}\nvectors: {small: {size: 1}, large: {size: 2}}\ncells: {}\n"
    if form == "changes of base":
        (scales / "base.yaml").write_text(whole.replace("{small", "{other: {size: 5}, small"))
        whole = "vectors: [small, large]\n"
    (scales / "full.yaml").write_text(whole)
    (tmp_path / "params.yaml").write_text(
        "corpora: {}\npools: {}\nvectors: {small: {size: 3}, own: {size: 4}}\npapers: {fcsr: {epochs: 0}}\n"
    )
    carry.prepare(tmp_path, [TRIAL])
    params = YAML(typ="safe").load((tmp_path / "params.yaml").read_text())
    assert {name: vectors["size"] for name, vectors in params["vectors"].items()} == {"small": 3, "large": 2, "own": 4}
    assert params["papers"]["fcsr"] == {"epochs": 1, "max_words": 16}


def run_all(tmp_path, main):
    package = tmp_path / "pipeline"
    package.mkdir()
    (package / "__init__.py").touch()
    (package / "run.py").write_text(f"import sys\ndef main():\n    {main}\n    print(*sys.argv[1:])\n")
    command = [sys.executable, "-c", carry.RUN_ALL, "table first column", "table second column"]
    return subprocess.run(command, cwd=tmp_path, env={"PYTHONPATH": str(tmp_path)}, capture_output=True, text=True)


def test_after_a_cell_that_is_refused_the_others_are_tried(tmp_path):
    done = run_all(tmp_path, "if sys.argv[2] == 'first': sys.exit(1)")
    assert (done.returncode, done.stdout) == (0, "table second column\n")


def test_after_ctrl_c_no_other_cell_is_tried(tmp_path):
    done = run_all(tmp_path, "sys.exit(130)")
    assert (done.returncode, done.stdout) == (130, "")


def current(code):
    return lambda *_: {"hashes": {"parameters": "p", "data": "d", "code": code}}


@pytest.fixture
def banked(monkeypatch):
    cheap = replace(ENTRY, column="sst-2", seconds_per_epoch="0.5")
    monkeypatch.setattr(carry, "read_bank", lambda path: [ENTRY, cheap])
    fcsr = carry.paper("fcsr")
    return lambda lines=(): list(carry.stale_by_code(fcsr, fcsr.result_table("fcsr-table-3"), lines))


def test_a_row_is_tried_on_its_cheapest_cell(banked, monkeypatch):
    monkeypatch.setattr(carry, "current_identity", current("new"))
    (trial,) = banked()
    assert (trial.cell["column"], trial.new) == ("sst-2", "new")


def test_current_rows_are_not_tried(banked, monkeypatch):
    monkeypatch.setattr(carry, "current_identity", current("old"))
    assert banked() == []


def test_other_data_are_never_carried(banked, monkeypatch):
    other = {"hashes": {"parameters": "p", "data": "others", "code": "new"}}
    monkeypatch.setattr(carry, "current_identity", lambda *_: other)
    assert banked() == []


def test_a_row_that_stands_already_is_not_tried_again(banked, monkeypatch):
    monkeypatch.setattr(carry, "current_identity", current("new"))
    assert banked([carry.Carried("fcsr-table-3", "cnn", "old", "new", *[""] * 9)]) == []


def test_a_commit_that_git_does_not_have_is_named(tmp_path, monkeypatch):
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    monkeypatch.setattr(carry, "ROOT", tmp_path)
    monkeypatch.setattr(carry, "SCRATCH", tmp_path / "scratch")
    with pytest.raises(InputError, match="abcdef"), carry.worktree("abcdef"):
        pass
