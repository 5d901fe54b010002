"""Why a cell of a table is not measured: which scale runs it, or what its banked run is refused for."""

from collections.abc import Collection, Mapping
from functools import cache, partial
from typing import Any

from retable.experiments.cells import cells_of_paper
from retable.experiments.scale import scale_preset
from retable.papers import PAPERS
from retable.papers.paper import Paper, ResultTable
from retable.results.tables import shown_of
from retable.tables.results import IN_NO_SCALE

Key = tuple[str, str]  # row, column
SCALES = (
    "cpu",
    "full",
    "paper",
)  # the least work first; measure has the cells of full, smoke the project's own samples
TOLD = {"parameters": "preset or budget", "data": "data", "recipe": "recipe"}  # what of a run is another


def not_run(table: ResultTable, source: Paper) -> dict[Key, str]:
    """The reason of every cell that a scale has, should it not be measured."""
    return {key: f"not run yet: {told_scale(scale)}" for key, scale in scale_of_cells(table, source).items()}


def refused(table: ResultTable, source: Paper, changed: Mapping[Key, Collection[str]]) -> dict[Key, str]:
    """The reason of cells of which the bank holds runs that a run of today would not equal.

    Args:
        changed: the cells, and which hashes of their runs are not those of today.
    """
    scales = scale_of_cells(table, source)
    found = {}
    for key, names in changed.items():
        *first, last = (told for name, told in TOLD.items() if name in names)
        other = f"{', '.join(first)} and {last}" if first else last
        found[key] = f"a banked run of other {other} is refused, it has to be run again: {told_scale(scales.get(key))}"
    return found


def told_scale(scale: str | None) -> str:
    """Where a cell can be run."""
    return f"scale {scale} has it" if scale else IN_NO_SCALE


def scale_of_cells(table: ResultTable, source: Paper) -> dict[Key, str]:
    """The smallest scale that has a cell, for each that a table shows at any."""
    found: dict[Key, str] = {}
    for scale in reversed(SCALES):
        cells, protocols = cells_of_scale(scale)
        for shown in shown_of(table, source, partial(cells_in, cells), protocols):
            found |= {(shown.row.id, column.id): scale for column in table.showing(shown.column.id)}
    return found


def cells_in(cells: Mapping[str, Any], table: ResultTable, source: Paper) -> dict[str, dict[str, str]]:
    """The cells of a table among those of a scale."""
    of_table: dict[str, dict[str, str]] = cells[source.name][table.name]
    return of_table


@cache  # every table asks
def cells_of_scale(scale: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """Paper -> table -> the cells that it runs, and paper -> how they are run."""
    preset = scale_preset(scale)
    return {name: cells_of_paper(name, preset) for name in PAPERS}, preset["papers"]
