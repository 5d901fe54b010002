"""Check on the bank the interval that a cell with one run gets from the other rows of its column.

    python -m benchmarks.pooled

Each run of a network with several is taken for its only one; the interval that it gets from the spread of the other
networks is said to hold for each other run that falls inside (docs/protocol.md, rule 5). "By runs" has a degree of
freedom for each run of the others, as until 2026-11-28. Left out: models without a seed, second readings, cut
runs, test folds, costs, means over domains, further scores of the same runs, and runs that an earlier table has.
"""

from collections import defaultdict
from collections.abc import Iterator
from itertools import permutations
from statistics import fmean
from typing import NamedTuple

import numpy as np

from retable.papers import result_tables
from retable.papers.paper import ResultTable
from retable.project.paths import BANK
from retable.results.resolving import Resolver
from retable.results.tables import read_cells
from retable.results.whole import bank_resolver
from retable.tables.cell_intervals import scores_that_spread
from retable.tables.intervals import Spread, pooled_spread, prediction_interval
from retable.tables.run_result import COST_UNITS

MANY = 6  # other rows
DRAWS = 2_000


class Pair(NamedTuple):
    """Hold whether the interval of one run held another, by both rules."""

    model: str
    column: str
    rows: int
    by_rows: bool
    by_runs: bool


def main() -> None:
    """Print how many intervals hold, by the number of other rows and in all."""
    resolver = bank_resolver(BANK)
    seen = set[tuple[float, ...]]()
    pairs = [pair for table in result_tables() for pair in pairs_of(table, resolver, seen)]
    few = [pair for pair in pairs if pair.rows < MANY]
    many = [pair for pair in pairs if pair.rows >= MANY]
    for name, found in ((f"3 to {MANY - 1} other rows", few), (f"{MANY} and more", many), ("in all", pairs)):
        print(f"{name}: {share(found, 'by_rows')}, by runs {share(found, 'by_runs')}; {len(found)} pairs of runs")
    of_column, of_model = defaultdict(list), defaultdict(list)
    for pair in pairs:
        of_column[pair.column].append(pair.by_rows)
        of_model[pair.model].append(pair.by_rows)
    print(f"mean of {len(of_column)} columns: {fmean(map(fmean, of_column.values())):.1%}")
    draw, models = np.random.default_rng(1), list(of_model.values())
    means = [
        fmean(held for index in draw.integers(len(models), size=len(models)) for held in models[index])
        for _ in range(DRAWS)
    ]
    low, high = np.quantile(means, (0.025, 0.975))
    print(f"bootstrap over {len(models)} models: {low:.1%} to {high:.1%}")


def pairs_of(table: ResultTable, resolver: Resolver, seen: set[tuple[float, ...]]) -> Iterator[Pair]:
    """Yield a table's pairs of runs of a network, in both orders; `seen` gathers the scores of each."""
    runs = read_cells(table, resolver.fill(table), resolver.protocol(table)).runs
    for column in table.columns:
        if table.metric_of(column) in COST_UNITS or column.domain or column.runs_of:
            continue
        of_rows = scores_that_spread(table, column, runs)
        rows = {row: tuple(scores) for row, scores in of_rows.items() if len(scores) > 1}
        for name, mine in rows.items():
            first = runs[name, column.id][0]
            others = [theirs for row, theirs in rows.items() if row != name]
            spread = pooled_spread(others, first.texts)
            if spread and first.kind != "test" and mine not in seen:
                seen.add(mine)
                spreads = spread, Spread(spread.variance, sum(len(scores) - 1 for scores in others))
                for alone, another in permutations(mine, 2):
                    ends = [prediction_interval([alone], each) for each in spreads]  # the test texts are the same
                    held = [low <= another <= high for low, high in ends]
                    yield Pair(str(table.row(name).model), f"{table.name} {column.id}", len(others), *held)


def share(pairs: list[Pair], rule: str) -> str:
    """Return how many intervals hold by a rule, in percent."""
    return f"{fmean(getattr(pair, rule) for pair in pairs):.1%}"


if __name__ == "__main__":
    main()
