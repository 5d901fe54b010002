"""Accuracy against cost: every row of a table as a named point, floors marked; a panel for each corpus and cost."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

import matplotlib as mpl
from matplotlib.axes import Axes

from retable.figures.figure import Figure, Lines, Plot, told_of_times
from retable.figures.measured import Measured, OfRows, Panel, is_timed, most_common
from retable.figures.names import put_names
from retable.figures.networks import Networks
from retable.figures.style import BLUE, INK, ORANGE, STYLE, Format, legend_below, log_x, new_figure, saved
from retable.models import LINEAR_MODELS
from retable.runs.record import RunRecord
from retable.tables.markdown import listed
from retable.tables.results import mean

Cost = Literal["flops_per_word", "seconds"]
COSTS: tuple[Cost, ...] = get_args(Cost)
MEAN = "mean of "  # start of the title of a panel that averages several columns
FLOOR = "floor: linear model or fastText"
FRONT, FRONT_COLOUR = "best at this cost or less", "#9aa0a6"
BARS: dict[str, Any] = {"linewidth": 1.2, "alpha": 0.35, "zorder": 1}
BARS_IN_LEGEND: dict[str, Any] = {"markeredgewidth": 1.2, "alpha": 0.5}
INTERVAL, INTERVAL_OF_MEAN = "95% interval for one more run", "95% interval of the mean"
NAMED = 3  # columns of a mean that are named; more are only counted
PanelRuns = tuple[Panel, OfRows]


@dataclass(frozen=True)
class CostPoint:
    """A row: accuracy in percent with its interval, FLOPs per word, seconds of training; means over the runs.

    `core_seconds` is threads times seconds. Both are over the `timed` of its runs: those timed on the machine of the
    others, without other work. They are None if a column has none.
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


@dataclass(frozen=True)
class CostFigure(Figure[CostPoint]):
    """One point per row of one table: accuracy against FLOPs per word and against seconds of training.

    Beyond `most` panels there is a single one of means, over the columns on which all its rows were measured. Panels
    with floors alone are not shown.
    """

    most: int = 6
    asks = "costs"

    def plots(self, measured: Measured, networks: Networks) -> list[Plot[CostPoint]]:
        """Return a panel per column, or the panel of means."""
        found = [each for each in self.runs_of(measured) if has_subject(*each, measured)]
        if len(found) <= self.most:
            return [cost_plot(measured.title(panel), [(panel, of_rows)], measured) for panel, of_rows in found]
        shared = shared_columns(found, self.fewest)
        names = [measured.title(panel) for panel, _ in shared]
        title = f"{MEAN}{listed(names) if len(names) <= NAMED else f'{len(names)} columns'}"
        return [cost_plot(title, shared, measured)] if shared else []

    def picture(self, plots: Sequence[Plot[CostPoint]], form: Format) -> bytes:
        """Return accuracy against FLOPs and, where networks were timed, below it against seconds."""
        costs = [(plot, cost) for plot in plots for cost in (COSTS if has_times(plot.marks) else COSTS[:1])]
        heights = [1.7 + 0.12 * sum(map(bool, cost_values(plot.marks, cost)[0])) for plot, cost in costs]
        with mpl.rc_context(STYLE):
            figure = new_figure(7.6, 0.4 + sum(heights))
            places = list(figure.subplots(len(costs), 1, squeeze=False, height_ratios=heights)[:, 0])
            shown = [(place, draw_cost(place, *each)) for place, each in zip(places, costs, strict=True)]
            legend_below(figure, places)
            figure.draw_without_rendering()  # fixes the panel positions, which the names depend on
            figure.set_layout_engine("none")
            for (place, points), (plot, _) in zip(shown, costs, strict=True):
                put_names(figure, place, points, best_floor(plot.marks), pareto_front([(x, y) for _, x, y in points]))
            return saved(figure, form)

    def csv_cells(self, mark: CostPoint) -> Iterable[Mapping[str, Any]]:
        """Return row, accuracy, costs (no seconds if they are not comparable), floor or not, runs, machine."""
        cells = {name: value for name, value in vars(mark).items() if name != "threads"}
        return [cells | {"floor": "yes" if mark.floor else "no"}]

    def shown(self, lines: Lines) -> set[tuple[str, str, str]]:
        """Return the points of a CSV; points of means apply to every panel."""
        means = any(line["panel"].startswith(MEAN) for line in lines)
        return {("" if means else line["panel"], line["model"], "") for line in lines}

    def remarks(self, lines: Lines) -> Iterator[str]:
        """Yield how many runs are timed where not all are."""
        yield from told_of_times(lines)


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
    interval = measured.interval(panel, row) if len(panels) == 1 else measured.mean_interval(panels, row)
    timed = [[run for run in each if is_timed(run) and run.machine[0] == machine] for each in of_columns]
    timed = timed if all(timed) else []
    return CostPoint(
        measured.name(panel, row),
        mean_of(of_columns, lambda run: run.accuracy),
        mean_of(of_columns, lambda run: float(run.cost["flops_per_word"])),
        mean_of(timed, lambda run: float(run.cost["seconds"])) if timed else None,
        mean_of(timed, lambda run: run.machine[1] * float(run.cost["seconds"])) if timed else None,
        is_floor(measured.tables[panel.table].row(row).model),
        sum(map(len, timed)),
        len(every),
        "; ".join(sorted({f"{device}, threads {threads}" for device, threads in (run.machine for run in every)})),
        frozenset(run.machine[1] for each in timed for run in each),
        *(interval or (None, None)),
    )


def mean_of(columns: Sequence[Sequence[RunRecord]], measure: Callable[[RunRecord], float]) -> float:
    """Return the mean of a measure over the runs of a column and then over the columns."""
    return mean([mean([measure(run) for run in runs]) for runs in columns])


def is_floor(model: str | None) -> bool:
    """Return whether a model is a baseline that a user might pick instead: linear, or fastText."""
    return model in LINEAR_MODELS or model == "fasttext"


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


def has_times(points: Sequence[CostPoint]) -> bool:
    """Return whether a panel has seconds of a row that is not a floor or, with floors alone, of any row."""
    subjects = [point for point in points if not point.floor] or points
    return any(point.seconds is not None for point in subjects)


def best_floor(points: Iterable[CostPoint]) -> float | None:
    """Return the accuracy of the best floor; None if there is none."""
    return max((point.accuracy for point in points if point.floor), default=None)


def cost_values(points: Sequence[CostPoint], cost: Cost) -> tuple[list[float | None], str]:
    """Return the cost of each row, and the label of its axis.

    Rows with different numbers of threads are compared by core seconds.
    """
    if cost == "flops_per_word":
        return [point.flops_per_word for point in points], "FLOPs per word, forward pass"
    threads = sorted({threads for point in points if point.seconds is not None for threads in point.threads})
    if len(threads) > 1:
        return [point.core_seconds for point in points], "core-seconds of training (threads × seconds)"
    return [point.seconds for point in points], "seconds of training" + "".join(f", threads: {one}" for one in threads)


def pareto_front(points: Iterable[tuple[float, float]]) -> list[tuple[float, float]]:
    """Return the points (cost, accuracy) that no other one beats at their cost or less, cheapest first."""
    front: list[tuple[float, float]] = []
    for cost, accuracy in sorted(points, key=lambda point: (point[0], -point[1])):
        if not front or accuracy > front[-1][1]:
            front.append((cost, accuracy))
    return front


def draw_cost(place: Axes, plot: Plot[CostPoint], cost: Cost) -> list[tuple[str, float, float]]:
    """Draw a panel's points and a line at the best floor; return name, x and y of the points drawn."""
    values, label = cost_values(plot.marks, cost)
    points = [(point, value) for point, value in zip(plot.marks, values, strict=True) if value]
    for is_of_floors, name, colour, marker in ((False, "network", BLUE, "o"), (True, FLOOR, ORANGE, "s")):
        chosen = [(value, point.accuracy) for point, value in points if point.floor == is_of_floors]
        if chosen:
            look: dict[str, Any] = {"linestyle": "none", "color": colour, "marker": marker, "markersize": 5}
            place.plot(*zip(*chosen, strict=True), label=name, **look)
    draw_bars(place, points, INTERVAL_OF_MEAN if plot.title.startswith(MEAN) else INTERVAL)
    front = pareto_front([(value, point.accuracy) for point, value in points])
    if len(front) > 1:
        place.plot(
            *zip(*front, strict=True), label=FRONT, color=FRONT_COLOUR, linewidth=1, drawstyle="steps-post", zorder=0
        )
    if (floor := best_floor(plot.marks)) is not None:
        place.axhline(floor, color=ORANGE, linestyle=":", linewidth=1, zorder=0)
    place.set(title=plot.title, xlabel=label, ylabel="accuracy on test, %")
    place.margins(0.12)
    log_x(place, [value for _, value in points])
    return [(point.model, value, point.accuracy) for point, value in points]


def draw_bars(place: Axes, points: Sequence[tuple[CostPoint, float]], name: str) -> None:
    """Draw the interval of each point that has one, and name it in the legend."""
    barred = [(value, point) for point, value in points if point.low != point.high]
    place.vlines(
        [value for value, _ in barred],
        [point.low or point.accuracy for _, point in barred],
        [point.high or point.accuracy for _, point in barred],
        color=[ORANGE if point.floor else BLUE for _, point in barred],
        **BARS,
    )
    if barred:
        place.plot([], [], color=INK, linestyle="none", marker="|", markersize=9, label=name, **BARS_IN_LEGEND)
