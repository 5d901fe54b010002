"""Bars: one measure of each model, the smallest first."""

from collections.abc import Sequence
from dataclasses import dataclass

import matplotlib as mpl

from retable.figures.style import BLUE, STYLE, Format, number_text, panel_axes, plain_log_ticks, saved

WIDE_SPAN = 30  # largest by smallest: from here on the axis is logarithmic


@dataclass(frozen=True)
class Bar:
    """A model and its mean measure."""

    name: str
    value: float
    runs: int


@dataclass(frozen=True)
class BarPanel:
    """Bars that share their axis."""

    title: str
    bars: tuple[Bar, ...]

    @property
    def ordered(self) -> list[Bar]:
        """Return them sorted, the smallest first."""
        return sorted(self.bars, key=lambda bar: (bar.value, bar.name))


def bars_picture(panels: Sequence[BarPanel], label: str, form: Format) -> bytes:
    """Lying bars, so that long names can be read; each with its number."""
    values = [bar.value for panel in panels for bar in panel.bars]
    is_wide = max(values) >= WIDE_SPAN * min(values)
    height = 0.8 + 0.24 * max(len(panel.bars) for panel in panels)
    with mpl.rc_context(STYLE):
        figure, places = panel_axes(len(panels), 3.6, height)
        for panel, place in zip(panels, places, strict=True):
            bars = panel.ordered
            drawn = place.barh([bar.name for bar in bars], [bar.value for bar in bars], color=BLUE, height=0.65)
            place.bar_label(drawn, [f"{bar.value:.3g}" for bar in bars], padding=3, fontsize=7)
            place.invert_yaxis()
            place.set_axisbelow(True)
            place.grid(axis="y", visible=False)
            place.tick_params(axis="y", length=0)
            place.set(title=panel.title, xlabel=f"{label} (logarithmic)" if is_wide else label)
            place.margins(x=0.18)
            if is_wide:
                place.set_xscale("log")
                place.set_xlim(min(values) / 2, max(values) * 4)
                plain_log_ticks(place.xaxis)
        return saved(figure, form)


def bar_rows(panels: Sequence[BarPanel], name: str) -> list[dict[str, str]]:
    """Return the CSV: panel, model, measure, number of runs; in the order of the picture."""
    return [
        {"panel": panel.title, "model": bar.name, name: number_text(bar.value), "runs": str(bar.runs)}
        for panel in panels
        for bar in panel.ordered
    ]
