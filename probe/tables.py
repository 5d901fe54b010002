"""Probe what is derived from the numbers: scores of canned answers, every table of canned runs or counts, paired
comparisons.
"""

import random
from collections.abc import Iterator
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from probe.case import Arrays, Case, texts
from retable.experiments.scale import model_preset
from retable.files import sha256_of_file
from retable.papers import PAPERS, paper
from retable.papers.counts import CountTable
from retable.papers.paper import Paper, ResultTable, StatisticsTable
from retable.project.paths import PUBLISHED
from retable.results.tables import published_numbers
from retable.runs.metrics import score
from retable.runs.recipes import RECIPES
from retable.tables.comparison import Comparison, compare, compare_units, holm
from retable.tables.counts import count_lines
from retable.tables.lines import Line
from retable.tables.results import Cells, result_lines
from retable.tables.run_result import RunResult, of_folds
from retable.tables.statistics import statistics_lines
from retable.text.folds import Fold

DOMAINS_ASKED = (("accuracy", "books"), ("error_rate", "music"))
KINDS = ((1, 0, ""), (3, 0, ""), (1, 10, "test"), (2, 3, "dev"))  # seeds, folds and their kind


def table_cases() -> Iterator[Case]:
    """Yield the scores, each table of each paper, and the paired comparisons."""
    yield Case("scores", {}, recipes("scores"), scores)
    for name in PAPERS:
        source = paper(name)
        for table in source.results:
            rows = [row.id for row in table.rows if row.model]  # a case with another row or column has other inputs
            rows += [column.id for column in table.columns if column.corpus]
            asked = {"published": sha256_of_file(PUBLISHED / f"{name}.csv") if table.published else "", "rows": rows}
            yield Case(f"table {table.name}", asked, recipes("tables"), partial(lines, source, table))
        asked = {"published": sha256_of_file(PUBLISHED / f"{name}.csv")} if source.statistics or source.counts else {}
        for facts in source.statistics:
            yield Case(f"statistics {facts.name}", asked, recipes("tables"), partial(statistics, source, facts))
        for counts in source.counts:
            models = {count.model for count in counts.cells.values()}
            versions = {model: model_preset(model)["recipe"] for model in sorted(models)}
            yield Case(f"counts {counts.name}", asked, recipes("tables") | versions, partial(counted, source, counts))
    yield Case("results", {}, recipes("tables"), results)
    yield Case("claims", {}, recipes("claims"), claims)


def recipes(unit: str) -> dict[str, str]:
    """Return the unit with its version."""
    return {unit: RECIPES[unit]}


def scores(scratch: Path) -> Arrays:
    """Return all scores of made-up answers; one class never occurs, one is never predicted."""
    draw = np.random.default_rng(1)
    probabilities = draw.dirichlet((0.5, 1.0, 0.5, 0.5), size=60)
    classes = draw.integers(0, 3, size=60)
    probabilities[:, 1] *= 0.01
    probabilities /= probabilities.sum(axis=1, keepdims=True)
    ties = probabilities.copy()
    ties[:5, :2] = ties[:5, :2].mean(axis=1, keepdims=True)
    asked = {
        "": (probabilities, classes),
        "equal probabilities, ": (ties, classes),
        "one class, ": (probabilities, np.zeros_like(classes)),
        "two classes, ": (probabilities[:, :2], classes % 2),
    }
    found = {
        f"{what}{name}": np.array([-1.0 if value is None else value], dtype=np.float64)
        for what, answers in asked.items()
        for name, value in score(*answers).items()
    }
    assert found["one class, macro_auc"] == -1.0, "one class alone has no area under a curve"
    return found


def lines(source: Paper, table: ResultTable, scratch: Path) -> Arrays:
    """Return measured, low, high, clean, difference and verdict of every cell, from runs seeded by the cell's name."""
    runs = {
        (row.id, column.id): canned(f"{table.name} {row.id} {column.id}")
        for row in table.rows
        for column in table.columns
        if row.model and column.corpus
    }
    found = result_lines(table, published_numbers(source, table.published), Cells(runs, {}))
    return shown(found)


def shown(found: list[Line]) -> Arrays:
    """Return the numbers of the measured cells, and which cells these are."""
    measured = {f"{line.row} {line.column}": line for line in found if line.measured}
    cells = {
        cell: texts([line.measured, line.low, line.high, line.clean, line.delta, line.verdict])
        for cell, line in measured.items()
    }
    matches = [f"{cell} {line.match} {line.runs}" for cell, line in sorted(measured.items())]
    return cells | {"measured cells": texts(sorted(measured)), "matches": texts(matches)}


def statistics(source: Paper, table: StatisticsTable, scratch: Path) -> Arrays:
    """Return the lines of a table of corpus statistics, from made-up counts."""
    published = published_numbers(source, table.published)
    stats: dict[str, dict[str, float]] = {}
    for row, corpus in table.corpora.items():
        keys = sorted({table.statistic(row, number.column) for number in published})
        draw = random.Random(corpus)
        stats[corpus] = {key: draw.choice((draw.randrange(10**5), draw.uniform(1, 400))) for key in keys}
    return shown(statistics_lines(table, published, stats))


def counted(source: Paper, table: CountTable, scratch: Path) -> Arrays:
    """Return the lines of a table of parameters and powers."""
    return shown(count_lines(table, published_numbers(source, table.published)))


def results(scratch: Path) -> Arrays:
    """Return what tables read from a run's metrics and costs: each score, each cost, and those of a domain."""
    draw = random.Random(9)

    def made() -> dict[str, float]:
        return {name: draw.random() for name in ("accuracy", "error_rate", "macro_f1", "macro_auc")} | {
            "texts": draw.randrange(10, 500)
        }

    def of_test() -> dict[str, Any]:
        return {"test": made(), "test_clean": made()}

    training = {"schedule": "steps", "epochs": 5, "epochs_max": 30, "max_words": 7}
    metrics = of_test() | {
        "dev": made(),
        "domains": {"books": of_test(), "music": {"test": made(), "test_clean": None}},
        "vectors": {"name": "v", "words_covered": 0.5, "tokens_covered": 0.75},
        "epochs": {"run": 5, "chosen": 3, "turned": True},
        "parameters": {"training": training, "corpus": {"folds": 3, "fold": 2, "kind": "dev"}},
    }
    cost = {"peak_memory_mb": 812.5, "seconds_per_epoch": 3.25}
    found = {}
    for metric, domain in (*((name, "") for name in ("accuracy", "macro_f1", "macro_auc", *cost)), *DOMAINS_ASKED):
        for name, value in asdict(RunResult.from_metrics(metrics, cost, metric, domain)).items():
            found[f"{metric} {domain} {name}"] = texts([str(value)])
    return found


def canned(cell: str) -> list[RunResult]:
    """Return made-up runs of a cell: one, three, ten test folds, or twice three dev folds."""
    draw = random.Random(cell)
    seeds, folds, kind = draw.choice(KINDS)
    level = draw.uniform(0.5, 0.95)

    def run(fold: str) -> RunResult:
        value, clean = (min(1.0, max(0.0, draw.gauss(level, 0.02))) for _ in range(2))
        found = (value, clean, 400, "", None, 5, True)
        return RunResult(*found, fold=fold, dev=draw.uniform(0.5, 0.9), clean_texts=300)

    numbers = [Fold(kind, folds, number).label for number in range(1, folds + 1)] if kind else [""]  # type: ignore[arg-type]
    return [of_folds([run(fold) for fold in numbers]) for _ in range(seeds)]


def claims(scratch: Path) -> Arrays:
    """Return comparisons of two rows: of several runs, near copies, a linear row, units; and Holm's correction."""
    draw = np.random.default_rng(2)
    copies = np.arange(500) // 2
    found = []
    for share in (0.8, 0.82, 0.9):
        first, second = ((draw.random((4, 500)) < level).astype(np.float64) for level in (0.8, share))
        found += [compare(first, second), compare(first, second, copies=copies, same_texts=False)]
        found += [compare(first, second[:1], seedless=(False, True))]
        units = draw.normal(0.8, 0.02, (3, 10)), draw.normal(share, 0.02, (1, 10))
        found += [compare_units(*units, 2500), compare_units(*units, 2500, shared=0.12, same_split=False)]
    numbers = np.array([numbers_of(each) for each in found], dtype=np.float64)
    return {
        "comparisons": numbers,
        "verdicts": texts([each.verdict for each in found]),
        "Holm's": texts(list(map(str, holm(found)))),
    }


def numbers_of(found: Comparison) -> list[float]:
    """Return all numbers of a comparison."""
    tests = (found.p_of_no_difference, found.p_of_no_equality, found.p_of_behind, found.detectable)
    return [found.texts, found.value, *found.interval(), *found.expected, *tests]
