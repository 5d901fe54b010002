"""Answers of a run on its test texts: predictions.parquet of its folder, and the compact form of the bank."""

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from retable.files import atomic_file
from retable.text.splits import Facts, Split, facts_metadata, read_facts


def write_predictions(path: Path, split: Split, probabilities: np.ndarray) -> None:
    """Write columns id, label, predicted, clean, probabilities (float32, in the order of the declared labels)."""
    _write(path, split.facts, split.ids, split.classes, split.clean, probabilities.astype(np.float32))


def read_predictions(path: Path) -> tuple[Facts, list[str], np.ndarray, np.ndarray, np.ndarray]:
    """Return facts, ids, classes int64 (text,), clean bool (text,), probabilities float32 (text, class).

    Those of the bank sum to one but for their rounding to float16.
    """
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
        flat.astype(np.float32).reshape(len(classes), -1),
    )


def read_right(path: Path) -> dict[str, bool]:
    """Return id of a test text -> whether it was answered rightly."""
    table = pq.read_table(path, columns=["id", "label", "predicted"])
    ids, labels, answers = (table.column(name).to_pylist() for name in ("id", "label", "predicted"))
    return {text: label == answer for text, label, answer in zip(ids, labels, answers, strict=True)}


def write_compact(source: Path, target: Path) -> None:
    """Write a run's predictions as the bank keeps them: probabilities in float16, labels as a dictionary.

    The answer is that of the unrounded probabilities.
    """
    facts, ids, classes, clean, probabilities = read_predictions(source)
    _write(target, facts, ids, classes, clean, probabilities, compact=True)


def _write(
    path: Path,
    facts: Facts,
    ids: list[str],
    classes: np.ndarray,
    clean: np.ndarray,
    probabilities: np.ndarray,
    *,
    compact: bool = False,
) -> None:
    labels = pa.array(facts.labels)
    true, answered = labels.take(pa.array(classes)), labels.take(pa.array(probabilities.argmax(axis=1)))
    flat = pa.array((probabilities.astype(np.float16) if compact else probabilities).ravel())
    table = pa.table(
        {
            "id": pa.array(ids, pa.string()),
            "label": true.dictionary_encode() if compact else true,
            "predicted": answered.dictionary_encode() if compact else answered,
            "clean": pa.array(clean),
            "probabilities": pa.FixedSizeListArray.from_arrays(flat, len(labels)),
        }
    ).replace_schema_metadata(facts_metadata(facts))
    with atomic_file(path) as part:
        pq.write_table(table, part, compression="zstd", compression_level=19 if compact else None)
