"""The base of all figures, from the declaration to the picture.

A kind of figure is a class in its own file: which runs it shows, what it takes from them, how they are drawn, the
lines of its CSV, and the remarks for its reader.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar, Generic, TypeVar

import matplotlib as mpl
from matplotlib.axes import Axes

from retable.figures.measured import Measured, OfRows, Panel
from retable.figures.networks import Networks
from retable.figures.style import STYLE, legend_below, number_text, panel_axes, svg_of
from retable.papers.paper import ResultTable
from retable.wording import listed

INTERVALS = (
    "Bars are 95% intervals for one more run, side by side where they share a place; a point without a bar has one "
    "run, and no other row of its column has two."
)
Lines = Sequence[Mapping[str, str]]  # lines of a CSV
Mark = TypeVar("Mark")


@dataclass(frozen=True)
class Plot(Generic[Mark]):
    """A drawn panel: its title and its marks (lines, points, bars)."""

    title: str
    marks: tuple[Mark, ...]


@dataclass(frozen=True)
class Drawn:
    """The lines of the CSV, and the picture as SVG; None if the lines are all there is to show."""

    rows: Lines
    picture: Callable[[], bytes] | None


@dataclass(frozen=True)
class Figure(Generic[Mark]):
    """A figure: its id, title and caption; its panels, and the rows that each shows.

    Without `rows` it shows those that the table's paper prints. A panel with fewer than `fewest` measured rows is left
    out.

    A kind has `marks`, `draw` with `inches` (or `picture`), `legend` as the title of a legend below all panels (None:
    it has none), and overrides of the other methods where it differs.
    """

    name: str
    title: str
    caption: str
    panels: tuple[Panel, ...]
    rows: tuple[str, ...] = ()
    fewest: int = 2

    panel_column: ClassVar[str] = "panel"  # column name in the CSV
    legend: ClassVar[str | None] = ""

    @property
    def asks(self) -> str:
        """Return what its runs must have besides scores: "costs", comparable "times", or "weights"."""
        return ""

    def rows_of(self, table: ResultTable) -> list[str]:
        """Return the rows of a panel of this table, without those that the table does not have."""
        known = [row.id for row in table.rows]
        if self.rows:
            return [row for row in self.rows if row in known]
        return [row.id for row in table.rows if not row.extra]

    def runs_of(self, measured: Measured) -> list[tuple[Panel, OfRows]]:
        """Return the panels with enough measured rows, with their runs by row in the figure's order."""
        found: list[tuple[Panel, OfRows]] = []
        for panel in self.panels:
            table = measured.tables.get(panel.table)
            keys = {row: (panel.table, row, panel.column) for row in self.rows_of(table)} if table else {}
            of_rows = {row: measured.runs[key] for row, key in keys.items() if key in measured.runs}
            found += [(panel, of_rows)] if len(of_rows) >= self.fewest and of_rows else []
        return found

    def drawn(self, measured: Measured, networks: Networks) -> Drawn | None:
        """Return the picture and the CSV; None if no panel has enough marks."""
        plots = self.plots(measured, networks)
        return Drawn(self.csv_lines(plots), partial(self.picture, plots)) if plots else None

    def plots(self, measured: Measured, networks: Networks) -> list[Plot[Mark]]:
        """Return the panels that can be drawn."""
        found = [
            Plot(measured.title(panel), tuple(self.marks(panel, of_rows, measured)))
            for panel, of_rows in self.runs_of(measured)
        ]
        return [plot for plot in found if self.is_enough(plot.marks)]

    def marks(self, panel: Panel, of_rows: OfRows, measured: Measured) -> Iterable[Mark]:
        """Return the marks of a panel."""
        raise NotImplementedError

    def is_enough(self, marks: Sequence[Mark]) -> bool:
        """Return whether a panel of these marks is drawn."""
        return len(marks) >= self.fewest

    def csv_lines(self, plots: Sequence[Plot[Mark]]) -> Lines:
        """Return the lines of the CSV: the panel and the cells of each mark."""
        return [
            csv_line({self.panel_column: plot.title, **cells})
            for plot in plots
            for mark in plot.marks
            for cells in self.csv_cells(mark)
        ]

    def csv_cells(self, mark: Mark) -> Iterable[Mapping[str, Any]]:
        """Return CSV column -> value for a mark; by default one line with the mark's fields."""
        return [vars(mark)]

    def inches(self, plots: Sequence[Plot[Mark]]) -> tuple[float, float]:
        """Return width and height of a panel."""
        return 3.2, 2.7

    def draw(self, place: Axes, plot: Plot[Mark], plots: Sequence[Plot[Mark]]) -> None:
        """Draw a panel, one of `plots`."""
        raise NotImplementedError

    def picture(self, plots: Sequence[Plot[Mark]]) -> bytes:
        """Draw the panels side by side, with one legend; return the SVG."""
        with mpl.rc_context(STYLE):
            figure, places = panel_axes(len(plots), *self.inches(plots))
            for plot, place in zip(plots, places, strict=True):
                self.draw(place, plot, plots)
                place.set_title(plot.title)
            if self.legend is not None:
                legend_below(figure, places, self.legend or None)
            return svg_of(figure)

    def remarks(self, lines: Lines) -> Iterator[str]:
        """Yield remarks on the figure as drawn, from the lines of its CSV."""
        yield from ()


AnyFigure = Figure[Any]


class WeightsFigure(Figure[Mark]):
    """A figure that queries trained networks."""

    asks = "weights"

    def remarks(self, lines: Lines) -> Iterator[str]:
        """Yield a remark on how long the networks whose weights are shown were trained."""
        epochs = {line.get("panel") or line.get("column", ""): line.get("epochs", "") for line in lines}
        counts = set(epochs.values())
        if counts == {"1"}:
            yield "Trained for one epoch."
        elif len(counts) == 1 and counts != {""}:
            yield f"Trained for {counts.pop()} epochs."
        elif any(counts):
            yield f"Epochs of training: {'; '.join(f'{name} ({count})' for name, count in epochs.items())}."


def csv_line(values: Mapping[str, Any]) -> dict[str, str]:
    """Return a line of a CSV: numbers formatted by `number_text`, None as empty."""
    return {
        name: "" if value is None else value if isinstance(value, str) else number_text(value)
        for name, value in values.items()
    }


def told_of_bars(lines: Lines) -> Iterator[str]:
    """Yield a remark on the meaning of bars, if there are any."""
    if any(line["low"] != line["high"] for line in lines):
        yield INTERVALS


def told_of_times(lines: Lines) -> Iterator[str]:
    """Yield a remark on how many runs of a row are timed, if some but not all are."""
    rows: dict[tuple[str, str, str], list[str]] = {}
    for line in lines:
        if 0 < int(line["timed"]) < int(line["runs"]):
            rows.setdefault((line["panel"], line["timed"], line["runs"]), []).append(line["model"])
    for (panel, timed, runs), names in rows.items():
        each = " each" if len(names) > 1 else ""
        yield f"Timed on {panel}: {timed} of {runs} runs{each} of {listed(names)}."
