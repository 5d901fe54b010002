"""Accuracy against cost: every row of a table as a named point, the floors marked; a line of panels a corpus."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.transforms import Bbox, Transform

from retable.figures.style import (
    BLUE,
    INK,
    ORANGE,
    STYLE,
    Format,
    legend_below,
    log_x,
    new_figure,
    number_text,
    saved,
)

Cost = Literal["flops_per_word", "seconds"]
COSTS: tuple[Cost, ...] = get_args(Cost)
MEAN = "mean of "  # so begins the title of a panel of several columns
FLOOR = "floor: linear model or fastText"
STEPS = (0.0, 1.0, 2.0, 3.0, 4.0, 5.5, 7.0, 9.0, 11.0)  # how far a name may stand from its point, in heights of a line
WIDER = 1.08  # a page's own font may be wider than the one that is measured here
LETTERS = 30  # of a name; a longer one is cut


@dataclass(frozen=True)
class CostPoint:
    """A row: accuracy in percent, FLOPs of a word, seconds of training; means over the runs.

    `core_seconds` are threads times seconds. Both are None where they were taken on another machine than the others'.
    """

    name: str
    accuracy: float
    flops_per_word: float
    seconds: float | None
    floor: bool
    runs: int
    machine: str
    threads: frozenset[int]
    core_seconds: float | None


@dataclass(frozen=True)
class CostPanel:
    """The rows that were measured on a corpus."""

    title: str
    points: tuple[CostPoint, ...]

    @property
    def best_floor(self) -> float | None:
        """Accuracy of the best floor; None without one."""
        return max((point.accuracy for point in self.points if point.floor), default=None)

    @property
    def threads(self) -> list[int]:
        """Return the numbers of threads of the rows whose times compare."""
        return sorted({threads for point in self.points if point.seconds is not None for threads in point.threads})

    def values(self, cost: Cost) -> list[float | None]:
        """Return a cost of each row; rows of unlike numbers of threads are compared by what they took of all cores."""
        name = "core_seconds" if cost == "seconds" and len(self.threads) > 1 else cost
        return [getattr(point, name) for point in self.points]

    def label(self, cost: Cost) -> str:
        """Return what the axis of a cost says."""
        if cost == "flops_per_word":
            return "FLOPs a word, forward pass"
        if len(self.threads) > 1:
            return "core-seconds of training (threads × seconds)"
        return "seconds of training" + "".join(f", threads: {threads}" for threads in self.threads)


def cost_picture(panels: Sequence[CostPanel], form: Format) -> bytes:
    """Beside each other the two costs, both logarithmic, with one axis of accuracy."""
    with mpl.rc_context(STYLE):
        figure = new_figure(7.6, 0.4 + sum(panel_height(panel) for panel in panels))
        grid = figure.subplots(
            len(panels),
            len(COSTS),
            squeeze=False,
            sharey="row",
            height_ratios=[panel_height(panel) for panel in panels],
        )
        shown = [
            (place, draw_panel(place, panel, cost), panel.best_floor)
            for panel, places in zip(panels, grid, strict=True)
            for place, cost in zip(places, COSTS, strict=True)
        ]
        for places in grid:
            places[1].set_ylabel("")
        legend_below(figure, [place for place, *_ in shown])
        figure.draw_without_rendering()  # where the panels stand, which names are put beside
        figure.set_layout_engine("none")
        for place, points, floor in shown:
            put_names(figure, place, points, floor)
        return saved(figure, form)


def panel_height(panel: CostPanel) -> float:
    """Inches; a panel of many names is higher."""
    return 1.7 + 0.12 * len(panel.points)


def draw_panel(place: Axes, panel: CostPanel, cost: Cost) -> list[tuple[str, float, float]]:
    """Return the points of a panel, and a line at the best floor; name, x and y of those that are there."""
    points = [(point, value) for point, value in zip(panel.points, panel.values(cost), strict=True) if value]
    for is_floor, label, colour, marker in ((False, "network", BLUE, "o"), (True, FLOOR, ORANGE, "s")):
        chosen = [(value, point.accuracy) for point, value in points if point.floor == is_floor]
        if chosen:
            place.plot(
                *zip(*chosen, strict=True), linestyle="none", color=colour, marker=marker, markersize=5, label=label
            )
    if panel.best_floor is not None:
        place.axhline(panel.best_floor, color=ORANGE, linestyle=":", linewidth=1, zorder=0)
    place.set(title=panel.title, xlabel=panel.label(cost), ylabel="accuracy on test, %")
    place.margins(0.12)
    if points:
        log_x(place, [value for _, value in points])
    return [(point.name, value, point.accuracy) for point, value in points]


def put_names(figure: Figure, place: Axes, points: Sequence[tuple[str, float, float]], floor: float | None) -> None:
    """Put each name where it covers no point, no other name and not the floor's line, as near as there is room."""
    inside = place.get_window_extent()
    dots = [at(place.transData, x, y) for _, x, y in points]
    radius = figure.dpi * 3.5 / 72
    taken = [Bbox.from_extents(x - radius, y - radius, x + radius, y + radius) for x, y in dots]
    if floor is not None:
        _, level = at(place.transData, 1.0, floor)
        taken.append(Bbox.from_extents(inside.x0, level - 1, inside.x1, level + 1))
    for index in sorted(range(len(points)), key=lambda each: (-points[each][2], points[each][1])):
        name, *_ = points[index]
        shown = name if len(name) <= LETTERS else f"{name[: LETTERS - 1]}…"
        text = place.text(0, 0, shown, transform=None, fontsize=6.5, va="center", ha="left")
        size = text.get_window_extent()
        best = min(
            boxes_near(*dots[index], WIDER * size.width, size.height, radius),
            key=lambda box: covered(box, taken) + outside(box, inside),
        )
        text.set_transform(place.transAxes)
        text.set_position(at(place.transAxes.inverted(), best.x0, (best.y0 + best.y1) / 2))
        join(place, dots[index], best, radius)
        taken.append(best)


def at(transform: Transform, x: float, y: float) -> tuple[float, float]:
    """Return where a place of one system stands in another."""
    found = transform.transform((x, y))
    return float(found[0]), float(found[1])


def boxes_near(x: float, y: float, width: float, height: float, radius: float) -> Iterator[Bbox]:
    """Yield where a name may stand, the best place first: right, left, above, below, then further off."""
    gap = 1.3 * radius
    for step in STEPS:
        for up in (step, -step) if step else (0.0,):
            for left in (x + gap, x - gap - width):
                yield Bbox.from_bounds(left, y + up * height - height / 2, width, height)
        for up in (step + 1.1, -step - 1.1):
            for left in (x - width / 2, x - 0.15 * width, x - 0.85 * width):
                yield Bbox.from_bounds(left, y + up * height - height / 2, width, height)


def covered(box: Bbox, taken: Sequence[Bbox]) -> float:
    """Return how much of what stands there already a box would cover."""
    return sum(area(common) for other in taken if (common := Bbox.intersection(box, other)) is not None)


def outside(box: Bbox, inside: Bbox) -> float:
    """Return how much of a box lies outside the panel."""
    common = Bbox.intersection(box, inside)
    return area(box) - (area(common) if common is not None else 0.0)


def area(box: Bbox) -> float:
    """Width times height."""
    return float(box.width * box.height)


def join(place: Axes, dot: tuple[float, float], box: Bbox, radius: float) -> None:
    """Draw a thin line from a point to a name that stands away from it."""
    end = (min(max(dot[0], box.x0), box.x1), min(max(dot[1], box.y0), box.y1))
    if abs(end[0] - dot[0]) + abs(end[1] - dot[1]) > 2.5 * radius:
        ends = place.transAxes.inverted().transform([dot, end])
        place.plot(ends[:, 0], ends[:, 1], color=INK, linewidth=0.5, alpha=0.6, transform=place.transAxes, zorder=1)


def cost_rows(panels: Sequence[CostPanel]) -> list[dict[str, str]]:
    """Return the CSV: panel, row, accuracy, costs (no seconds if they do not compare), floor or not, runs, machine."""
    return [
        {
            "panel": panel.title,
            "model": point.name,
            "accuracy": number_text(point.accuracy),
            "flops_per_word": number_text(point.flops_per_word),
            "seconds": "" if point.seconds is None else number_text(point.seconds),
            "core_seconds": "" if point.core_seconds is None else number_text(point.core_seconds),
            "floor": "yes" if point.floor else "no",
            "runs": str(point.runs),
            "machine": point.machine,
        }
        for panel in panels
        for point in panel.points
    ]
