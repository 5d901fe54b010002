"""Lines: what figures of a score over the epochs and of a measure over a parameter have in common."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, ClassVar

import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator

from retable.figures.figure import Figure, Lines, Plot
from retable.figures.style import each_once, line_looks

TICKS = 10
APART = 0.5  # of the least distance between two places: over how much the bars of all lines are spread
FEWEST_POINTS, LARGEST_SHARE = 10.0, 0.25  # of the gap to a far line; of the axis that it would leave the others
NOTE_ROOM, NOTE_HEIGHT = 0.09, 0.065  # of a far line's note: of the others' axis, of the panel


@dataclass(frozen=True)
class Curve:
    """A line: its places x, and the mean, the smallest and the largest measure of the runs at each.

    With `bars`, low and high are the ends of an interval, drawn at each place. One with a single place and `level`
    stands for no value of the parameter (the whole sentence): it is drawn across.
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
        """From the measures of every run at the same places, and perhaps an interval at each place."""
        values = np.array(runs, dtype=float)  # (run, place)
        mean, low, high = (tuple(part.tolist()) for part in (values.mean(0), values.min(0), values.max(0)))
        if intervals:
            low, high = tuple(zip(*intervals, strict=True))
        return cls(name, tuple(x), mean, low, high, len(runs), level, bars=bool(intervals))


@dataclass(frozen=True)
class LineAxes:
    """Describe both axes: labels with units, and names of the CSV's columns; y is a share in percent or a time."""

    x: str
    y: str
    x_name: str
    y_name: str
    y_from_zero: bool = False


@dataclass(frozen=True)
class LinesFigure(Figure[Curve]):
    """A figure of lines. An axis of scores is that of the lines that lie together; one far off is told at the border.

    A kind has `axes` beside `marks`.
    """

    noun: ClassVar[str] = "lines"

    @property
    def axes(self) -> LineAxes:
        """Return both axes."""
        raise NotImplementedError

    def inches(self, plots: Sequence[Plot[Curve]]) -> tuple[float, float]:
        """Return width and height of a panel."""
        return 3.2 if len(plots) > 1 else 4.6, 2.7

    def draw(self, place: Axes, plot: Plot[Curve], plots: Sequence[Plot[Curve]]) -> None:
        """Draw a panel; bars over intervals, or a band from the smallest to the largest run."""
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
        """Yield line, the place (empty for a level), mean, low and high, number of runs."""
        for x, y, low, high in zip(mark.x, mark.y, mark.low, mark.high, strict=True):
            place = {self.axes.x_name: None if mark.level else x, self.axes.y_name: y}
            yield {"line": mark.name, **place, "low": low, "high": high, "runs": mark.runs}

    def shown(self, lines: Lines) -> set[tuple[str, str, str]]:
        """Return the lines of a CSV."""
        return {(line["panel"], line["line"], "") for line in lines}

    def remarks(self, lines: Lines) -> Iterator[str]:
        """Yield the lines that are told at the border, with their scores."""
        told = []
        for panel in each_once([line["panel"] for line in lines]) if not self.axes.y_from_zero else ():
            values: dict[str, list[float]] = {}
            for line in lines:
                if line["panel"] == panel:
                    values.setdefault(line["line"], []).append(float(line[self.axes.y_name]))
            told += [f"{name} on {panel} ({span_of(values[name])})" for name in far_lines(values)]
        if told:
            yield f"Too far from the others for one axis, told at its border: {'; '.join(told)}."


def places_of(lines: Iterable[Curve]) -> list[float]:
    """Return where lines have a measure."""
    return sorted({x for line in lines if not line.level for x in line.x})


def shifts(lines: Sequence[Curve]) -> list[float]:
    """Return how far beside its places each line is drawn, so that bars at one place do not cover each other."""
    count, places = len(lines), places_of(lines)
    if len(places) < 2 or not any(line.bars for line in lines):
        return [0.0] * count
    width = APART * min(after - before for before, after in pairwise(places))
    return [width * ((number + 0.5) / count - 0.5) for number in range(count)]


def draw_line(place: Axes, line: Curve, look: dict[str, Any], shift: float) -> None:
    """Draw a line with its bars or its band, or a level right across the panel."""
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
    """Take the axis of the lines that lie together; tell of each other one its name and scores, at the border where it
    lies.
    """
    far = [line for line in lines if line.name in names]
    near = [line for line in lines if line not in far]
    low, high = min(min(line.low) for line in near), max(max(line.high) for line in near)
    below, above = [line for line in far if max(line.y) < low], [line for line in far if min(line.y) > high]
    room = NOTE_ROOM * (high - low)
    place.set_ylim(low - room * (len(below) + 0.5), high + room * (len(above) + 0.5))
    for sign, told, first, step in (("▼", below, 0.02, NOTE_HEIGHT), ("▲", above, 0.98, -NOTE_HEIGHT)):
        for number, line in enumerate(told):
            note = f"{sign} {line.name}: {span_of(line.y)}"
            where, side = first + step * number, "bottom" if step > 0 else "top"
            colour = looks[line.name]["color"]
            place.text(0.02, where, note, transform=place.transAxes, color=colour, fontsize=7, va=side)


def far_lines(values: Mapping[str, Sequence[float]]) -> list[str]:
    """Return the lines, fewer than half, that would leave the others less than a quarter of one axis.

    Lines are cut at the largest gap that none of them crosses, if it is of ten points or more. So a line at chance is
    far, and one that climbs from there is not.

    Args:
        values: line -> its scores in percent.
    """
    names = sorted(values, key=lambda name: min(values[name]))
    tops = [max(max(values[name]) for name in names[:number]) for number in range(1, len(names))]
    gaps = [
        (min(values[name]) - top, number) for number, (name, top) in enumerate(zip(names[1:], tops, strict=True), 1)
    ]
    gap, number = max(gaps, default=(0.0, 0))
    far, near = sorted((names[:number], names[number:]), key=len)
    if gap < FEWEST_POINTS or len(far) == len(near):
        return []
    return far if width_of(near, values) < LARGEST_SHARE * width_of(names, values) else []


def width_of(names: Sequence[str], values: Mapping[str, Sequence[float]]) -> float:
    """From the smallest to the largest score of some lines."""
    return max(max(values[name]) for name in names) - min(min(values[name]) for name in names)


def span_of(values: Sequence[float]) -> str:
    """Return the scores of a far line: "25.9", or "25.9 to 31.0"."""
    low, high = f"{min(values):.1f}", f"{max(values):.1f}"
    return low if low == high else f"{low} to {high}"
