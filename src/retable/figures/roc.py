"""ROC panels: true against false positives of every model, a panel a corpus.

A curve is the micro-average: every (text, class) pair is one decision, right if the text has that class, which is what
the micro AUC of the tables is the area of.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import matplotlib as mpl
import numpy as np
from sklearn.metrics import roc_curve

from retable.figures.style import INK, STYLE, Format, each_once, line_looks, number_text, panel_axes, saved

PLACES = np.round(np.linspace(0, 1, 201), 3)  # false positive rates at which a curve is given


@dataclass(frozen=True)
class RocCurve:
    """A model: true positive rates at `PLACES`, mean over the runs; micro and macro AUC, means of the runs' own."""

    name: str
    right: tuple[float, ...]
    micro_auc: float
    macro_auc: float
    runs: int


@dataclass(frozen=True)
class RocPanel:
    """The curves of a corpus."""

    title: str
    curves: tuple[RocCurve, ...]


def micro_rates(classes: np.ndarray, probabilities: np.ndarray) -> np.ndarray:
    """Return the true positive rates at `PLACES`, of all (text, class) pairs.

    Args:
        classes: the true class of each text, int64 (text,).
        probabilities: float (text, class).
    """
    true = np.eye(probabilities.shape[1], dtype=np.int64)[classes]
    wrong, right, _ = roc_curve(true.ravel(), probabilities.ravel())
    # At a jump the curve has several heights at one place: its top counts, so that np.interp sees one each.
    is_last = np.append(np.diff(wrong) > 0, True)
    return np.interp(PLACES, wrong[is_last], right[is_last])


def roc_panels_picture(panels: Sequence[RocPanel], form: Format) -> bytes:
    """Return the legend stands below each panel, because its areas are that panel's own."""
    names = each_once([curve.name for panel in panels for curve in panel.curves])
    looks = line_looks(names)
    legend_inches = 0.14 * (1 + max(len(panel.curves) for panel in panels))
    with mpl.rc_context(STYLE):
        figure, places = panel_axes(len(panels), 2.5, 2.7 + legend_inches)
        for panel, place in zip(panels, places, strict=True):
            place.plot([0, 1], [0, 1], color=INK, linestyle=":", linewidth=1)
            for curve in panel.curves:
                name = f"{curve.name}  {curve.micro_auc:.3f} / {curve.macro_auc:.3f}"
                place.plot(PLACES, curve.right, label=name, **looks[curve.name])
            place.set(title=panel.title, xlabel="false positive rate", ylabel="true positive rate", aspect="equal")
            place.set(xlim=(-0.02, 1.02), ylim=(-0.02, 1.02))
            place.set(xticks=(0, 0.25, 0.5, 0.75, 1), yticks=(0, 0.25, 0.5, 0.75, 1))
            place.legend(
                loc="upper center", bbox_to_anchor=(0.45, -0.24), title="micro AUC / macro AUC", title_fontsize=7,
                fontsize=6.5, borderaxespad=0,
            )  # fmt: skip
        return saved(figure, form)


def roc_rows(panels: Sequence[RocPanel]) -> list[dict[str, str]]:
    """Return the CSV: panel, model, a point of its curve, and its areas."""
    return [
        {
            "panel": panel.title,
            "model": curve.name,
            "false_positive_rate": number_text(wrong),
            "true_positive_rate": number_text(right),
            "micro_auc": number_text(curve.micro_auc),
            "macro_auc": number_text(curve.macro_auc),
            "runs": str(curve.runs),
        }
        for panel in panels
        for curve in panel.curves
        for wrong, right in zip(PLACES.tolist(), curve.right, strict=True)
    ]
