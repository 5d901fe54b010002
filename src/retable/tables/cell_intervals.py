"""The interval of a cell and the error of its mean, from the spread between its runs or folds."""

from collections.abc import Mapping, Sequence
from statistics import variance

from retable.models import is_seedless
from retable.papers.paper import Column, ResultTable, Row
from retable.tables.intervals import NO_SPREAD, Spread, prediction_interval, spread_of, spread_of_few
from retable.tables.lines import Line
from retable.tables.run_result import RunResult, mean
from retable.text.folds import held_out_ratio
from retable.text.grades import CORRELATIONS

RUNS_OF_ITS_OWN = 3  # a row with fewer has the spread of its column's networks
FEW_RUNS = {"1": "one run", "2": "two runs"}


def interval_of_cell(
    table: ResultTable, row: Row, column: Column, runs: Mapping[tuple[str, str], Sequence[RunResult]]
) -> tuple[float, float] | None:
    """Return the interval for one more run of a cell, as fractions; None if no spread is known.

    Source: docs/protocol.md, rule 5. For test folds, that of another set of folds, or of a single fold if the paper's
    split is unknown.
    """
    mine, paper_split = runs[row.id, column.id], column.split == "paper"
    least = -1.0 if table.metric_of(column) in CORRELATIONS else 0.0
    texts = mine[0].texts
    values = [run.value for run in mine]
    if mine[0].kind == "test":
        folds = means_of_folds(mine)
        if not paper_split:
            return prediction_interval(folds, spread_of(folds, texts / len(folds)) or NO_SPREAD, least=least)
        own = spread_of(values, texts) or Spread(variance(folds) / len(folds), len(folds) - 1)
        return prediction_interval(values, own, least=least)
    spread = spread_of_cell(table, row, column, runs)
    of_texts = 0.0 if paper_split else mean([run.of_texts for run in mine])
    return prediction_interval(values, spread, of_texts, least=least) if spread else None


def error_of_cell(
    table: ResultTable, row: Row, column: Column, runs: Mapping[tuple[str, str], Sequence[RunResult]]
) -> Spread | None:
    """Return the variance of a cell's mean over its runs, or over its test folds; None if no spread is known.

    Source: docs/protocol.md, rule 1: folds share training texts, so the variance of their mean is Nadeau and Bengio's.
    """
    mine = runs[row.id, column.id]
    if mine[0].kind == "test":
        folds = means_of_folds(mine)
        spread, share = spread_of(folds, mine[0].texts / len(folds)), 1 / len(folds) + held_out_ratio(len(folds))
    else:
        spread, share = spread_of_cell(table, row, column, runs), 1 / len(mine)
    return Spread(spread.variance * share, spread.freedom) if spread else None


def spread_of_cell(
    table: ResultTable, row: Row, column: Column, runs: Mapping[tuple[str, str], Sequence[RunResult]]
) -> Spread | None:
    """Return the spread between runs of a cell whose corpus is not split into test folds; None if none is known.

    A row with one or two runs has, as a rule, the pooled spread of the networks in its column: two alone have one
    degree of freedom, and an interval three times as wide as that of three.
    """
    values, texts = [run.value for run in runs[row.id, column.id]], runs[row.id, column.id][0].texts
    if is_seedless(row.model):
        return NO_SPREAD
    if len(values) >= RUNS_OF_ITS_OWN:
        return spread_of(values, texts)
    return spread_of_few(values, scores_that_spread(table, column, runs).values(), texts)


def few_runs(line: Line | None, row: Row) -> str:
    """Return "one run" or "two runs" of a cell whose interval rests on so few; empty for any other."""
    if line is None or line.low == line.high or is_seedless(row.model):
        return ""
    return FEW_RUNS.get(line.runs, "")


def scores_that_spread(
    table: ResultTable, column: Column, runs: Mapping[tuple[str, str], Sequence[RunResult]]
) -> dict[str, list[float]]:
    """Return row -> scores of the networks in a column that say how far another one's may spread.

    Whole runs only, each row as it is read first: a reading whose trainings fail now and then says nothing of others.
    """
    return {
        row.id: [run.value for run in mine]
        for row in table.rows
        if not (is_seedless(row.model) or row.reading_of)
        and (mine := runs.get((row.id, column.id)))
        and not any(run.of_epochs for run in mine)
    }


def means_of_folds(runs: Sequence[RunResult]) -> list[float]:
    """Return the mean score on each test fold over the runs of a cell."""
    return [mean(of_fold) for of_fold in zip(*(run.values for run in runs), strict=True)]
