"""Code shared by cells and the focus run: the identity of a run, its progress display, and the files of its folder.

`retable.runs.folder` is imported where it is used: it scores with scikit-learn, which takes seconds to import.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from math import prod
from pathlib import Path
from typing import Any

from retable.experiments.folds import data_of_run
from retable.experiments.scale import read_preset
from retable.files import write_json
from retable.project.paths import ROOT
from retable.project.progress import Bar, progress
from retable.runs.predictions import write_predictions
from retable.runs.provenance import git_commit, hash_of_parameters, run_key, versions
from retable.runs.recipes import as_text, recipe_of
from retable.text.splits import Split
from retable.text.units import in_unit
from retable.text.vocabulary import count_words
from retable.training.run import Classifier, Trained
from retable.vectors.store import WordVectors, coverage


@contextmanager
def display(what: str, parameters: dict[str, Any], train: Split) -> Iterator[Bar]:
    """Show a progress bar over the words of all planned epochs; for a linear model, over its candidates."""
    model, training = parameters["model"], parameters["training"]
    if "epochs" in training:
        unit = parameters["embedding"]["unit"]
        total = len(in_unit(train, unit).tokens.flatten()) * training["epochs"]
    else:
        total, unit = prod(len(each) for each in model.values() if isinstance(each, list)), "candidates"
    with progress(what, total, unit) as bar:
        yield bar


def show_line(bar: Bar, line: dict[str, Any]) -> None:
    """Show an epoch, whose words are already counted, or a candidate."""
    bar.advance(0 if "epoch" in line else 1, note_of_line(line))


def note_of_line(line: dict[str, Any]) -> str:
    """Return the note that the display shows after an epoch or a candidate."""
    if "epoch" in line:
        return f"epoch {line['epoch']} done, dev {100 * line['dev_accuracy']:.1f}%"
    cost = f", C {line['cost']:g}" if "cost" in line else ""
    return f"{line['features']}{cost}: dev {100 * line['dev_accuracy']:.1f}%"


def identity(parameters: dict[str, Any], tagged: Path, vectors: Path) -> dict[str, Any]:
    """Return the parameters, hashes and key of a run, known before it has results.

    Where it is executed is not part of its identity: the device is in its parameters but not in their hash.
    """
    hashes = {
        "parameters": hash_of_parameters(parameters),
        "data": data_of_run(parameters, tagged, vectors),
        "recipe": as_text(recipe_of(parameters, read_preset(parameters["model"]["name"])["recipe"])),
    }
    return {
        "key": run_key(**hashes),
        "model": parameters["model"]["name"],
        "corpus": parameters["corpus"]["name"],
        "seed": parameters["seed"],
        "fold": parameters["corpus"].get("fold"),
        "parameters": parameters,
        "hashes": hashes,
    }


def vectors_facts(vectors: WordVectors, train: Split, embedding: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return the name of the word vectors and their coverage of the training split in its unit, or None."""
    if not vectors.words:
        return None
    tokens = in_unit(train, embedding["unit"]).tokens
    covered = coverage(count_words(tokens, lowercase=embedding["lowercase"]), set(vectors.words))
    return {"name": vectors.facts["name"], "words_covered": covered.words, "tokens_covered": covered.tokens}


def evaluate_into(
    folder: Path, trained: Trained, facts: dict[str, Any], train: Split, dev: Split, test: Split, vectors: WordVectors
) -> None:
    """Score a trained model and write the folder of its run; metrics.json comes last."""
    from retable.runs.folder import write_cost, write_curve

    write_curve(folder / "curve.csv", trained.curve)
    write_cost(folder / "cost.json", trained.cost)
    classifier = trained.classifier
    scored = score_into(folder, classifier, dev, test)
    write_json(
        folder / "metrics.json",
        facts
        | scored
        | {
            "epochs": trained.epochs,
            "chosen": trained.chosen,
            "vectors": vectors_facts(vectors, train, facts["parameters"]["embedding"]),
            **surroundings(trained.cost),
        },
    )


def score_into(folder: Path, classifier: Classifier, dev: Split, test: Split) -> dict[str, Any]:
    """Score dev and test and write predictions.parquet: the only place where the test split is read."""
    from retable.runs.folder import scores_of_splits

    answers = classifier.probabilities(test)
    write_predictions(folder / "predictions.parquet", test, answers)
    return scores_of_splits((classifier.probabilities(dev), dev), (answers, test))


def surroundings(cost: dict[str, Any]) -> dict[str, Any]:
    """Return where and when a run was made."""
    from retable.runs.folder import today

    return {
        "git_commit": git_commit(ROOT),
        "versions": versions(),
        "device": cost["device"],
        "threads": cost["threads"],
        "date": today(),
    }
