"""Probe what tables show of runs and their folds, and how runs support the papers' claims."""

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
from retable.papers.claims import Claim
from retable.papers.claims import claims as all_claims
from retable.papers.paper import Column
from retable.project.paths import PUBLISHED
from retable.results.claims import cells_of
from retable.results.judging import Judge, printed_in
from retable.runs.predictions import write_compact, write_predictions
from retable.runs.recipes import RECIPES
from retable.runs.record import RunRecord
from retable.tables.run_result import RunResult, of_folds
from retable.text.folds import Fold
from retable.text.splits import Facts, Split

LABELS = ("bad", "good", "so-so")
TEXTS = 90
FOLDED = 4  # every fourth column has runs of six folds
FOLDS = 6
SEEDS = (1, 2, 3)
PROTOCOL: dict[str, Any] = {"epochs": 0, "device": "cpu", "precision": "float32"}


def bank_cases() -> Iterator[Case]:
    """Yield the results of folds, and the claims of each table."""
    yield Case("results of folds", {}, {"tables": RECIPES["tables"]}, of_runs)
    for table in dict.fromkeys(claim.table for claim in all_claims()):
        files = (f"{paper_of_table(table).name}.csv", "claims.csv")
        asked = {name: sha256_of_file(PUBLISHED / name) for name in files}
        yield Case(f"claims on {table}", asked, {"claims": RECIPES["claims"]}, partial(claims_on, table))


def of_runs(scratch: Path) -> Arrays:
    """Return what tables show for made-up runs: single ones, dev folds and test folds."""
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
    """Return what the page says about each comparison that a table's claims need, for all readings."""
    result = paper_of_table(table).result_table(table)
    asked = [claim for claim in all_claims() if claim.table == table]
    rows = {row.id for claim in asked for pair in claim.pairs(result) for row in pair}
    shown = {
        (row, column.id): seeds_of(row, column, scratch)
        for row in sorted(rows)
        for column in result.columns
        if column.corpus and not column.mean_of
    }
    judge = Judge({}, lambda _: PROTOCOL)
    found: dict[str, np.ndarray] = {}
    for claim in asked:
        for line in judge.lines(claim, shown, printed_in(table)):
            cells = cells_of(line, "")
            found[f"{name_of(claim)} {line.first.id} {line.second.id} {line.on}"] = texts([" ".join(cells[2:])])
    return found


def name_of(claim: Claim) -> str:
    """Return the two rows of a claim."""
    return f"{claim.first} {claim.sign} {claim.second}{', together' if claim.together else ''}"


def seeds_of(row: str, column: Column, scratch: Path) -> list[list[RunRecord]]:
    """Return made-up runs of a cell, seed by seed, drawn by its row: one run per seed, or those of six test folds.

    Some of them are cut short.
    """
    draw = random.Random(f"{row} {column.id}")
    kind = column.folds if len(column.id) % FOLDED == 0 else ""
    folds = [Fold(kind, FOLDS, number + 1) for number in range(FOLDS)] if kind else [None]
    level, cut = draw.uniform(0.5, 0.9), draw.random() < 0.1
    return [[run_of(row, column, fold, level, cut, scratch, draw) for fold in folds] for _ in SEEDS]


def run_of(
    row: str, column: Column, fold: Fold | None, level: float, cut: bool, scratch: Path, draw: random.Random
) -> RunRecord:
    """Return a made-up run."""
    texts_of = random.Random(f"{column.id} {fold.label if fold and fold.kind == 'test' else ''}")
    training = {"schedule": "constant", "epochs": 2, "epochs_max": 40, "patience": 30 if cut else 1}
    metrics: dict[str, Any] = {
        "row": row,
        "seed": 1,
        "epochs": {"run": 2},
        "vectors": {"name": "none"},
        "dev": {"accuracy": draw.uniform(0.5, 0.9)},
        "parameters": {"corpus": fold.parameters if fold else {}, "training": training},
    }
    predictions = banked(test_split(texts_of, column.domain), level, scratch, draw)
    return RunRecord(metrics, {}, (80.0, 79.0), predictions)


def test_split(draw: random.Random, domain: str) -> Split:
    """Return a test split; for a joint corpus queried by domain, half of the texts are of this domain."""
    named = [f"{domain if number % 2 else 'other'}/" if domain else "" for number in range(TEXTS)]
    ids = [f"{of}test-{draw.randrange(10**9)}" for of in named]
    classes = np.array([draw.randrange(len(LABELS)) for _ in ids], dtype=np.int64)
    clean = np.array([draw.random() < 0.8 for _ in ids])
    return Split(Facts("probe", "en", LABELS), ids, pa.array([["a"]] * TEXTS), None, classes, clean)


def banked(split: Split, level: float, scratch: Path, draw: random.Random) -> Path:
    """Write the predictions of a run with this many correct answers, in the bank's format."""
    probabilities = np.array([[draw.random() for _ in LABELS] for _ in split.ids])
    for row, right in zip(probabilities, split.classes, strict=True):
        row[right] += 1.0 if draw.random() < level else 0.0
    probabilities /= probabilities.sum(axis=1, keepdims=True)
    path = scratch / f"{draw.randrange(10**12)}.parquet"
    write_predictions(path, split, probabilities)
    write_compact(path, path.with_suffix(".banked"))
    path.unlink()
    return path.with_suffix(".banked")
