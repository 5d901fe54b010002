"""A score over the epochs of training."""

from collections.abc import Iterable
from dataclasses import dataclass

from retable.figures.lines import Curve, LineAxes, LinesFigure
from retable.figures.measured import Measured, OfRows, Panel


@dataclass(frozen=True)
class EpochFigure(LinesFigure):
    """One line per row: accuracy on dev after every epoch; several runs are cut to the shortest."""

    axes = LineAxes("epoch", "accuracy on dev, %", "epoch", "dev_accuracy")

    def marks(self, panel: Panel, of_rows: OfRows, measured: Measured) -> Iterable[Curve]:
        """Yield a line for every row with epochs."""
        for row, runs in of_rows.items():
            curves = [run.curve for run in runs]
            if length := min(map(len, curves)):
                cut = [curve[:length] for curve in curves]
                yield Curve.of_runs(measured.name(panel, row), range(1, length + 1), cut)
