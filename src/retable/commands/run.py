"""`retable run TABLE [ROW [COLUMN]]`: train the cells of a table that have no current runs."""

import argparse
import shutil
import sys
from collections.abc import Sequence
from typing import Any

from retable.errors import InputError
from retable.experiments.run_checks import check_cells
from retable.experiments.runner import Place
from retable.papers import paper_of_table
from retable.papers.paper import ResultTable
from retable.project.command import continuing, fail
from retable.project.params import load_yaml
from retable.project.parser import Parser
from retable.project.paths import PARAMS
from retable.results.running import chosen_cells, jobs_asked, make_data, run_cells, waiting_cells
from retable.wording import number_of


@continuing
def main(arguments: list[str] | None = None) -> None:
    options = read_options(arguments)
    source = paper_of_table(options.table)
    table = source.result_table(options.table)
    check_cells(load_yaml(PARAMS), source)
    slurm = asked_of_slurm(options)
    cells = chosen_cells(table, options.row, options.column)
    places = waiting_cells(table, cells)
    if options.dry_run:
        print(f"{table.name}: {len(places)} of {number_of(len(cells), 'cells')} to train", file=sys.stderr)
        print("\n".join(" ".join(place) for place in places))
    elif options.row and options.column and slurm is None:
        run_one(table, places, options)
    else:
        print(f"{table.name}: {len(places)} of {number_of(len(cells), 'cells')} to train", file=sys.stderr)
        make_data(table, places)
        failed = run_cells(places, jobs=options.jobs or jobs_asked(), slurm=slurm)
        if failed:
            fail(
                f"{len(failed)} of {number_of(len(places), 'cells')} failed, the others are kept; see {failed[0].log}."
            )


def run_one(table: ResultTable, places: Sequence[Place], options: argparse.Namespace) -> None:
    """Train the single requested cell in this process, so that its progress is visible."""
    if not places:
        print(f"{options.table} · {options.row} · {options.column} is current: nothing to train", file=sys.stderr)
        return
    make_data(table, places)
    from retable.experiments.run import train_cell  # imported here: only a training needs what takes seconds to import

    train_cell(options.table, options.row, options.column)


def read_options(arguments: list[str] | None) -> argparse.Namespace:
    """Read the command line. Raises: InputError."""
    parser = Parser(
        prog="retable run",
        description="Train cells of a table; `dvc repro` uses them.",
        epilog="example: retable run fcsr-table-3 fcsr sst-2",
    )
    parser.add_argument("table", help="such as fcsr-table-3; its cells are those of the scale")
    parser.add_argument("row", nargs="?", default="", help="only this row")
    parser.add_argument("column", nargs="?", default="", help="only this column")
    parser.add_argument("--jobs", type=int, default=0, help="cells in parallel (default: 2 on a CPU, 1 on a GPU)")
    parser.add_argument("--executor", choices=("local", "slurm"), default="local", help="where to run (default: local)")
    parser.add_argument("--gpus", type=int, default=0, help="slurm: GPUs per cell")
    parser.add_argument("--cpus", type=int, default=1, help="slurm: threads per cell")
    parser.add_argument("--minutes", type=int, default=24 * 60, help="slurm: time limit per cell (default: a day)")
    parser.add_argument("--partition", help="slurm: partition (default: the cluster's)")
    parser.add_argument("--dry-run", action="store_true", help="list the cells that would be trained")
    options = parser.parse_args(arguments)
    for name, least in (("jobs", 0), ("gpus", 0), ("cpus", 1), ("minutes", 1)):
        if (value := getattr(options, name)) < least:
            raise InputError(f"--{name} is {value}; allowed: {least} or more.")
    return options


def asked_of_slurm(options: argparse.Namespace) -> dict[str, Any] | None:
    """Return the SLURM settings; None if the cells run here. Raises: InputError if there is no SLURM."""
    if options.executor == "local":
        return None
    if shutil.which("srun") is None:
        raise InputError("--executor is slurm, but there is no `srun` here; log in to the cluster, or use local.")
    asked = {"time": options.minutes, "cpus_per_task": options.cpus}
    asked |= {"gpus_per_node": options.gpus} if options.gpus else {}
    return asked | ({"partition": options.partition} if options.partition else {})
