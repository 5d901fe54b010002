"""Running many cells: several at once, failures reported, an interrupt that leaves nothing running, SLURM."""

import sys
from dataclasses import replace
from types import SimpleNamespace

import pytest

from retable.commands import run
from retable.errors import InputError
from retable.experiments import cells, runner
from retable.experiments.runner import Place, run_here, run_on_slurm
from retable.experiments.scale import scale_preset
from retable.papers import paper
from retable.papers.paper import Row
from retable.results import running
from retable.results.resolving import OfCell
from retable.stages import table

TABLE = paper("fcsr").result_table("fcsr-table-3")
CELLS = {
    f"{row}.sst-2": {"row": row, "column": "sst-2", "model": "textcnn", "corpus": "sst-2", "vectors": "none"}
    for row in ("cnn", "bilstm", "fcsr")
}
READS_R8 = {"row": "mean", "column": "r8", "model": "textcnn", "corpus": "r8", "vectors": "r8.word2vec-100"}
PROGRAM = """
import os, pathlib, sys, time
row = sys.argv[2]
pathlib.Path(f"begun-{row}").write_text(os.environ.get("OMP_NUM_THREADS", ""))
if row == "fails":
    sys.exit("made to fail")
if row == "killed":
    os.kill(os.getpid(), 9)
while len(list(pathlib.Path().glob("begun-*"))) < 2:  # ends when two run at once
    time.sleep(0.01)
pathlib.Path(f"ended-{row}").touch()
"""


@pytest.fixture
def made_up(tmp_path, monkeypatch):
    """Return cells that train nothing."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(runner, "ROOT", tmp_path)
    monkeypatch.setattr(runner, "LOGS", tmp_path / "logs")
    monkeypatch.setattr(runner, "cores", lambda: 4)
    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
    monkeypatch.setattr(Place, "command", property(lambda place: [sys.executable, "-c", PROGRAM, *place]))
    return tmp_path


def test_two_run_at_once_with_half_of_the_processors_each_and_a_failure_keeps_the_others(made_up):
    ended = {each.place.row: each for each in run_here([Place("t", row, "c") for row in ("a", "b", "fails")], jobs=2)}
    assert {row: each.failed for row, each in ended.items()} == {"a": False, "b": False, "fails": True}
    assert ended["fails"].log.read_text().strip() == "made to fail"
    assert (made_up / "begun-a").read_text() == "2"
    assert (made_up / "ended-a").exists()
    assert (made_up / "ended-b").exists()


def test_what_a_failed_cell_said_last_is_told(made_up, capsys):
    assert [each.place.row for each in running.run_cells([Place("t", "fails", "c")], jobs=2)] == ["fails"]
    assert "1 of 1: t · fails · c, failed. made to fail" in capsys.readouterr().err


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_cell_that_the_system_killed_is_told_as_such(made_up, capsys, jobs):
    assert [each.place.row for each in running.run_cells([Place("t", "killed", "c")], jobs=jobs)] == ["killed"]
    assert (
        "1 of 1: t · killed · c, failed. Killed by signal 9, as the system does when memory" in capsys.readouterr().err
    )


def test_an_option_that_a_model_lacks_is_refused_before_anything_runs(monkeypatch, capsys):
    row = Row("nb-svm", "NB-SVM", "nb-svm", overrides={"model": {"alfa": 1}})
    source = replace(paper("fcsr"), results=(replace(TABLE, rows=(row,)),))
    rules = {"vectors": "none", "columns": "sample-en", "rows": "all"}
    params = {**scale_preset("smoke"), "cells": {TABLE.name: rules}}
    monkeypatch.setattr(run, "paper_of_table", lambda name: source)
    monkeypatch.setattr(run, "load_yaml", lambda path: params)
    with pytest.raises(SystemExit):
        run.main([TABLE.name, "--dry-run"])
    assert "model.alfa is 1" in capsys.readouterr().err


@pytest.mark.parametrize("asked", [[], ["fcsr"], ["fcsr", "sample-en"]])
def test_a_dry_run_names_cells_and_trains_none(monkeypatch, capsys, asked):
    monkeypatch.setattr(run, "load_yaml", lambda path: scale_preset("smoke"))
    monkeypatch.setattr(running, "plan_of_checkout", lambda: scale_preset("smoke"))
    monkeypatch.setattr(
        run, "waiting_cells", lambda table, cells: [Place(table.name, cell["row"], cell["column"]) for cell in cells]
    )
    for name in ("make_data", "run_one", "run_cells"):
        monkeypatch.delattr(run, name)  # none of them is called
    run.main(["fcsr-table-3", *asked, "--dry-run"])
    assert "fcsr-table-3 fcsr sample-en" in capsys.readouterr().out.splitlines()


def test_a_break_ends_the_processes_that_run(made_up, monkeypatch):
    begun = []
    real = runner.start
    monkeypatch.setattr(runner, "start", lambda *of, **options: begun.append(real(*of, **options)) or begun[-1])
    ended = run_here([Place("t", row, "c") for row in ("fails", "waits", "waits-too")], jobs=1)
    next(ended)  # the one that failed
    with pytest.raises(KeyboardInterrupt):
        ended.throw(KeyboardInterrupt)
    assert all(process.poll() is not None for process in begun)


def test_a_table_trains_the_cells_without_current_runs_and_names_unknown_ones(monkeypatch):
    class AllButTheCnn:
        def __init__(self, plan, runs): ...

        def runs_of(self, table, cell):
            return OfCell([], "" if cell["row"] == "cnn" else "not run yet")

    monkeypatch.setattr(running, "cells_of", lambda table, plan: CELLS)
    monkeypatch.setattr(running, "plan_of_checkout", lambda: {"scale": "cpu"})
    monkeypatch.setattr(running, "Resolver", AllButTheCnn)
    places = running.waiting_cells(TABLE, running.chosen_cells(TABLE))
    assert places == [Place("fcsr-table-3", row, "sst-2") for row in ("bilstm", "fcsr")]
    assert [cell["row"] for cell in running.chosen_cells(TABLE, "fcsr")] == ["fcsr"]
    with pytest.raises(InputError, match='unknown row of fcsr-table-3 at scale cpu: "fcs"; did you mean "fcsr"'):
        running.chosen_cells(TABLE, "fcs")
    without = {name: cell for name, cell in CELLS.items() if cell["row"] != "fcsr"} | {
        "fcsr.mr": {"row": "fcsr", "column": "mr"}
    }
    monkeypatch.setattr(running, "cells_of", lambda table, plan: without)
    with pytest.raises(InputError, match="scale cpu does not plan this cell of fcsr-table-3"):
        running.chosen_cells(TABLE, "fcsr", "sst-2")
    monkeypatch.setattr(running, "cells_of", lambda table, plan: {})  # as of a table that was just declared
    with pytest.raises(InputError, match=r"any cell of fcsr-table-3; .* write a rule under `cells`"):
        running.chosen_cells(TABLE)


def test_of_data_that_are_missing_dvc_makes_those_of_the_cells_alone(monkeypatch, tmp_path, capfd):
    monkeypatch.setattr(running, "cells_of", lambda table, plan: CELLS | {"mean.r8": READS_R8})
    monkeypatch.setattr(running, "plan_of_checkout", lambda: {"scale": "cpu"})
    monkeypatch.setattr(cells, "TAGGED", tmp_path / "tagged")
    monkeypatch.setattr(cells, "VECTORS", tmp_path / "vectors")
    monkeypatch.setattr(running, "ROOT", tmp_path)
    (tmp_path / "dvc.py").write_text(
        "import sys\nprint(sys.argv[1:])\nsys.exit('r8' in str(sys.argv))\n", encoding="utf-8"
    )
    running.make_data(TABLE, [Place(TABLE.name, row, "sst-2") for row in ("cnn", "fcsr")])
    assert capfd.readouterr().out == "['repro', 'tag@sst-2', 'no-vectors']\n"
    (tmp_path / "tagged/r8").mkdir(parents=True)
    with pytest.raises(InputError, match=r"`dvc repro embed@r8\.word2vec-100` failed, so nothing was trained"):
        running.make_data(TABLE, [Place(TABLE.name, "mean", "r8")])
    (tmp_path / "vectors/r8.word2vec-100").mkdir(parents=True)
    running.make_data(TABLE, [Place(TABLE.name, "mean", "r8")])
    assert "repro" not in capfd.readouterr().out.replace("['repro', 'embed@r8.word2vec-100']", "")


@pytest.mark.parametrize("asked", ["0", "two", "-1"])
def test_a_number_of_jobs_that_is_none_is_refused(monkeypatch, asked):
    monkeypatch.setenv(runner.JOBS, asked)
    with pytest.raises(InputError, match=f"{runner.JOBS} is '{asked}'; allowed: 1 or more"):
        running.jobs_asked()


def test_slurm_gets_one_array_of_the_cells(monkeypatch, tmp_path):
    asked = {}

    class Executor:
        def __init__(self, folder):
            pass

        def update_parameters(self, **parameters):
            asked.update(parameters)

        def map_array(self, function, *columns):
            asked["cells"] = list(zip(*columns, strict=True))
            failed = [None, OSError("lost")]
            paths = SimpleNamespace(stderr=tmp_path / "err")
            return [SimpleNamespace(job_id=n, exception=lambda n=n: failed[n], paths=paths) for n in (0, 1)]

    helpers = SimpleNamespace(CommandFunction=lambda command, cwd: command, as_completed=lambda jobs: iter(jobs))
    monkeypatch.setattr(runner, "the_scheduler", lambda: SimpleNamespace(SlurmExecutor=Executor, helpers=helpers))
    places = [Place("t", row, "c") for row in ("a", "b")]
    ended = list(run_on_slurm(places, 3, {"time": 60, "cpus_per_task": 2}))
    assert [(each.place, each.failed) for each in ended] == [(places[0], False), (places[1], True)]
    assert asked == {
        "job_name": "retable", "array_parallelism": 3, "time": 60, "cpus_per_task": 2,
        "cells": [("t", "a", "c"), ("t", "b", "c")],
    }  # fmt: skip


def test_slurm_is_refused_where_there_is_none(monkeypatch):
    monkeypatch.setattr("shutil.which", lambda name: None)
    with pytest.raises(InputError, match="no `srun` here"):
        run.asked_of_slurm(run.read_options(["fcsr-table-3", "--executor", "slurm"]))
    for option in ("--jobs", "--gpus"):
        with pytest.raises(InputError, match=f"{option} is -1; allowed: 0 or more"):
            run.read_options(["fcsr-table-3", option, "-1"])


def test_a_table_whose_cells_end_without_their_runs_is_no_finished_stage(tmp_path, monkeypatch, capsys):
    place = Place("fcsr-table-3", "cnn", "sst-2")
    monkeypatch.setattr(table, "RUNS", tmp_path)
    monkeypatch.setattr(table, "chosen_cells", lambda _: list(CELLS.values()))
    monkeypatch.setattr(table, "run_cells", lambda places, jobs: [])  # all ended, none failed
    left = [[place], [place]]
    monkeypatch.setattr(table, "waiting_cells", lambda *_: left.pop())
    with pytest.raises(SystemExit) as stopped:
        table.main("fcsr-table-3")
    assert stopped.value.code == 1
    assert (
        "fcsr-table-3 still lacks runs in 1 of 3 cells, such as fcsr-table-3 · cnn · sst-2" in capsys.readouterr().err
    )
    left[:] = [[], [place]]
    table.main("fcsr-table-3")
