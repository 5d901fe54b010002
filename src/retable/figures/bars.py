"""Bars: the time of a batch, shortest first."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from matplotlib.axes import Axes

from retable.figures.figure import Figure, Lines, Plot, told_of_times
from retable.figures.measured import Measured, OfRows, Panel, timed_alike
from retable.figures.style import BLUE, INK, plain_log_ticks
from retable.tables.run_result import mean

MILLI = 1000.0
UNTIMED = "not timed"
WIDE_SPAN = 30  # ratio of largest to smallest from which the axis is logarithmic


@dataclass(frozen=True)
class Bar:
    """A model and the mean time of its timed runs; None if it has no comparable one."""

    model: str
    milliseconds: float | None
    timed: int
    runs: int


@dataclass(frozen=True)
class TimeFigure(Figure[Bar]):
    """One bar per row: time of a batch of `texts` training texts, an epoch's time per text times `texts`."""

    texts: int = 20
    asks = "times"

    def marks(self, panel: Panel, of_rows: OfRows, measured: Measured) -> Iterable[Bar]:
        """Return a panel's bars, shortest first, rows without a time last; none if the corpus size is unknown."""
        corpus = measured.tables[panel.table].column(panel.column).corpus or ""
        if corpus not in measured.training_texts:
            return ()
        share = MILLI * self.texts / measured.training_texts[corpus]
        timed = timed_alike(of_rows)
        times = {row: share * mean([run.cost["seconds_per_epoch"] for run in runs]) for row, runs in timed.items()}
        others = [row for row in self.rows_of(measured.tables[panel.table]) if row not in timed]
        return [
            Bar(measured.name(panel, row), times.get(row), len(timed.get(row, ())), len(of_rows.get(row, ())))
            for row in [*sorted(times, key=times.__getitem__), *others]
        ]

    def is_enough(self, marks: Sequence[Bar]) -> bool:
        """Return whether enough rows of a panel have a time."""
        return sum(bar.milliseconds is not None for bar in marks) >= self.fewest

    def csv_cells(self, mark: Bar) -> Iterable[Mapping[str, Any]]:
        """Return the line of a row that has a time."""
        return [] if mark.milliseconds is None else [vars(mark)]

    def remarks(self, lines: Lines) -> Iterator[str]:
        """Yield how many runs are timed where not all are."""
        yield from told_of_times(lines)

    def inches(self, plots: Sequence[Plot[Bar]]) -> tuple[float, float]:
        """Return width and height of a panel: higher for more bars."""
        return 3.6, 0.8 + 0.24 * max(len(plot.marks) for plot in plots)

    def draw(self, place: Axes, plot: Plot[Bar], plots: Sequence[Plot[Bar]]) -> None:
        """Draw horizontal bars, so that long names can be read, each with its number."""
        values = [bar.milliseconds for each in plots for bar in each.marks if bar.milliseconds is not None]
        is_wide = max(values) >= WIDE_SPAN * min(values)
        names, lengths = [bar.model for bar in plot.marks], [bar.milliseconds or 0.0 for bar in plot.marks]
        drawn = place.barh(names, lengths, color=BLUE, height=0.65)
        place.bar_label(drawn, [digits(value) if value else "" for value in lengths], padding=3, fontsize=7)
        for at, length in enumerate(lengths):
            if not length:
                place.annotate(
                    UNTIMED, (0.01, at), xycoords=("axes fraction", "data"), va="center", fontsize=7, color=INK
                )
        place.invert_yaxis()
        place.set_axisbelow(True)
        place.grid(axis="y", visible=False)
        place.tick_params(axis="y", length=0)
        place.set_xlabel(f"milliseconds for {self.texts} texts" + (" (logarithmic)" if is_wide else ""))
        place.margins(x=0.18)
        if is_wide:
            place.set_xscale("log")
            place.set_xlim(min(values) / 2, max(values) * 4)
            plain_log_ticks(place.xaxis)


def digits(value: float) -> str:
    """Return a time with three digits: "34.9", "1,508"."""
    return f"{value:.3g}" if value < 1000 else f"{value:,.0f}"
