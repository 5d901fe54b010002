"""The parameters of a cell: its model's preset, the paper's departures from it, and what the scale limits."""

import copy
from collections.abc import Mapping
from typing import Any

from retable.papers.paper import Column, Row

Section = Mapping[str, Any]


def row_parameters(
    preset: Section, row: Row, column: Column, protocol: Section, *, vectors: str, seed: int
) -> dict[str, Any]:
    """The sections of one run of a row.

    Args:
        preset: sections model, embedding and training of the row's model.
        row: the row, with the paper's overrides.
        column: the column, with its corpus and the unit in which it is read.
        protocol: the section papers.<paper> of params.yaml; `epochs` cuts the schedule off and never shortens it.
        vectors: name of the cell's word vectors.
        seed: of this run.
    """
    sections: dict[str, Any] = copy.deepcopy({name: dict(preset[name]) for name in ("model", "embedding", "training")})
    for name, options in row.overrides.items():
        sections[name] |= options
    sections["embedding"] |= {"vectors": vectors, "unit": column.unit}
    if protocol["epochs"] and "epochs" in sections["training"]:
        sections["training"]["epochs"] = min(sections["training"]["epochs"], protocol["epochs"])
    return {
        **sections,
        "corpus": {"name": column.corpus},
        "seed": seed,
        "device": protocol["device"],
        "precision": protocol["precision"],
    }
