"""A grid: a measure for every pair of values of two parameters, as numbers on shades."""

from collections.abc import Mapping
from dataclasses import dataclass, field

import matplotlib as mpl
import numpy as np

from retable.figures.style import INK, SHADES, STYLE, Format, new_figure, number_text, saved


@dataclass(frozen=True)
class GridData:
    """Mean measures by (x, y), of the values of two parameters; a pair without a run is left out."""

    title: str
    x: str
    y: str
    value: str
    xs: tuple[int, ...]
    ys: tuple[int, ...]
    values: Mapping[tuple[int, int], float]
    runs: Mapping[tuple[int, int], int]
    intervals: Mapping[tuple[int, int], tuple[float, float]] = field(default_factory=dict)

    def matrix(self) -> np.ndarray:
        """Return the values, (y, x); NaN where there is no run."""
        return np.array([[self.values.get((x, y), np.nan) for x in self.xs] for y in self.ys])


def grid_picture(data: GridData, form: Format) -> bytes:
    """Return the darker the larger, from the smallest measure to the largest; a dash where there is no run."""
    matrix = data.matrix()
    low, high = np.nanmin(matrix), np.nanmax(matrix)
    span = (high - low) or 1.0
    with mpl.rc_context(STYLE):
        figure = new_figure(1.3 + 0.5 * len(data.xs), 1.2 + 0.36 * len(data.ys))
        place = figure.subplots()
        mesh = place.pcolormesh(np.ma.masked_invalid(matrix), cmap=SHADES, vmin=low, vmax=low + span)
        for (row, column), value in np.ndenumerate(matrix):
            is_dark = np.isfinite(value) and (value - low) / span > 0.55
            text = f"{value:.1f}" if np.isfinite(value) else "–"
            place.text(column + 0.5, row + 0.5, text, ha="center", va="center", color="white" if is_dark else INK)
        place.grid(visible=False)
        place.spines[:].set_visible(False)
        place.tick_params(length=0)
        place.set_xticks(np.arange(len(data.xs)) + 0.5, [str(x) for x in data.xs])
        place.set_yticks(np.arange(len(data.ys)) + 0.5, [str(y) for y in data.ys])
        place.set(title=data.title, xlabel=data.x, ylabel=data.y)
        bar = figure.colorbar(mesh, ax=place, label=data.value)
        bar.outline.set_visible(False)
        return saved(figure, form)


def grid_rows(data: GridData, value_name: str) -> list[dict[str, str]]:
    """Return the CSV: both parameters, the measure and its interval (empty without a run), number of runs."""
    return [
        {
            "panel": data.title,
            data.x: str(x),
            data.y: str(y),
            value_name: number_text(data.values[x, y]) if (x, y) in data.values else "",
            **{
                end: number_text(data.intervals[x, y][number]) if (x, y) in data.intervals else ""
                for number, end in enumerate(("low", "high"))
            },
            "runs": str(data.runs.get((x, y), 0)),
        }
        for x in data.xs
        for y in data.ys
    ]
