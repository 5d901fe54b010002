"""Check a run whose files were written by others: complete, of a sensible size, and its scores those of its answers."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from retable.errors import InputError
from retable.runs.metrics import score
from retable.runs.predictions import read_predictions
from retable.runs.record import FILES, RunRecord, read_run
from retable.text.splits import number_of_rows

MOST_BYTES = {  # limits for files written by others
    "metrics.json": 10**6, "cost.json": 10**5, "curve.csv": 10**7, "predictions.parquet": 10**9,
}  # fmt: skip
MOST_TEXTS = 10**6  # no declared test split has more


def check_files(folder: Path) -> RunRecord:
    """Return a run whose files are complete and consistent.

    Raises: InputError with the first problem.
    """
    for path in (folder, *(folder / name for name in FILES)):
        if path.is_symlink():
            raise InputError(f"{path} is a symbolic link; copy the folder again, with the files themselves.")
        if path.is_file() and path.stat().st_size > MOST_BYTES[path.name]:
            raise InputError(
                f"{path} has {path.stat().st_size:,} bytes; allowed: {MOST_BYTES[path.name]:,}; copy the folder again."
            )
    check_size(folder / "predictions.parquet")
    run = read_run(folder)
    metrics = run.metrics
    _, ids, classes, clean, probabilities = read_predictions(run.predictions)
    for section, given, found in rescored(metrics, ids, classes, clean, probabilities):
        if (given is None) != (found is None):
            raise InputError(f"{folder}/metrics.json says {section} {given}, but its predictions give {found}.")
        for name, value in (found or {}).items():
            told = (given or {}).get(name)
            if not agree(told, value, 1e-5 if name == "loss" else 1e-9):
                raise InputError(
                    f"{folder}/predictions.parquet gives {name} {described(value)} for {section}, but metrics.json "
                    f"says {described(told)}; copy the folder again."
                )
    return run


def agree(told: float | None, found: float | None, rounding: float) -> bool:
    """Return whether a reported score is the recomputed one; one that cannot be computed is null."""
    if told is None or found is None:
        return told is found
    return abs(told - found) <= rounding


def described(value: float | None) -> str:
    """Return a score for a message."""
    return "null" if value is None else f"{value:.6f}"


def check_size(predictions: Path) -> None:
    """Refuse more texts than any test split has, before they are read: a file of 3 MB can hold 120 million.

    Raises: InputError.
    """
    if predictions.is_file() and (texts := number_of_rows(predictions)) > MOST_TEXTS:
        raise InputError(f"{predictions} has {texts:,} texts; allowed: {MOST_TEXTS:,}; copy the folder again.")


def rescored(
    metrics: Mapping[str, Any], ids: Sequence[str], classes: np.ndarray, clean: np.ndarray, probabilities: np.ndarray
) -> Iterator[tuple[str, Any, Any]]:
    """Yield the score sections, on test and on each domain's test texts: as reported, and as recomputed."""
    parts = {"": metrics} | metrics.get("domains", {})
    of_text = np.array([text.partition("/")[0] for text in ids])
    for domain, sections in parts.items():
        own = (of_text == domain) if domain else np.ones(len(ids), np.bool_)
        for section, asked in (("test", own), ("test_clean", own & clean)):
            found = score(probabilities[asked], classes[asked]) if asked.any() else None
            yield f"{section} of {domain}" if domain else section, sections.get(section), found
