"""A measure over a parameter of a model."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from retable.figures.figure import Lines, told_of_bars
from retable.figures.lines import Curve, LineAxes, LinesFigure
from retable.figures.measured import Measured, OfRows, Panel, timed_alike
from retable.runs.record import RunRecord


@dataclass(frozen=True)
class ParameterFigure(LinesFigure):
    """Lines over a parameter: `lines` holds (line, value of the parameter, row).

    A value of None is a row to which the parameter does not apply; it is drawn across the panel. `parameter` is the
    axis's label, `short` its name in the CSV. If runs differ in number at a value, only as many as all have are used.
    """

    lines: tuple[tuple[str, int | None, str], ...] = ()
    parameter: str = ""
    short: str = ""
    measure: Literal["accuracy", "seconds_per_epoch"] = "accuracy"

    @property
    def asks(self) -> str:
        """Return "times" if times are drawn."""
        return "times" if self.measure == "seconds_per_epoch" else ""

    @property
    def axes(self) -> LineAxes:
        """Return both axes: a time starts at zero, an accuracy does not."""
        label = "seconds per epoch" if self.asks else "accuracy on test, %"
        return LineAxes(self.parameter, label, self.short, self.measure, y_from_zero=bool(self.asks))

    def marks(self, panel: Panel, of_rows: OfRows, measured: Measured) -> Iterable[Curve]:
        """Yield the lines with a measured point."""
        shown = timed_alike(of_rows) if self.asks else of_rows
        for name in dict.fromkeys(name for name, *_ in self.lines):
            points = [(value, shown[row]) for line, value, row in self.lines if line == name and row in shown]
            if points:
                count = min(len(runs) for _, runs in points)
                values = [[self.measure_of(runs[index]) for _, runs in points] for index in range(count)]
                rows = [row for line, _, row in self.lines if line == name and row in shown]
                intervals = [] if self.asks else [measured.interval(panel, row) for row in rows]
                places = [value or 0 for value, _ in points]
                yield Curve.of_runs(name, places, values, level=points[0][0] is None, intervals=intervals)

    def measure_of(self, run: RunRecord) -> float:
        """Return the measure of a run."""
        return float(run.cost["seconds_per_epoch"]) if self.asks else run.accuracy

    def is_enough(self, marks: Sequence[Curve]) -> bool:
        """Return whether the lines together have enough points."""
        return sum(len(line.x) for line in marks) >= self.fewest

    def remarks(self, lines: Lines) -> Iterator[str]:
        """Yield what bars mean, and the lines that are noted at the border."""
        if not self.asks:
            yield from told_of_bars(lines)
        yield from super().remarks(lines)
