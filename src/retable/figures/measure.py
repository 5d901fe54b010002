"""From the runs of a figure's cells to the data that is drawn; accuracies in percent."""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

import numpy as np

from retable.figures.bars import Bar, BarPanel
from retable.figures.grid import GridData
from retable.figures.lines import Curve, LinePanel
from retable.figures.roc import RocCurve, RocPanel, micro_rates
from retable.figures.scatter import Point, PointPanel
from retable.papers.figures import Figure, GridFigure, Panel, ParameterFigure, TimeFigure
from retable.papers.paper import ResultTable
from retable.runs.record import PERCENT, RunRecord
from retable.tables.intervals import prediction_interval

MILLI = 1000.0
Machine = TypeVar("Machine", str, tuple[str, int])


Key = tuple[str, str, str]  # table, row, column
Runs = Mapping[Key, Sequence[RunRecord]]


@dataclass(frozen=True)
class Measured:
    """Hold what figures are drawn from: a paper's tables, the current runs of their cells, texts in training splits.

    `seed_deviations` are known standard deviations between seeds, fractions, by corpus.
    """

    tables: Mapping[str, ResultTable]
    runs: Runs
    training_texts: Mapping[str, int]
    seed_deviations: Mapping[str, float | None] = field(default_factory=dict)

    def of_panel(self, figure: Figure, panel: Panel) -> dict[str, Sequence[RunRecord]]:
        """Return the runs of a panel by row, in the figure's order; nothing if they are too few for a panel."""
        table = self.tables.get(panel.table)
        rows = figure.rows_of(table) if table else []
        keys = {row: (panel.table, row, panel.column) for row in rows}
        found = {row: self.runs[key] for row, key in keys.items() if key in self.runs}
        return found if len(found) >= figure.fewest else {}

    def panels(self, figure: Figure) -> list[tuple[Panel, dict[str, Sequence[RunRecord]]]]:
        """Return the panels that can be drawn, with their runs."""
        found = [(panel, self.of_panel(figure, panel)) for panel in figure.panels]
        return [(panel, runs) for panel, runs in found if runs]

    def title(self, panel: Panel) -> str:
        """Return what the paper calls a panel's column."""
        return self.tables[panel.table].column(panel.column).printed

    def name(self, panel: Panel, row: str) -> str:
        """Return what the paper calls a row."""
        return self.tables[panel.table].row(row).printed

    def interval(self, panel: Panel, runs: Sequence[RunRecord]) -> tuple[float, float]:
        """Return the interval in which one more run of a panel's cell falls, with 95%, in percent: as in its table."""
        column = self.tables[panel.table].column(panel.column)
        of_seeds: dict[int, list[RunRecord]] = {}
        for run in runs:
            of_seeds.setdefault(run.seed, []).append(run)
        scores = [mean([run.accuracy / PERCENT for run in folds]) for folds in of_seeds.values()]
        texts = sum(run.texts for run in next(iter(of_seeds.values())))
        spread = self.seed_deviations.get(column.domain or column.corpus or "")
        low, high = prediction_interval(scores, texts, same_texts=column.split == "paper", seed_deviation=spread)
        return PERCENT * low, PERCENT * high


def epoch_panels(figure: Figure, measured: Measured) -> list[LinePanel]:
    """Accuracy on dev after every epoch; of several runs, as far as the shortest went."""
    panels = []
    for panel, of_rows in measured.panels(figure):
        lines = []
        for row, runs in of_rows.items():
            curves = [run.curve for run in runs]
            length = min(map(len, curves))
            if length:
                cut = [curve[:length] for curve in curves]
                lines.append(Curve.of_runs(measured.name(panel, row), range(1, length + 1), cut))
        if len(lines) >= figure.fewest:
            panels.append(LinePanel(measured.title(panel), tuple(lines)))
    return panels


def parameter_panels(figure: ParameterFigure, measured: Measured) -> list[LinePanel]:
    """Return a measure over a parameter; at a value whose runs differ in number, the first runs that all have."""
    panels = []
    for panel, of_rows in measured.panels(figure):
        shown = of_one_machine(of_rows) if figure.measure == "seconds_per_epoch" else of_rows
        lines = []
        for name in dict.fromkeys(name for name, *_ in figure.lines):
            points = [(value, shown[row]) for line, value, row in figure.lines if line == name and row in shown]
            if points:
                count = min(len(runs) for _, runs in points)
                values = [[measure_of(figure, runs[index]) for _, runs in points] for index in range(count)]
                is_level = points[0][0] is None
                places = [0 if value is None else value for value, _ in points]
                of_scores = figure.measure == "accuracy"
                intervals = [measured.interval(panel, runs[:count]) for _, runs in points] if of_scores else []
                lines.append(Curve.of_runs(name, places, values, level=is_level, intervals=intervals))
        if sum(len(line.x) for line in lines) >= figure.fewest:
            panels.append(LinePanel(measured.title(panel), tuple(lines)))
    return panels


def measure_of(figure: ParameterFigure, run: RunRecord) -> float:
    """Return what a figure over a parameter shows of a run."""
    return run.accuracy if figure.measure == "accuracy" else float(run.cost["seconds_per_epoch"])


def size_panels(figure: Figure, measured: Measured) -> list[PointPanel]:
    """Trained parameters without word vectors against accuracy; a model that has no others is left out."""
    panels = []
    for panel, of_rows in measured.panels(figure):
        shown = {row: runs for row, runs in of_rows.items() if own_parameters(runs[0]) > 0}
        points = tuple(
            size_point(measured.name(panel, row), runs, measured.interval(panel, runs)) for row, runs in shown.items()
        )
        if len(points) >= figure.fewest:
            panels.append(PointPanel(measured.title(panel), points))
    return panels


def own_parameters(run: RunRecord) -> float:
    """Trained parameters that are no word vectors."""
    return float(run.cost["parameters"] - run.cost["parameters_tuned_words"])


def size_point(name: str, runs: Sequence[RunRecord], interval: tuple[float, float]) -> Point:
    """Return a model's point."""
    size, accuracy = mean([own_parameters(run) for run in runs]), mean([run.accuracy for run in runs])
    return Point(name, size, accuracy, *interval, len(runs))


def time_panels(figure: TimeFigure, measured: Measured) -> list[BarPanel]:
    """Milliseconds of a batch: an epoch's time a text, times the texts of the batch."""
    panels = []
    for panel, of_rows in measured.panels(figure):
        corpus = measured.tables[panel.table].column(panel.column).corpus or ""
        if corpus not in measured.training_texts:
            continue
        share = MILLI * figure.texts / measured.training_texts[corpus]
        bars = [
            Bar(measured.name(panel, row), share * mean([run.cost["seconds_per_epoch"] for run in runs]), len(runs))
            for row, runs in of_one_machine(of_rows).items()
        ]
        if len(bars) >= figure.fewest:
            panels.append(BarPanel(measured.title(panel), tuple(bars)))
    return panels


def of_one_machine(of_rows: Mapping[str, Sequence[RunRecord]]) -> Mapping[str, Sequence[RunRecord]]:
    """Return the runs of the machine that most were made on: times of two machines cannot be compared."""
    machine = most_common([run.machine for runs in of_rows.values() for run in runs])
    kept = {row: [run for run in runs if run.machine == machine] for row, runs in of_rows.items()}
    return {row: runs for row, runs in kept.items() if runs}


def most_common(machines: Sequence[Machine]) -> Machine:
    """Return the machine that stands there most often, the last in the alphabet of several."""
    counts = Counter(machines)
    return max(counts, key=lambda each: (counts[each], each))


def shows_times(figure: Figure) -> bool:
    """Return whether only times are drawn, which compare on one machine alone."""
    return isinstance(figure, TimeFigure) or getattr(figure, "measure", "") == "seconds_per_epoch"


def grid_data(figure: GridFigure, measured: Measured) -> GridData | None:
    """Accuracy by two parameters, of the one panel."""
    for panel, of_rows in measured.panels(figure):
        cells = {(x, y): of_rows[row] for x, y, row in figure.cells if row in of_rows}
        return GridData(
            measured.title(panel),
            figure.x,
            figure.y,
            "accuracy on test, %",
            tuple(dict.fromkeys(x for x, *_ in figure.cells)),
            tuple(dict.fromkeys(y for _, y, _ in figure.cells)),
            {place: mean([run.accuracy for run in runs]) for place, runs in cells.items()},
            {place: len(runs) for place, runs in cells.items()},
            {place: measured.interval(panel, runs) for place, runs in cells.items()},
        )
    return None


def roc_panels(figure: Figure, measured: Measured) -> list[RocPanel]:
    """Return the mean ROC curves of the rows, with the means of the areas."""
    return [
        RocPanel(
            measured.title(panel),
            tuple(roc_curve_of(measured.name(panel, row), runs) for row, runs in of_rows.items()),
        )
        for panel, of_rows in measured.panels(figure)
    ]


def roc_curve_of(name: str, runs: Sequence[RunRecord]) -> RocCurve:
    """Return a model's curve."""
    micro, macro = (area_of(runs, score) for score in ("micro_auc", "macro_auc"))
    rates = np.mean([micro_rates(*run.answers()) for run in runs], axis=0)
    return RocCurve(name, tuple(rates.tolist()), micro, macro, len(runs))


def area_of(runs: Sequence[RunRecord], score: str) -> float:
    """Return the mean of an area on test; NaN where a test split has but one class."""
    areas: list[Any] = [run.metrics["test"][score] for run in runs]
    return mean([math.nan if area is None else area for area in areas])


def mean(values: Sequence[float]) -> float:
    """Return the mean."""
    return float(sum(values) / len(values))
