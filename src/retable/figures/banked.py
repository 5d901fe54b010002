"""Runs of the bank as figures are drawn from them: docs/results/ alone, without the folders of the runs."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq

from retable.figures.measure import PERCENT, Run
from retable.figures.roc import micro_rates
from retable.runs.bank import Entry, shown_of_seed, whole_seeds
from retable.runs.metrics import score
from retable.text.splits import read_facts

COSTS = ("parameters", "parameters_tuned_words", "flops_per_word", "seconds_per_epoch", "words_per_second")


@dataclass(frozen=True)
class BankedRun(Run):
    """A run by its line; `folder` is the file of its predictions.

    `rounds` is how often it saw its training texts: epochs, or the candidates of a linear model.
    """

    entry: Entry
    rounds: int
    domain: str = ""

    @cached_property
    def answers(self) -> tuple[np.ndarray, np.ndarray]:
        """Classes int64 (text,), and probabilities float32 (text, class), rounded to float16 and summing to one."""
        classes, probabilities = read_compact(self.folder, self.domain)
        return classes, probabilities / probabilities.sum(axis=1, keepdims=True)

    @cached_property
    def metrics(self) -> dict[str, Any]:
        """The scores on test, of its predictions."""
        classes, probabilities = self.answers
        return {"test": score(probabilities, classes)}

    @property
    def has_costs(self) -> bool:
        """Whether its line has them: the first lines of the bank have not."""
        return all(self.entry.cost[name] for name in COSTS)

    @cached_property
    def cost(self) -> dict[str, Any]:
        """As cost.json; `seconds` is rounds x seconds of one."""
        found: dict[str, Any] = {name: float(self.entry.cost[name]) for name in COSTS}
        return found | {"seconds": self.rounds * found["seconds_per_epoch"]}

    @property
    def accuracy(self) -> float:
        """On test, in percent."""
        if self.entry.metric == "accuracy":
            return PERCENT * float(self.entry.value)
        return PERCENT * float(self.metrics["test"]["accuracy"])

    @property
    def texts(self) -> int:
        """In its test split."""
        return int(self.entry.texts)

    @property
    def seed(self) -> int:
        """Folds of one have it in common."""
        return int(self.entry.seed)

    @property
    def machine(self) -> tuple[str, int]:
        """Where its times were taken."""
        return self.entry.device, int(self.entry.threads)

    def dev_accuracies(self) -> list[float]:
        """As its line has them."""
        return self.entry.dev_accuracies

    def rates(self) -> np.ndarray:
        """True positive rates of its ROC curve."""
        return micro_rates(*self.answers)


def read_compact(path: Path, domain: str = "") -> tuple[np.ndarray, np.ndarray]:
    """Classes and probabilities of a file of `bank_predictions`; of a joint corpus those of one domain, if named."""
    table = pq.read_table(path, columns=["id", "label", "probabilities"])
    index = {label: position for position, label in enumerate(read_facts(path).labels)}
    classes = np.array([index[label] for label in table.column("label").to_pylist()], dtype=np.int64)
    flat = table.column("probabilities").combine_chunks().flatten().to_numpy().astype(np.float32)
    probabilities = flat.reshape(len(classes), -1)
    if domain:
        own = np.array([text.startswith(f"{domain}/") for text in table.column("id").to_pylist()])
        return classes[own], probabilities[own]
    return classes, probabilities


def banked_runs(
    entries: Iterable[Entry], predictions: Callable[[Entry], Path], rounds: Callable[[Entry], int], domain: str
) -> list[BankedRun]:
    """The runs of a cell that its table shows: all seeds; of dev folds the best on dev, of test folds all."""
    shown = [entry for of_seed in whole_seeds(entries) for entry in shown_of_seed(of_seed)]
    return [BankedRun(predictions(entry), entry, rounds(entry), domain) for entry in shown]
