"""One training, judged on development data: what readings.py and learning_rates.py have in common.

The test split is never opened.
"""

import copy
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from retable.errors import InputError, unknown_name
from retable.experiments.cells import vectors_for
from retable.experiments.scale import model_preset, scale_preset
from retable.papers import paper_of_table
from retable.papers.parameters import row_parameters
from retable.project.params import read_params
from retable.project.paths import TAGGED
from retable.text.splits import Split, read_split
from retable.training.run import train_classifier
from retable.vectors.store import WordVectors


@dataclass(frozen=True)
class Trial:
    """Dev accuracy (%) of every epoch, and the seconds of the whole training."""

    accuracies: list[float]
    seconds: float

    @property
    def best(self) -> float:
        """The best dev accuracy of any epoch, %."""
        return max(self.accuracies)

    @property
    def epochs(self) -> str:
        """All accuracies in a row."""
        return " ".join(f"{accuracy:.1f}" for accuracy in self.accuracies)

    def __str__(self) -> str:
        epoch = self.accuracies.index(self.best) + 1
        return f"dev {self.best:.2f} in epoch {epoch} ({self.epochs}), {self.seconds:.0f} s"


@dataclass(frozen=True)
class CellOf:
    """A cell of a table, and all that `src/retable/stages/run.py` would train it with."""

    table: str
    row: str
    column: str

    def parameters(self, *, vectors: str | None = None, epochs: int | None = None, seed: int = 1) -> dict[str, Any]:
        """The row's preset and overrides, the paper's device, precision and limits.

        Args:
            vectors: name in data/vectors; None: those of the scale's cells.
            epochs: at most so many of the schedule; None: the paper's limit at this scale.
        Raises: InputError for a row or column that cannot be run, or a scale that names no word vectors.
        """
        paper = paper_of_table(self.table)
        row, column = paper.result_table(self.table).row(self.row), paper.result_table(self.table).column(self.column)
        reason = row.reason or column.reason
        if reason or row.model is None or column.corpus is None:
            raise InputError(
                f"{self.table}: {self.row} on {self.column} cannot be run: {reason or 'it has no runs of its own'}."
            )
        preset, protocol = model_preset(row.model), read_params("papers")[paper.name]
        if epochs is not None:
            protocol = {**protocol, "epochs": epochs}
        vectors = vectors or self.vectors_of_scale(preset, column.corpus)
        return row_parameters(preset, row, column, protocol, vectors=vectors, seed=seed)

    def vectors_of_scale(self, preset: Mapping[str, Any], corpus: str) -> str:
        """The word vectors that the scale gives the table's cells on a corpus."""
        if preset["embedding"]["vectors"] == "none":
            return "none"
        scale = read_params("scale")
        cells = scale_preset(scale)["cells"].get(self.table)
        if cells is None:
            raise InputError(f"scale {scale} has no cells of {self.table}; name the word vectors with --vectors.")
        return vectors_for(cells["vectors"], corpus, f"cells.{self.table} in scale {scale}")


def varied(parameters: Mapping[str, Any], values: Mapping[str, Any]) -> dict[str, Any]:
    """The parameters with other values of some options, named section.option; the values are not checked.

    Raises: InputError for an unknown section.
    """
    changed = copy.deepcopy(dict(parameters))
    for name, value in values.items():
        section, _, option = name.rpartition(".")
        if section and section not in changed:
            raise unknown_name("the section", section, changed)
        (changed[section] if section else changed)[option] = value
    return changed


def train_and_dev(corpus: str) -> tuple[Split, Split]:
    """The two splits of a corpus that a trial may read."""
    return read_split(TAGGED / corpus, "train"), read_split(TAGGED / corpus, "dev")


def run_trial(parameters: Mapping[str, Any], train: Split, dev: Split, vectors: WordVectors) -> Trial:
    """Train once.

    Args:
        parameters: the sections of a run, already checked, of a network.
    Raises: InputError when the loss is no longer a number.
    """
    start = time.perf_counter()
    curve = train_classifier(parameters, train, dev, vectors).curve
    return Trial([100 * line["dev_accuracy"] for line in curve], time.perf_counter() - start)
