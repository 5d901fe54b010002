"""Made-up runs in the bank's format, with the keys that real ones would currently have."""

from dataclasses import replace
from pathlib import Path

import numpy as np

from retable.experiments.folds import Planned
from retable.experiments.identity import identity_of
from retable.papers import PAPERS, paper, paper_of_table
from retable.runs.predictions import write_predictions
from retable.runs.record import RunRecord
from retable.text.splits import Facts, Split

PROTOCOL = {
    "seeds": [1], "folds": {}, "epochs": 0, "device": "auto", "precision": "float32",
    "keep_weights": [],
}  # fmt: skip


def plan(cells=None, scale="cpu", vectors=(), **protocols):
    """Return a scale's plan: `cells` as rules of tables, `protocols` of papers if they differ from one run each."""
    corpora = {column.corpus for name in PAPERS for table in paper(name).results for column in table.columns}
    papers = {name: PROTOCOL | protocols.get(name.replace("-", "_"), {}) for name in PAPERS}
    known = {name: {} for name in sorted(filter(None, corpora))}
    return {
        "scale": scale, "papers": papers, "corpora": known, "vectors": {key: {} for key in vectors},
        "cells": cells or {},
    }  # fmt: skip


def rules(rows, columns, vectors="none"):
    return {"rows": rows, "columns": columns, "vectors": vectors}


def run(
    of_plan, table, row, column, *, right=0.8, seed=1, fold=None, dev=0.5, texts=100, predictions=None, **hashes
) -> RunRecord:  # fmt: skip
    """Return a current run of a cell; with `hashes`, which replace its own, it is no longer current."""
    found = paper_of_table(table).result_table(table)
    of_row, of_column = found.row(row), found.column(column)
    cell = {"row": row, "column": column, "model": of_row.model, "corpus": of_column.corpus, "vectors": "none"}
    now = identity_of(found, cell, Planned(seed, fold), of_plan["papers"][paper_of_table(table).name])
    if hashes:
        now = now | {"hashes": now["hashes"] | hashes, "key": f"{now['key'][:20]} of other {' '.join(hashes)}"}
    scores = {"accuracy": right, "macro_f1": right / 2, "texts": texts, "macro_auc": None, "micro_auc": None}
    metrics = now | {
        "paper": paper_of_table(table).name, "table": table, "row": row, "column": column, "scale": of_plan["scale"],
        "test": scores, "test_clean": None, "dev": {"accuracy": dev}, "vectors": None, "chosen": {}, "versions": {},
        "epochs": {"run": 7, "chosen": 6, "turned": True}, "git_commit": "0123456789" * 4, "device": "a processor",
        "threads": 2, "date": "2026-11-22",
    }  # fmt: skip
    cost = {
        "parameters": 1000, "parameters_tuned_words": 10, "flops_per_word": 5.0, "words_per_second": 9.0,
        "seconds_per_epoch": 2.0, "seconds": 14.0, "peak_memory_mb": 812.5,
    }  # fmt: skip
    return RunRecord(metrics, cost, (40.0, 50.0), predictions or Path("none"))


def with_metrics(record: RunRecord, **changes) -> RunRecord:
    return replace(record, metrics={**record.metrics, **changes})


def answers(path: Path, right, texts=100, prefix="mr/all") -> Path:
    """Return predictions on this many texts of two labels, the first `right` of them correct."""
    true = np.arange(texts) % 2
    answered = np.where(np.arange(texts) < right, true, 1 - true)
    split = Split(
        Facts("mr", "en", ("no", "yes")), [f"{prefix}/{text}" for text in range(texts)], None, None, true,
        np.arange(texts) % 10 > 0,
    )  # fmt: skip
    write_predictions(path, split, 0.2 + 0.6 * np.eye(2)[answered])
    return path
