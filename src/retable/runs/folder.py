"""Write the folder of a run: its scores, curve and costs. predictions.py writes its answers, record.py reads it."""

import datetime
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from retable.files import write_csv, write_json
from retable.runs.metrics import score
from retable.text.grades import agreement, means_of
from retable.text.pairs import questions_of
from retable.text.ranking import ranking_scores
from retable.text.splits import Split


def scores_of_splits(dev: tuple[np.ndarray, Split], test: tuple[np.ndarray, Split]) -> dict[str, Any]:
    """Return scores on dev, on test, and on the test texts without a (near) duplicate in training (None if there are
    none).

    For a joint corpus, `domains` holds the two test scores of every domain. A ranked corpus also has map, mrr and
    questions, except on the clean texts alone, which are not complete candidate lists. A graded corpus also has the
    correlations and error of the mean grades.
    """
    probabilities, split = test
    scores = {"dev": score(dev[0], dev[1].classes), **_scores_of_test(probabilities, split.classes, split.clean)}
    scores["dev"] |= further_scores(*dev)["test"]
    for name, found in further_scores(*test).items():
        scores[name] |= found
    if (domains := split.domains) is not None:
        scores["domains"] = {
            name: _scores_of_test(probabilities[own], split.classes[own], split.clean[own])
            for index, name in enumerate(split.facts.domains)
            if (own := domains == index).any()
        }
    return scores


def further_scores(answers: np.ndarray, split: Split) -> dict[str, dict[str, float]]:
    """Return the scores that only a ranked or a graded corpus has: of all texts ("test") and, if graded, of clean ones.

    Args:
        answers: probabilities of all texts of the split, float (text, class).
    """
    if split.facts.ranked:
        return {"test": ranking_scores(answers[:, 1], split.classes == 1, questions_of(split.tokens))}
    if split.scores is None:
        return {"test": {}}
    means, clean = means_of(answers.astype(np.float32)), split.clean  # as predictions.parquet keeps the answers
    of_clean = {"test_clean": agreement(means[clean], split.scores[clean])} if clean.any() else {}
    return {"test": agreement(means, split.scores), **of_clean}


def _scores_of_test(probabilities: np.ndarray, classes: np.ndarray, clean: np.ndarray) -> dict[str, Any]:
    return {
        "test": score(probabilities, classes),
        "test_clean": score(probabilities[clean], classes[clean]) if clean.any() else None,
    }


def write_curve(path: Path, lines: Sequence[Mapping[str, Any]]) -> None:
    """Write one line per epoch, or per candidate of a linear model."""
    write_csv(path, lines, list(lines[0]))


def write_cost(path: Path, cost: Mapping[str, Any]) -> None:
    """Write cost.json, with the date."""
    write_json(path, {**cost, "date": today()})


def today() -> str:
    """Return the date in UTC, such as 2026-11-20."""
    return datetime.datetime.now(datetime.UTC).date().isoformat()
