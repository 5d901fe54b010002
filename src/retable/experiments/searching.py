"""Search a row's options on dev: the trials of a cell, each kept as a file (retable.papers.trials)."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from retable.experiments.digests import checked_vectors
from retable.experiments.display import display, show_line
from retable.experiments.folds import splits_of_run, vectors_of_run
from retable.experiments.identity import identity
from retable.experiments.resuming import Kept
from retable.experiments.scale import model_preset
from retable.experiments.scoring import surroundings
from retable.files import write_json
from retable.papers.paper import Column, Row
from retable.papers.parameters import folds_of, row_parameters
from retable.papers.trials import COUNT, options_of_trial, trials_of
from retable.project.paths import TAGGED, TRIALS, VECTORS
from retable.text.folds import Fold
from retable.training.run import Trained, train_classifier

SEED = 1


def search(row: Row, column: Column, cell: Mapping[str, str], protocol: Mapping[str, Any]) -> None:
    """Train the missing trials of a cell; for a corpus in folds, on the first fold.

    They are kept under the table that the row's search is named after, which several tables may show.
    """
    table = row.search
    known = trials_of(table).get((row.id, cell["corpus"]), {})
    for number in range(1, COUNT + 1):
        facts = facts_of_trial(number, row, column, cell, protocol)
        if known.get(number, {}).get("key") != facts["key"]:
            keep_trial(table, facts, train_trial(f"{table} · {row.id} · {column.id} · trial {number}", facts))


def facts_of_trial(
    number: int, row: Row, column: Column, cell: Mapping[str, str], protocol: Mapping[str, Any]
) -> dict[str, Any]:
    """Return the facts of a trial before it has results."""
    preset, fold = model_preset(cell["model"]), folds_of(column, protocol)[0]
    asked: dict[str, Any] = {"vectors": cell["vectors"], "seed": SEED, "fold": fold}
    plain = replace(row, search="")
    options = options_of_trial(number, row_parameters(preset, plain, column, protocol, **asked))
    changed = replace(plain, searched={cell["corpus"]: options})
    found = identity(
        row_parameters(preset, changed, column, protocol, **asked), TAGGED / cell["corpus"], VECTORS / cell["vectors"]
    )
    return {"row": row.id, "column": column.id, "trial": number, "options": options, **found}


def train_trial(what: str, facts: Mapping[str, Any]) -> Trained:
    """Train a trial, or resume a stopped one, without reading its test texts."""
    kept, parameters = Kept(facts["key"]), facts["parameters"]
    kept.lock_others_out()
    train, dev, _ = splits_of_run(parameters)
    vectors = VECTORS / parameters["embedding"]["vectors"]
    given = checked_vectors(vectors_of_run(vectors, Fold.of_parameters(parameters["corpus"])))
    with display(what, parameters, train) as bar:
        trained = train_classifier(parameters, train, dev, given, kept.progress(bar, lambda line: show_line(bar, line)))
        bar.finish()
    kept.forget()
    return trained


def keep_trial(table: str, facts: Mapping[str, Any], trained: Trained) -> None:
    """Write a trial's file: its facts, the best dev accuracy, epochs and seconds."""
    folder = TRIALS / table
    folder.mkdir(parents=True, exist_ok=True)
    wanted = ("row", "column", "corpus", "model", "trial", "options", "fold", "seed", "key", "hashes")
    result: dict[str, Any] = {
        "dev": max(line["dev_accuracy"] for line in trained.curve),
        "epochs": trained.epochs["run"],
        "seconds": round(trained.cost["seconds"], 1),
        **surroundings(trained.cost),
    }
    name = f"{facts['row']}.{facts['column']}.{facts['trial']}.json"
    write_json(folder / name, {each: facts[each] for each in wanted} | result)
