"""The trained networks of runs whose weights were kept, applied to the test split."""

from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from retable.figures.measured import AttendedText
from retable.project.paths import TAGGED
from retable.runs.form import read_metrics
from retable.runs.record import RunRecord
from retable.text.splits import Split, read_facts, read_split


class Networks:
    """Query the network of a run, whose weights are in the folder `model`.

    Torch takes seconds to import and few figures use a network, so it is imported only when needed.
    """

    def texts(self, run: RunRecord) -> list[AttendedText]:
        """Return the test texts with the weights of their words."""
        from retable.figures.attention import attended_texts

        return attended_texts(trained_network(run), split_of(run))

    def matrix(self, run: RunRecord, wanted: Sequence[str], longest: int) -> tuple[tuple[str, ...], np.ndarray] | None:
        """Return words and last attention matrix of the first short test text that contains all of `wanted`; None if
        there is none.
        """
        from retable.figures.attention import last_matrix

        return last_matrix(trained_network(run), split_of(run), wanted, longest)

    def labels(self, run: RunRecord) -> tuple[str, ...]:
        """Return the labels of the corpus."""
        return read_facts(run.predictions).labels


def split_of(run: RunRecord) -> Split:
    """Return the test split of a run's corpus."""
    return read_split(TAGGED / run.metrics["corpus"], "test")


def trained_network(run: RunRecord) -> Any:
    """Return the classifier of a run whose weights were kept."""
    return load_network(run.folder / "model", run.predictions) if run.folder else None


@cache
def load_network(weights: Path, predictions: Path) -> Any:
    """Return a classifier; cached, because figures use it repeatedly."""
    from retable.training.run import load_classifier

    parameters = read_metrics(weights.parent)["parameters"]
    return load_classifier(parameters, weights, read_facts(predictions))
