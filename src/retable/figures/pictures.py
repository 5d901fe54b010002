"""Draw a run's curve, ROC curves and confusion matrix for the record; equal numbers give equal bytes on one machine."""

import io
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator, PercentFormatter
from PIL import Image  # installed with matplotlib
from sklearn.metrics import auc, confusion_matrix, roc_curve

from retable.figures.style import BLUE, COLOURS, INK, ORANGE, SHADES, STYLE, bare, new_figure
from retable.runs.curve import read_curve
from retable.runs.form import read_metrics
from retable.runs.predictions import read_predictions
from retable.text.choosing import NAMES, dev_score, dev_score_name

CLASSES_BY_NAME = 8  # a longer legend would hide the picture
CLASSES_WITH_COUNTS = 12
POINTS_OF_A_LINE = 200
DOTS_PER_INCH, SHADES_IN_PNG = 150, 256
CURVE_MARGINS = {"left": 0.12, "right": 0.98, "bottom": 0.16, "top": 0.91, "wspace": 0.36}
ROC_MARGINS = {"left": 0.17, "right": 0.98, "bottom": 0.15, "top": 0.98}


def pictures_of_run(folder: Path) -> dict[str, bytes]:
    """Return the pictures of a run's folder as PNG: curve, roc, confusion."""
    facts, _, classes, _, probabilities = read_predictions(folder / "predictions.parquet")
    chosen = read_metrics(folder)["epochs"]["chosen"]
    drawn = {
        "curve": draw_curve(read_curve(folder), chosen),
        "roc": draw_roc(classes, probabilities, facts.labels),
        "confusion": draw_confusion(classes, probabilities.argmax(axis=1), facts.labels),
    }
    return {name: png_of(figure) for name, figure in drawn.items()}


def png_of(figure: Figure) -> bytes:
    """Return a picture as a PNG on white, with a colour palette (a third of the size), and no date or software."""
    uncompressed = {"compress_level": 0}  # it is only read again
    drawn, small = io.BytesIO(), io.BytesIO()
    with mpl.rc_context(STYLE):
        figure.savefig(drawn, format="png", dpi=DOTS_PER_INCH, facecolor="white", pil_kwargs=uncompressed)
    with Image.open(drawn) as image:
        image.convert("RGB").quantize(SHADES_IN_PNG, dither=Image.Dither.NONE).save(small, format="png", optimize=True)
    return small.getvalue()


def draw_curve(lines: Sequence[Mapping[str, Any]], chosen: int | None) -> Figure:
    """Draw loss and accuracy over the epochs of a network, or the score on dev over the candidates of a linear model.

    Args:
        lines: the lines of curve.csv.
        chosen: the epoch whose weights were kept.
    """
    if "epoch" not in lines[0]:
        return draw_candidates(lines)
    epochs = [int(line["epoch"]) for line in lines]
    with mpl.rc_context(STYLE):
        figure = new_figure(5.2, 2.6, CURVE_MARGINS)
        for axes, score in zip(figure.subplots(1, 2), ("loss", "accuracy"), strict=True):
            for split, colour in (("train", ORANGE), ("dev", BLUE)):
                values = [float(line[f"{split}_{score}"]) for line in lines]
                axes.plot(epochs, values, color=colour, label=split, marker=".")
            if chosen is not None:
                axes.axvline(chosen, color=INK, linestyle=":", label=f"chosen: {chosen}")
            axes.set(title=score, xlabel="epoch")
            axes.xaxis.set_major_locator(MaxNLocator(integer=True, min_n_ticks=1))
            if score == "accuracy" and (name := dev_score_name(lines[0])) != score:
                axes.plot(
                    epochs, [dev_score(line) for line in lines], color=COLOURS[2], label=f"dev {name}", marker="."
                )
            if score == "accuracy":
                axes.yaxis.set_major_formatter(PercentFormatter(1, decimals=None))
            axes.legend()
        return figure


def draw_candidates(lines: Sequence[Mapping[str, Any]]) -> Figure:
    """Draw the score on dev of every candidate setting, with the best marked."""
    scores = [dev_score(line) for line in lines]
    tried = [name for name in lines[0] if name not in NAMES]
    score = dev_score_name(lines[0])
    names = [" · ".join(str(line[name]) for name in tried) for line in lines]
    best = scores.index(max(scores))
    with mpl.rc_context(STYLE):
        figure = new_figure(5.2, 0.8 + 0.2 * len(lines))
        axes = figure.subplots()
        axes.hlines(range(len(scores)), min(scores), scores, color=INK, alpha=0.4, linewidth=1)
        colours = [ORANGE if position == best else BLUE for position in range(len(scores))]
        axes.scatter(scores, range(len(scores)), color=colours, zorder=3)
        axes.set_yticks(range(len(scores)), names)
        axes.invert_yaxis()
        axes.grid(axis="y", visible=False)
        axes.xaxis.set_major_locator(MaxNLocator(steps=[1, 2, 5, 10]))
        axes.xaxis.set_major_formatter(PercentFormatter(1, decimals=1))
        axes.set(title=f"{score} on dev, the chosen candidate in orange", ylabel=" · ".join(tried))
        return figure


def draw_roc(classes: np.ndarray, probabilities: np.ndarray, labels: Sequence[str]) -> Figure:
    """Draw true against false positives, each class against the rest; with two classes, only the second.

    Args:
        classes: the true class of each text, int64 (text,).
        probabilities: float (text, class).
        labels: names of the classes.
    """
    shown = [1] if len(labels) == 2 else range(len(labels))
    with mpl.rc_context(STYLE):
        figure = new_figure(2.8, 2.8, ROC_MARGINS)
        axes = figure.subplots()
        axes.plot([0, 1], [0, 1], color=INK, linestyle=":", linewidth=1)
        for position, index in enumerate(shown):
            true = classes == index
            if not 0 < true.sum() < len(true):
                continue  # no curve for a class that no text or every text has
            wrong, right, _ = roc_curve(true, probabilities[:, index])
            name = f"{labels[index]}  {auc(wrong, right):.3f}" if position < CLASSES_BY_NAME else None
            axes.plot(*thinned(wrong, right), color=COLOURS[position % len(COLOURS)], label=name)
        axes.set(xlabel="false positives", ylabel="true positives", aspect="equal")
        axes.set(xlim=(-0.02, 1.02), ylim=(-0.02, 1.02))
        heading = {"title": "class, area under curve", "title_fontsize": 7} if len(shown) <= 4 else {"fontsize": 6}
        axes.legend(*axes.get_legend_handles_labels(), loc="lower right", **heading)
        return figure


def thinned(x: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return at most `POINTS_OF_A_LINE` points of a rising curve, evenly spaced along it."""
    if len(x) <= POINTS_OF_A_LINE:
        return x, y
    way = x + y
    kept = np.unique(np.searchsorted(way, np.linspace(0, way[-1], POINTS_OF_A_LINE)))
    return x[kept], y[kept]


def draw_confusion(classes: np.ndarray, predicted: np.ndarray, labels: Sequence[str]) -> Figure:
    """Draw how many texts of each class got each answer; the colour is the share of the class.

    Args:
        classes, predicted: class of each text, int64 (text,).
        labels: names of the classes.
    """
    count = len(labels)
    matrix = confusion_matrix(classes, predicted, labels=range(count))
    shares = matrix / np.maximum(matrix.sum(axis=1, keepdims=True), 1)
    side = min(1.3 + 0.5 * count, 6.5)
    with mpl.rc_context(STYLE):
        figure = new_figure(side + 0.4, side)
        axes = figure.subplots()
        axes.pcolormesh(shares, cmap=SHADES, vmin=0, vmax=1)
        axes.invert_yaxis()
        bare(axes)
        axes.set(xlabel="predicted", ylabel="true", aspect="equal")
        axes.set_xticks(np.arange(count) + 0.5, labels)
        if count > 3:
            axes.tick_params(axis="x", rotation=40)
        axes.set_yticks(np.arange(count) + 0.5, labels)
        if count <= CLASSES_WITH_COUNTS:
            for (row, column), number in np.ndenumerate(matrix):
                colour = "white" if shares[row, column] > 0.5 else INK
                axes.text(column + 0.5, row + 0.5, f"{number:,}", ha="center", va="center", color=colour)
        return figure
