"""`retable check`: every measured cell against the published number, and against the last value in the bank.

In   results/tables/, docs/results/
Exit code 1 if a cell has fallen below its banked value by more than one more run may, or if a run was refused as stale.
"""

import argparse
import sys
from collections.abc import Iterator

from rich.console import Console
from rich.table import Table

from retable.errors import InputError
from retable.papers import PAPERS, paper, paper_of_table
from retable.papers.paper import ResultTable
from retable.papers.parameters import cut_of
from retable.project.command import command
from retable.project.params import read_params
from retable.project.paths import BANK, TABLES
from retable.runs.bank import read_bank, results_by_cell
from retable.tables.lines import Line, read_lines
from retable.tables.results import COST_UNITS, DIGITS, FACTOR

COLOURS = {"agrees": "green", "higher": "cyan", "lower": "yellow", "uninformative": "dim", "": "dim"}


def result_tables() -> Iterator[ResultTable]:
    """All tables of scores."""
    for name in PAPERS:
        yield from paper(name).results


def is_regression(line: Line, banked: float | None, digits: int) -> bool:
    """Whether a cell is below its banked value by more than half of its prediction interval, rounding aside."""
    if banked is None:
        return False
    half = (float(line.high) - float(line.low)) / 2
    return float(line.measured) < round(banked, digits) - max(half, 10.0**-digits)


def banked_values(table: ResultTable) -> dict[tuple[str, str], float]:
    """(row, column) -> the mean score in the bank, a fraction, of runs whose corpus is cut as in this scale."""
    protocol = read_params("papers")[paper_of_table(table.name).name]
    cuts = {column.id: cut_of(table.owner_of(column), protocol) for column in table.columns}
    entries = read_bank(BANK / f"{table.name}.csv")
    alike = [each for each in entries if each.metric not in COST_UNITS and each.cut_as == cuts[each.column]]
    return {key: sum(run.value for run in runs) / len(runs) for key, runs in results_by_cell(alike).items() if runs}


def check_table(table: ResultTable, console: Console) -> int:
    """Show a table's measured cells; the number of those that fail."""
    path = TABLES / f"{table.name}.csv"
    if not path.exists():
        raise InputError(f"{path} is missing; `make tables` builds it.")
    factor, digits = FACTOR[table.unit], DIGITS[table.unit]
    banked = {key: factor * value for key, value in banked_values(table).items()}
    shown = Table(
        "row", "column", "measured", "interval", "published", "bank", "verdict", title=table.title, title_justify="left"
    )
    failures = 0
    for line in read_lines(path):
        refused = line.note.startswith("refused")
        if not line.measured and not refused:
            continue
        old = banked.get((line.row, line.column))
        failed = refused or is_regression(line, old, digits)
        failures += failed
        colour = "red" if failed else COLOURS[line.verdict]
        verdict = "refused" if refused else "regression" if failed else line.verdict or "–"
        interval = f"{line.low} – {line.high}" if line.low else ""
        shown.add_row(
            line.row,
            line.column,
            line.measured,
            interval,
            line.published,
            f"{old:.{digits}f}" if old is not None else "",
            f"[{colour}]{verdict}[/]",
        )
    if shown.row_count:
        console.print(shown)
    return failures


@command
def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        prog="retable check", description="Measured against published, and against the bank."
    )
    parser.parse_args(arguments)
    console = Console(highlight=False)
    failures = sum(check_table(table, console) for table in result_tables())
    if failures:
        console.print(f"[red]{failures} cells are refused or have fallen below their value in docs/results/[/]")
        sys.exit(1)
    console.print("no regression")
