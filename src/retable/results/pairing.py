"""Pair the answers of two cells text by text: which shared texts each run of two rows answered correctly.

A cell is the runs that fill a row and column, seed by seed.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import repeat
from pathlib import Path

import numpy as np
import numpy.typing as npt

from retable.results.resolving import OfSeed, shown_of_seed
from retable.runs.predictions import read_right

Cell = Sequence[OfSeed]
Answered = Mapping[str, tuple[bool, int]]  # test text id -> whether it was answered correctly, and its test fold


@dataclass(frozen=True)
class Pair:
    """Hold which shared texts two rows answered correctly, (run, text), with the id and fold of each text."""

    ids: list[str]
    first: npt.NDArray[np.float64]
    second: npt.NDArray[np.float64]
    folds: npt.NDArray[np.int64]
    is_partial: bool  # whether some run answered texts that another did not


def answers(first: Cell, second: Cell, right_of: Callable[[Path], dict[str, bool]] = read_right) -> Pair:
    """Pair the correct answers of two cells: with dev folds the best run of each seed, with test folds all runs."""
    one, other = ([answers_of_seed(seed, right_of) for seed in cell] for cell in (first, second))
    return paired(one, other)


def paired(first: Sequence[Answered], second: Sequence[Answered]) -> Pair:
    """Pair two rows' answers, one mapping per run, on the texts that all runs share; folds come from the first row."""
    of_both = (first, second)
    fold_of = {text: fold for text, (_, fold) in of_both[0][0].items()}
    shared = set(fold_of).intersection(*(seed for cell in of_both for seed in cell))
    ids = [text for text in fold_of if text in shared]
    one, other = (np.array([[seed[text][0] for text in ids] for seed in cell], dtype=np.float64) for cell in of_both)
    partial = any(len(seed) != len(ids) for cell in of_both for seed in cell)
    return Pair(ids, one, other, np.array([fold_of[text] for text in ids], dtype=np.int64), partial)


def answers_of_seed(runs: OfSeed, right_of: Callable[[Path], dict[str, bool]]) -> dict[str, tuple[bool, int]]:
    """Return test text id -> whether it was answered correctly, and its test fold (0 without folds)."""
    found: dict[str, tuple[bool, int]] = {}
    for run in shown_of_seed(runs):
        right, fold = right_of(run.predictions), run.fold.number if run.fold and run.fold.kind == "test" else 0
        found.update(zip(right, zip(right.values(), repeat(fold)), strict=False))
    return found


def units_of(
    pairs: Sequence[tuple[npt.NDArray[np.float64], npt.NDArray[np.int64]]], runs: int
) -> npt.NDArray[np.float64]:
    """Return the accuracy of each of the first `runs` runs on the folds of all columns, (run, unit)."""
    return np.concatenate([accuracies_of_units(right[:runs], folds) for right, folds in pairs], axis=1)


def accuracies_of_units(right: npt.NDArray[np.float64], folds: npt.NDArray[np.int64]) -> npt.NDArray[np.float64]:
    """Return the accuracy of each run on each test fold, (run, unit); without folds there is one unit."""
    if not right.shape[1]:
        return np.full((len(right), 1), np.nan)  # the two rows share no text
    return np.stack([right[:, folds == fold].mean(axis=1) for fold in np.unique(folds)] or [right[:, 0]], axis=1)


def clusters_of(ids: Sequence[str], copies: Mapping[str, int]) -> npt.NDArray[np.int64]:
    """Return the cluster of near copies of each text, (text,); a text without copies has its own."""
    first_free = max(copies.values(), default=-1) + 1
    return np.array([copies.get(text, first_free + place) for place, text in enumerate(ids)], dtype=np.int64)
