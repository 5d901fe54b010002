"""`retable check`: compare each measured cell with the published number and with its last value in the bank.

In   results/tables/, docs/results/
Exit code 1 if a cell is below its banked value by more than one more run may vary, or if a stale run was refused.
"""

import json
import math
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from rich.console import Console
from rich.table import Table

from retable.errors import InputError
from retable.models import is_seedless
from retable.papers import paper_of_table, result_tables
from retable.papers.paper import ResultTable, Row
from retable.papers.parameters import folding_of
from retable.project.command import command
from retable.project.params import read_params
from retable.project.parser import Parser
from retable.project.paths import BANK, TABLES
from retable.results.tables import result_of
from retable.runs.bank import read_lines as read_lines_of_bank
from retable.runs.record import RunRecord
from retable.tables.cell_intervals import RUNS_OF_ITS_OWN
from retable.tables.intervals import NO_SPREAD, Spread, prediction_interval, spread_of
from retable.tables.lines import UNVERIFIED, read_lines
from retable.tables.results import DIGITS, FACTOR
from retable.tables.run_result import COST_UNITS, mean, of_folds
from retable.text.folds import Fold
from retable.wording import number_of

TWO_DRAWS = 1.96 * math.sqrt(2)
ROUNDING = 1e-9  # of floating-point numbers, not of printed ones
COLOURS = {"agrees": "green", "higher": "cyan", "lower": "yellow"}


class Banked(NamedTuple):
    """The scores of a cell's banked runs, as fractions (for folds, one per seed), and the number of test texts.

    `spread` is that between its seeds, none of a deterministic model; None if it has one or two runs: what its column's
    rows spread says too little to see a fall. `sampling` is the variance between sets of test texts; None: binomial.
    """

    values: Sequence[float]
    texts: int
    spread: Spread | None = None
    sampling: float | None = None


def is_regression(measured: float, banked: Banked | None, digits: int) -> bool:
    """Return whether a cell is below its banked value by more than a run with another seed may vary.

    The test texts are the same, so their sampling allows no difference; only if no spread is known may a cell fall by
    as much as two draws of them differ.

    Args:
        measured: a fraction.
        digits: decimals of the fraction shown in the table; a fall by one in the last is rounding.
    """
    if banked is None or not banked.values:
        return False
    before = mean(banked.values)
    if banked.spread:
        half = before - prediction_interval(banked.values, banked.spread, least=-1.0)[0]
    else:
        sampling = before * (1 - before) / banked.texts if banked.sampling is None else banked.sampling
        half = TWO_DRAWS * math.sqrt(sampling)
    return measured < before - max(half, 10.0**-digits) - ROUNDING


def banked_values(table: ResultTable) -> dict[tuple[str, str], Banked]:
    """Return (row, column) -> banked scores of runs whose corpus is split as in this scale."""
    protocol = read_params("papers")[paper_of_table(table.name).name]
    found: dict[tuple[str, str], dict[int, dict[Fold | None, RunRecord]]] = {}
    for run in read_lines_of_bank(BANK / f"{table.name}.jsonl"):
        _, row, column = run.place
        if row in {each.id for each in table.rows} and run.folding == folding_of(table.column(column), protocol):
            found.setdefault((row, column), {}).setdefault(run.seed, {})[run.fold] = run  # the last one counts
    scores = {
        (row, column.id): scores_of(
            [list(runs.values()) for runs in seeds.values()], table.metric_of(column), column.domain
        )
        for (row, owner), seeds in found.items()
        for column in table.showing(owner)
        if table.metric_of(column) not in COST_UNITS
    }
    return {key: each._replace(spread=own_spread(table.row(key[0]), each)) for key, each in scores.items()}


def own_spread(row: Row, banked: Banked) -> Spread | None:
    """Return the spread between a cell's seeds, none of a deterministic model; None if it has one or two runs."""
    if is_seedless(row.model):
        return NO_SPREAD
    return spread_of(banked.values, banked.texts) if len(banked.values) >= RUNS_OF_ITS_OWN else None


def scores_of(seeds: Iterable[list[RunRecord]], metric: str, domain: str) -> Banked:
    """Return the scores of the seeds that have all folds."""
    whole = [runs for runs in seeds if len(runs) == max(1, runs[0].folding[1])]
    results = [of_folds([result_of(run, metric, domain) for run in runs]) for runs in whole]
    texts, sampling = (results[0].texts, results[0].sampling) if results else (0, None)
    return Banked([each.value for each in results], texts, sampling=sampling)


def checked_cells(table: ResultTable) -> Iterator[dict[str, Any]]:
    """Yield the measured cells of a table, each with the printed and banked numbers, and whether it `failed`."""
    path = TABLES / f"{table.name}.csv"
    if not path.exists():
        raise InputError(f"{path} is missing; `make tables` builds it.")
    factor, digits = FACTOR[table.unit], DIGITS[table.unit]
    places = digits + round(math.log10(factor))  # of a fraction
    banked = banked_values(table)
    for line in read_lines(path):
        refused = line.note.startswith("refused")
        if not line.measured and not refused:
            continue
        old = banked.get((line.row, line.column))
        fell = bool(line.measured) and is_regression(float(line.measured) / factor, old, places)
        yield {
            "table": table.name,
            "row": line.row,
            "column": line.column,
            "measured": line.measured,
            "low": line.low,
            "high": line.high,
            "published": line.published,
            "bank": f"{factor * mean(old.values):.{digits}f}" if old and old.values else "",
            "verdict": "refused" if refused else "regression" if fell else line.verdict,
            UNVERIFIED: line.is_unverified,
            "failed": refused or fell,
        }


def show(table: ResultTable, cells: Sequence[Mapping[str, Any]], console: Console) -> None:
    """Show the cells of a table; nothing if it has none."""
    shown = Table(
        "row", "column", "measured", "interval", "published", "bank", "verdict", title=table.title, title_justify="left"
    )
    for cell in cells:
        colour = "red" if cell["failed"] else COLOURS.get(cell["verdict"], "dim")
        interval = f"{cell['low']} – {cell['high']}" if cell["low"] else ""
        verdict = f"[{colour}]{cell['verdict'] or '–'}[/]"
        measured = f"{cell['measured']} ({UNVERIFIED})" if cell[UNVERIFIED] else cell["measured"]
        shown.add_row(cell["row"], cell["column"], measured, interval, cell["published"], cell["bank"], verdict)
    if shown.row_count:
        console.print(shown)


@command
def main(arguments: list[str] | None = None) -> None:
    parser = Parser(
        prog="retable check",
        description="Compare measured scores with published and banked ones.",
        epilog="example: retable check",
    )
    parser.add_argument("--json", action="store_true", help="print JSON: a list of cells, the failed ones marked")
    as_json = parser.parse_args(arguments).json
    console = Console(highlight=False)
    found = []
    for table in result_tables():
        cells = list(checked_cells(table))
        found += cells
        if not as_json:
            show(table, cells, console)
    failures = sum(cell["failed"] for cell in found)
    if as_json:
        print(json.dumps(found, ensure_ascii=False, indent=1))
    elif failures:
        console.print(f"[red]{number_of(failures, 'cells')} refused, or lower than docs/results/ allows[/]")
    if failures:
        sys.exit(1)
