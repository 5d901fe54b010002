"""What is read from the bank's predictions: other scores of a run, and what the runs say of the papers' claims."""

import random
from collections.abc import Iterator
from dataclasses import fields, replace
from functools import partial
from pathlib import Path

import numpy as np
import pyarrow as pa

from probe.case import Arrays, Case, texts
from retable.files import sha256_of_file
from retable.papers import paper_of_table
from retable.papers.claims import CLAIMS, Claim
from retable.papers.paper import Column
from retable.project.paths import PUBLISHED
from retable.results.claims import lines_of, printed_in
from retable.runs.bank import OF_ANSWERS, Entry, bank_predictions, rescored
from retable.runs.folder import write_predictions
from retable.runs.recipes import RECIPES
from retable.text.folds import Fold
from retable.text.splits import Facts, Split

LABELS = ("bad", "good", "so-so")
TEXTS = 90
FOLDED = 4  # every fourth cell has runs of three folds
SPREADS = {"mr": 0.004, "sst-2": 0.006, "r8": 0.003, "ced": 0.01}


def bank_cases() -> Iterator[Case]:
    """Yield the scores of banked answers, and the claims of each table."""
    yield Case("scores of banked answers", {}, {unit: RECIPES[unit] for unit in ("scores", "tables")}, of_answers)
    for table in dict.fromkeys(claim.table for claim in CLAIMS):
        asked = {"published": sha256_of_file(PUBLISHED / f"{paper_of_table(table).name}.csv")}
        yield Case(f"claims on {table}", asked, {"claims": RECIPES["claims"]}, partial(claims_on, table))


def of_answers(scratch: Path) -> Arrays:
    """Return the scores of a banked run, on all its texts and on the clean ones."""
    split = test_split(random.Random(3), "")
    path = banked(split, 0.7, scratch)
    clean = {text for text, is_clean in zip(split.ids, split.clean, strict=True) if is_clean}
    found = [rescored(entry("row", "column", 1, ""), path, metric, clean) for metric in OF_ANSWERS]
    return {each.metric: np.array([float(each.value), float(each.clean)], dtype=np.float64) for each in found}


def claims_on(table: str, scratch: Path) -> Arrays:
    """Return texts, difference with its interval, printed difference and verdict of each claim on a table."""
    result = paper_of_table(table).result_table(table)
    rows = {row for claim in CLAIMS if claim.table == table for row in (claim.better, claim.worse)}
    paths: dict[Entry, Path] = {}
    shown: dict[tuple[str, str], list[Entry]] = {}
    for row in sorted(rows):
        for column in result.columns:
            if column.corpus and not column.mean_of:
                made = runs_of(row, column, scratch)
                paths |= made
                shown[row, column.id] = list(made)
    found = {}
    for claim in CLAIMS:
        if claim.table == table:
            lines = lines_of(claim, shown, printed_in(table), paths.__getitem__, SPREADS)
            found[name_of(claim)] = texts([" ".join(line[4:]) for line in lines])
    return found


def name_of(claim: Claim) -> str:
    """Return the two rows of a claim."""
    return f"{claim.better} ahead of {claim.worse}{', together' if claim.together else ''}"


def runs_of(row: str, column: Column, scratch: Path) -> dict[Entry, Path]:
    """Return made-up runs of a cell, drawn by its row: one, or those of three folds."""
    draw = random.Random(f"{row} {column.id}")
    kind = column.folds if len(column.id) % FOLDED == 0 else ""
    folds = [Fold(kind, 3, number).told for number in (1, 2, 3)] if kind else [""]
    level = draw.uniform(0.5, 0.9)
    found = {}
    for fold in folds:
        texts_of = random.Random(f"{column.id} {fold if kind == 'test' else ''}")
        run = replace(
            entry(row, column.id, 1, fold), dev=str(draw.uniform(0.5, 0.9)), turned=draw.choice(("True", "False"))
        )
        found[run] = banked(test_split(texts_of, column.domain), level, scratch, draw)
    return found


def entry(row: str, column: str, seed: int, fold: str) -> Entry:
    """Return a line of the bank."""
    empty = dict.fromkeys((field.name for field in fields(Entry)), "")
    return Entry(**empty | {"row": row, "column": column, "seed": str(seed), "fold": fold, "epochs": "3"})


def test_split(draw: random.Random, domain: str) -> Split:
    """Return a test split; of a joint corpus, whose domains are asked for one by one, half are of this domain."""
    named = [f"{domain if number % 2 else 'other'}/" if domain else "" for number in range(TEXTS)]
    ids = [f"{of}test-{draw.randrange(10**9)}" for of in named]
    classes = np.array([draw.randrange(len(LABELS)) for _ in ids], dtype=np.int64)
    clean = np.array([draw.random() < 0.8 for _ in ids])
    return Split(Facts("probe", "en", LABELS), ids, pa.array([["a"]] * TEXTS), None, classes, clean)


def banked(split: Split, level: float, scratch: Path, draw: random.Random | None = None) -> Path:
    """Write the predictions of a run that answers so many texts rightly, as the bank keeps them."""
    draw = draw or random.Random(4)
    probabilities = np.array([[draw.random() for _ in LABELS] for _ in split.ids])
    for row, right in zip(probabilities, split.classes, strict=True):
        row[right] += 1.0 if draw.random() < level else 0.0
    probabilities /= probabilities.sum(axis=1, keepdims=True)
    path = scratch / f"{draw.randrange(10**12)}.parquet"
    write_predictions(path, split, probabilities)
    bank_predictions(path, path.with_suffix(".banked"))
    path.unlink()
    return path.with_suffix(".banked")
