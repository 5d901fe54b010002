"""`retable run TABLE ROW COLUMN`: train a cell; its runs are kept where the stage `run` takes them.

In   as the stage `run`
Out  .retable/states/<run key>/run/
"""

import argparse
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory

from retable.experiments.folds import planned_runs
from retable.experiments.resuming import TrainedElsewhereError
from retable.experiments.run import cell_of, run_cell
from retable.papers import paper_of_table
from retable.project.command import command
from retable.project.params import load_yaml
from retable.project.paths import PARAMS


@command
def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="retable run", description="Train a cell of a table; DVC takes its runs.")
    for name in ("table", "row", "column"):
        parser.add_argument(name)
    asked = parser.parse_args(arguments)
    paper = paper_of_table(asked.table)
    cell = cell_of(asked.table, asked.row, asked.column)
    column = paper.result_table(asked.table).column(asked.column)
    with TemporaryDirectory() as scratch, suppress(TrainedElsewhereError):  # then DVC has come to it
        for planned in planned_runs(column, load_yaml(PARAMS)["papers"][paper.name]):
            run_cell(Path(scratch) / planned.name, asked.table, cell, planned, waits=False)
