"""Run the cells of a table that have no current runs."""

import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from retable.errors import InputError, unknown_name
from retable.experiments.cells import cells_of, inputs_of, plan_of_checkout
from retable.experiments.runner import JOBS, Ended, Place, default_jobs, run_here, run_on_slurm
from retable.papers.paper import ResultTable
from retable.project.paths import ROOT, RUNS
from retable.results.resolving import Resolver
from retable.runs.record import read_runs


def jobs_asked() -> int:
    """Return how many cells run at once. Raises: InputError unless it is a number from 1."""
    asked = os.environ.get(JOBS) or str(default_jobs())
    if not asked.isdigit() or int(asked) < 1:
        raise InputError(f"{JOBS} is {asked!r}; allowed: 1 or more.")
    return int(asked)


def chosen_cells(table: ResultTable, row: str = "", column: str = "") -> list[dict[str, str]]:
    """Return a table's cells at this scale, or those of a row and column. Raises: InputError if there are none."""
    plan = plan_of_checkout()
    scale, cells = plan["scale"], list(cells_of(table, plan).values())
    for kind, name in (("row", row), ("column", column)):
        known = {cell[kind] for cell in cells}
        if name and name not in known:
            raise unknown_name(f"{kind} of {table.name} at scale {scale}", name, known)
    found = [
        cell for cell in cells if cell["row"] == (row or cell["row"]) and cell["column"] == (column or cell["column"])
    ]
    if not found:
        which = "this cell" if row and column else "any cell"
        raise InputError(
            f"scale {scale} does not plan {which} of {table.name}; `make params SCALE=full` plans more, or write a "
            "rule under `cells` in params.yaml (docs/add-a-table.md)."
        )
    return found


def waiting_cells(table: ResultTable, cells: Sequence[dict[str, str]]) -> list[Place]:
    """Return the cells without a current run, in the order of the table's rules."""
    resolver = Resolver(plan_of_checkout(), read_runs(RUNS))
    left = [cell for cell in cells if resolver.runs_of(table, cell).reason]
    return [Place(table.name, cell["row"], cell["column"]) for cell in left]


def make_data(table: ResultTable, places: Sequence[Place]) -> None:
    """Have DVC make the missing corpora and word vectors that these cells read, and nothing else.

    Raises: InputError if a stage fails.
    """
    cells = [cell for cell in chosen_cells(table) if (table.name, cell["row"], cell["column"]) in places]
    stages = [stage for stage, folder in inputs_of(cells).items() if not folder.exists()]
    if not stages or find_spec("dvc") is None:  # the cell will report what is missing
        return
    print(f"preparing missing data first: dvc repro {' '.join(stages)}", file=sys.stderr, flush=True)
    if subprocess.run([sys.executable, "-m", "dvc", "repro", *stages], cwd=ROOT, check=False).returncode:
        raise InputError(f"`dvc repro {' '.join(stages)}` failed, so nothing was trained; see its output above.")


def run_cells(places: Sequence[Place], *, jobs: int, slurm: dict[str, Any] | None = None) -> list[Ended]:
    """Run cells, report which ended and when, and return those that failed.

    Args:
        jobs: number of cells run at once.
        slurm: resources requested from SLURM; None runs locally.
    """
    ended: Iterator[Ended] = run_here(places, jobs) if slurm is None else run_on_slurm(places, jobs, slurm)
    failed = []
    for count, each in enumerate(ended, start=1):
        state = f"failed. {last_line(each.log)}" if each.failed else f"{each.seconds:.0f} s"
        print(f"  {count} of {len(places)}: {' · '.join(each.place)}, {state}", file=sys.stderr, flush=True)
        failed += [each] if each.failed else []
    return failed


def last_line(log: Path) -> str:
    """Return the last line of a log, which names the error; empty if there is none."""
    text = log.read_text(encoding="utf-8", errors="replace").strip() if log.exists() else ""
    return text.splitlines()[-1] if text else ""
