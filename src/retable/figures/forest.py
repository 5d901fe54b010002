"""Draw the papers' printed differences beside ours, one line each: the picture of README.md and docs/claims.md."""

from collections.abc import Sequence
from dataclasses import dataclass

import matplotlib as mpl
from matplotlib.axes import Axes

from retable.figures.style import BLUE, INK, ORANGE, STYLE, new_figure, svg_of

INCHES_A_LINE, INCHES_BESIDE, WIDTH = 0.19, 0.95, 7.2
FAR = 15.0  # points from zero: the axis ends there
NOTE_SIZE = 6  # of letters, in 1/72 inch
PRINTED = "printed", "printed, larger or smaller than expected: beyond the thin line"  # hollow, filled


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

    def beyond(self, side: int) -> list[str]:
        """Return what the axis does not reach, in words: on the right (side 1), or on the left (-1)."""
        high, most = (self.high, self.most) if side > 0 else (self.low, self.least)
        named = {"measured": self.ours, "interval to": high, "printed": self.printed, "thin line to": most}
        return [f"{name} {value:.1f}" for name, value in named.items() if side * value > FAR]


def forest_picture(differences: Sequence[Difference]) -> bytes:
    """Return an SVG: for each comparison a diamond for the printed number, and a dot in its two intervals for ours.

    The axis ends 15 points from zero or before; what is farther is written at the border.

    Args:
        differences: in the order of the lines, grouped by paper.
    """
    with mpl.rc_context(STYLE):
        figure = new_figure(WIDTH, INCHES_BESIDE + INCHES_A_LINE * len(differences))
        axes = figure.subplots()
        axes.axvline(0, color=INK, linewidth=1)
        draw_differences(axes, differences)
        write_far(axes, differences)
        axes.set_yticks(range(len(differences)), [each.name for each in differences])
        for place, each in enumerate(differences):
            if not place or each.paper != differences[place - 1].paper:
                axes.axhline(place - 0.5, color=INK, alpha=0.4, linewidth=0.5)
                axes.annotate(each.paper, (1, place - 0.4), xycoords=("axes fraction", "data"), ha="right", va="top")
        low, high = axes.get_xlim()
        axes.set_xlim(max(low, -FAR), min(high, FAR))
        axes.set_ylim(len(differences) - 0.4, -0.6)
        axes.grid(axis="y", visible=False)
        axes.set_xlabel("difference in accuracy, points; right of the line the first system is ahead")
        figure.legend(*axes.get_legend_handles_labels(), loc="outside upper right", ncols=2)
        return svg_of(figure)


def draw_differences(axes: Axes, differences: Sequence[Difference]) -> None:
    """Draw each comparison on its line: thin prediction interval, printed diamond, and measured dot with interval."""
    places = range(len(differences))
    ends = [[getattr(each, end) for each in differences] for end in ("least", "most")]
    axes.hlines(
        places, *ends, color=INK, alpha=0.3, linewidth=0.8, label="where one more run each would fall, 95%: expected"
    )
    for is_expected, fill, label in zip((True, False), ("none", "full"), PRINTED, strict=True):
        shown = [place for place in places if differences[place].is_expected == is_expected]
        printed = [differences[place].printed for place in shown]
        if shown:
            axes.plot(printed, shown, "D", color=ORANGE, fillstyle=fill, markersize=5, label=label)
    ours = [each.ours for each in differences]
    reach = [[each.ours - each.low for each in differences], [each.high - each.ours for each in differences]]
    label = "measured here, with its 95% interval"
    axes.errorbar(ours, places, xerr=reach, fmt="o", color=BLUE, markersize=4, elinewidth=1.5, label=label)


def write_far(axes: Axes, differences: Sequence[Difference]) -> None:
    """Write at the border what is beyond it, with a triangle that points there."""
    for place, each in enumerate(differences):
        for side, where, align in ((1, 0.995, "right"), (-1, 0.005, "left")):
            if far := ", ".join(each.beyond(side)):
                colour = ORANGE if far.startswith("printed") else BLUE if far.startswith("measured") else INK
                axes.text(
                    where,
                    place - 0.08,
                    f"{far} ▶" if side > 0 else f"◀ {far}",
                    transform=axes.get_yaxis_transform(),
                    color=colour,
                    fontsize=NOTE_SIZE,
                    ha=align,
                    va="bottom",
                )
