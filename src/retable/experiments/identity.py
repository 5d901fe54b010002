"""The identity of a run, known before it has results."""

from pathlib import Path
from typing import Any

from retable.experiments.folds import data_of_run
from retable.experiments.scale import read_preset
from retable.runs.provenance import hash_of_parameters, run_key
from retable.runs.recipes import as_text, recipe_of


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
