"""The points of accuracy against cost: what each row of a table scores and costs, over one column or several."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from retable.figures.figure import Plot
from retable.figures.measured import Measured, OfRows, Panel, is_timed, most_common
from retable.models import is_floor
from retable.papers.paper import Row
from retable.runs.record import RunRecord
from retable.tables.run_result import mean

PanelRuns = tuple[Panel, OfRows]
PROPOSED = ("fcsr", "fcsr-fp", "cspan", "lama", "transformer-f")  # the models of the four papers


@dataclass(frozen=True)
class CostPoint:
    """A row: accuracy in percent with its interval, FLOPs per word, seconds of training; means over the runs.

    `proposed`: one of the four papers proposes it, with all its parts. `core_seconds` is threads times seconds. Both
    times are over the `timed` of its runs: those timed on the machine of the others, without other work. They are None
    if a column has none. `is_single`: it has one run and no interval; `epochs` and `texts` (of the test
    split) are those of this run. `short` is its name in a picture.
    """

    model: str
    accuracy: float
    flops_per_word: float
    seconds: float | None
    core_seconds: float | None
    floor: bool
    timed: int
    runs: int
    machine: str
    threads: frozenset[int]
    low: float | None = None  # None if a point is a mean over columns of which one has no known spread
    high: float | None = None
    proposed: bool = False
    epochs: int | None = None
    texts: int = 0
    is_single: bool = False
    short: str = ""


def cost_plot(title: str, columns: Sequence[PanelRuns], measured: Measured) -> Plot[CostPoint]:
    """Return one point per row: means over the runs of a column and then over the columns."""
    runs = [run for _, of_rows in columns for each in of_rows.values() for run in each]
    timed = [run for run in runs if is_timed(run)]  # a GPU beside other work has no times to show
    machine = most_common([run.machine[0] for run in timed or runs])
    return Plot(title, tuple(cost_point(row, columns, measured, machine) for row in each_row(columns)))


def cost_point(row: str, columns: Sequence[PanelRuns], measured: Measured, machine: str) -> CostPoint:
    """Return the point of a row, with the times of one machine."""
    panel = columns[0][0]
    of_columns = [of_rows[row] for _, of_rows in columns]
    every = [run for each in of_columns for run in each]
    panels = [panel for panel, _ in columns]
    declared = measured.tables[panel.table].row(row)
    interval = measured.interval(panel, row) if len(panels) == 1 else measured.mean_interval(panels, row)
    low, high = interval or (None, None)
    single = every[0].metrics if len(every) == 1 and low == high else None
    timed = [[run for run in each if is_timed(run) and run.machine[0] == machine] for each in of_columns]
    timed = timed if all(timed) else []
    return CostPoint(
        measured.name(panel, row),
        mean_of(of_columns, lambda run: run.accuracy),
        mean_of(of_columns, lambda run: float(run.cost["flops_per_word"])),
        mean_of(timed, lambda run: float(run.cost["seconds"])) if timed else None,
        mean_of(timed, lambda run: run.machine[1] * float(run.cost["seconds"])) if timed else None,
        is_floor(declared.model),
        sum(map(len, timed)),
        len(every),
        "; ".join(sorted({f"{device}, threads {threads}" for device, threads in (run.machine for run in every)})),
        frozenset(run.machine[1] for each in timed for run in each),
        low,
        high,
        is_proposed(declared),
        single["epochs"]["run"] if single else None,
        single["test"]["texts"] if single else 0,
        single is not None,
        declared.short,
    )


def is_proposed(row: Row) -> bool:
    """Return whether a row is the network of one of the four papers, with all its parts."""
    return row.model in PROPOSED and not row.part


def mean_of(columns: Sequence[Sequence[RunRecord]], measure: Callable[[RunRecord], float]) -> float:
    """Return the mean of a measure over the runs of a column and then over the columns."""
    return mean([mean([measure(run) for run in runs]) for runs in columns])


def has_subject(panel: Panel, rows: Iterable[str], measured: Measured) -> bool:
    """Return whether a panel has more than floors, unless its table is one of floors."""
    others = {row.id for row in measured.tables[panel.table].rows if not is_floor(row.model)}
    return not others or not others.isdisjoint(rows)


def shared_columns(found: Sequence[PanelRuns], fewest: int) -> list[PanelRuns]:
    """Return the columns on which the same rows were measured, restricted to these rows.

    Rows are dropped one at a time, fewest columns first, until two columns are shared.
    """
    rows = each_row(found)
    while len(rows) >= fewest:
        shared = [(panel, of_rows) for panel, of_rows in found if all(row in of_rows for row in rows)]
        if len(shared) > 1:
            return [(panel, {row: of_rows[row] for row in rows}) for panel, of_rows in shared]
        counts = {row: sum(row in of_rows for _, of_rows in found) for row in rows}
        rows.remove(min(reversed(rows), key=lambda row: counts[row]))
    return []


def each_row(found: Sequence[PanelRuns]) -> list[str]:
    """Return the rows of all panels, in order of first appearance."""
    return list(dict.fromkeys(row for _, of_rows in found for row in of_rows))
