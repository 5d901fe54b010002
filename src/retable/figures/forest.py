"""Draw the papers' printed differences beside ours, one line each: the picture of README.md and docs/claims.md."""

from collections.abc import Sequence
from dataclasses import dataclass

import matplotlib as mpl

from retable.figures.style import BLUE, INK, ORANGE, STYLE, new_figure, saved

INCHES_A_LINE, INCHES_BESIDE, WIDTH = 0.19, 0.95, 7.2


@dataclass(frozen=True)
class Difference:
    """A comparison of two rows: the printed difference, and the measured one with its 95% interval, all in points."""

    paper: str
    name: str
    printed: float
    ours: float
    low: float
    high: float


def forest_picture(differences: Sequence[Difference]) -> bytes:
    """Return an SVG: for each comparison a diamond for the printed number, and a dot in its interval for ours.

    Args:
        differences: in the order of the lines, grouped by paper.
    """
    places = range(len(differences))
    with mpl.rc_context(STYLE):
        figure = new_figure(WIDTH, INCHES_BESIDE + INCHES_A_LINE * len(differences))
        axes = figure.subplots()
        axes.axvline(0, color=INK, linewidth=1)
        printed, ours = ([getattr(each, kind) for each in differences] for kind in ("printed", "ours"))
        axes.hlines(places, ours, printed, color=ORANGE, alpha=0.35, linewidth=1)
        axes.plot(printed, places, "D", color=ORANGE, fillstyle="none", markersize=5, label="printed")
        reach = [[each.ours - each.low for each in differences], [each.high - each.ours for each in differences]]
        axes.errorbar(
            ours,
            places,
            xerr=reach,
            fmt="o",
            color=BLUE,
            markersize=4,
            elinewidth=1.5,
            label="measured here, with its 95% interval",
        )
        axes.set_yticks(places, [each.name for each in differences])
        for place, each in enumerate(differences):
            if not place or each.paper != differences[place - 1].paper:
                axes.axhline(place - 0.5, color=INK, alpha=0.4, linewidth=0.5)
                axes.annotate(each.paper, (1, place - 0.4), xycoords=("axes fraction", "data"), ha="right", va="top")
        axes.set_ylim(len(differences) - 0.4, -0.6)
        axes.grid(axis="y", visible=False)
        axes.set_xlabel("difference in accuracy, points; right of the line the first system is ahead")
        figure.legend(*axes.get_legend_handles_labels(), loc="outside upper right", ncols=2)
        return saved(figure, "svg")
