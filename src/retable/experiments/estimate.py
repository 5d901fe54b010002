"""Estimate how long the cells of a scale take, run one after another: words x epochs / words per second.

A training is expected to end by its patience, counted from the usual best epoch, or with its last epoch before that.

Words come from the bank's corpora, words per second is the median over the bank's runs of a model. A model without
timed runs gets the usual FLOPs per second by its own FLOPs per word, and at most the usual words per second,
because small networks do not reach these FLOPs.
"""

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

from retable.experiments.cells import cells_of
from retable.experiments.scale import read_preset
from retable.papers import paper_of_table
from retable.papers.paper import Column, Row
from retable.papers.parameters import folds_of, has_its_trials, row_parameters, seeds_of
from retable.papers.trials import COUNT
from retable.runs.bank import read_bank
from retable.runs.record import RunRecord
from retable.tables.statistics import read_corpora
from retable.text.units import RAW

BEST_EPOCH = 6  # epochs run before the patience: the mean of the bank's trainings that ended by it
RUN_S = 5.0  # overhead of a run: reading, scoring, writing


class Speeds(NamedTuple):
    """Hold what the bank tells: model -> words per second and forward FLOPs per word; corpus -> its statistics."""

    rates: Mapping[str, float]
    flops: Mapping[str, float]
    corpora: Mapping[str, Any]

    def rate(self, model: str) -> float:
        """Return the words per second of a model."""
        if model in self.rates:
            return self.rates[model]
        usual = median(self.rates.values() or [math.inf])
        speeds = [rate * self.flops[timed] for timed, rate in self.rates.items() if timed in self.flops]
        return min(usual, median(speeds) / self.flops[model]) if speeds and model in self.flops else usual


def read_measured(bank: Path) -> Speeds:
    """Read the bank. Raises: InputError."""
    return speeds_of(read_bank(bank), read_corpora(bank))


def speeds_of(runs: Sequence[RunRecord], corpora: Mapping[str, Any]) -> Speeds:
    """Return what runs and the statistics of corpora tell."""
    return Speeds(medians(runs, "words_per_second"), medians(runs, "flops_per_word"), corpora)


def medians(runs: Iterable[RunRecord], cost: str) -> dict[str, float]:
    """Return model -> the median of a cost over its runs that have it."""
    found = defaultdict(list)
    for run in runs:
        if run.cost.get(cost):
            found[run.metrics["model"]].append(run.cost[cost])
    return {model: median(costs) for model, costs in found.items()}


def table_seconds(params: Mapping[str, Any], measured: Speeds) -> dict[str, float]:
    """Return table -> the seconds of all its cells, for every table of a scale.

    Args:
        params: params.yaml, or a scale's preset.
    """
    seconds = {}
    for name in params["cells"]:
        paper = paper_of_table(name)
        table, protocol = paper.result_table(name), params["papers"][paper.name]
        seconds[name] = sum(
            cell_seconds(table.row(cell["row"]), table.column(cell["column"]), protocol, measured)
            for cell in cells_of(table, params).values()
        )
    return seconds


def cell_seconds(row: Row, column: Column, protocol: Mapping[str, Any], measured: Speeds) -> float:
    """Return the seconds of all runs of a cell, over seeds and folds, and of its search if the bank lacks trials."""
    model, corpus = str(row.model), str(column.corpus)
    parameters = row_parameters(read_preset(model), row, column, protocol, vectors="", seed=1)
    training = parameters["training"]
    statistics = measured.corpora.get(corpus, {})
    train = statistics.get("splits", {}).get("train", {})
    characters = statistics.get("language") == "zh" or parameters["embedding"]["unit"] == RAW
    length = train.get("average-length-characters" if characters else "average-length", 0.0)
    words = train.get("texts", 0) * min(length, training.get("max_words") or length)
    epochs = min(training["epochs"], BEST_EPOCH + training["patience"]) if "epochs" in training else 1
    trials = 0 if has_its_trials(row, corpus) else COUNT
    runs = trials + len(seeds_of(row, column, protocol)) * len(folds_of(column, protocol))
    return float(runs * (RUN_S + words * epochs / measured.rate(model)))
