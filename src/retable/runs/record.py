"""An existing run as one record: read from its folder, from a line of the bank, or from what MLflow returned.

results/runs/<table>/<key>/   metrics.json, cost.json, curve.csv, predictions.parquet; model/ where weights are kept

The table is the one that trained it; its key alone identifies it. The folder is written whole or not at all.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from retable.errors import InputError
from retable.papers import paper_of_table
from retable.papers.parameters import Folding
from retable.runs.curve import ADVICE, PERCENT, dev_scores, read_curve
from retable.runs.form import FILES as FILES
from retable.runs.form import KEY_DIGITS as KEY_DIGITS
from retable.runs.form import ROUNDING, read_cost, read_metrics
from retable.runs.form import UNVERIFIED as UNVERIFIED
from retable.runs.predictions import accuracy_of, read_predictions
from retable.text.folds import Fold
from retable.text.splits import number_of_rows
from retable.wording import number_of


@dataclass(frozen=True)
class RunRecord:
    """A run: its identity, its scores as fractions, its costs.

    `metrics` and `cost` hold metrics.json and cost.json, `curve` the dev accuracy after each epoch in percent (empty
    for a linear model), `predictions` the file of its answers. `folder` is None for a run of the bank; `who` banked
    it.
    """

    metrics: Mapping[str, Any]
    cost: Mapping[str, Any]
    curve: tuple[float, ...]
    predictions: Path
    folder: Path | None = None
    who: str = ""

    @property
    def key(self) -> str:
        """Return the key, which is the same for equal parameters, data and recipe majors."""
        return str(self.metrics["key"])

    @property
    def hashes(self) -> dict[str, str]:
        """Return the hashes of parameters and data, and the recipe."""
        found: dict[str, str] = self.metrics["hashes"]
        return found

    @property
    def place(self) -> tuple[str, str, str]:
        """Return the table, row and column that requested it."""
        return self.metrics["table"], self.metrics["row"], self.metrics["column"]

    @property
    def seed(self) -> int:
        """Return the seed, shared by the runs on all folds."""
        return int(self.metrics["seed"])

    @property
    def fold(self) -> Fold | None:
        """Return the run's fold; None for a run on the corpus's own splits."""
        return Fold.of_parameters(self.metrics["parameters"]["corpus"])

    @property
    def folding(self) -> Folding:
        """Return the folding, as `retable.papers.parameters.folding_of` does for the column."""
        return (self.fold.kind, self.fold.folds) if self.fold else ("", 0)

    @property
    def name(self) -> str:
        """Return row, column, seed and fold: "fcsr on sst-2, seed 1"."""
        fold = f", fold {self.fold.number} of {self.fold.folds}" if self.fold else ""
        return f"{self.metrics['row']} on {self.metrics['column']}, seed {self.seed}{fold}"

    @property
    def commit(self) -> str:
        """Return the first digits of the commit that wrote it, with the mark for a modified checkout."""
        digits: str = self.metrics["git_commit"]
        return digits[:10] + ("+" if digits.endswith("+") else "")

    @property
    def weights(self) -> float:
        """Return the number of trained parameters other than word vectors."""
        return float(self.cost["parameters"] - self.cost["parameters_tuned_words"])

    @property
    def vectors(self) -> str:
        """Return the name of the word vectors."""
        return self.metrics["vectors"]["name"] if self.metrics["vectors"] else "none"

    @property
    def is_unverified(self) -> bool:
        """Return whether it was imported without test texts to compare its answers with."""
        return bool(self.metrics.get(UNVERIFIED))

    @property
    def accuracy(self) -> float:
        """Return the accuracy on test, in percent."""
        return PERCENT * float(self.metrics["test"]["accuracy"])

    @property
    def texts(self) -> int:
        """Return the number of test texts."""
        return int(self.metrics["test"]["texts"])

    @property
    def dev(self) -> float:
        """Return the accuracy on dev, a fraction."""
        return float(self.metrics["dev"]["accuracy"])

    @property
    def epochs_run(self) -> int:
        """Return how many epochs it was trained for; the weights may be those of an earlier one."""
        return int(self.metrics["epochs"]["run"])

    @property
    def machine(self) -> tuple[str, int]:
        """Return device and number of threads."""
        return str(self.metrics["device"]), int(self.metrics["threads"])

    def answers(self) -> tuple[np.ndarray, np.ndarray]:
        """Return true classes int64 (text,) and probabilities float32 (text, class) that sum to one."""
        _, _, classes, _, probabilities = read_predictions(self.predictions)
        return classes, probabilities / probabilities.sum(axis=1, keepdims=True)


def run_folder(runs: Path, table: str, key: str) -> Path:
    """Return the folder of a table's run, existing or not."""
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

    Raises: InputError if a file is missing or damaged, or has impossible contents (`retable.runs.form`).
    """
    missing = [name for name in FILES if not (folder / name).is_file()]
    if missing:
        raise InputError(f"{folder} lacks {', '.join(missing)}, so the run is incomplete; remove the folder.")
    metrics, cost = read_metrics(folder), read_cost(folder)
    curve = dev_scores(read_curve(folder, metrics["epochs"]["run"]))
    check_place(metrics, f"{folder}/metrics.json")
    check_answers(metrics, folder / "predictions.parquet")
    return RunRecord(metrics, cost, curve, folder / "predictions.parquet", folder)


def check_answers(metrics: Mapping[str, Any], predictions: Path) -> None:
    """Refuse answers to more or fewer texts than metrics.json says, or with another accuracy. Raises: InputError."""
    texts = number_of_rows(predictions)
    if texts != metrics["test"]["texts"]:
        raise InputError(
            f"{predictions} has {number_of(texts, 'texts')}, but metrics.json says {metrics['test']['texts']:,}; "
            f"{ADVICE}."
        )
    accuracy, told = accuracy_of(predictions), metrics["test"]["accuracy"]
    if abs(accuracy - told) > ROUNDING:
        raise InputError(
            f"{predictions} gives accuracy {accuracy:.6f} for test, but metrics.json says {told:.6f}; {ADVICE}."
        )


def check_place(metrics: Mapping[str, Any], where: str) -> None:
    """Refuse a paper, model or corpus that contradicts what its table, row and column currently declare.

    Raises: InputError.
    """
    try:
        source = paper_of_table(metrics["table"])
    except InputError:  # of the focus run, or of a removed table: it then fills a cell by its key alone
        return
    table = source.result_table(metrics["table"])
    models = {row.id: str(row.model) for row in table.rows}
    corpora = {column.id: str(column.corpus) for column in table.columns}
    declared = {
        "paper": source.name,
        "model": models.get(metrics["row"], metrics["model"]),
        "corpus": corpora.get(metrics["column"], metrics["corpus"]),
    }
    for name, value in declared.items():
        if metrics[name] != value:
            raise InputError(
                f"{name} is {metrics[name]!r} in {where}, but {metrics['row']} on {metrics['column']} of {table.name} "
                f"has {value!r}; remove it, or read it with the version of retable that made it."
            )
