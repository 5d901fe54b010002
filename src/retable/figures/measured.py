"""Collect the data of figures: the current runs of a paper's tables; accuracies in percent."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

import numpy as np

from retable.papers.paper import ResultTable
from retable.runs.curve import PERCENT
from retable.runs.record import RunRecord
from retable.tables.cell_intervals import error_of_cell, interval_of_cell
from retable.tables.intervals import interval_of_mean
from retable.tables.run_result import RunResult, mean, of_folds

Key = tuple[str, str, str]  # table, row, column
OfRows = Mapping[str, Sequence[RunRecord]]  # row -> its runs on a column
Machine = TypeVar("Machine", str, tuple[str, int])


@dataclass(frozen=True)
class Panel:
    """A column of a table, shown in one panel of a figure."""

    table: str
    column: str


@dataclass(frozen=True)
class AttendedText:
    """A text as read by a network: its words, the attention weight of each (mean over the heads), its class's label."""

    words: tuple[str, ...]
    weights: np.ndarray
    label: str

    @property
    def shares(self) -> np.ndarray:
        """Return weights times the number of words, so that they do not shrink in longer texts: 1 is an even share."""
        return self.weights * len(self.words)


@dataclass(frozen=True)
class Measured:
    """Hold the data of figures: a paper's tables, the current runs of their cells, texts per training split."""

    tables: Mapping[str, ResultTable]
    runs: Mapping[Key, Sequence[RunRecord]]
    training_texts: Mapping[str, int]

    def title(self, panel: Panel) -> str:
        """Return the printed name of a panel's column."""
        return self.tables[panel.table].column(panel.column).printed

    def name(self, panel: Panel, row: str) -> str:
        """Return the printed name of a row."""
        return self.tables[panel.table].row(row).printed

    def interval(self, panel: Panel, row: str) -> tuple[float, float]:
        """Return the 95% interval for one more run of a cell, in percent, as in its table.

        If no spread between runs is known, both ends are the mean.
        """
        table, results = self.tables[panel.table], self.results(panel)
        found = interval_of_cell(table, table.row(row), table.column(panel.column), results)
        middle = mean([result.value for result in results[row, panel.column]])
        low, high = found or (middle, middle)
        return PERCENT * low, PERCENT * high

    def mean_interval(self, panels: Sequence[Panel], row: str) -> tuple[float, float] | None:
        """Return the 95% interval of a row's mean over some columns, in percent, from the spread of the runs of each.

        None if a column has no known spread between runs.
        """
        means, errors = [], []
        for panel in panels:
            table, results = self.tables[panel.table], self.results(panel)
            means.append(mean([result.value for result in results[row, panel.column]]))
            errors.append(error_of_cell(table, table.row(row), table.column(panel.column), results))
        known = [error for error in errors if error]
        low, high = interval_of_mean(means, known)
        return (PERCENT * low, PERCENT * high) if len(known) == len(panels) else None

    def results(self, panel: Panel) -> dict[tuple[str, str], list[RunResult]]:
        """Return (row, column) -> its results, one per seed, for a panel's column."""
        return {
            (row, column): of_seeds(runs)
            for (name, row, column), runs in self.runs.items()
            if (name, column) == (panel.table, panel.column)
        }


def of_seeds(runs: Sequence[RunRecord]) -> list[RunResult]:
    """Return the accuracies of a cell's runs, one result per seed; with dev folds, that of the fold shown."""
    seeds: dict[int, list[RunResult]] = {}
    for run in runs:
        result = RunResult.from_metrics(run.metrics, run.cost, "accuracy")
        seeds.setdefault(run.seed, []).append(replace(result, fold="") if run.folding[0] == "dev" else result)
    return [of_folds(folds) for folds in seeds.values()]


def is_timed(run: RunRecord) -> bool:
    """Return whether the times of a run are known: they are kept only from a machine without other work."""
    return "seconds" in run.cost


def timed_alike(of_rows: OfRows) -> OfRows:
    """Return the timed runs of the machine with the most of them, because times of two cannot be compared."""
    machines = [run.machine for runs in of_rows.values() for run in runs if is_timed(run)]
    machine = most_common(machines) if machines else None
    kept = {row: [run for run in runs if is_timed(run) and run.machine == machine] for row, runs in of_rows.items()}
    return {row: runs for row, runs in kept.items() if runs}


def most_common(machines: Sequence[Machine]) -> Machine:
    """Return the most frequent machine; among ties, the last in alphabetical order."""
    counts = Counter(machines)
    return max(counts, key=lambda each: (counts[each], each))
