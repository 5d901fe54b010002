"""Search the first learning rate of a table's row on development data: a short training for each rate.

    python benchmarks/learning_rates.py transformer-f-table-3 transformer ced --rates 1e-4 2e-4 5e-4 --epochs 2

A rate is tried under all that the stage `run` would give the cell: preset and overrides, the paper's device and
precision, the scale's word vectors. Prints a line for every rate (best dev accuracy, that of each epoch, seconds)
and adds it to results/learning-rates/<table>.<row>.<column>.csv. The test split is never opened.
"""

import argparse
import csv
from pathlib import Path
from typing import Any

from trials import CellOf, Trial, run_trial, train_and_dev, varied

from retable.errors import InputError
from retable.files import atomic_file
from retable.project.command import command
from retable.project.paths import ROOT, VECTORS
from retable.training.parameters import check_parameters
from retable.vectors.store import read_vectors

LINES = ROOT / "results/learning-rates"
COLUMNS = ("vectors", "schedule", "precision", "seed", "learning_rate", "dev", "best", "seconds", "note")


@command
def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("table", "row", "column"):
        parser.add_argument(name)
    parser.add_argument("--rates", nargs="+", type=float, required=True, metavar="RATE")
    parser.add_argument("--epochs", type=int, required=True, help="epochs of the schedule that are run for each rate")
    parser.add_argument("--vectors", help="name in data/vectors; as in the scale's cells where it is not given")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    if options.epochs < 1:
        raise InputError(f"--epochs is {options.epochs}; allowed: 1 or more.")
    cell = CellOf(options.table, options.row, options.column)
    of_cell = cell.parameters(vectors=options.vectors, epochs=options.epochs, seed=options.seed)
    if "learning_rate" not in of_cell["training"]:
        raise InputError(f"{options.row} is a linear model; it has no learning rate.")
    all_parameters = [varied(of_cell, {"training.learning_rate": rate}) for rate in options.rates]
    for parameters in all_parameters:  # all are checked before the first training
        check_parameters(parameters, file="--rates")
    train, dev = train_and_dev(all_parameters[0]["corpus"]["name"])
    vectors = read_vectors(VECTORS / all_parameters[0]["embedding"]["vectors"])
    path = LINES / f"{options.table}.{options.row}.{options.column}.csv"
    for parameters in all_parameters:
        rate = parameters["training"]["learning_rate"]
        trial, note = None, ""
        try:
            trial = run_trial(parameters, train, dev, vectors)
        except InputError as error:  # the loss is no number: also an answer, and the other rates are still to be tried
            note = str(error)
        print(f"learning rate {rate:g}: {trial or note}", flush=True)
        add_line(path, line_of(parameters, trial, note))
    print(f"{len(dev.ids)} dev texts; the lines stand in {path.relative_to(ROOT)}")


def line_of(parameters: dict[str, Any], trial: Trial | None, note: str) -> dict[str, Any]:
    """What is written of a rate; accuracies in %."""
    training = parameters["training"]
    return {
        "vectors": parameters["embedding"]["vectors"],
        "schedule": training["schedule"],
        "precision": parameters["precision"],
        "seed": parameters["seed"],
        "learning_rate": f"{training['learning_rate']:g}",
        "dev": trial.epochs if trial else "",
        "best": f"{trial.best:.2f}" if trial else "",
        "seconds": f"{trial.seconds:.0f}" if trial else "",
        "note": note,
    }


def add_line(path: Path, line: dict[str, Any]) -> None:
    """The file with one more line."""
    lines: list[dict[str, Any]] = []
    if path.exists():
        with path.open(newline="", encoding="utf-8") as file:
            lines = list(csv.DictReader(file))
    with atomic_file(path) as part, part.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows([*lines, line])


if __name__ == "__main__":
    main()
