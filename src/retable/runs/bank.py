"""The bank: measured cells in git, one line a run, and the predictions of every test text (ids, never texts).

docs/results/<table>.csv                                       value, what it rests on, where it was made
docs/results/predictions/<table>/<row>.<column>.<seed>.parquet id, label, predicted, probabilities float16

Of a corpus that is cut into folds every fold has a line, and its predictions end in .<seed>-fold-<number>.parquet.
"""

import csv
from collections.abc import Container, Iterable, Mapping
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from retable.files import atomic_file
from retable.papers.paper import Column
from retable.papers.parameters import Cut, run_name
from retable.runs.folder import read_predictions
from retable.runs.metrics import score
from retable.tables.results import RunResult, of_folds
from retable.text.folds import Fold
from retable.text.splits import facts_metadata, read_facts

# Costs that the bank keeps: their names in cost.json and here, where `parameters` is a hash.
COST_FIELDS = {
    "parameters": "parameters_trained",
    **{
        name: name
        for name in (
            "parameters_tuned_words", "flops_per_word", "words_per_second", "seconds_per_epoch", "peak_memory_mb",
        )
    },
}  # fmt: skip

# Scores that follow from the answered classes alone. An area under a curve does not: the bank rounds probabilities.
OF_ANSWERS = ("accuracy", "error_rate", "precision", "recall", "macro_f1", "micro_f1")


@dataclass(frozen=True)
class Entry:
    """A run in the bank; scores are fractions, hashes as in metrics.json, costs as in cost.json.

    `curve` holds the accuracies on dev after each epoch, in percent, a space between them.
    """

    row: str
    column: str
    seed: str
    metric: str
    value: str
    clean: str
    texts: str
    vectors: str
    tokens_covered: str
    epochs: str
    turned: str
    scale: str
    parameters: str
    data: str
    recipe: str
    commit: str
    device: str
    threads: str
    date: str
    max_words: str = "0"
    cut: str = "0"
    parameters_trained: str = ""
    parameters_tuned_words: str = ""
    flops_per_word: str = ""
    words_per_second: str = ""
    seconds_per_epoch: str = ""
    peak_memory_mb: str = ""
    fold: str = ""
    dev: str = ""
    clean_texts: str = "0"
    curve: str = ""

    @classmethod
    def from_metrics(
        cls,
        metrics: Mapping[str, Any],
        cost: Mapping[str, Any],
        metric: str,
        row: str,
        column: Column,
        dev_accuracies: Iterable[float] = (),
    ) -> "Entry":
        """From metrics.json, cost.json and curve.csv.

        Args:
            metric: the score to keep.
            row, column: under which it is shown; they need not be those of the run.
            dev_accuracies: on dev after each epoch, in percent.
        """
        result = RunResult.from_metrics(metrics, cost, metric, column.domain)
        # A run does not know the epochs of its row, only what the scale allowed: `limited` is asked when it is shown.
        texts = {name: _text(value) for name, value in asdict(result).items() if name != "of_epochs"}
        hashes = metrics["hashes"]
        return cls(
            row=row,
            column=column.id,
            seed=str(metrics["seed"]),
            metric=metric,
            scale=metrics["scale"],
            parameters=hashes["parameters"],
            data=hashes["data"],
            recipe=hashes["recipe"],
            commit=metrics["git_commit"],
            device=metrics["device"],
            threads=str(metrics["threads"]),
            date=metrics["date"],
            curve=" ".join(f"{accuracy:.4f}" for accuracy in dev_accuracies),
            **texts,
            **{field: _text(cost.get(name)) for name, field in COST_FIELDS.items()},
        )

    @property
    def fold_number(self) -> int:
        """From 1; 0 without folds."""
        return Fold.read(self.fold).number if self.fold else 0

    @property
    def cut_as(self) -> Cut:
        """As `retable.papers.parameters.cut_of` of the run's column."""
        fold = Fold.read(self.fold) if self.fold else None
        return (fold.kind, fold.folds) if fold else ("", 0)

    @property
    def run(self) -> str:
        """The folder of the run, below that of its cell: "1", or "1-fold-2"."""
        return run_name(int(self.seed), Fold.read(self.fold) if self.fold else None)

    @property
    def hashes(self) -> dict[str, str]:
        """As in metrics.json."""
        return {"parameters": self.parameters, "data": self.data, "recipe": self.recipe}

    @property
    def cost(self) -> dict[str, str]:
        """Row, threads and costs, as `retable.tables.costs` reads them."""
        costs = {name: getattr(self, field) for name, field in COST_FIELDS.items()}
        return {"row": self.row, "threads": self.threads} | costs

    @property
    def dev_accuracies(self) -> list[float]:
        """Accuracy on dev after each epoch, in percent; empty where no curve was kept."""
        return [float(accuracy) for accuracy in self.curve.split()]

    def without_times(self) -> "Entry":
        """The same run, its times left out: those of a machine that had other work."""
        return replace(self, words_per_second="", seconds_per_epoch="")

    def of_cost(self, metric: str) -> "Entry":
        """The same run, with one of its costs in place of the score."""
        return replace(self, metric=metric, value=getattr(self, COST_FIELDS[metric]), clean="")

    def result(self) -> RunResult:
        """What a table needs of it."""
        return RunResult(
            float(self.value),
            float(self.clean) if self.clean else None,
            int(self.texts),
            self.vectors,
            float(self.tokens_covered) if self.tokens_covered else None,
            int(self.epochs) if self.epochs else None,
            {"": None, "True": True, "False": False}[self.turned],
            int(self.max_words),
            int(self.cut),
            self.fold,
            float(self.dev) if self.dev else None,
            int(self.clean_texts),
        )


def read_bank(path: Path) -> list[Entry]:
    """The entries of a table; none if it has no file yet."""
    if not path.exists():
        return []
    with path.open(newline="", encoding="utf-8") as file:
        return [Entry(**cells) for cells in csv.DictReader(file)]


def write_bank(path: Path, entries: Iterable[Entry]) -> None:
    """Write a table's entries, sorted by row, column, seed and fold."""
    with atomic_file(path) as part, part.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, [field.name for field in fields(Entry)], lineterminator="\n")
        writer.writeheader()
        writer.writerows(
            asdict(entry)
            for entry in sorted(entries, key=lambda entry: (entry.row, entry.column, entry.seed, entry.fold_number))
        )


def results_by_cell(entries: Iterable[Entry]) -> dict[tuple[str, str], list[RunResult]]:
    """(row, column) -> a result for each seed whose runs are whole, without and with folds."""
    found: dict[tuple[str, str], list[Entry]] = {}
    for entry in entries:
        found.setdefault((entry.row, entry.column), []).append(entry)
    return {cell: results_of(runs) for cell, runs in found.items()}


def results_of(entries: Iterable[Entry]) -> list[RunResult]:
    """A result for each seed of a cell; the folds of a seed are one, and left out while one of them is missing."""
    return [of_folds([entry.result() for entry in runs]) for runs in whole_seeds(entries)]


def whole_seeds(entries: Iterable[Entry]) -> list[list[Entry]]:
    """The runs of a cell, the folds of one seed together; without the seeds of which a fold is missing."""
    single: list[list[Entry]] = []
    folded: dict[tuple[str, str, int], dict[int, Entry]] = {}
    for entry in entries:
        if entry.fold:
            folded.setdefault((entry.seed, *entry.cut_as), {}).setdefault(entry.fold_number, entry)
        else:
            single.append([entry])
    whole = [runs for (_, _, folds), runs in folded.items() if len(runs) == folds]
    return single + [[runs[number] for number in sorted(runs)] for runs in whole]


def shown_runs(entries: Iterable[Entry]) -> list[Entry]:
    """The runs of a cell's first seed whose predictions are what the table shows: one, or of test folds all."""
    return next(map(shown_of_seed, whole_seeds(entries)), [])


def shown_of_seed(runs: list[Entry]) -> list[Entry]:
    """The runs of a seed that the table shows: of dev folds the best on dev, else all."""
    kind, _ = runs[0].cut_as
    return [max(runs, key=lambda entry: float(entry.dev or 0))] if kind == "dev" else runs


def bank_predictions(source: Path, target: Path) -> None:
    """Copy a run's predictions in the compact form: id, label, predicted, probabilities as float16."""
    facts, ids, classes, _, probabilities = read_predictions(source)
    labels = pa.array(facts.labels)
    flat = pa.array(probabilities.astype(np.float16).ravel())
    table = pa.table(
        {
            "id": pa.array(ids, pa.string()),
            "label": labels.take(pa.array(classes)).dictionary_encode(),
            "predicted": labels.take(pa.array(probabilities.argmax(axis=1))).dictionary_encode(),
            "probabilities": pa.FixedSizeListArray.from_arrays(flat, len(labels)),
        }
    ).replace_schema_metadata(facts_metadata(facts))
    with atomic_file(target) as part:
        pq.write_table(table, part, compression="zstd", compression_level=19)


def rescored(entry: Entry, predictions: Path, metric: str, clean: Container[str]) -> Entry:
    """The same run, with another score of its answers in place of the one that was kept.

    Args:
        predictions: its file in the bank.
        metric: one of OF_ANSWERS.
        clean: ids of the test texts that (nearly) occur in no training text.
    Raises: ValueError for a score that the answers do not tell.
    """
    if metric not in OF_ANSWERS:
        raise ValueError(f"metric is {metric!r}; of banked answers are known: {', '.join(OF_ANSWERS)}")
    labels = read_facts(predictions).labels
    table = pq.read_table(predictions, columns=["id", "label", "predicted"])
    index = {label: position for position, label in enumerate(labels)}
    true, answered = (
        np.array([index[label] for label in table.column(name).to_pylist()]) for name in ("label", "predicted")
    )
    certain = np.eye(len(labels))[answered]
    kept = np.array([text in clean for text in table.column("id").to_pylist()])
    of_clean = score(certain[kept], true[kept])[metric] if kept.any() else None
    return replace(entry, metric=metric, value=_text(score(certain, true)[metric]), clean=_text(of_clean))


def _text(value: object) -> str:
    return "" if value is None else repr(value) if isinstance(value, float) else str(value)
