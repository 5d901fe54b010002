"""A figure's declaration and the runs at hand to its picture and its CSV."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Protocol

import numpy as np

from retable.figures.bars import bar_rows, bars_picture
from retable.figures.costs import cost_picture, cost_rows
from retable.figures.densities import DensityPanel, densities_picture, density_rows
from retable.figures.grid import grid_picture, grid_rows
from retable.figures.heat import HeatPanel, heat_picture, heat_rows
from retable.figures.lines import LineAxes, LinePanel, line_rows, lines_picture
from retable.figures.measure import (
    Measured,
    epoch_panels,
    grid_data,
    parameter_panels,
    roc_panels,
    size_panels,
    time_panels,
)
from retable.figures.measure_costs import cost_panels
from retable.figures.roc import roc_panels_picture, roc_rows
from retable.figures.scatter import scatter_picture, scatter_rows
from retable.figures.style import Format
from retable.figures.words import AttendedText, TopWord, shares_of_words, top_word_rows, top_words
from retable.papers.figures import (
    AttentionFigure,
    CostFigure,
    EpochFigure,
    Figure,
    GridFigure,
    ParameterFigure,
    RocFigure,
    SizeFigure,
    TimeFigure,
    TopWords,
    WordWeightsFigure,
)
from retable.runs.record import RunRecord

KEPT_WEIGHTS = (WordWeightsFigure, TopWords, AttentionFigure)  # the kinds that ask a trained network again
EPOCH_AXES = LineAxes("epoch", "accuracy on dev, %", "epoch", "dev_accuracy")
Rows = list[dict[str, str]]


@dataclass(frozen=True)
class Drawn:
    """The lines of the CSV, and the picture; None where the lines are all there is to show."""

    rows: Rows
    picture: Callable[[Format], bytes] | None


class Networks(Protocol):
    """Ask what a figure wants of the trained network of a run whose weights were kept."""

    def texts(self, run: RunRecord) -> list[AttendedText]:
        """Return the test texts with the weights of their words."""

    def matrix(self, run: RunRecord, wanted: Sequence[str], longest: int) -> tuple[tuple[str, ...], np.ndarray] | None:
        """Return words and last attention matrix of the first short test text that has all of `wanted`; None without
        one.
        """

    def labels(self, run: RunRecord) -> tuple[str, ...]:
        """Return the labels of the corpus."""


def drawn(figure: Figure, measured: Measured, networks: Networks) -> Drawn | None:
    """Return a figure's picture and CSV; None if no panel has enough runs."""
    match figure:
        case EpochFigure():
            return of_lines(epoch_panels(figure, measured), EPOCH_AXES)
        case ParameterFigure():
            return of_lines(parameter_panels(figure, measured), parameter_axes(figure))
        case SizeFigure():
            return of_sizes(figure, measured)
        case CostFigure():
            return of_costs(figure, measured)
        case TimeFigure():
            return of_times(figure, measured)
        case GridFigure():
            return of_grid(figure, measured)
        case RocFigure():
            return of_rates(figure, measured)
        case WordWeightsFigure():
            return of_word_weights(figure, measured, networks)
        case TopWords():
            return of_top_words(figure, measured, networks)
        case AttentionFigure():
            return of_attention(figure, measured, networks)
    raise AssertionError(f"no picture is known for {type(figure).__name__}")


def parameter_axes(figure: ParameterFigure) -> LineAxes:
    """Return where the axis begins: a time at zero, an accuracy where it begins."""
    if figure.measure == "seconds_per_epoch":
        return LineAxes(figure.parameter, "seconds an epoch", figure.short, figure.measure, y_from_zero=True)
    return LineAxes(figure.parameter, "accuracy on test, %", figure.short, figure.measure)


def of_lines(panels: Sequence[LinePanel], axes: LineAxes) -> Drawn | None:
    """Return lines over epochs or over a parameter."""
    return Drawn(line_rows(panels, axes), partial(lines_picture, panels, axes)) if panels else None


def of_sizes(figure: SizeFigure, measured: Measured) -> Drawn | None:
    """Points."""
    panels = size_panels(figure, measured)
    x, y = "parameters, without word vectors", "accuracy on test, %"
    rows = scatter_rows(panels, "parameters", "accuracy")
    return Drawn(rows, partial(scatter_picture, panels, x, y)) if panels else None


def of_costs(figure: CostFigure, measured: Measured) -> Drawn | None:
    """Named points on two axes."""
    panels = cost_panels(figure, measured)
    return Drawn(cost_rows(panels), partial(cost_picture, panels)) if panels else None


def of_times(figure: TimeFigure, measured: Measured) -> Drawn | None:
    """Bars."""
    panels = time_panels(figure, measured)
    label = f"milliseconds for {figure.texts} texts"
    return Drawn(bar_rows(panels, "milliseconds"), partial(bars_picture, panels, label)) if panels else None


def of_grid(figure: GridFigure, measured: Measured) -> Drawn | None:
    """Return numbers on shades."""
    data = grid_data(figure, measured)
    return Drawn(grid_rows(data, "accuracy"), partial(grid_picture, data)) if data else None


def of_rates(figure: RocFigure, measured: Measured) -> Drawn | None:
    """ROC curves."""
    panels = roc_panels(figure, measured)
    return Drawn(roc_rows(panels), partial(roc_panels_picture, panels)) if panels else None


def of_word_weights(figure: WordWeightsFigure, measured: Measured, networks: Networks) -> Drawn | None:
    """Densities, of the first run of the one row; a word that is too rare in every class has no panel."""
    for _, of_rows in measured.panels(figure):
        run = next(iter(of_rows.values()))[0]
        shares = shares_of_words(networks.texts(run), figure.words, networks.labels(run))
        panels = [panel for panel in (DensityPanel(word, shares[word]) for word in figure.words) if panel.drawn()]
        if panels:
            picture = partial(densities_picture, panels, "weight × words of the text")
            return Drawn(density_rows(panels, run.epochs), picture)
    return None


def of_top_words(figure: TopWords, measured: Measured, networks: Networks) -> Drawn | None:
    """Return lists of words, of the first run of the one row."""
    found: dict[str, list[TopWord]] = {}
    epochs: dict[str, int] = {}
    for panel, of_rows in measured.panels(figure):
        run = next(iter(of_rows.values()))[0]
        texts, epochs[measured.title(panel)] = networks.texts(run), run.epochs
        labels = [label for column, label in figure.classes if column == panel.column]
        found[measured.title(panel)] = [top for label in labels for top in top_words(texts, label, figure.count)]
    return Drawn(top_word_rows(found, epochs), None) if any(found.values()) else None


def of_attention(figure: AttentionFigure, measured: Measured, networks: Networks) -> Drawn | None:
    """Heat maps of one text, of the first run of every row."""
    for panel, of_rows in measured.panels(figure):
        found = {row: networks.matrix(runs[0], figure.wanted, figure.longest) for row, runs in of_rows.items()}
        panels = [
            HeatPanel(measured.name(panel, row), *maps, of_rows[row][0].epochs) for row, maps in found.items() if maps
        ]
        if len(panels) >= figure.fewest:
            return Drawn(heat_rows(panels), partial(heat_picture, panels))
    return None
