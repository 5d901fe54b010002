"""Write tables from the bank alone, in machine-readable forms.

csv, parquet   one line per cell: measured, its interval, the printed number, verdict, note (retable.tables.lines)
json           the same, under the table's title and unit
latex          a grid for a paper (package booktabs): measured ± half its interval, and the printed number in italics
markdown       as in docs/results.md
"""

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from retable.errors import unknown_name
from retable.files import atomic_file, write_text
from retable.papers import papers
from retable.papers.paper import Paper, StatisticsTable
from retable.results.resolving import Resolver
from retable.results.tables import Statistics, all_tables, lines_and_costs, tables_without_runs
from retable.tables.lines import UNVERIFIED, Line, write_lines
from retable.tables.markdown import Table, half_interval, printed_names, result_markdown

NUMBERS = ("measured", "low", "high", "clean", "published", "delta")  # columns of a line
SPECIAL = {
    "\\": r"\textbackslash{}", "&": r"\&", "%": r"\%", "$": r"\$", "#": r"\#", "_": r"\_", "{": r"\{", "}": r"\}",
    "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "Δ": r"$\Delta$", "·": r"$\cdot$", "×": r"$\times$",
    "≥": r"$\ge$", "≤": r"$\le$", "−": "--", "–": "--", "α": r"$\alpha$",
    "√": r"$\surd$",
}  # fmt: skip


@dataclass(frozen=True)
class Exported:
    """Hold a table of any kind: its declaration, its lines, and its page."""

    table: Table
    lines: Sequence[Line]
    markdown: str

    @property
    def unit(self) -> str:
        """Return the unit of a table of scores or counts; in a table of facts each line has its own unit."""
        return "" if isinstance(self.table, StatisticsTable) else self.table.unit


def exported(wanted: Iterable[str], resolver: Resolver, statistics: Statistics) -> Iterator[Exported]:
    """Yield these tables, or all with a measured cell if none is named. Raises: InputError for an unknown one."""
    chosen, known = list(wanted), [table.name for table in all_tables()]
    for name in chosen:
        if name not in known:
            raise unknown_name("table", name, known)
    for source in papers():
        for table in source.results:
            if table.name in chosen or (not chosen and resolver.fill(table).runs):
                lines, costs = lines_and_costs(table, resolver)
                yield Exported(table, lines, result_markdown(table, lines, costs))
        yield from without_runs(source, chosen, statistics)


def without_runs(source: Paper, chosen: Sequence[str], statistics: Statistics) -> Iterator[Exported]:
    """Yield a paper's tables that need no run."""
    declared: list[Table] = [*source.statistics, *source.counts]
    if any(table.name in (chosen or [table.name]) for table in declared):
        found = tables_without_runs(source, statistics)
        for table in declared:
            if table.name in (chosen or [table.name]):
                yield Exported(table, *found[table.name])


def number_or_text(name: str, value: str) -> Any:
    """Convert a field of a line to a number, a text, or None."""
    if not value:
        return None
    if name == "runs":
        return int(value)
    return float(value) if name in NUMBERS else value


def as_values(line: Line) -> dict[str, Any]:
    """Return a line with numbers as numbers, and null for missing ones."""
    return {name: number_or_text(name, value) for name, value in asdict(line).items()}


def write_csv_of(path: Path, found: Exported) -> None:
    """Write the lines as text, with the digits of the table."""
    write_lines(path, found.lines)


def write_parquet(path: Path, found: Exported) -> None:
    """Write the typed lines, with title and unit in the schema's metadata."""
    types = {name: pa.float64() for name in NUMBERS} | {"runs": pa.int64()}
    schema = pa.schema([(field.name, types.get(field.name, pa.string())) for field in fields(Line)])
    metadata = {"title": found.table.title, "unit": found.unit}
    table = pa.Table.from_pylist([as_values(line) for line in found.lines], schema.with_metadata(metadata))
    with atomic_file(path) as part:
        pq.write_table(table, part, compression="zstd")


def write_json_of(path: Path, found: Exported) -> None:
    """Write the lines under the table's declaration, a cell a line."""
    head = {"table": found.table.name, "title": found.table.title, "unit": found.unit}
    cells = ",\n".join(json.dumps(as_values(line), sort_keys=True, ensure_ascii=False) for line in found.lines)
    write_text(path, f'{json.dumps(head, ensure_ascii=False)[:-1]}, "cells": [\n{cells}\n]}}\n')


def write_latex(path: Path, found: Exported) -> None:
    """Write a grid: one line per row, one column per corpus."""
    rows, columns = printed_names(found.table, found.lines)
    cells = {(line.row, line.column): latex_cell(line) for line in found.lines}
    grid = [[rows[row], *(cells.get((row, column), "") for column in columns)] for row in rows]
    body = [" & ".join([escaped(line[0]), *line[1:]]) + r" \\" for line in grid]
    lines = [
        "% needs \\usepackage{booktabs}; measured, half of its 95% prediction interval, the printed number in italics",
        f"\\begin{{tabular}}{{l{'r' * len(columns)}}}",
        r"\toprule",
        " & ".join(["", *map(escaped, columns.values())]) + r" \\",
        r"\midrule",
        *body,
        r"\bottomrule",
        r"\end{tabular}",
    ]
    write_text(path, "\n".join([f"% {found.table.title}", *lines]) + "\n")


def latex_cell(line: Line) -> str:
    """Return a cell of the grid."""
    if not line.measured:
        return (line.part or "--") + (f" \\textit{{{line.published}}}" if line.published else "")
    half = f" $\\pm$ {half_interval(line)}" if line.high and line.high != line.low else ""
    mark = f" ({UNVERIFIED})" if line.is_unverified else ""
    return f"{line.measured}{half}{mark}" + (f" \\textit{{{line.published}}}" if line.published else "")


def escaped(text: str) -> str:
    """Escape a text for LaTeX."""
    return "".join(SPECIAL.get(character, character) for character in text)


def write_markdown(path: Path, found: Exported) -> None:
    """Write the page."""
    write_text(path, found.markdown)


FORMATS: dict[str, tuple[str, Callable[[Path, Exported], None]]] = {  # name -> suffix, writer
    "csv": ("csv", write_csv_of),
    "parquet": ("parquet", write_parquet),
    "json": ("json", write_json_of),
    "latex": ("tex", write_latex),
    "markdown": ("md", write_markdown),
}
