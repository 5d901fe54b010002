"""Estimate how long the cells of a scale take, run one after another: words x epochs / words per second.

A training is expected to end by its patience, counted from the usual best epoch, or with its last epoch before that.

Words come from the bank's corpora, words per second is the median over the bank's runs of a model; a model without runs
gets the median of the other models.
"""

import math
from collections import defaultdict
from collections.abc import Mapping
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

from retable.experiments.cells import cells_of_table
from retable.experiments.scale import read_preset
from retable.papers import paper_of_table
from retable.papers.paper import Column, Row
from retable.papers.parameters import folds_of, is_searched, row_parameters, seeds_of
from retable.papers.trials import COUNT
from retable.runs.bank import read_bank
from retable.tables.statistics import read_corpora

BEST_EPOCH = 6  # epochs run before the patience: the mean of the bank's trainings that ended by it
RUN_S = 5.0  # overhead of a run: reading, scoring, writing


class Measured(NamedTuple):
    """Hold what was measured in the bank: model -> words per second; corpus -> its statistics."""

    rates: Mapping[str, float]
    corpora: Mapping[str, Any]

    def rate(self, model: str) -> float:
        """Return the words per second of a model."""
        return self.rates.get(model) or median(self.rates.values() or [math.inf])


def read_measured(bank: Path) -> Measured:
    """Read the bank. Raises: InputError."""
    rates = defaultdict(list)
    for run in read_bank(bank):
        if run.cost.get("words_per_second"):
            rates[run.metrics["model"]].append(run.cost["words_per_second"])
    return Measured({model: median(found) for model, found in rates.items()}, read_corpora(bank))


def table_seconds(params: Mapping[str, Any], measured: Measured) -> dict[str, float]:
    """Return table -> the seconds of all its cells, for every table of a scale.

    Args:
        params: params.yaml, or a scale's preset.
    """
    seconds = {}
    for name, rules in params["cells"].items():
        paper = paper_of_table(name)
        table, protocol = paper.result_table(name), params["papers"][paper.name]
        seconds[name] = sum(
            cell_seconds(table.row(cell["row"]), table.column(cell["column"]), protocol, measured)
            for cell in cells_of_table(table, rules, params).values()
        )
    return seconds


def cell_seconds(row: Row, column: Column, protocol: Mapping[str, Any], measured: Measured) -> float:
    """Return the seconds of all runs of a cell, over seeds and folds, and of its search if the bank lacks trials."""
    model, corpus = str(row.model), str(column.corpus)
    training = row_parameters(read_preset(model), row, column, protocol, vectors="", seed=1)["training"]
    statistics = measured.corpora.get(corpus, {})
    train = statistics.get("splits", {}).get("train", {})
    length = train.get("average-length-characters" if statistics.get("language") == "zh" else "average-length", 0.0)
    words = train.get("texts", 0) * min(length, training.get("max_words") or length)
    epochs = min(training["epochs"], BEST_EPOCH + training["patience"]) if "epochs" in training else 1
    trials = 0 if is_searched(row, corpus) else COUNT
    runs = trials + len(seeds_of(row, column, protocol)) * len(folds_of(column, protocol))
    return float(runs * (RUN_S + words * epochs / measured.rate(model)))
