"""What is said of the numbers: scores of canned answers, every table of canned runs, paired comparisons."""

import random
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import numpy as np

from probe.case import Arrays, Case, texts
from retable.files import sha256_of_file
from retable.papers import PAPERS, paper
from retable.papers.paper import Paper, ResultTable
from retable.project.paths import PUBLISHED
from retable.results.tables import published_numbers
from retable.runs.metrics import score
from retable.runs.recipes import RECIPES
from retable.tables.paired import paired_difference, together
from retable.tables.results import Cells, RunResult, of_folds, result_lines
from retable.text.folds import Fold

SPREADS = {"mr": 0.004, "sst-2": 0.006, "r8": 0.003, "ced": 0.01}
KINDS = ((1, 0, ""), (3, 0, ""), (1, 10, "test"), (2, 3, "dev"))  # seeds, folds and their kind


def table_cases() -> Iterator[Case]:
    """Yield the scores, each table of each paper, and the paired comparisons."""
    yield Case("scores", {}, recipes("scores"), scores)
    for name in PAPERS:
        source = paper(name)
        for table in source.results:
            asked = {"published": sha256_of_file(PUBLISHED / f"{name}.csv") if table.published else ""}
            yield Case(f"table {table.name}", asked, recipes("tables"), partial(lines, source, table))
    yield Case("claims", {}, recipes("claims"), claims)


def recipes(unit: str) -> dict[str, str]:
    """Return the unit with its version."""
    return {unit: RECIPES[unit]}


def scores(scratch: Path) -> Arrays:
    """Return all scores of made-up answers; one class never occurs, one is never answered."""
    draw = np.random.default_rng(1)
    probabilities = draw.dirichlet((0.5, 1.0, 0.5, 0.5), size=60)
    classes = draw.integers(0, 3, size=60)
    probabilities[:, 1] *= 0.01
    probabilities /= probabilities.sum(axis=1, keepdims=True)
    found = score(probabilities, classes)
    return {name: np.array([-1.0 if value is None else value], dtype=np.float64) for name, value in found.items()}


def lines(source: Paper, table: ResultTable, scratch: Path) -> Arrays:
    """Return measured, low, high, clean, difference and verdict of every cell, of runs drawn by the cell's name."""
    runs = {
        (row.id, column.id): canned(f"{table.name} {row.id} {column.id}")
        for row in table.rows
        for column in table.columns
        if row.model and column.corpus
    }
    found = result_lines(table, published_numbers(source, table.published), Cells(runs, {}), SPREADS)
    return {
        f"{line.row} {line.column}": texts([line.measured, line.low, line.high, line.clean, line.delta, line.verdict])
        for line in found
        if line.measured
    }


def canned(cell: str) -> list[RunResult]:
    """Return made-up runs of a cell: one, three, ten test folds, or twice three dev folds."""
    draw = random.Random(cell)
    seeds, folds, kind = draw.choice(KINDS)
    level = draw.uniform(0.5, 0.95)

    def run(fold: str) -> RunResult:
        value, clean = (min(1.0, max(0.0, draw.gauss(level, 0.02))) for _ in range(2))
        found = (value, clean, 400, "", None, 5, True)
        return RunResult(*found, fold=fold, dev=draw.uniform(0.5, 0.9), clean_texts=300)

    numbers = [Fold(kind, folds, number).told for number in range(1, folds + 1)] if kind else [""]  # type: ignore[arg-type]
    return [of_folds([run(fold) for fold in numbers]) for _ in range(seeds)]


def claims(scratch: Path) -> Arrays:
    """Return paired differences, one by one and together."""
    draw = np.random.default_rng(2)
    found = []
    for spread in (None, 0.01):
        for share in (0.8, 0.82, 0.9):
            found.append(paired_difference(draw.random(500) < 0.8, draw.random(500) < share, spread))
    both = [*found, together(found)]
    numbers = np.array([[each.texts, each.value, each.low, each.high] for each in both], dtype=np.float64)
    return {"differences": numbers, "verdicts": texts([each.verdict for each in both])}
