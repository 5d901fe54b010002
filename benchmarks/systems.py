"""Time every system of the equal-chances table, for its columns of seconds (`retable.results.seconds`).

    python -m benchmarks.systems            # some ten minutes, on a machine without other work
    python -m benchmarks.systems --quick    # check that it runs: sample data, meaningless figures, nothing written

Each system has the options that its search chose on the corpus. No test text is read.
"""

import argparse
import sys
from statistics import median
from typing import Any

import torch

from benchmarks.inputs import first, split_of, vectors_of
from benchmarks.timing import in_turns, machine
from retable.experiments.cells import cells_of
from retable.experiments.scale import read_preset, scale_preset
from retable.files import write_json
from retable.papers.bench import TABLE_1 as TABLE
from retable.papers.parameters import row_parameters
from retable.project.command import command
from retable.project.paths import BANK
from retable.results.seconds import COLUMN, FILE, Seconds
from retable.training.run import train_classifier

EPOCHS, REPEATS = 3, 5
TEXTS = 1_000  # that `answering` is for
QUICK_TEXTS = 40


def measure(*, quick: bool) -> Seconds:
    """Return the seconds of every system with cells. Raises: InputError if data are missing."""
    plan, training, answering = scale_preset("full"), {}, {}
    torch.set_num_threads(1)
    for cell in cells_of(TABLE, plan).values():
        if cell["column"] == COLUMN:
            row = cell["row"]
            training[row], answering[row] = seconds_of(cell, plan["papers"]["bench"], quick=quick)
            print(f"{row}: {training[row]:.3g} s, {TEXTS:,} answers {answering[row]:.3g} s", file=sys.stderr)
    here = machine()
    return Seconds(here["cpu"], here["cpu_capability"], here["torch"], here["date"], training, answering)


def seconds_of(cell: dict[str, str], protocol: dict[str, Any], *, quick: bool) -> tuple[float, float]:
    """Return the seconds of an epoch, of a linear model those of its training, and of TEXTS answers."""
    row, column = TABLE.row(cell["row"]), TABLE.column(COLUMN)
    parameters = row_parameters(read_preset(cell["model"]), row, column, protocol, vectors=cell["vectors"], seed=1)
    train, dev = (split_of(cell["corpus"], part, quick=quick) for part in ("train", "dev"))
    if quick:
        train, dev = first(train, QUICK_TEXTS), first(dev, QUICK_TEXTS)
    is_network = "epochs" in parameters["training"]
    if is_network:
        parameters["training"]["epochs"] = 1 if quick else EPOCHS
    trained = train_classifier(parameters, train, dev, vectors_of(cell["vectors"], quick=quick))
    took = in_turns({"ours": lambda: trained.classifier.probabilities(dev)}, 1 if quick else REPEATS)["ours"]
    whole = trained.cost["seconds_per_epoch" if is_network else "seconds"]
    return whole, median(took) / len(dev.ids) * TEXTS


@command
def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.systems",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--quick", action="store_true", help="on sample data; nothing is written")
    options = parser.parse_args()
    found = measure(quick=options.quick)
    if not options.quick:
        write_json(BANK / FILE, found._asdict())


if __name__ == "__main__":
    main()
