"""Run a cell of a table: its row's model on its column's corpus, once for every seed, and every fold if it has any.

In   data/tagged/<corpus>/, data/vectors/<name>/, params.yaml (papers.<paper>)
Out  results/runs/<table>/<row>/<column>/<seed>/{metrics.json,cost.json,curve.csv,predictions.parquet}, and
     model/ of the rows whose weights are kept; under folds <seed>-fold-<number>/
"""

from retable.experiments.folds import planned_runs
from retable.experiments.resuming import results_folder
from retable.experiments.run import cell_of, run_cell
from retable.models import LINEAR_MODELS
from retable.papers import paper_of_table
from retable.project.command import command
from retable.project.launch import start_under_launcher
from retable.project.params import load_yaml
from retable.project.paths import PARAMS, RUNS
from retable.training.determinism import deterministic
from retable.training.parallel import ALONE, joined_ranks


@command
def main(table: str, row: str, column_id: str) -> None:
    paper = paper_of_table(table)
    cell = cell_of(table, row, column_id)
    column = paper.result_table(table).column(column_id)
    start_under_launcher("retable", ["stage", "run", table, row, column_id])
    with joined_ranks() as ranks:
        if cell["model"] in LINEAR_MODELS:  # one process trains it
            if not ranks.first:
                return
            ranks = ALONE
        with results_folder(RUNS / table / row / column_id, ranks) as folder:
            protocol = load_yaml(PARAMS)["papers"][paper.name]
            runs = planned_runs(column, protocol)
            with deterministic(protocol.get("deterministic", False)):
                kept = [run_cell(folder / planned.name, table, cell, planned, ranks) for planned in runs]
        for each in kept:
            each.forget()
