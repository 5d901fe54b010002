"""A grid: the accuracy for every pair of values of two parameters, as numbers on shaded cells."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from matplotlib.axes import Axes

from retable.figures.figure import Figure, Plot
from retable.figures.measured import Measured, OfRows, Panel
from retable.figures.style import INK, SHADES, bare
from retable.tables.run_result import mean


@dataclass(frozen=True)
class GridCell:
    """The mean accuracy at a pair of values, with its interval; None without a run."""

    x: int
    y: int
    runs: int = 0
    value: float | None = None
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True)
class GridFigure(Figure[GridCell]):
    """Accuracy for every pair of values of two parameters: `cells` holds (x, y, row).

    A value without any run is not drawn.
    """

    cells: tuple[tuple[int, int, str], ...] = ()
    x: str = ""
    y: str = ""

    def marks(self, panel: Panel, of_rows: OfRows, measured: Measured) -> Iterable[GridCell]:
        """Yield all cells."""
        for x, y, row in self.cells:
            if row in of_rows:
                accuracy = mean([run.accuracy for run in of_rows[row]])
                yield GridCell(x, y, len(of_rows[row]), accuracy, *measured.interval(panel, row))
            else:
                yield GridCell(x, y)

    def is_enough(self, marks: Sequence[GridCell]) -> bool:
        """Return whether enough cells are measured."""
        return sum(cell.runs > 0 for cell in marks) >= self.fewest

    def inches(self, plots: Sequence[Plot[GridCell]]) -> tuple[float, float]:
        """Return width and height of a panel: larger for more values."""
        xs, ys = values_of(plots)
        return 1.3 + 0.5 * len(xs), 1.2 + 0.36 * len(ys)

    def draw(self, place: Axes, plot: Plot[GridCell], plots: Sequence[Plot[GridCell]]) -> None:
        """Draw the cells, darker for larger values, parameters in ascending order; a dash marks a missing run."""
        xs, ys = values_of(plots)
        known = {(cell.x, cell.y): cell.value for cell in plot.marks}
        matrix = np.array([[known.get((x, y)) for x in xs] for y in ys], dtype=float)  # NaN where there is no run
        low, high = np.nanmin(matrix), np.nanmax(matrix)
        span = (high - low) or 1.0
        mesh = place.pcolormesh(np.ma.masked_invalid(matrix), cmap=SHADES, vmin=low, vmax=low + span)
        for (row, column), value in np.ndenumerate(matrix):
            is_dark = np.isfinite(value) and (value - low) / span > 0.55
            text = f"{value:.1f}" if np.isfinite(value) else "–"
            place.text(column + 0.5, row + 0.5, text, ha="center", va="center", color="white" if is_dark else INK)
        bare(place)
        place.set_xticks(np.arange(len(xs)) + 0.5, [str(x) for x in xs])
        place.set_yticks(np.arange(len(ys)) + 0.5, [str(y) for y in ys])
        place.set(xlabel=self.x, ylabel=self.y)
        bar = place.figure.colorbar(mesh, ax=place, label="accuracy on test, %")
        bar.outline.set_visible(False)

    def csv_cells(self, mark: GridCell) -> Iterable[Mapping[str, Any]]:
        """Return both parameters, the accuracy and its interval (empty without a run), and the number of runs."""
        accuracy = {"accuracy": mark.value, "low": mark.low, "high": mark.high}
        return [{self.x: mark.x, self.y: mark.y, **accuracy, "runs": mark.runs}]


def values_of(plots: Sequence[Plot[GridCell]]) -> tuple[list[int], list[int]]:
    """Return the values of both parameters that have a run, in ascending order."""
    measured = [cell for plot in plots for cell in plot.marks if cell.runs]
    return sorted({cell.x for cell in measured}), sorted({cell.y for cell in measured})
