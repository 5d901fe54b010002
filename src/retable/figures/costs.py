"""Accuracy against cost: every row of a table as a named point, floors marked; a panel for each corpus and cost."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, get_args

import matplotlib as mpl
from matplotlib.axes import Axes

from retable.figures.cost_points import CostPoint, cost_plot, has_subject, shared_columns
from retable.figures.figure import Figure, Lines, Plot, told_of_times
from retable.figures.keys import Key, put_keys
from retable.figures.lines import far_lines
from retable.figures.measured import Measured
from retable.figures.names import Point, put_names
from retable.figures.networks import Networks
from retable.figures.style import (
    BLUE,
    GREEN,
    INK,
    ORANGE,
    STYLE,
    each_once,
    fix_layout,
    legend_below,
    log_x,
    new_figure,
    svg_of,
)
from retable.wording import listed, number_of

Cost = Literal["flops_per_word", "seconds"]
COSTS: tuple[Cost, ...] = get_args(Cost)
MEAN = "mean of "  # start of the title of a panel that averages several columns
FLOOR, OF_A_PAPER = "floor: linear model or fastText", "network that one of the papers proposes"
FRONT, FRONT_COLOUR = "best at this cost or less", "#9aa0a6"
BARS: dict[str, Any] = {"linewidth": 1.2, "alpha": 0.35, "zorder": 1}
BARS_IN_LEGEND: dict[str, Any] = {"markeredgewidth": 1.2, "alpha": 0.5}
INTERVAL, INTERVAL_OF_MEAN = "95% interval for one more run", "95% interval of the mean"
RIM: dict[str, Any] = {"markeredgecolor": "white", "markeredgewidth": 0.4}
NAMED = 5  # columns of a mean that are named; more are only counted
ONE_RUN = "one run each"
HIDDEN = ("threads", "epochs", "texts", "is_single", "short")  # from the CSV
FAR, FAR_ROOM = "beyond the axis, accuracy in brackets", 0.12  # room as a share of the others' range


@dataclass(frozen=True)
class CostFigure(Figure[CostPoint]):
    """One point per row of one table: accuracy against FLOPs per word and against seconds of training.

    Beyond `most` panels there is a single one of means, over the columns on which all its rows were measured. Panels
    with floors alone are not shown.
    """

    most: int = 7
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

    def picture(self, plots: Sequence[Plot[CostPoint]]) -> bytes:
        """Return accuracy against FLOPs and, where networks were timed, below it against seconds."""
        short = [with_short_names(plot) for plot in plots]
        costs = [(plot, cost) for plot in short for cost in (COSTS if has_times(plot.marks) else COSTS[:1])]
        heights = [1.7 + 0.12 * sum(map(bool, cost_values(plot.marks, cost)[0])) for plot, cost in costs]
        with mpl.rc_context(STYLE):
            figure = new_figure(7.5, 0.4 + sum(heights))
            places = list(figure.subplots(len(costs), 1, squeeze=False, height_ratios=heights)[:, 0])
            shown = [(place, draw_cost(place, *each)) for place, each in zip(places, costs, strict=True)]
            legend_below(figure, places)
            fix_layout(figure)
            names = [
                put_names(
                    figure, place, points, best_floor(plot.marks), pareto_front([(x, y) for _, x, y in points]),
                    {point.model for point in plot.marks if point.proposed},
                )
                for (place, points), (plot, _) in zip(shown, costs, strict=True)
            ]  # fmt: skip
            put_keys(figure, [Key.of_names(figure, *each) for each in zip(places, names, strict=True)])
            return svg_of(figure)

    def csv_cells(self, mark: CostPoint) -> Iterable[Mapping[str, Any]]:
        """Return row, accuracy, costs (no seconds if they are not comparable), runs, machine, floor or proposed."""
        cells = {name: value for name, value in vars(mark).items() if name not in HIDDEN}
        return [cells | {name: "yes" if cells[name] else "no" for name in ("floor", "proposed")}]

    def remarks(self, lines: Lines) -> Iterator[str]:
        """Yield which panels have one run of each row, and how many runs are timed where not all are."""
        single = [panel for panel in each_once([line["panel"] for line in lines]) if has_single_runs(lines, panel)]
        if single:
            yield f"On {listed(single)}: {ONE_RUN}, without intervals."
        yield from told_of_times(lines)


def has_single_runs(lines: Lines, panel: str) -> bool:
    """Return whether a panel has one run of each row, and so no interval."""
    return all(line["runs"] == "1" and line["low"] == line["high"] for line in lines if line["panel"] == panel)


def title_of(plot: Plot[CostPoint]) -> str:
    """Return the title of a panel; where it has one run of each row, with their epochs if all have as many."""
    if not all(point.is_single for point in plot.marks):
        return plot.title
    epochs = plot.marks[0].epochs
    of = f" of {number_of(epochs, 'epochs')}" if epochs and all(each.epochs == epochs for each in plot.marks) else ""
    return f"{plot.title}: {ONE_RUN}{of}, {plot.marks[0].texts:,} test texts, no intervals"


def with_short_names(plot: Plot[CostPoint]) -> Plot[CostPoint]:
    """Return a panel whose points have the names for pictures."""
    return Plot(plot.title, tuple(replace(point, model=point.short or point.model) for point in plot.marks))


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


def draw_cost(place: Axes, plot: Plot[CostPoint], cost: Cost) -> list[Point]:
    """Draw a panel's points and a line at the best floor; return name, x and y of the points drawn."""
    values, label = cost_values(plot.marks, cost)
    points = [(point, value) for point, value in zip(plot.marks, values, strict=True) if value]
    far = far_lines({point.model: (point.accuracy,) for point, _ in points})
    near = [(point, value) for point, value in points if point.model not in far]
    place.set(title=title_of(plot), xlabel=label, ylabel="accuracy on test, %")
    place.margins(0.12)
    log_x(place, [value for _, value in points])
    draw_points(place, near)
    draw_bars(place, near, INTERVAL_OF_MEAN if plot.title.startswith(MEAN) else INTERVAL)
    named = [(point.model, value, point.accuracy) for point, value in near]
    if far:
        named += draw_far(place, [each for each in points if each not in near], near)
    front = pareto_front([(x, y) for _, x, y in named])
    if len(front) > 1:
        steps: dict[str, Any] = {"linewidth": 1, "drawstyle": "steps-post", "zorder": 0}
        place.plot(*zip(*front, strict=True), label=FRONT, color=FRONT_COLOUR, **steps)
    if (floor := best_floor(plot.marks)) is not None:
        place.axhline(floor, color=ORANGE, linestyle=":", linewidth=1, zorder=0)
    return named


def draw_points(place: Axes, points: Sequence[tuple[CostPoint, float]]) -> None:
    """Draw networks, those that a paper proposes apart from the others, and floors.

    What lies under another point shows: a circle is on a diamond, whose corners stand out, and each has a white rim.
    """
    for name, marker, above in (("network", "o", 2.1), (OF_A_PAPER, "D", 2), (FLOOR, "s", 2.2)):
        chosen = [(value, point) for point, value in points if kind(point) == name]
        if chosen:
            look: dict[str, Any] = {"linestyle": "none", "marker": marker, "markersize": 5, "label": name, **RIM}
            places = [(value, point.accuracy) for value, point in chosen]
            place.plot(*zip(*places, strict=True), color=colour(chosen[0][1]), zorder=above, **look)


def kind(point: CostPoint) -> str:
    """Return what the legend calls a point."""
    return FLOOR if point.floor else OF_A_PAPER if point.proposed else "network"


def colour(point: CostPoint) -> str:
    """Return the colour of a point and its bar."""
    return {FLOOR: ORANGE, OF_A_PAPER: GREEN}.get(kind(point), BLUE)


def draw_bars(place: Axes, points: Sequence[tuple[CostPoint, float]], name: str) -> None:
    """Draw the interval of each point that has one, and name it in the legend."""
    barred = [(value, point) for point, value in points if point.low != point.high]
    place.vlines(
        [value for value, _ in barred],
        [ends(point)[0] for _, point in barred],
        [ends(point)[1] for _, point in barred],
        color=[colour(point) for _, point in barred],
        **BARS,
    )
    if barred:
        place.plot([], [], color=INK, linestyle="none", marker="|", markersize=9, label=name, **BARS_IN_LEGEND)


def draw_far(
    place: Axes, far: Sequence[tuple[CostPoint, float]], near: Sequence[tuple[CostPoint, float]]
) -> list[Point]:
    """Fit the axis to the near points and draw the far ones, all on one side of them, at its border.

    Returns: the far points' names with their accuracy, x and y.
    """
    low, high = min(ends(point)[0] for point, _ in near), max(ends(point)[1] for point, _ in near)
    room = FAR_ROOM * (high - low)
    is_below = far[0][0].accuracy < low
    y = low - room if is_below else high + room
    place.set_ylim(low - (2 if is_below else 1) * room, high + (1 if is_below else 2) * room)
    colours = [colour(point) for point, _ in far]
    x = [value for _, value in far]
    place.scatter(x, [y] * len(x), 22, colours, marker="v" if is_below else "^", label=FAR)
    return [(f"{point.model} ({point.accuracy:.1f})", value, y) for point, value in far]


def ends(point: CostPoint) -> tuple[float, float]:
    """Return the ends of a point's bar; its accuracy if it has none."""
    return point.low or point.accuracy, point.high or point.accuracy
