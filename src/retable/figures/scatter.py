"""Points: a measure of each model against another, the size of a model against its accuracy."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import matplotlib as mpl
from matplotlib.transforms import ScaledTranslation

from retable.figures.style import (
    STYLE,
    Format,
    each_once,
    legend_below,
    line_looks,
    log_x,
    number_text,
    panel_axes,
    saved,
)

MARKERS = "osD^vP*X"
NEAR, APART = 1.05, 9.0  # larger by smaller x; 1/72 inch


@dataclass(frozen=True)
class Point:
    """A model: its mean measures over the runs, and the ends of an interval of y."""

    name: str
    x: float
    y: float
    low: float
    high: float
    runs: int


@dataclass(frozen=True)
class PointPanel:
    """Points that share their axes."""

    title: str
    points: tuple[Point, ...]


def scatter_picture(panels: Sequence[PointPanel], x: str, y: str, form: Format) -> bytes:
    """Return a panel a corpus, x logarithmic; a bar over the interval."""
    names = each_once([point.name for panel in panels for point in panel.points])
    looks = line_looks(names)
    with mpl.rc_context(STYLE):
        figure, places = panel_axes(len(panels), 3.2, 2.7)
        for panel, place in zip(panels, places, strict=True):
            for point, shift in zip(panel.points, shifts(panel), strict=True):
                spread = [[point.y - point.low], [point.high - point.y]]
                marker = MARKERS[names.index(point.name) % len(MARKERS)]
                look: dict[str, Any] = {
                    "color": looks[point.name]["color"],
                    "linestyle": "none",
                    "marker": marker,
                    "markersize": 6,
                }
                place.update_datalim([(point.x, point.low), (point.x, point.high)])  # not by what is shifted
                beside = place.transData + ScaledTranslation(shift / 72, 0, figure.dpi_scale_trans)
                place.errorbar(
                    point.x, point.y, yerr=spread, elinewidth=1, capsize=2, label=point.name, transform=beside, **look
                )
            place.set(title=panel.title, xlabel=x, ylabel=y)
            place.margins(0.15)
            log_x(place, [point.x for point in panel.points])
        legend_below(figure, places)
        return saved(figure, form)


def shifts(panel: PointPanel) -> list[float]:
    """Return how far beside its x each point is drawn, in 1/72 inch: points of nearly one x do not cover each other."""
    found = []
    for point in panel.points:
        near = [other for other in panel.points if max(point.x, other.x) < NEAR * min(point.x, other.x)]
        found.append(APART * (near.index(point) - (len(near) - 1) / 2))
    return found


def scatter_rows(panels: Sequence[PointPanel], x_name: str, y_name: str) -> list[dict[str, str]]:
    """Return the CSV: panel, model, both measures, the interval of y, number of runs."""
    return [
        {
            "panel": panel.title,
            "model": point.name,
            x_name: number_text(point.x),
            y_name: number_text(point.y),
            "low": number_text(point.low),
            "high": number_text(point.high),
            "runs": str(point.runs),
        }
        for panel in panels
        for point in panel.points
    ]
