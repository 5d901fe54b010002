"""A run that exists, as one record: read from its folder, from a line of the bank, or from what MLflow gave back.

results/runs/<table>/<key>/   metrics.json, cost.json, curve.csv, predictions.parquet; model/ where weights are kept

The table is the one that trained it; its key alone says which run it is. The folder comes there whole or not at all.
"""

import csv
import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from retable.errors import InputError
from retable.files import read_json
from retable.papers.parameters import Cut
from retable.runs.predictions import read_predictions
from retable.text.folds import Fold

FILES = ("metrics.json", "cost.json", "curve.csv", "predictions.parquet")
NEEDED = {  # of metrics.json
    "key", "paper", "table", "row", "column", "model", "corpus", "seed", "fold", "scale", "parameters", "hashes",
    "vectors", "test", "test_clean", "dev", "epochs", "chosen", "git_commit", "versions", "device", "threads", "date",
}  # fmt: skip
UNVERIFIED = "unverified"  # of metrics.json: an import whose answers could not be compared with the test texts
SCORED = ("test", "test_clean", "dev")  # sections of scores; `domains` has the first two for each domain
NO_SHARES = ("texts", "questions", "loss")  # the numbers among the scores that may be above 1
LARGEST_SEED = 2**32 - 1
KEY_DIGITS = 16  # of a key, in the name of a folder
PERCENT = 100.0
ROUNDING = 1e-9


@dataclass(frozen=True)
class RunRecord:
    """A run: who it is, its scores as fractions, its costs.

    `metrics` is as metrics.json and `cost` as cost.json, `curve` the accuracy on dev after each epoch in percent (of a
    linear model empty), `predictions` the file of its answers. `folder` is None for a run of the bank, `who` put it
    there.
    """

    metrics: Mapping[str, Any]
    cost: Mapping[str, Any]
    curve: tuple[float, ...]
    predictions: Path
    folder: Path | None = None
    who: str = ""

    @property
    def key(self) -> str:
        """Return what makes two runs the same: parameters, data, and the majors of the recipe."""
        return str(self.metrics["key"])

    @property
    def hashes(self) -> dict[str, str]:
        """Return parameters, data, recipe."""
        found: dict[str, str] = self.metrics["hashes"]
        return found

    @property
    def place(self) -> tuple[str, str, str]:
        """Return table, row and column that asked for it."""
        return self.metrics["table"], self.metrics["row"], self.metrics["column"]

    @property
    def seed(self) -> int:
        """Folds of one have it in common."""
        return int(self.metrics["seed"])

    @property
    def fold(self) -> Fold | None:
        """Return the run's fold; None for a run on the corpus's own splits."""
        return Fold.of_parameters(self.metrics["parameters"]["corpus"])

    @property
    def cut(self) -> Cut:
        """Return the cut, as `retable.papers.parameters.cut_of` of the column."""
        return (self.fold.kind, self.fold.folds) if self.fold else ("", 0)

    @property
    def name(self) -> str:
        """Return row, column, seed and fold: "fcsr on sst-2, seed 1"."""
        fold = f", fold {self.fold.number} of {self.fold.folds}" if self.fold else ""
        return f"{self.metrics['row']} on {self.metrics['column']}, seed {self.seed}{fold}"

    @property
    def vectors(self) -> str:
        """Return the name of its word vectors."""
        return self.metrics["vectors"]["name"] if self.metrics["vectors"] else "none"

    @property
    def is_unverified(self) -> bool:
        """Return whether it was imported where there were no test texts to compare its answers with."""
        return bool(self.metrics.get(UNVERIFIED))

    @property
    def accuracy(self) -> float:
        """Return the accuracy on test, in percent."""
        return PERCENT * float(self.metrics["test"]["accuracy"])

    @property
    def texts(self) -> int:
        """Return the number of texts in its test split."""
        return int(self.metrics["test"]["texts"])

    @property
    def dev(self) -> float:
        """Return the accuracy on dev, a fraction."""
        return float(self.metrics["dev"]["accuracy"])

    @property
    def epochs(self) -> int:
        """Return the epoch whose weights were kept."""
        return int(self.metrics["epochs"]["chosen"])

    @property
    def machine(self) -> tuple[str, int]:
        """Device and threads."""
        return str(self.metrics["device"]), int(self.metrics["threads"])

    def answers(self) -> tuple[np.ndarray, np.ndarray]:
        """Return true classes int64 (text,) and probabilities float32 (text, class) that sum to one."""
        _, _, classes, _, probabilities = read_predictions(self.predictions)
        return classes, probabilities / probabilities.sum(axis=1, keepdims=True)


def run_folder(runs: Path, table: str, key: str) -> Path:
    """Return where a run of a table stands, or will."""
    return runs / table / key[:KEY_DIGITS]


def find_run(runs: Path, key: str) -> Path | None:
    """Return the folder of a run, whichever table trained it; None if there is none."""
    return next((path.parent for path in runs.glob(f"[!.]*/{key[:KEY_DIGITS]}/metrics.json")), None)


def read_runs(runs: Path) -> list[RunRecord]:
    """Read every run below results/runs/, in the order of tables, rows, columns and seeds. Raises: InputError."""
    found = [read_run(path.parent) for path in runs.glob("[!.]*/[!.]*/metrics.json")]
    return sorted(found, key=lambda run: (*run.place, run.seed, run.fold.number if run.fold else 0, run.key))


def read_run(folder: Path) -> RunRecord:
    """Read a run's folder.

    Raises: InputError if a file is missing or damaged, or metrics.json lacks what a run says of itself.
    """
    missing = [name for name in FILES if not (folder / name).is_file()]
    if missing:
        raise InputError(f"{folder} lacks {', '.join(missing)}, so the run is not whole; remove the folder.")
    metrics, cost = _read_object(folder / "metrics.json"), _read_object(folder / "cost.json")
    if absent := sorted(NEEDED - metrics.keys()):
        raise InputError(
            f"{folder}/metrics.json does not say {', '.join(absent)}; was it written by this version of retable?"
        )
    check_metrics(metrics, f"{folder}/metrics.json")
    return RunRecord(metrics, cost, _read_curve(folder / "curve.csv"), folder / "predictions.parquet", folder)


def check_metrics(metrics: Mapping[str, Any], where: str) -> None:
    """Refuse a record that contradicts its own parameters, or holds a seed or a score that is none.

    Args:
        where: the file, for the sentence.
    Raises: InputError.
    """
    try:
        asked = metrics["parameters"]
        stated = {"model": asked["model"]["name"], "corpus": asked["corpus"]["name"], "seed": asked["seed"]}
        stated["fold"] = asked["corpus"].get("fold")
        of_domains = [scores for domain in metrics.get("domains", {}).values() for scores in domain.values()]
        scores = [pair for each in (*map(metrics.get, SCORED), *of_domains) for pair in (each or {}).items()]
        scores.append(("accuracy", metrics["test"]["accuracy"]))  # old runs of the bank have none on dev
    except (KeyError, TypeError, AttributeError) as error:
        raise InputError(f"{where} has no record's form ({error!r}); remove its folder, or copy it again.") from None
    for name, value in stated.items():
        if metrics[name] != value or type(metrics[name]) is not type(value):
            raise InputError(
                f"{where} says that {name} is {metrics[name]!r}, but its parameters say {value!r}; it was changed: "
                "remove its folder, or copy it again."
            )
    if type(seed := metrics["seed"]) is not int or not 0 <= seed <= LARGEST_SEED:
        raise InputError(f"seed is {seed!r} in {where}; allowed: a whole number from 0 to {LARGEST_SEED}.")
    for name, value in scores:
        if not _is_score(name, value):
            raise InputError(
                f"{name} is {value!r} in {where}; allowed: a finite number from 0"
                f"{'' if name in NO_SHARES else ' to 1'}; remove its folder, or copy it again."
            )


def _is_score(name: str, value: object) -> bool:
    """Return whether a value can be the score of this name; the accuracy is always known."""
    if value is None:
        return name != "accuracy"
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    return 0 <= value < math.inf and (name in NO_SHARES or value <= 1 + ROUNDING)


def _read_object(path: Path) -> dict[str, Any]:
    try:
        found = read_json(path)
    except (json.JSONDecodeError, UnicodeDecodeError, RecursionError) as error:
        raise InputError(f"{path} is no JSON ({error}); remove its folder, or copy it again.") from None
    if not isinstance(found, dict):
        raise InputError(f"{path} holds no object; remove its folder, or copy it again.")
    return found


def _read_curve(path: Path) -> tuple[float, ...]:
    with path.open(newline="", encoding="utf-8") as file:
        lines = [line for line in csv.DictReader(file) if "epoch" in line]
    return tuple(PERCENT * float(line.get("dev_map") or line["dev_accuracy"]) for line in lines)
