"""Cells on many machines. What submitit does is shown with submitit itself or not at all: see `scheduler`."""

import json
import shutil
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from retable.commands import spread
from retable.errors import InputError
from retable.papers import paper

PAPER = paper("fcsr")
TABLE = PAPER.result_table("fcsr-table-3")
CELLS = {
    f"{row}.{column}": {"row": row, "column": column, "model": "textcnn", "corpus": column, "vectors": "none"}
    for row in ("cnn", "bilstm")
    for column in ("sst-2", "polarity")
}
RUN = """
import json, os, pathlib, sys
table, row, column = sys.argv[3:]
if (row, column) == ("bilstm", "polarity"):
    sys.exit("made to fail")
folder = pathlib.Path("results", table, row, column)
folder.mkdir(parents=True)
seen = {name: os.environ.get(name) for name in ("OMP_NUM_THREADS", "CUDA_VISIBLE_DEVICES")}
(folder / "seen.json").write_text(json.dumps(seen))
"""


@pytest.fixture
def listed(monkeypatch):
    """Four cells, of which one is current; the cells that were recorded and committed."""
    current, taken = {"cnn.sst-2"}, []
    monkeypatch.setattr(spread, "cells_of", lambda table, source: CELLS)
    monkeypatch.setattr(spread, "read_params", {"scale": "cpu", "papers": {"fcsr": {"seeds": [1]}}}.__getitem__)
    monkeypatch.setattr(
        spread,
        "runs_of_cell",
        lambda table, source, cell, protocol, runs: ({}, "" if spread.name_of(cell) in current else "not run yet"),
    )
    monkeypatch.setattr(spread, "check_data", lambda table, cells: None)
    taken_before = ["cnn.sst-2"]
    monkeypatch.setattr(
        spread, "status_of", lambda stages: {stage: [] for stage in stages if stage.split("@")[1] not in taken_before}
    )
    monkeypatch.setattr(spread, "record_and_commit", lambda folders: taken.extend(sorted(folders)))
    return SimpleNamespace(current=current, taken=taken)


def test_cells_that_are_current_are_not_run(listed, capsys):
    spread.main(["fcsr-table-3", "--dry-run"])
    assert capsys.readouterr().out.split() == ["cnn.polarity", "bilstm.sst-2", "bilstm.polarity"]
    spread.main(["fcsr-table-3", "--rows", "bilstm", "--columns", "sst-2", "--dry-run"])
    assert capsys.readouterr().out.split() == ["bilstm.sst-2"]
    assert listed.taken == []


def test_what_earlier_jobs_finished_is_taken_up_once(listed):
    listed.current.add("bilstm.sst-2")
    spread.main(["fcsr-table-3", "--take-up"])
    assert listed.taken == [spread.RUNS / "fcsr-table-3/bilstm/sst-2"]


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["fcsr-table-3", "--rows", "cnm"], 'a row of fcsr-table-3 in scale cpu is "cnm"; did you mean "cnn"?'),
        (["fcsr-table-3", "--columns", "sst2"], 'did you mean "sst-2"?'),
        (["fcsr-table-33"], 'the table is "fcsr-table-33"'),
        (["fcsr-table-3", "--jobs", "0"], "--jobs is 0; allowed: 1 or more."),
    ],
)
def test_a_mistake_is_told_before_anything_is_started(listed, capsys, arguments, sentence):
    with pytest.raises(SystemExit):
        spread.main(arguments)
    assert sentence in capsys.readouterr().err


def test_a_table_without_cells_is_refused(listed, monkeypatch):
    monkeypatch.setattr(spread, "cells_of", lambda table, source: {})
    with pytest.raises(InputError, match="scale cpu has no such cell of fcsr-table-3"):
        spread.chosen_cells(TABLE, PAPER, (), ())


def test_missing_data_are_told_before_a_job_is_queued(tmp_path, monkeypatch):
    for name in ("TAGGED", "VECTORS"):
        monkeypatch.setattr(spread, name, tmp_path / name)
    cell = CELLS["cnn.sst-2"]
    for path in (tmp_path / "TAGGED/sst-2", tmp_path / "VECTORS/none"):
        with pytest.raises(InputError, match=f"{path} is missing; `dvc repro tag"):
            spread.check_data(TABLE, [cell])
        path.mkdir(parents=True)
    spread.check_data(TABLE, [cell])


def test_without_the_scheduler_the_sentence_says_how_to_get_it(monkeypatch):
    def absent(name):
        raise ModuleNotFoundError(f"No module named {name!r}")

    monkeypatch.setattr(spread.importlib, "import_module", absent)
    with pytest.raises(InputError, match=r"needs submitit .* `python -m pip install submitit==1\.5\.4` brings it"):
        spread.the_scheduler()


@pytest.fixture
def scheduler(tmp_path, monkeypatch, listed):
    """submitit itself, with a `retable` in its jobs that trains nothing."""
    (tmp_path / "retable").mkdir()
    (tmp_path / "retable/__init__.py").touch()
    (tmp_path / "retable/__main__.py").write_text(RUN)
    monkeypatch.setattr(spread, "ROOT", tmp_path)
    monkeypatch.setattr(spread, "LOGS", tmp_path / "jobs")
    monkeypatch.setattr(spread, "POLL_S", 0.05)

    def of_cell(table, source, cell, protocol, runs):
        done = (tmp_path / "results" / table.name / cell["row"] / cell["column"]).is_dir()
        return {}, "" if done else "not run yet"

    monkeypatch.setattr(spread, "runs_of_cell", of_cell)
    monkeypatch.setattr(spread, "status_of", dict.fromkeys)
    return listed


def test_a_pool_runs_every_cell_and_takes_up_those_that_did_not_fail(scheduler, tmp_path, capsys):
    with pytest.raises(SystemExit) as end:
        spread.main(["fcsr-table-3", "--jobs", "2", "--gpus", "2", "--cpus", "3"])
    assert end.value.code == 1
    told = capsys.readouterr().err
    assert "1 cells failed, the others are taken: bilstm.polarity (see " in told
    log = told.partition("bilstm.polarity (see ")[2].partition(")")[0]
    assert "made to fail" in Path(log).read_text()
    names = ["bilstm/sst-2", "cnn/polarity", "cnn/sst-2"]
    assert scheduler.taken == [spread.RUNS / "fcsr-table-3" / name for name in names]
    seen = [json.loads((tmp_path / "results/fcsr-table-3" / name / "seen.json").read_text()) for name in names]
    assert {each["OMP_NUM_THREADS"] for each in seen} == {"3"}
    assert {each["CUDA_VISIBLE_DEVICES"] for each in seen} == {"0", "1"}
    with pytest.raises(SystemExit):
        spread.main(["fcsr-table-3"])  # the failed one alone
    assert "1 of 4 cells are to be run" in capsys.readouterr().err


def test_without_slurm_its_executor_is_refused(scheduler, monkeypatch, capsys):
    monkeypatch.setattr(shutil, "which", lambda name: None)
    with pytest.raises(SystemExit):
        spread.main(["fcsr-table-3", "--executor", "slurm"])
    assert "there is no `srun` here" in capsys.readouterr().err


@pytest.mark.slow
def test_dvc_takes_outputs_that_were_made_outside_and_runs_nothing(tmp_path, monkeypatch):
    """`dvc commit -f` on a stage that DVC has never run, in a paper's form: a foreach with wdir and vars."""

    def dvc(*arguments):
        found = subprocess.run(
            [sys.executable, "-m", "dvc", *arguments], cwd=tmp_path, capture_output=True, text=True, check=False
        )
        assert found.returncode == 0, found.stderr
        return found.stdout

    (tmp_path / "pipeline/p").mkdir(parents=True)
    (tmp_path / "params.yaml").write_text("papers: {p: {seeds: [1]}}\n")
    (tmp_path / "in").write_text("data")
    (tmp_path / "pipeline/p/cells.yaml").write_text("t:\n  a.x: {row: a}\n  b.x: {row: b}\n")
    (tmp_path / "pipeline/p/dvc.yaml").write_text(
        "vars: [cells.yaml]\nstages:\n  t:\n    foreach: ${t}\n    do:\n      wdir: ../..\n"
        "      cmd: mkdir -p runs/${item.row} && echo dvc > runs/${item.row}/f\n      deps: [in]\n"
        "      params: [papers.p]\n      outs: ['runs/${item.row}']\n"
    )
    dvc("init", "--no-scm", "--quiet")
    for row in "ab":
        (tmp_path / "runs" / row).mkdir(parents=True)
        (tmp_path / "runs" / row / "f").write_text("made outside\n")
    monkeypatch.setattr(spread, "ROOT", tmp_path)
    stages = ["pipeline/p/dvc.yaml:t@a.x", "pipeline/p/dvc.yaml:t@b.x"]
    assert set(spread.status_of(stages)) == set(stages)
    dvc("commit", "--quiet", "--force", stages[0])
    assert set(spread.status_of(stages)) == {stages[1]}
    told = dvc("repro", "pipeline/p/dvc.yaml")
    assert "t@a.x' didn't change, skipping" in told
    assert "Running stage 'pipeline/p/dvc.yaml:t@b.x'" in told
    assert (tmp_path / "runs/a/f").read_text() == "made outside\n"
    assert (tmp_path / "runs/b/f").read_text() == "dvc\n"
