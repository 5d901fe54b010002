"""Check on the bank the interval that a cell with one run gets from the other rows of its column.

    python -m benchmarks.pooled

Where a network has several runs, each is taken for its only one, and the interval is said to hold if another of its
runs falls inside. Rule 5 of docs/protocol.md means it to hold for 95%, if networks of a column spread alike.
"""

from collections.abc import Iterator
from itertools import permutations
from statistics import fmean

from retable.models import is_seedless
from retable.papers import result_tables
from retable.papers.paper import ResultTable
from retable.project.paths import BANK
from retable.results.resolving import Resolver
from retable.results.tables import read_cells
from retable.results.whole import bank_resolver
from retable.tables.cell_intervals import interval_of_cell
from retable.tables.run_result import COST_UNITS


def main() -> None:
    """Print how many intervals hold, by column and in all."""
    resolver = bank_resolver(BANK)
    found = {}
    for table in result_tables():
        for column, held in columns_of(table, resolver):
            found[f"{table.name} {column}"] = held
    for name, held in found.items():
        print(f"{name}: {fmean(held):.1%} of {len(held)}")
    together = [held for of_column in found.values() for held in of_column]
    print(f"in all: {fmean(together):.1%} of {len(together)}; mean of columns: {fmean(map(fmean, found.values())):.1%}")


def columns_of(table: ResultTable, resolver: Resolver) -> Iterator[tuple[str, list[bool]]]:
    """Yield each column with two networks of several runs, and whether each interval holds.

    Test folds are left out, because their intervals are of folds, and costs, which have none.
    """
    runs = read_cells(table, resolver.fill(table), resolver.protocol(table)).runs
    for column in table.columns:
        if table.metric_of(column) in COST_UNITS:
            continue
        rows = [
            row
            for row in table.rows
            if len(runs.get((row.id, column.id), ())) > 1
            and runs[row.id, column.id][0].kind != "test"
            and not (is_seedless(row.model) or row.reading_of)
        ]
        held = []
        for row in rows if len(rows) > 1 else ():
            for alone, other in permutations(runs[row.id, column.id], 2):
                interval = interval_of_cell(table, row, column, {**runs, (row.id, column.id): [alone]})
                if interval:
                    held.append(interval[0] <= other.value <= interval[1])
        if held:
            yield column.id, held


if __name__ == "__main__":
    main()
