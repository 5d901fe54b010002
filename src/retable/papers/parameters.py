"""The parameters of a cell: its model's preset, the paper's departures from it, and what the scale limits."""

import copy
from collections.abc import Mapping
from typing import Any

from retable.papers.paper import Row

Section = Mapping[str, Any]


def row_parameters(
    preset: Section, row: Row, protocol: Section, *, corpus: str, vectors: str, seed: int
) -> dict[str, Any]:
    """The sections of one run of a row.

    Args:
        preset: sections model, embedding and training of the row's model.
        row: the row, with the paper's overrides.
        protocol: the section papers.<paper> of params.yaml; `epochs` cuts the schedule off and never shortens it.
        corpus: id of the corpus.
        vectors: name of the cell's word vectors.
        seed: of this run.
    """
    sections: dict[str, Any] = copy.deepcopy({name: dict(preset[name]) for name in ("model", "embedding", "training")})
    for name, options in row.overrides.items():
        sections[name] |= options
    sections["embedding"]["vectors"] = vectors
    if protocol["epochs"] and "epochs" in sections["training"]:
        sections["training"]["epochs"] = min(sections["training"]["epochs"], protocol["epochs"])
    return {
        **sections,
        "corpus": {"name": corpus},
        "seed": seed,
        "device": protocol["device"],
        "precision": protocol["precision"],
    }
