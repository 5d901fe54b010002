"""Draw the papers' printed differences beside ours, one line each: the picture of README.md and docs/claims.md."""

from collections.abc import Sequence
from dataclasses import dataclass

import matplotlib as mpl

from retable.figures.style import BLUE, INK, ORANGE, STYLE, new_figure, svg_of

INCHES_A_LINE, INCHES_BESIDE, WIDTH = 0.19, 0.95, 7.2


@dataclass(frozen=True)
class Difference:
    """A comparison of two rows: the printed difference, and the measured one with its 95% interval, all in points.

    `least` and `most` are the ends of the 95% prediction interval, in which we expect the printed difference.
    """

    paper: str
    name: str
    printed: float
    ours: float
    low: float
    high: float
    least: float
    most: float

    @property
    def is_expected(self) -> bool:
        """Return whether the printed difference is in the prediction interval."""
        return self.least <= self.printed <= self.most


def forest_picture(differences: Sequence[Difference]) -> bytes:
    """Return an SVG: for each comparison a diamond for the printed number, and a dot in its two intervals for ours.

    Args:
        differences: in the order of the lines, grouped by paper.
    """
    places = range(len(differences))
    with mpl.rc_context(STYLE):
        figure = new_figure(WIDTH, INCHES_BESIDE + INCHES_A_LINE * len(differences))
        axes = figure.subplots()
        axes.axvline(0, color=INK, linewidth=1)
        ours = [each.ours for each in differences]
        expected = [[getattr(each, end) for each in differences] for end in ("least", "most")]
        label = "where one more run each would fall, 95%"
        axes.hlines(places, *expected, color=INK, alpha=0.3, linewidth=0.8, label=label)
        for is_expected, fill, label in ((True, "none", "printed"), (False, "full", "printed, beyond the thin line")):
            shown = [place for place in places if differences[place].is_expected == is_expected]
            printed = [differences[place].printed for place in shown]
            if shown:
                axes.plot(printed, shown, "D", color=ORANGE, fillstyle=fill, markersize=5, label=label)
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
        return svg_of(figure)
