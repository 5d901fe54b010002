"""Check on the bank the interval that a cell with one or two runs gets from the rows of its column.

    python -m benchmarks.pooled

Each run of a network with several is taken for its only one; the interval that it gets from the spread of the other
networks is said to hold for each other run that falls inside (docs/protocol.md, rule 5). "By runs" has a degree of
freedom for each run of the others, as until 2026-11-28. Likewise each two runs of a network with three or more are
taken for its only ones, and by the spread of the two alone, as until 2026-11-29. Left out: models without a seed,
second readings, cut runs, test folds, costs, means over domains, further scores of the same runs, and runs that an
earlier table has.
"""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import combinations, permutations
from statistics import fmean, median
from typing import NamedTuple

import numpy as np

from retable.papers import result_tables
from retable.papers.paper import ResultTable
from retable.project.paths import BANK
from retable.results.resolving import Resolver
from retable.results.tables import read_cells
from retable.results.whole import bank_resolver
from retable.tables.cell_intervals import scores_that_spread
from retable.tables.intervals import Spread, pooled_spread, prediction_interval, spread_of, spread_of_few
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


class OfTwo(NamedTuple):
    """Hold whether the interval of two runs held a third, by the rows of the column and by the two alone."""

    by_rows: bool
    by_the_two: bool
    wider: float  # how many times the interval by the two alone is as wide


def main() -> None:
    """Print how many intervals hold, by the number of other rows and in all."""
    resolver = bank_resolver(BANK)
    seen = set[tuple[float, ...]]()
    found = [each for table in result_tables() for each in pairs_of(table, resolver, seen)]
    pairs, of_two = ([each for each in found if isinstance(each, kind)] for kind in (Pair, OfTwo))
    few = [pair for pair in pairs if pair.rows < MANY]
    many = [pair for pair in pairs if pair.rows >= MANY]
    for name, some in ((f"3 to {MANY - 1} other rows", few), (f"{MANY} and more", many), ("in all", pairs)):
        print(f"{name}: {share(some, 'by_rows')}, by runs {share(some, 'by_runs')}; {len(some)} pairs of runs")
    wider = median(each.wider for each in of_two)
    print(
        f"two runs: {share(of_two, 'by_rows')}, by the two alone {share(of_two, 'by_the_two')} ({wider:.1f} times as "
        f"wide); {len(of_two)} thirds"
    )
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


def pairs_of(table: ResultTable, resolver: Resolver, seen: set[tuple[float, ...]]) -> Iterator[Pair | OfTwo]:
    """Yield a table's pairs of runs of a network, in both orders, and each run beside two others.

    Args:
        seen: gathers the scores of each network.
    """
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
                for place, third in enumerate(mine):
                    for two in combinations(mine[:place] + mine[place + 1 :], 2):
                        by_rows = spread_of_few(two, [*others, two], first.texts)
                        own = spread_of(two, first.texts)
                        assert by_rows
                        assert own
                        (low, high), (lower, upper) = (prediction_interval(two, each) for each in (by_rows, own))
                        yield OfTwo(low <= third <= high, lower <= third <= upper, (upper - lower) / (high - low))


def share(pairs: Sequence[Pair | OfTwo], rule: str) -> str:
    """Return how many intervals hold by a rule, in percent."""
    return f"{fmean(getattr(pair, rule) for pair in pairs):.1%}"


if __name__ == "__main__":
    main()
