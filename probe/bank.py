"""Probe what tables show of runs and their folds, and what runs say of the papers' claims."""

import random
from collections.abc import Iterator
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from probe.case import Arrays, Case, texts
from retable.files import sha256_of_file
from retable.papers import paper_of_table
from retable.papers.claims import CLAIMS, Claim
from retable.papers.paper import Column
from retable.project.paths import PUBLISHED
from retable.results.claims import lines_of, printed_in
from retable.runs.predictions import write_compact, write_predictions
from retable.runs.recipes import RECIPES
from retable.runs.record import RunRecord
from retable.tables.results import RunResult, of_folds
from retable.text.folds import Fold
from retable.text.splits import Facts, Split

LABELS = ("bad", "good", "so-so")
TEXTS = 90
FOLDED = 4  # every fourth cell has runs of three folds
DEVIATIONS = {"mr": 0.004, "sst-2": 0.006, "r8": 0.003, "ced": 0.01}


def bank_cases() -> Iterator[Case]:
    """Yield the results of folds, and the claims of each table."""
    yield Case("results of folds", {}, {"tables": RECIPES["tables"]}, of_runs)
    for table in dict.fromkeys(claim.table for claim in CLAIMS):
        asked = {"published": sha256_of_file(PUBLISHED / f"{paper_of_table(table).name}.csv")}
        yield Case(f"claims on {table}", asked, {"claims": RECIPES["claims"]}, partial(claims_on, table))


def of_runs(scratch: Path) -> Arrays:
    """Return what tables show of made-up runs: of one, of dev folds and of test folds."""
    draw, found = random.Random(5), dict[str, np.ndarray]()
    for kind in ("", "dev", "test"):
        folds = [Fold(kind, 3, number).label for number in (3, 1, 2)] if kind else [""]  # type: ignore[arg-type]
        for seed in (1, 2):
            result = of_folds([made_up(fold, draw) for fold in folds])
            found |= {f"{kind} {seed} {name}": texts([str(value)]) for name, value in asdict(result).items()}
    return found


def made_up(fold: str, draw: random.Random) -> RunResult:
    """Return a result with made-up scores; some have no clean text."""
    clean = draw.random() < 0.7
    return RunResult(
        draw.random(),
        draw.random() if clean else None,
        draw.randrange(9, 99),
        "vectors",
        draw.random(),
        3,
        draw.choice((True, False)),
        fold=fold,
        dev=draw.random(),
        clean_texts=draw.randrange(1, 9) if clean else 0,
    )


def claims_on(table: str, scratch: Path) -> Arrays:
    """Return texts, difference with its interval, printed difference and verdict of each claim on a table."""
    result = paper_of_table(table).result_table(table)
    rows = {row for claim in CLAIMS if claim.table == table for row in (claim.better, claim.worse)}
    shown = {
        (row, column.id): [runs_of(row, column, scratch)]
        for row in sorted(rows)
        for column in result.columns
        if column.corpus and not column.mean_of
    }
    found = {}
    for claim in CLAIMS:
        if claim.table == table:
            lines = lines_of(claim, shown, printed_in(table), DEVIATIONS)
            found[name_of(claim)] = texts([" ".join(line[4:]) for line in lines])
    return found


def name_of(claim: Claim) -> str:
    """Return the two rows of a claim."""
    return f"{claim.better} ahead of {claim.worse}{', together' if claim.together else ''}"


def runs_of(row: str, column: Column, scratch: Path) -> list[RunRecord]:
    """Return made-up runs of a cell, drawn by its row: one, or those of three folds."""
    draw = random.Random(f"{row} {column.id}")
    kind = column.folds if len(column.id) % FOLDED == 0 else ""
    folds = [Fold(kind, 3, number) for number in (1, 2, 3)] if kind else [None]
    level = draw.uniform(0.5, 0.9)
    found = []
    for fold in folds:
        texts_of = random.Random(f"{column.id} {fold.label if fold and kind == 'test' else ''}")
        metrics: dict[str, Any] = {
            "row": row,
            "dev": {"accuracy": draw.uniform(0.5, 0.9)},
            "epochs": {"run": 3, "turned": draw.choice((True, False))},
            "parameters": {"corpus": fold.parameters if fold else {}},
        }
        predictions = banked(test_split(texts_of, column.domain), level, scratch, draw)
        found.append(RunRecord(metrics, {}, (), predictions))
    return found


def test_split(draw: random.Random, domain: str) -> Split:
    """Return a test split; of a joint corpus, whose domains are asked for one by one, half are of this domain."""
    named = [f"{domain if number % 2 else 'other'}/" if domain else "" for number in range(TEXTS)]
    ids = [f"{of}test-{draw.randrange(10**9)}" for of in named]
    classes = np.array([draw.randrange(len(LABELS)) for _ in ids], dtype=np.int64)
    clean = np.array([draw.random() < 0.8 for _ in ids])
    return Split(Facts("probe", "en", LABELS), ids, pa.array([["a"]] * TEXTS), None, classes, clean)


def banked(split: Split, level: float, scratch: Path, draw: random.Random) -> Path:
    """Write the predictions of a run that answers so many texts rightly, as the bank keeps them."""
    probabilities = np.array([[draw.random() for _ in LABELS] for _ in split.ids])
    for row, right in zip(probabilities, split.classes, strict=True):
        row[right] += 1.0 if draw.random() < level else 0.0
    probabilities /= probabilities.sum(axis=1, keepdims=True)
    path = scratch / f"{draw.randrange(10**12)}.parquet"
    write_predictions(path, split, probabilities)
    write_compact(path, path.with_suffix(".banked"))
    path.unlink()
    return path.with_suffix(".banked")
