"""The pages of each paper's tables and figures, a list of all numbers, and what was not measured."""

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import Any

from retable.figures.declared import COST_FIGURE
from retable.papers import NAMES, paper_of_table, papers
from retable.papers.counts import CountTable
from retable.papers.floors import TABLE_1
from retable.papers.paper import Column, ResultTable, Row, StatisticsTable
from retable.results.findings import MeasuredTable
from retable.results.resolving import Key, Resolver
from retable.results.systems import families_of_models
from retable.results.tables import Statistics
from retable.results.whole import Whole
from retable.site.cells import place_of
from retable.site.claims import paper_of
from retable.site.templating import render
from retable.tables.cell_intervals import few_runs
from retable.tables.costs import BESIDE, HEADER, Costs, cost_table
from retable.tables.lines import Line
from retable.tables.markdown import Table, is_turned, printed_names
from retable.tables.notes import noted
from retable.tables.results import DIGITS, FACTOR

FLOPS = HEADER.index("FLOPs per word")
ONE_SIDED = 1.645  # standard errors that a score is above another by chance in 5 of 100 cases
DOWNLOADS = [("CSV", "csv"), ("Parquet", "parquet"), ("LaTeX", "tex"), ("Markdown", "md")]  # title, suffix


def pages(whole: Whole, figures: Sequence[Mapping[str, Any]]) -> Iterator[tuple[str, str]]:
    """Yield a page for each paper, the list of all numbers, and the list of missing ones."""
    for source in papers():
        of_paper = [each for name, each in whole.tables.items() if paper_of_table(name) is source]
        drawn = [each for each in figures if is_of(each["name"], source.name)]
        if of_paper:
            place = f"papers/{source.name}.html"
            grids = [grid(*each, links_of(each.table, whole.resolver), whole.statistics) for each in of_paper]
            values = {"paper": source, "tables": grids, "figures": drawn}
            values |= {
                "formats": DOWNLOADS,
                "name": NAMES[source.name],
                "is_missing": any(missing(each.table, each.scores) for each in of_paper),
                "has_claims": any(paper_of(line) == source.name for line in whole.lines),
            }
            yield place, render("paper.html", place, values)
    found = [number for each in whole.tables.values() for number in numbers(each, whole)]
    yield "numbers.html", render("numbers.html", "numbers.html", {"numbers": found})
    yield "missing.html", render("missing.html", "missing.html", {"papers": list(left_out(whole))})


def is_of(figure: str, paper: str) -> bool:
    """Return whether a figure is one of a paper's own, or shows the costs of one of its tables."""
    return figure.removeprefix(COST_FIGURE).rpartition("-")[0] in (f"{paper}-figure", f"{paper}-table")


def grid(
    table: Table, lines: Sequence[Line], costs: Costs, links: Mapping[Key, str], statistics: Statistics
) -> dict[str, Any]:
    """Return a table as the paper prints it, columns of means first, those without a measured cell last.

    A table that is turned in Markdown is turned here too.

    Args:
        links: (row, column) -> the page of the cell.
    """
    of_cell = {(line.row, line.column): line for line in lines}
    rows, columns = sides_of(table, lines)
    filled = {line.column for line in lines if line.measured}
    columns.sort(key=lambda column: (column.id not in filled, not column.mean_of))
    of_rows = [side_of_row(row, lines) for row in rows]
    of_columns = [side_of_column(column) for column in columns]
    cells = [
        [
            (
                line := of_cell.get((row.id, column.id)),
                links.get((row.id, column.id), ""),
                few_runs(line, row),
                frequent_class(line, column, statistics),
            )
            for column in columns
        ]
        for row in rows
    ]
    turned = is_turned(len(rows), len(columns))
    kinds = [("corpus", "corpora"), ("count", "counts")]
    if not isinstance(table, StatisticsTable):
        kinds = [("system", "systems"), *kinds]
    corner, noun = kinds[turned]
    return {
        "table": table,
        "unit": "" if isinstance(table, StatisticsTable) else f"{table.metric.replace('_', ' ')}, {table.unit}",
        "corner": corner,
        "noun": noun,
        "heads": of_rows if turned else of_columns,
        "rows": list(
            zip(of_columns, zip(*cells, strict=True), strict=True) if turned else zip(of_rows, cells, strict=True)
        ),
        "costs": cost_table(costs, {row.id: row.printed for row in rows}),
        "cost_header": ("system", *HEADER[1:]),
        "filters": ["family", "system", "measured"] if isinstance(table, ResultTable) else [],
        "notes": list(noted([line for line in lines if line.measured or not line.published])),
    }


def sides_of(table: Table, lines: Sequence[Line]) -> tuple[list[Row], list[Column]]:
    """Return the rows and columns that have a line; a row of counts is ours if the paper prints none of it."""
    rows, columns = printed_names(table, lines)
    if isinstance(table, ResultTable):
        return [table.row(row) for row in rows], [table.column(column) for column in columns]
    theirs = {line.row for line in lines if line.published}
    ours = table.extra if isinstance(table, CountTable) else rows.keys() - theirs
    return (
        [Row(row, name, extra=row in ours) for row, name in rows.items()],
        [Column(column, name) for column, name in columns.items()],
    )


def frequent_class(line: Line | None, column: Column, statistics: Statistics) -> str:
    """Return the accuracy of answering the most frequent class of the test texts, if a cell is not above it.

    A cell that is above it by chance, one-sided at 5%, is not.
    """
    facts = statistics.get(column.corpus or "")
    is_accuracy = line and line.measured and line.metric == "accuracy" and line.unit in FACTOR
    if not line or not is_accuracy or column.domain or not facts:
        return ""
    counts = facts["splits"]["test"]["labels"].values()
    share, digits = max(counts) / sum(counts), DIGITS[line.unit]
    chance = ONE_SIDED * (share * (1 - share) / sum(counts)) ** 0.5
    is_above = float(line.measured) / FACTOR[line.unit] > share + chance
    return "" if is_above else f"{FACTOR[line.unit] * share:.{digits}f}"


def side_of_row(row: Row, lines: Sequence[Line]) -> dict[str, Any]:
    """Return what a table shows of a row beside its cells: its name, where it leads, and what it is filtered by."""
    return {
        "id": row.id,
        "printed": row.printed,
        "link": f"systems/{row.model}.html" if row.model else "",
        "is_ours": row.extra,
        "family": families_of_models().get(row.model or "", "") or "not built",
        "system": "ours" if row.extra else "the paper's",
        "measured": "yes" if any(line.measured for line in lines if line.row == row.id) else "no",
    }


def side_of_column(column: Column) -> dict[str, Any]:
    """Return what a table shows of a column beside its cells; nothing filters it."""
    link = f"corpora/{column.corpus}.html" if column.corpus else ""
    names = {"id": column.id, "printed": column.printed, "link": link}
    return {**names, "is_ours": False, "family": "", "system": "", "measured": ""}


def links_of(table: Table, resolver: Resolver) -> dict[Key, str]:
    """Return (row, column) -> the page of the cell whose runs fill it; only tables of scores have any."""
    filled = resolver.fill(table).runs if isinstance(table, ResultTable) else {}
    return {key: place_of((run for of_seed in seeds for run in of_seed), resolver) for key, seeds in filled.items()}


def numbers(measured: MeasuredTable, whole: Whole) -> Iterator[dict[str, Any]]:
    """Yield every measured cell of a table as a line of the list."""
    table, links = measured.table, links_of(measured.table, whole.resolver)
    spent = {
        cells[0].removesuffix(BESIDE): cells[FLOPS]
        for cells in cost_table(measured.costs, {row.id: row.id for row in table.rows})
    }
    for line in measured.scores:
        if line.measured:
            row, column = table.row(line.row), table.column(line.column)
            yield {
                "paper": NAMES[paper_of_table(table.name).name],
                "table": table.name,
                "row": row,
                "column": column,
                "line": line,
                "few_runs": few_runs(line, row),
                "link": links.get((line.row, line.column), ""),
                "flops": spent.get(row.id, ""),
                "family": families_of_models().get(row.model or "", ""),
                "score": table.metric_of(column).replace("_", " "),
                "corpus": titles().get(column.corpus, column.corpus) or column.printed,
            }


@cache
def titles() -> dict[str | None, str]:
    """Return corpus -> its name for a reader, where our own table has one."""
    return {column.corpus: column.printed for column in TABLE_1.columns}


def left_out(whole: Whole) -> Iterator[tuple[str, str, list[Any]]]:
    """Yield each paper that has cells without a number: its id, its name, and per table how many and which."""
    for source in papers():
        of_paper = [each for each in whole.tables.values() if each.table in source.results]
        found = [(each.table, missing(each.table, each.scores)) for each in of_paper]
        listed = [(table, sum(len(cells) for _, _, cells in lines), lines) for table, lines in found if lines]
        if listed:
            yield source.name, NAMES[source.name], listed


def missing(table: Table, lines: Sequence[Line]) -> list[tuple[Row, str, list[tuple[Column, Line]]]]:
    """Return what a paper prints but is not measured: row, reason, and the cells with that reason."""
    rows, columns = sides_of(table, lines)
    of_row, of_column = {row.id: row for row in rows}, {column.id: column for column in columns}
    found: dict[tuple[str, str], list[tuple[Column, Line]]] = {}
    for line in lines:
        if line.published and not line.measured:
            found.setdefault((line.row, line.note), []).append((of_column[line.column], line))
    return [(of_row[row], note, cells) for (row, note), cells in found.items()]
