"""A run's answers to its test texts: predictions.parquet in its folder, and the compact form of the bank."""

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from retable.errors import InputError, shortened
from retable.files import AGAIN, atomic_file
from retable.text.splits import (
    CLEAN,
    ID,
    LABEL,
    Facts,
    Split,
    classes_of,
    facts_metadata,
    first_twice,
    read_columns,
    read_facts,
)

PREDICTED = pa.field("predicted", pa.string())
LOOSE = 0.002  # rounding error of probabilities in float16


def write_predictions(path: Path, split: Split, probabilities: np.ndarray) -> None:
    """Write columns id, label, predicted, clean, probabilities (float32, in the order of the declared labels)."""
    _write(path, split.facts, split.ids, split.classes, split.clean, probabilities.astype(np.float32))


def read_predictions(path: Path) -> tuple[Facts, list[str], np.ndarray, np.ndarray, np.ndarray]:
    """Return facts, ids, classes int64 (text,), clean bool (text,), probabilities float32 (text, class).

    Probabilities from the bank sum to one up to their rounding to float16.

    Raises: InputError if the file is missing or damaged, or has impossible contents.
    """
    facts = read_facts(path)
    bits = 16 if pa.types.is_float16(_type_of_probabilities(path)) else 32
    kind = pa.list_(pa.float16() if bits == 16 else pa.float32(), len(facts.labels))
    table = read_columns(path, [ID, LABEL, PREDICTED, CLEAN, pa.field("probabilities", kind)])
    ids = table.column("id").to_pylist()
    if not ids:
        raise InputError(f"{path} has no predictions; {AGAIN}.")
    if len(set(ids)) < len(ids):
        raise InputError(f"{path} has the id {shortened(first_twice(ids))} twice; {AGAIN}.")
    classes = classes_of(table.column("label"), facts, path)
    answered = classes_of(table.column("predicted"), facts, path)
    flat = table.column("probabilities").combine_chunks().flatten().to_numpy()
    probabilities = flat.astype(np.float32).reshape(len(classes), -1)
    if not np.all((probabilities >= 0) & (probabilities <= 1 + LOOSE)):  # NaN satisfies neither
        raise InputError(f"{path}: the probabilities are not all from 0 to 1; {AGAIN}.")
    if np.abs(probabilities.sum(axis=1) - 1).max() > LOOSE * len(facts.labels):
        raise InputError(f"{path}: the probabilities of a text do not sum to 1; {AGAIN}.")
    of_answer = probabilities[np.arange(len(answered)), answered]
    if (of_answer < probabilities.max(axis=1)).any():
        raise InputError(f"{path}: a label in the column predicted is not the most probable one; {AGAIN}.")
    return facts, ids, classes, table.column("clean").to_numpy(), probabilities


def _type_of_probabilities(path: Path) -> pa.DataType:
    """Return the type of the probabilities; null if they are not in lists."""
    schema = pq.read_schema(path)
    kind = schema.field("probabilities").type if "probabilities" in schema.names else pa.null()
    return kind.value_type if pa.types.is_fixed_size_list(kind) else pa.null()


def read_right(path: Path) -> dict[str, bool]:
    """Return test text id -> whether it was answered correctly. Raises: InputError."""
    table = read_columns(path, [ID, LABEL, PREDICTED])
    return dict(zip(table.column("id").to_pylist(), right_answers(table).to_pylist(), strict=True))


def accuracy_of(path: Path) -> float:
    """Return the share of right answers, without reading ids and probabilities. Raises: InputError."""
    return float(pc.mean(right_answers(read_columns(path, [LABEL, PREDICTED]))).as_py() or 0.0)


def right_answers(table: pa.Table) -> pa.ChunkedArray:
    """Return whether each text of a table of labels and predictions was answered correctly, bool (text,)."""
    labels, answers = (table.column(field.name).cast(pa.string()) for field in (LABEL, PREDICTED))
    return pc.equal(labels, answers)


def write_compact(source: Path, target: Path) -> None:
    """Write a run's predictions in the bank's form: probabilities in float16, labels as a dictionary.

    The answer is taken from the unrounded probabilities.
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
