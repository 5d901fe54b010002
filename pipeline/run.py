"""Run a cell of a table: its row's model on its column's corpus, once for every seed, and every fold if it has any.

In   data/tagged/<corpus>/, data/vectors/<name>/, params.yaml (papers.<paper>)
Out  results/runs/<table>/<row>/<column>/<seed>/{metrics.json,cost.json,curve.csv,predictions.parquet}, and
     model/ of the rows whose weights are kept; under folds <seed>-fold-<number>/
"""

import argparse
import sys
from pathlib import Path
from typing import Any

from pipeline.command import command
from pipeline.folding import Planned, planned_runs, splits_of_run, vectors_of_run
from pipeline.launch import joined_ranks, start_under_launcher
from pipeline.params import load_yaml, read_params
from pipeline.paths import PARAMS, ROOT, RUNS, TAGGED, VECTORS
from pipeline.resuming import Kept, results_folder
from pipeline.running import display, evaluate_into, identity, show_line
from pipeline.scale import model_preset
from retable.errors import unknown_name
from retable.models import LINEAR_MODELS
from retable.papers import paper_of_table
from retable.papers.parameters import row_parameters
from retable.text.folds import Fold
from retable.training.determinism import deterministic
from retable.training.parallel import ALONE, Ranks
from retable.training.run import Trained, train_classifier
from retable.vectors.store import read_vectors


@command
def main() -> None:
    parser = argparse.ArgumentParser(description="Run a cell of a table.")
    for name in ("table", "row", "column"):
        parser.add_argument(name)
    arguments = parser.parse_args()
    paper = paper_of_table(arguments.table)
    cell = cell_of(arguments.table, arguments.row, arguments.column)
    column = paper.result_table(arguments.table).column(arguments.column)
    start_under_launcher("pipeline.run", sys.argv[1:])
    with joined_ranks() as ranks:
        if cell["model"] in LINEAR_MODELS:  # one process trains it
            if not ranks.first:
                return
            ranks = ALONE
        with results_folder(RUNS / arguments.table / arguments.row / arguments.column, ranks) as folder:
            protocol = load_yaml(PARAMS)["papers"][paper.name]
            runs = planned_runs(column, protocol)
            with deterministic(protocol.get("deterministic", False)):
                kept = [run_cell(folder / planned.name, arguments.table, cell, planned, ranks) for planned in runs]
        for each in kept:
            each.forget()


def cell_of(table: str, row: str, column: str) -> dict[str, str]:
    """A cell of the scale: its model, corpus and vectors. Raises: InputError if the scale has no such cell."""
    paper = paper_of_table(table)
    cells = load_yaml(ROOT / f"pipeline/{paper.name}/cells.yaml").get(paper.result_table(table).name) or {}
    name = f"{row}.{column}"
    if name not in cells:
        raise unknown_name(f"the cell of {table}", name, cells)
    found: dict[str, str] = cells[name]
    return found


def run_cell(
    folder: Path, table: str, cell: dict[str, str], planned: Planned, ranks: Ranks = ALONE, *, waits: bool = True
) -> Kept:
    """Make one run of a cell into its folder, and return what is kept of it until the cell is complete.

    Raises: TrainedElsewhereError if another process trains it and is not to be waited for.
    """
    return make_run(folder, facts_of_run(table, cell, planned), ranks, waits=waits)


def make_run(folder: Path, facts: dict[str, Any], ranks: Ranks = ALONE, *, waits: bool = True) -> Kept:
    """Train and score a run into its folder: what its parameters say, on the data that they name.

    Raises: TrainedElsewhereError if another process trains it and is not to be waited for.
    """
    parameters = facts["parameters"]
    fold = Fold.of_parameters(parameters["corpus"])
    train, dev, read_test = splits_of_run(facts["corpus"], fold)
    vectors = read_vectors(vectors_of_run(VECTORS / parameters["embedding"]["vectors"], fold))
    kept = Kept(facts["key"], ranks, waits=waits)
    if kept.take_finished(folder):
        return kept
    what = f"{facts['table']} · {facts['row']} · {facts['column']} · seed {Planned(facts['seed'], fold).told}"
    with display(what, parameters, train, shown=ranks.first) as bar:
        trained = train_classifier(
            parameters,
            train,
            dev,
            vectors,
            state=kept.state(bar),
            ranks=ranks,
            on_batch=lambda epoch, words: bar.advance(words, f"epoch {epoch}"),
            on_line=lambda line: show_line(bar, line),
        )
        bar.finish()
    make_folder(folder, trained, facts)
    evaluate_into(folder, trained, facts, train, dev, read_test(), vectors)
    kept.keep_finished(folder)
    return kept


def facts_of_run(table: str, cell: dict[str, str], planned: Planned) -> dict[str, Any]:
    """What a run is, its parameters and its key among it, before it has any result."""
    paper = paper_of_table(table)
    asked = paper.result_table(table)
    parameters = row_parameters(
        model_preset(cell["model"]),
        asked.row(cell["row"]),
        asked.column(cell["column"]),
        read_params("papers")[paper.name],
        vectors=cell["vectors"],
        seed=planned.seed,
        fold=planned.fold,
    )
    facts = {
        "paper": paper.name,
        "table": table,
        "row": cell["row"],
        "column": cell["column"],
        "scale": read_params("scale"),
    }
    return facts | identity(parameters, TAGGED / cell["corpus"], VECTORS / cell["vectors"])


def make_folder(folder: Path, trained: Trained, facts: dict[str, Any]) -> None:
    """The folder of a run, with the weights where its row keeps them."""
    folder.mkdir(parents=True)
    if facts["row"] in read_params("papers")[facts["paper"]]["keep_weights"]:
        (folder / "model").mkdir()
        trained.classifier.save(folder / "model")


if __name__ == "__main__":
    main()
