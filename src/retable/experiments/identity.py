"""The identity of a run, known before it has results."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from retable.experiments.folds import Planned, data_of_run
from retable.experiments.scale import read_preset
from retable.papers.paper import ResultTable
from retable.papers.parameters import row_parameters
from retable.project.paths import TAGGED, VECTORS
from retable.runs.provenance import hash_of_parameters, run_key
from retable.runs.recipes import as_text, recipe_of


def identity_of(
    table: ResultTable, cell: Mapping[str, str], planned: Planned, protocol: Mapping[str, Any]
) -> dict[str, Any]:
    """Return the identity of a run of a cell today. Raises: FileNotFoundError if its data are not known."""
    parameters = row_parameters(
        read_preset(cell["model"]),
        table.row(cell["row"]),
        table.column(cell["column"]),
        protocol,
        vectors=cell["vectors"],
        seed=planned.seed,
        fold=planned.fold,
    )
    return identity(parameters, TAGGED / cell["corpus"], VECTORS / cell["vectors"])


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
