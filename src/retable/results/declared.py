"""Tables of what is declared: corpora, models, the cells of the scales. They need no data and no training."""

from collections.abc import Mapping, Sequence
from typing import Any

from retable.experiments.cells import cells_of
from retable.experiments.estimate import Speeds, table_seconds
from retable.experiments.scale import scale_preset
from retable.papers import result_tables
from retable.results import facts
from retable.tables.markdown import markdown_table

SCALES = ("cpu", "measure", "full", "paper")  # whose hours are told


def scale_arithmetic(scale: str, measured: Speeds) -> str:
    """Return a scale's cells and their expected time on one core, one line per table."""
    preset = scale_preset(scale)
    seconds = table_seconds(preset, measured)
    cells = {table.name: len(found) for table in result_tables() if (found := cells_of(table, preset))}
    rows: facts.Rows = [{"table": name, "cells": cells[name], "minutes": seconds[name] / 60} for name in cells]
    return table([*rows, {"table": "all cells", "cells": sum(cells.values()), "minutes": sum(seconds.values()) / 60}])


def table(rows: Sequence[Mapping[str, Any]]) -> str:
    """Return rows as Markdown; a sentence if there are none."""
    if not rows:
        return "Not made at this scale.\n"
    names = facts.names_of(rows)
    return markdown_table(names, [[shown(row.get(name)) for name in names] for row in rows])


def shown(value: Any) -> str:
    """Return a value as a Markdown table cell."""
    if value is None:
        return ""
    if isinstance(value, int):
        return f"{value:,}"
    return f"{value:,.1f}" if isinstance(value, float) else str(value).replace("|", "\\|")


def blocks(measured: Speeds) -> dict[tuple[str, str], str]:
    """Return (page, block) -> its text."""
    return {
        ("corpora", "corpora"): table(facts.declared_corpora(at_hand=True)),
        ("corpora", "declared corpora"): table(facts.declared_corpora(at_hand=False)),
        ("models", "models"): table(facts.models()),
        **{("timing", scale): scale_arithmetic(scale, measured) for scale in SCALES},
    }
