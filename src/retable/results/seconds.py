"""How long each system of the equal-chances table takes, on one corpus.

In   docs/results/seconds.json, which `python -m benchmarks.systems` writes

All systems are timed in one run on a machine without other work, because times of different days do not compare. So
they are no part of the runs in the bank.
"""

from collections.abc import Mapping
from pathlib import Path
from statistics import fmean
from typing import NamedTuple

from retable.files import read_json
from retable.forms import Day, Named, Section, Text, check
from retable.models import is_linear
from retable.papers.bench import TABLE_1 as TABLE
from retable.results.resolving import Filled
from retable.runs.form import SECONDS

FILE = "seconds.json"
COLUMN = "sst-2"  # on which they are timed
FORM = Section(
    {
        **dict.fromkeys(("cpu", "instructions", "torch"), Text()),
        "date": Day(),
        **dict.fromkeys(("training", "answering"), Named(SECONDS)),
    },
    closed=True,
)


class Seconds(NamedTuple):
    """Hold what was timed. `training` is of an epoch, of a linear model all; `answering` is for 1,000 texts."""

    cpu: str
    instructions: str
    torch: str
    date: str
    training: Mapping[str, float]
    answering: Mapping[str, float]

    def of_training(self, row: str, filled: Filled) -> str:
        """Return the seconds of a training that ends after as many epochs as the row's runs had on average."""
        if row not in self.training or not (runs := filled.shown((row, COLUMN))):
            return ""
        alone = is_linear(TABLE.row(row).model)
        return rounded(self.training[row] * (1 if alone else fmean(run.epochs_run for run in runs)))

    def of_answers(self, row: str) -> str:
        """Return the seconds in which 1,000 texts are answered."""
        return rounded(self.answering[row]) if row in self.answering else ""

    @property
    def sentence(self) -> str:
        """Return what was timed, and where."""
        return (
            f"Seconds: on {TABLE.column(COLUMN).printed}, one thread, all in one run without other work ({self.date}, "
            f"{self.cpu} with {self.instructions}, torch {self.torch}). A training is the median of three epochs times "
            "the mean number of epochs of the runs; of a linear model, the choice among its eight candidates. Answers "
            "are for development texts, from tokens to probabilities.\n"
        )


def read_seconds(bank: Path) -> Seconds | None:
    """Return what was timed; None if nothing was. Raises: InputError if the file is damaged."""
    path = bank / FILE
    if not path.exists():
        return None
    advice = f"`git checkout {path}`"
    found = read_json(path, dict, advice=advice)
    check(found, FORM, str(path), advice)
    return Seconds(**found)


def rounded(seconds: float) -> str:
    """Return seconds with two digits: "0.0024", "0.35", "1.2", "85", "340"."""
    return f"{float(f'{seconds:.2g}'):,.10f}".rstrip("0").rstrip(".")
