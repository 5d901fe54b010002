"""Train a run of a cell, score it, and write its folder."""

from pathlib import Path
from typing import Any

from retable.errors import InputError, unknown_name
from retable.experiments.cells import cells_of, inputs_of, plan_of_checkout
from retable.experiments.folds import Planned, planned_runs
from retable.experiments.identity import identity_of
from retable.experiments.resuming import Kept
from retable.experiments.scoring import evaluate_into
from retable.experiments.searching import search
from retable.experiments.training import read_inputs, train_on
from retable.files import atomic_folder, clear_parts
from retable.papers import paper_of_table
from retable.project.params import read_params
from retable.project.paths import RUNS
from retable.runs.record import find_run, run_folder
from retable.text.folds import Fold
from retable.training.determinism import deterministic
from retable.training.run import Trained


def cell_of(table: str, row: str, column: str) -> dict[str, str]:
    """Return a cell of the scale: its model, corpus and vectors. Raises: InputError if the scale has no such cell."""
    cells = cells_of(paper_of_table(table).result_table(table), plan_of_checkout())
    name = f"{row}.{column}"
    if name not in cells:
        raise unknown_name(f"cell of {table}", name, cells)
    found: dict[str, str] = cells[name]
    return found


def train_cell(table: str, row: str, column: str) -> None:
    """Train the missing runs of a cell, each into results/runs/<table>/<key>/.

    If the row's options are searched, its trials come first.

    Raises: InputError if the scale has no such cell, or its data have not been made.
    """
    paper = paper_of_table(table)
    cell = cell_of(table, row, column)
    check_data(cell)
    protocol, of_table = read_params("papers")[paper.name], paper.result_table(table)
    with deterministic(protocol.get("deterministic", False)):
        if (of_row := of_table.row(row)).trials:
            search(of_row, of_table.column(column), cell, protocol)
        for planned in planned_runs(of_row, of_table.column(column), protocol):
            train_run(facts_of_run(table, cell, planned), RUNS)


def check_data(cell: dict[str, str]) -> None:
    """Refuse a cell whose data have not been made. Raises: InputError."""
    for stage, folder in inputs_of([cell]).items():
        if not folder.exists():
            raise InputError(f"{folder} is missing; `dvc repro {stage}` makes it.")


def train_run(facts: dict[str, Any], runs: Path) -> Path:
    """Train and score a run, unless it already exists below `runs`, and return its folder.

    A stopped training resumes; the folder appears only when it is complete.
    """
    kept = Kept(facts["key"])
    kept.lock_others_out()
    if found := find_run(runs, facts["key"]):
        kept.forget()
        return found
    parameters = facts["parameters"]
    inputs = read_inputs(parameters)
    seed = Planned(facts["seed"], Fold.of_parameters(parameters["corpus"])).label
    what = f"{facts['table']} · {facts['row']} · {facts['column']} · seed {seed}"
    trained = train_on(what, parameters, inputs, kept)
    place = run_folder(runs, facts["table"], facts["key"])
    clear_parts(place.parent)  # also of runs whose keys are no longer used
    with atomic_folder(place) as folder:
        keep_weights(folder, trained, facts)
        evaluate_into(folder, trained, facts, inputs)
    kept.forget()
    return place


def facts_of_run(table: str, cell: dict[str, str], planned: Planned) -> dict[str, Any]:
    """Return the facts of a run, including parameters and key, before it has results."""
    paper = paper_of_table(table)
    facts = {
        "paper": paper.name,
        "table": table,
        "row": cell["row"],
        "column": cell["column"],
        "scale": read_params("scale"),
    }
    return facts | identity_of(paper.result_table(table), cell, planned, read_params("papers")[paper.name])


def keep_weights(folder: Path, trained: Trained, facts: dict[str, Any]) -> None:
    """Write the weights into the folder of a run, if its row keeps them."""
    if facts["row"] in read_params("papers")[facts["paper"]]["keep_weights"]:
        (folder / "model").mkdir()
        trained.classifier.save(folder / "model")
