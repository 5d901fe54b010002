"""Lines: the common base of figures of a score over epochs and of a measure over a parameter."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator

from retable.figures.figure import Figure, Lines, Plot
from retable.figures.style import each_once, line_looks

TICKS = 10
APART = 0.5  # share of the smallest distance between two places over which the bars of all lines are spread
FEWEST_POINTS, LARGEST_SHARE = 10.0, 1 / 3  # of the gap to a far line; share of the axis that it would leave the others
NOTE_ROOM, NOTE_HEIGHT = 0.09, 0.065  # of a far line's note: as a share of the others' axis, and of the panel


@dataclass(frozen=True)
class Curve:
    """A line: its places x, and the mean, smallest and largest measure over the runs at each.

    With `bars`, low and high are the ends of an interval, drawn at each place. A line with a single place and `level`
    has no value of the parameter (such as the whole sentence) and is drawn across the panel.
    """

    name: str
    x: tuple[float, ...]
    y: tuple[float, ...]
    low: tuple[float, ...]
    high: tuple[float, ...]
    runs: int
    level: bool = False
    bars: bool = False

    @classmethod
    def of_runs(
        cls,
        name: str,
        x: Sequence[float],
        runs: Sequence[Sequence[float]],
        *,
        level: bool = False,
        intervals: Sequence[tuple[float, float]] = (),
    ) -> "Curve":
        """Build the line from every run's measures at the same places, and optionally an interval at each place."""
        values = np.array(runs, dtype=float)  # (run, place)
        mean, low, high = (tuple(part.tolist()) for part in (values.mean(0), values.min(0), values.max(0)))
        if intervals:
            low, high = tuple(zip(*intervals, strict=True))
        return cls(name, tuple(x), mean, low, high, len(runs), level, bars=bool(intervals))


@dataclass(frozen=True)
class LineAxes:
    """Labels of both axes with units, and the CSV's column names; y is a percentage or a time."""

    x: str
    y: str
    x_name: str
    y_name: str
    y_from_zero: bool = False


@dataclass(frozen=True)
class LinesFigure(Figure[Curve]):
    """A figure of lines. A score axis covers the lines that lie together; a far one is noted at the border.

    A kind has `axes` and `marks`.
    """

    @property
    def axes(self) -> LineAxes:
        """Return both axes."""
        raise NotImplementedError

    def inches(self, plots: Sequence[Plot[Curve]]) -> tuple[float, float]:
        """Return width and height of a panel."""
        return 3.2 if len(plots) > 1 else 4.6, 2.7

    def draw(self, place: Axes, plot: Plot[Curve], plots: Sequence[Plot[Curve]]) -> None:
        """Draw a panel, with bars for intervals or a band from the smallest to the largest run."""
        looks = line_looks(each_once([line.name for each in plots for line in each.marks]))
        for line, shift in zip(plot.marks, shifts(plot.marks), strict=True):
            draw_line(place, line, looks[line.name], shift)
        place.set(xlabel=self.axes.x, ylabel=self.axes.y)
        where = places_of(plot.marks)
        if len(where) <= TICKS:
            place.set_xticks(where)
        else:
            place.xaxis.set_major_locator(MaxNLocator(nbins=TICKS, integer=True))
        if self.axes.y_from_zero:
            place.set_ylim(bottom=0)
        elif far := far_lines({line.name: line.y for line in plot.marks}):
            tell_far(place, plot.marks, far, looks)

    def csv_cells(self, mark: Curve) -> Iterable[Mapping[str, Any]]:
        """Yield line, place (empty for a level), mean, low and high, number of runs."""
        for x, y, low, high in zip(mark.x, mark.y, mark.low, mark.high, strict=True):
            place = {self.axes.x_name: None if mark.level else x, self.axes.y_name: y}
            yield {"line": mark.name, **place, "low": low, "high": high, "runs": mark.runs}

    def remarks(self, lines: Lines) -> Iterator[str]:
        """Yield the lines that are noted at the border, with their scores."""
        notes = []
        for panel in each_once([line["panel"] for line in lines]) if not self.axes.y_from_zero else ():
            values: dict[str, list[float]] = {}
            for line in lines:
                if line["panel"] == panel:
                    values.setdefault(line["line"], []).append(float(line[self.axes.y_name]))
            notes += [f"{name} on {panel} ({span_of(values[name])})" for name in far_lines(values)]
        if notes:
            yield f"Too far from the others for one axis, noted at its border: {'; '.join(notes)}."


def places_of(lines: Iterable[Curve]) -> list[float]:
    """Return the places where any line has a measure."""
    return sorted({x for line in lines if not line.level for x in line.x})


def shifts(lines: Sequence[Curve]) -> list[float]:
    """Return the offset of each line from its places, so that bars at one place do not overlap."""
    count, places = len(lines), places_of(lines)
    if len(places) < 2 or not any(line.bars for line in lines):
        return [0.0] * count
    width = APART * min(after - before for before, after in pairwise(places))
    return [width * ((number + 0.5) / count - 0.5) for number in range(count)]


def draw_line(place: Axes, line: Curve, look: dict[str, Any], shift: float) -> None:
    """Draw a line with its bars or its band, or a level across the whole panel."""
    if line.level:
        place.axhline(line.y[0], label=line.name, **look | {"linestyle": ":"})
        return
    where = [x + shift for x in line.x]
    place.plot(where, line.y, marker="o", markersize=3, label=line.name, **look)
    if line.bars:
        place.vlines(where, line.low, line.high, color=look["color"], alpha=0.5, linewidth=0.8)
    elif line.low != line.high:
        place.fill_between(line.x, line.low, line.high, color=look["color"], alpha=0.15, linewidth=0)


def tell_far(place: Axes, lines: Sequence[Curve], names: Sequence[str], looks: Mapping[str, dict[str, Any]]) -> None:
    """Fit the axis to the lines that lie together, and note each other line's name and scores at the border nearest to
    it.
    """
    far = [line for line in lines if line.name in names]
    near = [line for line in lines if line not in far]
    low, high = min(min(line.low) for line in near), max(max(line.high) for line in near)
    below, above = [line for line in far if max(line.y) < low], [line for line in far if min(line.y) > high]
    room = NOTE_ROOM * (high - low)
    place.set_ylim(low - room * (len(below) + 0.5), high + room * (len(above) + 0.5))
    for sign, group, first, step in (("▼", below, 0.02, NOTE_HEIGHT), ("▲", above, 0.98, -NOTE_HEIGHT)):
        for number, line in enumerate(group):
            note = f"{sign} {line.name}: {span_of(line.y)}"
            where, side = first + step * number, "bottom" if step > 0 else "top"
            colour = looks[line.name]["color"]
            place.text(0.02, where, note, transform=place.transAxes, color=colour, fontsize=7, va=side)


def far_lines(values: Mapping[str, Sequence[float]]) -> list[str]:
    """Return the lines, fewer than half, that would leave the others less than a third of a shared axis.

    Lines are split at a gap that none of them crosses and that is ten points or more: at the one that leaves out most.
    So a line that stays at chance is far, and one that climbs from there is not.

    Args:
        values: line -> its scores in percent.
    """
    names = sorted(values, key=lambda name: min(values[name]))
    found: list[str] = []
    for number in range(1, len(names)):
        far, near = sorted((names[:number], names[number:]), key=len)
        gap = min(values[names[number]]) - max(max(values[name]) for name in names[:number])
        is_apart = gap >= FEWEST_POINTS and width_of(near, values) < LARGEST_SHARE * width_of(names, values)
        if is_apart and len(found) < len(far) < len(near):
            found = far
    return found


def width_of(names: Sequence[str], values: Mapping[str, Sequence[float]]) -> float:
    """Return the range from the smallest to the largest score of some lines."""
    return max(max(values[name]) for name in names) - min(min(values[name]) for name in names)


def span_of(values: Sequence[float]) -> str:
    """Format the scores of a far line: "25.9", or "25.9 to 31.0"."""
    low, high = f"{min(values):.1f}", f"{max(values):.1f}"
    return low if low == high else f"{low} to {high}"
