"""Numbers printed by a system's own source, beside ours.

In   data/published/sources.csv, the lines of the tables that have runs
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from retable.files import read_csv
from retable.papers.paper import Column, Row
from retable.project.paths import PUBLISHED
from retable.results.findings import MeasuredTable
from retable.tables.lines import Line
from retable.tables.markdown import markdown_table

OTHER_FORMS = {  # of a corpus, which sources that use it may have trained on
    "sst-1": ("sst-1-phrases", "sst-1-trees"),
    "sst-2": ("sst-2-phrases",),
}
FRACTIONS = ("map", "mrr", "pearson")  # printed as fractions; other scores are in percent
LOWER, INSIDE, HIGHER, ONE_RUN = "ours is lower", "inside", "ours is higher", "no interval yet"
NAMES = ("system", "corpus", "score", "source", "ours", "runs", "beside", "printed in", "seen")


class MeasuredCell(NamedTuple):
    """Hold a measured cell of a table."""

    row: Row
    column: Column
    line: Line


def sources_markdown(tables: Iterable[MeasuredTable]) -> str:
    """Return every number of data/published/sources.csv beside our nearest cell."""
    found = beside_sources(read_csv(PUBLISHED / "sources.csv"), measured_cells(tables))
    return (
        "### Numbers from the systems' own papers, next to ours\n\n"
        "From the first paper of a system, on corpora available here (data/published/sources.csv). Ours is the cell of "
        "our tables with the system under its own name, else the one with the most runs, with the 95% interval for one "
        "more run; of a variant that is a row of ours, that row alone (a dash: it has no run). Other variants, such as "
        "NASM with word counts, are beside our system without them. Options, vectors and limits are that table's, not "
        "the source's, so there is no verdict; [what was tried where ours is lower](differences.md). *Seen*: where the "
        "number was looked up; *from memory*: nobody has looked it up, and it may be wrong.\n\n"
        f"{markdown_table(NAMES, [list(row) for row in found])}"
    )


def measured_cells(tables: Iterable[MeasuredTable]) -> list[MeasuredCell]:
    """Return the cells with a number, of all tables."""
    return [
        MeasuredCell(found.table.row(line.row), found.table.column(line.column), line)
        for found in tables
        for line in found.scores
        if line.measured
    ]


def beside_sources(sources: Iterable[Mapping[str, str]], cells: Sequence[MeasuredCell]) -> Iterator[tuple[str, ...]]:
    """Yield a row of the page for each source number, and others if ours were trained on phrases or trees too."""
    for line in sources:
        for corpus in (line["corpus"], *OTHER_FORMS.get(line["corpus"], ())):
            cell = nearest(line, corpus, cells)
            if cell or corpus == line["corpus"]:
                yield as_row(line, corpus, cell)


def nearest(line: Mapping[str, str], corpus: str, cells: Iterable[MeasuredCell]) -> MeasuredCell | None:
    """Return our cell for a source's number: of the rows that it names, else of any row of the model.

    The row of the model's name comes first, then one with the preset's options, then the one with the most runs.
    """
    model, rows = line["model"], line["rows"].split()

    def order(cell: MeasuredCell) -> tuple[bool, bool, int]:
        return cell.row.id == model, not (cell.row.overrides or {}).get("model"), int(cell.line.runs or 0)

    of_model = [
        cell
        for cell in cells
        if cell.row.model == model
        and (not rows or cell.row.id in rows)
        and cell.column.corpus == corpus
        and cell.line.metric == line["metric"]
    ]
    return max(of_model, key=order, default=None)


def as_row(line: Mapping[str, str], corpus: str, cell: MeasuredCell | None) -> tuple[str, ...]:
    """Return a source's number and ours as a row of the page."""
    ours, runs, beside = shown(line, cell.line) if cell else ("–", "", "")
    return (
        f"`{line['model']}`" + (f" ({line['variant']})" if line["variant"] else ""),
        corpus,
        line["metric"],
        line["value"],
        ours,
        runs,
        beside,
        line["printed_in"],
        line["where"] if line["seen"] == "yes" else "*from memory*",
    )


def shown(line: Mapping[str, str], ours: Line) -> tuple[str, str, str]:
    """Return our number with its interval, its runs, and where the source's number lies relative to the interval."""
    digits, unit = (3, "fraction") if line["metric"] in FRACTIONS else (2, "%")
    factor = 100.0 if (ours.unit, unit) == ("fraction", "%") else 1.0  # LAMA's tables print accuracies as fractions
    measured = f"{factor * float(ours.measured):.{digits}f}"
    if not ours.low:
        return measured, ours.runs, ONE_RUN
    low, high, source = factor * float(ours.low), factor * float(ours.high), float(line["value"])
    beside = LOWER if source > high else HIGHER if source < low else INSIDE
    return f"{measured} ({low:.{digits}f} to {high:.{digits}f})", ours.runs, beside
