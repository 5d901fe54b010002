"""Measure what a paper leaves open on development data: options of a model, or the spread between seeds.

    python benchmarks/readings.py fcsr sst-2 --vary model.gate=relu,sigmoid model.activation=as-gates,softmax
    python benchmarks/readings.py textcnn mr --vary seed=1,2,3,4,5
    python benchmarks/readings.py transformer-f-table-2 dpcnn mr --vectors none

The first two name a model and a corpus: the model's preset in float32. The third names a cell: its row's options, and
the paper's precision and limits at the scale that stands in params.yaml. Prints a line for every combination: best dev
accuracy, its epoch, seconds. The test split is never opened. The figures stand in docs/readings.md.
"""

import argparse
import itertools
import statistics
from typing import Any

from ruamel.yaml import YAML
from trials import CellOf, run_trial, train_and_dev, varied

from retable.errors import InputError
from retable.experiments.scale import model_preset
from retable.project.command import command
from retable.project.paths import VECTORS
from retable.training.parameters import check_parameters
from retable.vectors.store import read_vectors

POOL = "pool-en.word2vec-300"


@command
def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("subject", nargs="+", help="MODEL CORPUS, or TABLE ROW COLUMN")
    parser.add_argument("--vectors", help=f"name in data/vectors (default: {POOL}; of a cell, those of the scale)")
    parser.add_argument("--vary", nargs="+", default=[], metavar="OPTION=VALUE,VALUE")
    options = parser.parse_args()
    given = parameters_of(options.subject, options.vectors)
    choices = {name: values.split(",") for name, _, values in (item.partition("=") for item in options.vary)}
    yaml = YAML(typ="safe", pure=True)
    trials = []
    for values in itertools.product(*choices.values()):
        parameters = varied(given, {name: yaml.load(value) for name, value in zip(choices, values, strict=True)})
        check_parameters(parameters, file="--vary")
        told = ", ".join(f"{name} {value}" for name, value in zip(choices, values, strict=True))
        trials.append((told or "as it is", parameters))  # all are checked before the first training
    train, dev = train_and_dev(given["corpus"]["name"])
    vectors = read_vectors(VECTORS / given["embedding"]["vectors"])
    accuracies = []
    for told, parameters in trials:
        trial = run_trial(parameters, train, dev, vectors)
        accuracies.append(trial.best)
        print(f"{told}: {trial}", flush=True)
    if len(accuracies) > 1:
        spread = statistics.stdev(accuracies)
        print(f"mean {statistics.mean(accuracies):.2f}, standard deviation {spread:.2f} ({len(dev.ids)} dev texts)")


def parameters_of(subject: list[str], vectors: str | None) -> dict[str, Any]:
    """The parameters of a model's preset on a corpus, or of a cell.

    Raises: InputError for another number of names, and for those of `model_preset` and `CellOf.parameters`.
    """
    if len(subject) == 3:
        return CellOf(*subject).parameters(vectors=vectors)
    if len(subject) != 2:
        raise InputError(f"{' '.join(subject)}: name a model and a corpus, or a table, a row and a column.")
    model, corpus = subject
    preset = model_preset(model)
    preset["embedding"]["vectors"] = vectors or POOL
    return {"corpus": {"name": corpus}, "seed": 1, "device": "auto", "precision": "float32"} | preset


if __name__ == "__main__":
    main()
