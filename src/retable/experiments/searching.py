"""Search a row's options on dev: the trials of a cell, each kept as a file (retable.papers.trials)."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from retable.experiments.identity import identity
from retable.experiments.resuming import Kept
from retable.experiments.scale import model_preset
from retable.experiments.scoring import surroundings
from retable.experiments.training import read_inputs, train_on
from retable.files import read_json, write_json
from retable.papers.paper import Column, Row
from retable.papers.parameters import folds_of, row_parameters
from retable.papers.trials import AGAIN, COUNT, options_of_trial, trials_of
from retable.project.paths import TAGGED, TRIALS, VECTORS
from retable.text.choosing import dev_score
from retable.training.run import Trained

SEED = 1


def search(row: Row, column: Column, cell: Mapping[str, str], protocol: Mapping[str, Any]) -> None:
    """Train the missing trials of a cell; for a corpus in folds, on the first fold.

    They are kept under the table that the row's search is named after, which several tables may show.
    """
    table = row.trials
    known = trials_of(table).get((row.id, cell["corpus"]), {})
    for number in range(1, COUNT + 1):
        facts = facts_of_trial(number, row, column, cell, protocol)
        if known.get(number, {}).get("key") != facts["key"]:
            train_trial(table, facts)
        else:  # killed after it wrote the file, a trial leaves its state
            Kept(facts["key"]).forget()


def facts_of_trial(
    number: int, row: Row, column: Column, cell: Mapping[str, str], protocol: Mapping[str, Any]
) -> dict[str, Any]:
    """Return the facts of a trial before it has results."""
    preset, fold = model_preset(cell["model"]), folds_of(column, protocol)[0]
    asked: dict[str, Any] = {"vectors": cell["vectors"], "seed": SEED, "fold": fold}
    plain = replace(row, trials="")
    options = options_of_trial(number, row_parameters(preset, plain, column, protocol, **asked))
    changed = replace(plain, chosen={cell["corpus"]: options})
    found = identity(
        row_parameters(preset, changed, column, protocol, **asked), TAGGED / cell["corpus"], VECTORS / cell["vectors"]
    )
    return {"row": row.id, "column": column.id, "trial": number, "options": options, **found}


def train_trial(table: str, facts: Mapping[str, Any]) -> None:
    """Train a trial without reading its test texts, unless another process has just done so, and write its file."""
    kept, parameters = Kept(facts["key"]), facts["parameters"]
    kept.lock_others_out()
    path = TRIALS / table / f"{facts['row']}.{facts['column']}.{facts['trial']}.json"
    if not path.exists() or read_json(path, advice=AGAIN).get("key") != facts["key"]:
        what = f"{table} · {facts['row']} · {facts['column']} · trial {facts['trial']}"
        write_trial(path, facts, train_on(what, parameters, read_inputs(parameters), kept))
    kept.forget()


def write_trial(path: Path, facts: Mapping[str, Any], trained: Trained) -> None:
    """Write a trial's file: its facts, the best dev score, epochs and seconds."""
    path.parent.mkdir(parents=True, exist_ok=True)
    wanted = ("row", "column", "corpus", "model", "trial", "options", "fold", "seed", "key", "hashes")
    result: dict[str, Any] = {
        "dev": max(map(dev_score, trained.curve)),
        "epochs": trained.epochs["run"],
        "seconds": round(trained.cost["seconds"], 1),
        **surroundings(trained.cost),
    }
    write_json(path, {each: facts[each] for each in wanted} | result)
