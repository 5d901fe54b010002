"""The pages of each paper's tables and figures, a list of all numbers, and what was not measured."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from retable.figures.declared import COST_FIGURE
from retable.papers import NAMES, paper_of_table, papers
from retable.papers.paper import Column, Row
from retable.results.findings import Measured
from retable.results.whole import Whole
from retable.site.cells import place_of
from retable.site.claims import paper_of
from retable.site.families import families
from retable.site.templating import render
from retable.tables.costs import HEADER, cost_table
from retable.tables.lines import Line
from retable.tables.markdown import notes

FLOPS = HEADER.index("FLOPs per word")
DOWNLOADS = [("CSV", "csv"), ("Parquet", "parquet"), ("JSON", "json"), ("LaTeX", "tex"), ("Markdown", "md")]


def pages(whole: Whole, figures: Sequence[Mapping[str, Any]]) -> Iterator[tuple[str, str]]:
    """Yield a page for each paper, the list of all numbers, and the list of missing ones."""
    for source in papers():
        of_paper = [each for name, each in whole.tables.items() if paper_of_table(name) is source]
        drawn = [each for each in figures if is_of(each["name"], source.name)]
        if of_paper:
            place = f"papers/{source.name}.html"
            values = {"paper": source, "tables": [grid(each, whole) for each in of_paper], "figures": drawn}
            values |= {
                "formats": DOWNLOADS,
                "name": NAMES[source.name],
                "is_missing": any(map(missing, of_paper)),
                "has_claims": any(paper_of(line) == source.name for line in whole.lines),
            }
            yield place, render("paper.html", place, values)
    found = [number for each in whole.tables.values() for number in numbers(each, whole)]
    yield "numbers.html", render("numbers.html", "numbers.html", {"numbers": found})
    yield "missing.html", render("missing.html", "missing.html", {"papers": list(left_out(whole))})


def is_of(figure: str, paper: str) -> bool:
    """Return whether a figure is one of a paper's own, or shows the costs of one of its tables."""
    return figure.removeprefix(COST_FIGURE).rpartition("-")[0] in (f"{paper}-figure", f"{paper}-table")


def grid(measured: Measured, whole: Whole) -> dict[str, Any]:
    """Return a table as the paper prints it, one line per row; columns without a measured cell come last."""
    table, lines, costs = measured
    of_cell = {(line.row, line.column): line for line in lines}
    rows = [row for row in table.rows if any(row.id == line.row for line in lines)]
    columns = [column for column in table.columns if any(column.id == line.column for line in lines)]
    columns.sort(key=lambda column: not any(line.measured for line in lines if line.column == column.id))
    links = links_of(measured, whole)
    return {
        "table": table,
        "columns": columns,
        "rows": [
            (
                row,
                families().get(row.model or "", ""),
                [(of_cell.get((row.id, column.id)), links.get((row.id, column.id), "")) for column in columns],
            )
            for row in rows
        ],
        "costs": cost_table(costs, {row.id: row.printed for row in table.rows}),
        "cost_header": HEADER,
        "notes": notes(line for line in lines if line.measured),
    }


def links_of(measured: Measured, whole: Whole) -> dict[tuple[str, str], str]:
    """Return (row, column) -> the page of the cell whose runs fill it."""
    filled = whole.resolver.fill(measured.table).runs
    return {
        key: place_of((run for of_seed in seeds for run in of_seed), whole.resolver) for key, seeds in filled.items()
    }


def numbers(measured: Measured, whole: Whole) -> Iterator[dict[str, Any]]:
    """Yield every measured cell of a table as a line of the list."""
    table, links = measured.table, links_of(measured, whole)
    spent = {cells[0]: cells[FLOPS] for cells in cost_table(measured.costs, {row.id: row.id for row in table.rows})}
    for line in measured.scores:
        if line.measured:
            row, column = table.row(line.row), table.column(line.column)
            yield {
                "paper": NAMES[paper_of_table(table.name).name],
                "table": table.name,
                "row": row,
                "column": column,
                "line": line,
                "link": links.get((line.row, line.column), ""),
                "flops": spent.get(row.id, ""),
                "family": families().get(row.model or "", ""),
            }


def left_out(whole: Whole) -> Iterator[tuple[str, str, list[Any]]]:
    """Yield each paper that has cells without a number: its id, its name, and per table how many and which."""
    for source in papers():
        found = [
            (whole.tables[each.name].table, missing(whole.tables[each.name]))
            for each in source.results
            if each.name in whole.tables
        ]
        listed = [(table, sum(len(cells) for _, _, cells in lines), lines) for table, lines in found if lines]
        if listed:
            yield source.name, NAMES[source.name], listed


def missing(measured: Measured) -> list[tuple[Row, str, list[tuple[Column, Line]]]]:
    """Return what a paper prints but is not measured: row, reason, and the cells with that reason."""
    found: dict[tuple[str, str], list[Line]] = {}
    for line in measured.scores:
        if line.published and not line.measured:
            found.setdefault((line.row, line.note), []).append(line)
    table = measured.table
    return [
        (table.row(row), note, [(table.column(line.column), line) for line in lines])
        for (row, note), lines in found.items()
    ]
