"""Train a cell before DVC comes to it; its runs are kept where `pipeline.run` takes them.

In   as `pipeline.run`
Out  .retable/states/<run key>/run/
"""

import argparse
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory

from pipeline.command import command
from pipeline.folding import planned_runs
from pipeline.params import load_yaml
from pipeline.paths import PARAMS
from pipeline.resuming import TrainedElsewhereError
from pipeline.run import cell_of, run_cell
from retable.papers import paper_of_table


@command
def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description="Train a cell before DVC comes to it.")
    for name in ("table", "row", "column"):
        parser.add_argument(name)
    asked = parser.parse_args(arguments)
    paper = paper_of_table(asked.table)
    cell = cell_of(asked.table, asked.row, asked.column)
    column = paper.result_table(asked.table).column(asked.column)
    with TemporaryDirectory() as scratch, suppress(TrainedElsewhereError):  # then DVC has come to it
        for planned in planned_runs(column, load_yaml(PARAMS)["papers"][paper.name]):
            run_cell(Path(scratch) / planned.name, asked.table, cell, planned, waits=False)


if __name__ == "__main__":
    main()
