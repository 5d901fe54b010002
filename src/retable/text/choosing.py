"""The score on dev that chooses an epoch or a setting: one score of a line of curve.csv.

Accuracy, but mean average precision on a ranked corpus, where few candidates answer their question and accuracy is near
that of never saying that one does; and Pearson's correlation on a graded one, where the nearest grade is right or
wrong, however near the answer was.
"""

from collections.abc import Mapping
from typing import Any

NAMES = {"dev_map": "mean average precision", "dev_pearson": "correlation", "dev_accuracy": "accuracy"}


def dev_score(line: Mapping[str, Any]) -> float:
    """Return the score that chooses a line."""
    return float(line[key_of(line)])


def dev_score_name(line: Mapping[str, Any]) -> str:
    """Return the name of the score that chooses a line."""
    return NAMES[key_of(line)]


def key_of(line: Mapping[str, Any]) -> str:
    """Return the first of NAMES that a line has."""
    return next(key for key in NAMES if key in line)
