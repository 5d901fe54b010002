"""The folder of a run: metrics.json, cost.json, curve.csv, predictions.parquet. Written here, read here."""

import csv
import datetime
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from retable.files import atomic_file, write_json
from retable.runs.metrics import score
from retable.text.splits import Facts, Split, facts_metadata, read_facts

FILES = ("metrics.json", "cost.json", "curve.csv", "predictions.parquet")


def scores_of_splits(dev: tuple[np.ndarray, Split], test: tuple[np.ndarray, Split]) -> dict[str, Any]:
    """Scores on dev, on test, and on the test texts that (nearly) occur in no training text (None if there is none).

    Those of a joint corpus hold the two of test for every domain too, in `domains`.
    """
    probabilities, split = test
    scores = {"dev": score(dev[0], dev[1].classes), **_scores_of_test(probabilities, split.classes, split.clean)}
    if (domains := split.domains) is not None:
        scores["domains"] = {
            name: _scores_of_test(probabilities[own], split.classes[own], split.clean[own])
            for index, name in enumerate(split.facts.domains)
            if (own := domains == index).any()
        }
    return scores


def _scores_of_test(probabilities: np.ndarray, classes: np.ndarray, clean: np.ndarray) -> dict[str, Any]:
    return {
        "test": score(probabilities, classes),
        "test_clean": score(probabilities[clean], classes[clean]) if clean.any() else None,
    }


def write_curve(path: Path, lines: Sequence[Mapping[str, Any]]) -> None:
    """A line an epoch, or a line a candidate of a linear model."""
    with atomic_file(path) as part, part.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(lines[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(lines)


def write_predictions(path: Path, split: Split, probabilities: np.ndarray) -> None:
    """Columns id, label, predicted, clean, probabilities (float32, in the order of the declared labels)."""
    labels = pa.array(split.facts.labels)
    flat = pa.array(probabilities.astype(np.float32).ravel())
    table = pa.table(
        {
            "id": pa.array(split.ids, pa.string()),
            "label": labels.take(pa.array(split.classes)),
            "predicted": labels.take(pa.array(probabilities.argmax(axis=1))),
            "clean": pa.array(split.clean),
            "probabilities": pa.FixedSizeListArray.from_arrays(flat, len(labels)),
        }
    ).replace_schema_metadata(facts_metadata(split.facts))
    with atomic_file(path) as part:
        pq.write_table(table, part, compression="zstd")


def read_predictions(path: Path) -> tuple[Facts, list[str], np.ndarray, np.ndarray, np.ndarray]:
    """Facts, ids, classes int64 (text,), clean bool (text,), probabilities float32 (text, class)."""
    facts = read_facts(path)
    table = pq.read_table(path)
    index = {label: position for position, label in enumerate(facts.labels)}
    classes = np.array([index[label] for label in table.column("label").to_pylist()], dtype=np.int64)
    flat = table.column("probabilities").combine_chunks().flatten().to_numpy()
    return (
        facts,
        table.column("id").to_pylist(),
        classes,
        table.column("clean").to_numpy(),
        flat.reshape(len(classes), -1),
    )


def write_cost(path: Path, cost: Mapping[str, Any]) -> None:
    """cost.json, with the day."""
    write_json(path, {**cost, "date": today()})


def today() -> str:
    """The day, UTC, as 2026-11-20."""
    return datetime.datetime.now(datetime.UTC).date().isoformat()
