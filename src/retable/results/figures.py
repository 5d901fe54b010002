"""Redraw the papers' figures from the runs at hand; a figure whose runs are not there says why.

In   results/runs/, data/clean/*/stats.json, data/tagged/ (where weights were kept), data/code/, the cells of the scale
Out  results/figures/<figure>.{svg,png,csv}, results/figures/figures.json (name, title, caption, files, note of each)

Beside the papers' figures there is one of our own for each table of accuracies, cost-<table>: accuracy against cost.
"""

import csv
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np

from retable.figures.draw import KEPT_WEIGHTS, Drawn, drawn
from retable.figures.measure import Key, Measured, Run, shows_times
from retable.figures.remarks import remarks
from retable.figures.words import AttendedText
from retable.files import atomic_file, read_json, write_json
from retable.papers import PAPERS, paper
from retable.papers.figures import FIGURES, CostFigure, Figure, Panel
from retable.papers.paper import Column, Paper, ResultTable
from retable.project.params import read_params
from retable.project.paths import TAGGED
from retable.results.tables import cells_shown, runs_of_cell, seed_spreads
from retable.text.folds import Fold
from retable.text.splits import read_facts, read_split

TOO_FEW = "No picture: too few of its cells are measured."
NO_WEIGHTS = "the run's weights were not kept"
COST_CAPTION = (
    "FLOPs are of the forward pass of one word, word vectors looked up for nothing; seconds are of one whole training "
    "on the machine that most rows were timed on, all candidates of a linear model together; where rows had unlike "
    "numbers of threads, core-seconds: threads times seconds. The dotted line is the "
    "best floor: a point below it and to its right is worse and dearer than what a user would pick instead. "
    "Differences within the table's interval are noise."
)


@dataclass(frozen=True)
class KeptNetworks:
    """The trained networks of runs whose weights lie in the run's folder `model`, asked on the test split."""

    def texts(self, run: Run) -> list[AttendedText]:
        """The test texts with the weights of their words."""
        from retable.figures.attention import attended_texts  # torch takes seconds to import, and few figures ask it

        classifier = trained_network(run.folder)
        split = read_split(TAGGED / run.metrics["corpus"], "test")
        return attended_texts(classifier.network, classifier.vocabulary, split, max_words=classifier.max_words)

    def matrix(self, run: Run, wanted: Sequence[str], longest: int) -> tuple[tuple[str, ...], np.ndarray] | None:
        """Words and last attention matrix of the first short test text that has all of `wanted`; None without one."""
        from retable.figures.attention import last_matrix

        classifier = trained_network(run.folder)
        split = read_split(TAGGED / run.metrics["corpus"], "test")
        return last_matrix(
            classifier.network, classifier.vocabulary, split, wanted, longest=longest, max_words=classifier.max_words
        )

    def labels(self, run: Run) -> tuple[str, ...]:
        """The labels of the corpus."""
        return read_facts(run.folder / "predictions.parquet").labels


@cache
def trained_network(folder: Path) -> Any:
    """The classifier of a run whose weights were kept."""
    from retable.training.run import load_classifier

    facts = read_facts(folder / "predictions.parquet")
    return load_classifier(read_json(folder / "metrics.json")["parameters"], folder / "model", facts)


def current_runs(table: ResultTable, source: Paper, runs: Path) -> tuple[dict[Key, list[Run]], dict[Key, str]]:
    """The runs of the cells that are listed for this scale, and why the others cannot be shown: stale, or not run."""
    found: dict[Key, list[Run]] = {}
    missing: dict[Key, str] = {}
    for shown in cells_shown(table, source):
        key = (table.name, shown.row.id, shown.column.id)
        protocol = read_params("papers")[shown.paper.name]
        folders, reason = runs_of_cell(shown.table, shown.paper, shown.cell, protocol, runs)
        if reason:
            missing[key] = reason
        else:
            of_seeds: dict[int, list[Run]] = {}
            for planned, folder in folders.items():
                of_seeds.setdefault(planned.seed, []).append(Run(folder))
            found[key] = [run for of_seed in of_seeds.values() for run in shown_of_folds(of_seed)]
    return found, missing


def shown_of_folds(runs: list[Run]) -> list[Run]:
    """The runs of a seed that its table shows: of dev folds the best on dev, of test folds all."""
    fold = Fold.of_parameters(runs[0].metrics["parameters"]["corpus"]) if len(runs) > 1 else None
    if fold is None or fold.kind == "test":
        return runs
    return [max(runs, key=lambda run: float(run.metrics["dev"]["accuracy"]))]


def cost_figures(source: Paper) -> list[CostFigure]:
    """Accuracy against cost, for each table of accuracies."""
    return [
        CostFigure(
            cost_figure_name(table.name),
            f"Accuracy against cost: {table.title}",
            f"Ours, not the paper's. {COST_CAPTION}",
            tuple(Panel(table.name, column.id) for column in table.columns if is_of_accuracy(table, column)),
            rows=tuple(row.id for row in table.rows if row.model),
        )
        for table in source.results
        if any(is_of_accuracy(table, column) for column in table.columns)
    ]


def cost_figure_name(table: str) -> str:
    """The file of a table's figure of costs."""
    return f"cost-{table}"


def is_of_accuracy(table: ResultTable, column: Column) -> bool:
    """Whether a column has runs of its own, of which it shows the accuracy."""
    return bool(column.corpus) and not column.runs_of and table.metric_of(column) == "accuracy"


def measured_of(source: Paper, runs: Path, clean: Path) -> tuple[Measured, dict[Key, str]]:
    """All that a paper's figures are drawn from, and why some of it is missing."""
    found: dict[Key, list[Run]] = {}
    missing: dict[Key, str] = {}
    for table in source.results:
        of_table = current_runs(table, source, runs)
        found, missing = found | of_table[0], missing | of_table[1]
    tables = {table.name: table for table in source.results}
    return Measured(tables, found, training_texts(clean), seed_spreads()), missing


def training_texts(clean: Path) -> dict[str, int]:
    """Corpus -> texts in its training split."""
    return {
        path.parent.name: read_json(path)["splits"]["train"]["texts"] for path in sorted(clean.glob("*/stats.json"))
    }


def drawn_figures() -> list[tuple[str, list[Figure]]]:
    """Paper -> its figures, and ours of its tables."""
    return [(name, [*FIGURES.get(name, ()), *cost_figures(paper(name))]) for name in PAPERS]


def with_weights(measured: Measured, missing: dict[Key, str]) -> tuple[Measured, dict[Key, str]]:
    """Only the runs whose weights were kept."""
    kept = {key: runs for key, runs in measured.runs.items() if (runs[0].folder / "model").is_dir()}
    return replace(measured, runs=kept), missing | dict.fromkeys(measured.runs.keys() - kept.keys(), NO_WEIGHTS)


def why(figure: Figure, measured: Measured, missing: Mapping[Key, str], scale: str, key: Key) -> str:
    """Why a cell that a figure should show is not in it; empty if it is measured and has nothing of the kind."""
    if key not in measured.runs:
        return missing.get(key) or f"not in scale {scale}"
    return "timed on another machine, or with other threads" if shows_times(figure) else ""


def write_figure(
    figure: Figure, measured: Measured, missing: dict[Key, str], scale: str, folder: Path
) -> dict[str, Any]:
    """A figure's files, and its entry of figures.json."""
    if isinstance(figure, KEPT_WEIGHTS):
        measured, missing = with_weights(measured, missing)
    found = drawn(figure, measured, KeptNetworks())
    note = remarks(figure, measured.tables, found.rows if found else (), partial(why, figure, measured, missing, scale))
    if not found:
        note = f"{TOO_FEW} {note}"
    return {
        "name": figure.name,
        "title": figure.title,
        "caption": figure.caption,
        "drawn": found is not None,
        "files": write_files(folder, figure.name, found) if found else [],
        "note": note,
    }


def write_files(folder: Path, name: str, found: Drawn) -> list[str]:
    """The CSV and, where there is one, the picture in both forms; their names."""
    write_rows(folder / f"{name}.csv", found.rows)
    if found.picture is None:
        return [f"{name}.csv"]
    (folder / f"{name}.svg").write_bytes(found.picture("svg"))
    (folder / f"{name}.png").write_bytes(found.picture("png"))
    return [f"{name}.csv", f"{name}.svg", f"{name}.png"]


def write_rows(path: Path, rows: Sequence[Mapping[str, str]]) -> None:
    """The lines of a picture as CSV."""
    with atomic_file(path) as part, part.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(rows[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def write_all(folder: Path, runs: Path, clean: Path) -> list[dict[str, Any]]:
    """Every figure of every paper, and figures.json; a figure of our own that has no runs is not told of."""
    entries = []
    for name, figures in drawn_figures():
        measured, missing = measured_of(paper(name), runs, clean)
        of_paper = [write_figure(figure, measured, missing, read_params("scale"), folder) for figure in figures]
        entries += [entry for entry in of_paper if entry["drawn"] or not entry["name"].startswith(cost_figure_name(""))]
    write_json(folder / "figures.json", entries)
    return entries
