"""`retable spread`: run the cells of a table that are not current, on a SLURM cluster or in a pool on this machine.

In   pipeline/<paper>/cells.yaml, data/tagged/, data/vectors/, on a file system that all machines see
Out  results/runs/<table>/<row>/<column>/ as the stage `run` writes it, the record in MLflow, and DVC's word that each
     cell is done

submitit starts, queues and watches the jobs (docs/cluster.md). Its jobs run the stage `run` alone: DVC and the record
are asked here, when a job has ended, so that no two machines write them at once.
"""

import argparse
import importlib
import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from typing import Any

from retable.commands.import_ import record_and_commit
from retable.errors import InputError, unknown_name
from retable.papers import paper_of_table
from retable.papers.paper import Paper, ResultTable
from retable.project.command import command, fail
from retable.project.params import read_params
from retable.project.paths import ROOT, RUNS, SCRATCH, TAGGED, VECTORS
from retable.results.tables import cells_of, runs_of_cell

INSTALL = "python -m pip install submitit==1.5.4"
LOGS = SCRATCH / "jobs"
POLL_S = 1.0
Cell = dict[str, str]


@command
def main(arguments: list[str] | None = None) -> None:
    options = read_options(arguments)
    source = paper_of_table(options.table)
    table = source.result_table(options.table)
    cells = chosen_cells(table, source, options.rows, options.columns)
    check_data(table, cells)
    waiting = [cell for cell in cells if not is_current(table, source, cell)]
    print(f"{table.name}: {len(waiting)} of {len(cells)} cells are to be run", file=sys.stderr)
    failed = [] if options.take_up or options.dry_run else run_cells(table, waiting, options)
    if options.dry_run:
        print("\n".join(name_of(cell) for cell in waiting))
        return
    done = [cell for cell in cells if is_current(table, source, cell)]
    take_up(table, not_taken(table, source, done))
    if failed:
        fail(f"{len(failed)} cells failed, the others are taken: {'; '.join(failed)}.")


def read_options(arguments: Sequence[str] | None) -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(prog="retable spread", description="Run a table's cells on many machines.")
    parser.add_argument("table", help="fcsr-table-4, for instance; its cells are those of the scale")
    parser.add_argument("--rows", nargs="+", default=[], metavar="ROW", help="these rows alone")
    parser.add_argument("--columns", nargs="+", default=[], metavar="COLUMN", help="these columns alone")
    parser.add_argument("--executor", choices=("local", "slurm"), default="local", help="default: local")
    parser.add_argument("--jobs", type=int, default=1, help="how many cells at once (default: 1)")
    parser.add_argument("--gpus", type=int, default=0, help="local: how many the jobs share; slurm: of each job")
    parser.add_argument(
        "--cpus", type=int, default=0, help="threads of a job (default: local, all shared evenly; slurm, 1)"
    )
    parser.add_argument("--minutes", type=int, default=24 * 60, help="longest time of a cell (default: a day)")
    parser.add_argument("--partition", help="slurm: where to queue (default: the cluster's)")
    parser.add_argument("--dry-run", action="store_true", help="name the cells that would be run")
    parser.add_argument("--take-up", action="store_true", help="run nothing; take up what earlier jobs have finished")
    options = parser.parse_args(arguments)
    for name, least in (("jobs", 1), ("gpus", 0), ("cpus", 0), ("minutes", 1)):
        if (value := getattr(options, name)) < least:
            raise InputError(f"--{name} is {value}; allowed: {least} or more.")
    return options


def chosen_cells(table: ResultTable, source: Paper, rows: Sequence[str], columns: Sequence[str]) -> list[Cell]:
    """The cells of the scale, in its order.

    Raises: InputError for a name that no cell has, or if there are no cells.
    """
    cells = list(cells_of(table, source).values())
    for kind, asked in (("row", rows), ("column", columns)):
        known = {cell[kind] for cell in cells}
        for name in asked:
            if name not in known:
                raise unknown_name(f"a {kind} of {table.name} in scale {read_params('scale')}", name, known)
    chosen = [
        cell for cell in cells if cell["row"] in (rows or cell["row"]) and cell["column"] in (columns or cell["column"])
    ]
    if not chosen:
        raise InputError(
            f"scale {read_params('scale')} has no such cell of {table.name}; `make params SCALE=full` has more."
        )
    return chosen


def name_of(cell: Cell) -> str:
    """As in cells.yaml."""
    return f"{cell['row']}.{cell['column']}"


def check_data(table: ResultTable, cells: Sequence[Cell]) -> None:
    """Refuse to start what would fail on every machine. Raises: InputError."""
    for cell in cells:
        needed = (TAGGED / cell["corpus"], VECTORS / cell["vectors"])
        if missing := next((path for path in needed if not path.exists()), None):
            raise InputError(f"{missing} is missing; `dvc repro tag embed no-vectors` makes the data first.")


def is_current(table: ResultTable, source: Paper, cell: Cell) -> bool:
    """Whether all runs of a cell stand here and are those of today's parameters, data and recipe."""
    return not runs_of_cell(table, source, cell, read_params("papers")[source.name], RUNS)[1]


def not_taken(table: ResultTable, source: Paper, cells: Sequence[Cell]) -> list[Cell]:
    """The cells that DVC would run again: of this call, and of an earlier one whose jobs ended when nobody watched."""
    stages = {f"pipeline/{source.name}/dvc.yaml:{table.name}@{name_of(cell)}": cell for cell in cells}
    changed = status_of(list(stages)) if stages else {}
    return [cell for stage, cell in stages.items() if stage in changed]


def status_of(stages: Sequence[str]) -> dict[str, Any]:
    """What DVC says has changed, by stage; one that is as its lock file says is not there."""
    asked = [sys.executable, "-m", "dvc", "--wait-for-lock", "status", "--json", *stages]
    found = subprocess.run(asked, cwd=ROOT, stdout=subprocess.PIPE, text=True)
    if found.returncode:
        fail(
            "`dvc status` failed (see above): the runs are here, and `retable spread TABLE --take-up` takes them later."
        )
    changed: dict[str, Any] = json.loads(found.stdout)
    return changed


def take_up(table: ResultTable, cells: Sequence[Cell]) -> None:
    """Record finished cells, and tell DVC that their outputs are those that it would have made."""
    if cells:
        record_and_commit({RUNS / table.name / cell["row"] / cell["column"] for cell in cells})
    print(f"{table.name}: {len(cells)} cells taken", file=sys.stderr)


def run_cells(table: ResultTable, cells: Sequence[Cell], options: argparse.Namespace) -> list[str]:
    """Run cells by submitit; a sentence for each that failed.

    Raises: InputError without submitit, or without SLURM where it is asked for.
    """
    if not cells:
        return []
    submitit = the_scheduler()
    if options.executor == "slurm" and shutil.which("srun") is None:
        raise InputError("--executor is slurm, but there is no `srun` here; log in to the cluster, or take local.")
    run = on_slurm if options.executor == "slurm" else on_this_machine
    cell_command = submitit.helpers.CommandFunction(
        [sys.executable, "-m", "retable", "stage", "run", table.name], cwd=ROOT
    )
    failed = []
    for count, (cell, job) in enumerate(run(submitit, cell_command, cells, options), start=1):
        error = job.exception()
        print(
            f"{count} of {len(cells)}: {name_of(cell)} {'failed' if error else 'is done'}", file=sys.stderr, flush=True
        )
        if error:
            failed.append(f"{name_of(cell)} (see {job.paths.stderr})")
    return failed


def the_scheduler() -> Any:
    """The package submitit: `make env` brings it, an environment of one's own may lack it. Raises: InputError."""
    try:
        importlib.import_module("submitit.helpers")
        return importlib.import_module("submitit")
    except ModuleNotFoundError as error:
        raise InputError(f"`retable spread` needs submitit ({error}); `{INSTALL}` brings it.") from None


def on_slurm(
    submitit: Any, run: Callable[..., Any], cells: Sequence[Cell], options: argparse.Namespace
) -> Iterator[tuple[Cell, Any]]:
    """One array of jobs, of which SLURM runs so many at once; each as it ends. Ctrl-C leaves them to SLURM."""
    executor = submitit.SlurmExecutor(LOGS / "%j")
    asked = {"time": options.minutes, "cpus_per_task": options.cpus or 1, "array_parallelism": options.jobs}
    asked |= {"gpus_per_node": options.gpus} if options.gpus else {}
    asked |= {"partition": options.partition} if options.partition else {}
    executor.update_parameters(job_name="retable", **asked)
    jobs = executor.map_array(run, [cell["row"] for cell in cells], [cell["column"] for cell in cells])
    of_job = {job.job_id: cell for cell, job in zip(cells, jobs, strict=True)}
    for job in submitit.helpers.as_completed(jobs):
        yield of_job[job.job_id], job


def on_this_machine(
    submitit: Any, run: Callable[..., Any], cells: Sequence[Cell], options: argparse.Namespace
) -> Iterator[tuple[Cell, Any]]:
    """A process a cell, so many at once, each with its share of the processors and one of the GPUs; each as it ends."""
    executors = []
    for place in range(options.jobs):
        executor = submitit.LocalExecutor(LOGS / "%j")
        gpu = {"gpus_per_node": 1, "visible_gpus": [place % options.gpus]} if options.gpus else {}
        executor.update_parameters(timeout_min=options.minutes, **gpu)
        executors.append(executor)
    threads = options.cpus or max(1, len(os.sched_getaffinity(0)) // options.jobs)
    waiting, running = list(reversed(cells)), dict[int, tuple[Cell, Any]]()
    try:
        while waiting or running:
            for place in range(options.jobs):
                if waiting and place not in running:
                    cell = waiting.pop()
                    with submitit.helpers.environment_variables(OMP_NUM_THREADS=threads):
                        running[place] = cell, executors[place].submit(run, cell["row"], cell["column"])
            for place in [place for place, (_, job) in running.items() if job.done()]:
                yield running.pop(place)
            time.sleep(POLL_S)
    finally:
        for _, job in running.values():
            with suppress(ProcessLookupError):
                job.cancel()
