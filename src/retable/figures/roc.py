"""ROC panels: true against false positives of every model; one panel per corpus.

A curve is the micro-average: every (text, class) pair is one decision, correct if the text has that class. Its area is
the micro AUC of the tables.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from matplotlib.axes import Axes
from sklearn.metrics import roc_curve

from retable.figures.figure import Figure, Plot
from retable.figures.measured import Measured, OfRows, Panel
from retable.figures.style import INK, each_once, line_looks
from retable.runs.record import RunRecord
from retable.tables.run_result import mean

PLACES = np.round(np.linspace(0, 1, 101), 2)  # false positive rates at which a curve is evaluated


@dataclass(frozen=True)
class RocCurve:
    """A model: true positive rates at `PLACES`, micro and macro AUC, all means over the runs."""

    name: str
    right: tuple[float, ...]
    micro_auc: float
    macro_auc: float
    runs: int


@dataclass(frozen=True)
class RocFigure(Figure[RocCurve]):
    """One curve per row: true against false positives."""

    legend: ClassVar[str | None] = None  # each panel has its own, which lists its areas

    def marks(self, panel: Panel, of_rows: OfRows, measured: Measured) -> Iterable[RocCurve]:
        """Yield the mean curve of every row, with the means of the areas."""
        for row, runs in of_rows.items():
            rates = np.mean([micro_rates(*run.answers()) for run in runs], axis=0)
            micro, macro = area_of(runs, "micro_auc"), area_of(runs, "macro_auc")
            yield RocCurve(measured.name(panel, row), tuple(rates.tolist()), micro, macro, len(runs))

    def inches(self, plots: Sequence[Plot[RocCurve]]) -> tuple[float, float]:
        """Return width and height of a panel, with its legend."""
        return 2.5, 2.7 + 0.14 * (1 + max(len(plot.marks) for plot in plots))

    def draw(self, place: Axes, plot: Plot[RocCurve], plots: Sequence[Plot[RocCurve]]) -> None:
        """Draw a panel with its legend below it."""
        looks = line_looks(each_once([curve.name for each in plots for curve in each.marks]))
        place.plot([0, 1], [0, 1], color=INK, linestyle=":", linewidth=1)
        for curve in plot.marks:
            name = f"{curve.name}  {curve.micro_auc:.3f} / {curve.macro_auc:.3f}"
            place.plot(PLACES, curve.right, label=name, **looks[curve.name])
        place.set(xlabel="false positive rate", ylabel="true positive rate", aspect="equal")
        place.set(xlim=(-0.02, 1.02), ylim=(-0.02, 1.02))
        place.set(xticks=(0, 0.25, 0.5, 0.75, 1), yticks=(0, 0.25, 0.5, 0.75, 1))
        place.legend(
            loc="upper center", bbox_to_anchor=(0.45, -0.24), title="micro AUC / macro AUC", title_fontsize=7,
            fontsize=6.5, borderaxespad=0,
        )  # fmt: skip

    def csv_cells(self, mark: RocCurve) -> Iterable[Mapping[str, Any]]:
        """Yield model, a point of its curve, and its areas."""
        areas = {"micro_auc": mark.micro_auc, "macro_auc": mark.macro_auc, "runs": mark.runs}
        for wrong, right in zip(PLACES.tolist(), mark.right, strict=True):
            yield {"model": mark.name, "false_positive_rate": wrong, "true_positive_rate": right, **areas}


def micro_rates(classes: np.ndarray, probabilities: np.ndarray) -> np.ndarray:
    """Return the true positive rates at `PLACES`, over all (text, class) pairs.

    Args:
        classes: the true class of each text, int64 (text,).
        probabilities: float (text, class).
    """
    true = np.eye(probabilities.shape[1], dtype=np.int64)[classes]
    wrong, right, _ = roc_curve(true.ravel(), probabilities.ravel())
    # At a jump the curve has several heights at one place: keep the top one, because np.interp needs a single value.
    is_last = np.append(np.diff(wrong) > 0, True)
    return np.interp(PLACES, wrong[is_last], right[is_last])


def area_of(runs: Sequence[RunRecord], score: str) -> float:
    """Return the mean of an area on test; NaN if a test split has only one class."""
    areas = [run.metrics["test"][score] for run in runs]
    return mean([math.nan if area is None else area for area in areas])
