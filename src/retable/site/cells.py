"""A page for each trained cell: its runs, curves, ROC, confusion matrix, digests, and the command that makes it."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any

import numpy as np
from sklearn.metrics import confusion_matrix, roc_curve

from retable.papers import NAMES, paper_of_table, result_table, result_tables
from retable.results.resolving import Resolver
from retable.results.whole import BANK_SCALE, Whole
from retable.runs.curve import PERCENT
from retable.runs.predictions import read_predictions
from retable.runs.record import KEY_DIGITS, UNVERIFIED, RunRecord
from retable.site.templating import render
from retable.tables.costs import cost_of_run

WIDTH, HEIGHT, POINTS = 320, 180, 60  # of a drawing, in pixels; points per curve
SEEN = 0.25  # of a unit: a point is drawn if it is farther than that from a straight line
SHOWN_CLASSES = 20  # of a confusion matrix
CHOOSING = {"map": "Mean average precision, %", "pearson": "Pearson correlation × 100"}  # in place of accuracy
SCORES = {
    "seed": "seed", "fold": "fold", "dev, %": "dev", "test, %": "test", "clean, %": "clean", "macro F1, %": "f1",
    "mean average precision": "map", "Pearson": "pearson",
    "epochs": "epochs", "best epoch": "chosen", "chosen on dev": "options", "seconds": "seconds",
    "answers": "answers",
}  # fmt: skip
ORIGINS = {
    "seed": "seed", "fold": "fold", "date": "date", "machine": "machine", "commit": "commit", "key": "key",
    "parameters": "parameters", "data": "data", "banked by": "who",
}  # fmt: skip


Cell = tuple[str, str, str]  # table, row, column
Keys = frozenset[str]  # of the runs that fill a cell


def place_of(runs: Iterable[RunRecord], resolver: Resolver) -> str:
    """Return the page of the cells that these runs fill."""
    return "cells/{}/{}/{}.html".format(*shown_cells(resolver)[keys_of(runs)][0])


def keys_of(runs: Iterable[RunRecord]) -> Keys:
    """Return the keys of runs."""
    return frozenset(run.key for run in runs)


@lru_cache(maxsize=1)
def shown_cells(resolver: Resolver) -> Mapping[Keys, tuple[Cell, list[RunRecord]]]:
    """Return run keys -> the first cell that these runs fill, and the runs; cells with equal runs share a page."""
    found: dict[Keys, tuple[Cell, list[RunRecord]]] = {}
    for table in result_tables():
        for (row, column), seeds in resolver.fill(table).runs.items():
            runs = [run for of_seed in seeds for run in of_seed]
            found.setdefault(keys_of(runs), ((table.name, row, column), runs))
    return found


def pages(whole: Whole) -> Iterator[tuple[str, str]]:
    """Yield the page of every cell that has runs."""
    for of, runs in shown_cells(whole.resolver).values():
        place = place_of(runs, whole.resolver)
        yield place, render("cell.html", place, cell(of, runs, BANK_SCALE))


def cell(of: Cell, runs: Sequence[RunRecord], scale: str) -> dict[str, Any]:
    """Return the values for the page of a cell, whose runs are of this scale."""
    table, row, column = of
    of_table = result_table(table)
    return {
        "table": of_table,
        "paper": (NAMES[paper_of_table(table).name], f"papers/{paper_of_table(table).name}.html"),
        "row": of_table.row(row),
        "column": of_table.column(column),
        "of": shown_runs(
            sorted(runs, key=lambda run: (run.seed, run.fold.number if run.fold else 0)),
            [f"make params SCALE={scale}", f"retable run {table} {row} {column}"],
        ),
    }


def shown_runs(runs: Sequence[RunRecord], command: Sequence[str]) -> dict[str, Any]:
    """Return what a page shows of runs of one model on one corpus, which these commands make."""
    environments = [run.metrics["versions"] for run in runs if run.metrics["versions"]]
    labels, confusion, roc = answers(runs)
    origins = shown([facts(run) for run in runs], ORIGINS)
    shared = {title: cells[0] for title, cells in origins.items() if len(cells) > 1 and len({*cells}) == 1}
    return {
        "model": runs[0].metrics["model"],
        "corpus": runs[0].metrics["corpus"],
        "runs": len(runs),
        "scores": shown([facts(run) for run in runs], SCORES),
        "origins": {title: cells for title, cells in origins.items() if title not in shared},
        "shared": shared,
        "parameters": {
            name: {key: value for key, value in section.items() if key != "fold"}
            for name, section in runs[0].metrics["parameters"].items()
            if isinstance(section, dict)
        },
        "costs": cost_of_run(runs[0].cost),
        "curves": curves([run.curve for run in runs], [run.metrics["epochs"]["chosen"] or 0 for run in runs]),
        "score": next((name for score, name in CHOOSING.items() if score in runs[0].metrics["test"]), "Accuracy, %"),
        "labels": labels[:SHOWN_CLASSES],
        "confusion": confusion[:SHOWN_CLASSES, :SHOWN_CLASSES].tolist(),
        "left_out": max(len(labels) - SHOWN_CLASSES, 0),
        "largest": int(confusion.max()),
        "roc": roc,
        "versions": environments[0] if environments else {},
        "command": command,
        "recipe": runs[0].hashes["recipe"],
        "size": (WIDTH, HEIGHT),
    }


def shown(lines: Sequence[Mapping[str, Any]], columns: Mapping[str, str]) -> dict[str, list[str]]:
    """Return title -> its cells, for the columns in which some run has a value."""
    found = {title: [written(line[name]) for line in lines] for title, name in columns.items()}
    return {title: cells for title, cells in found.items() if any(cells)}


def written(value: Any) -> str:
    """Format a value as a cell shows it."""
    return "" if value is None else f"{value:.2f}" if isinstance(value, float) else str(value)


def facts(run: RunRecord) -> dict[str, Any]:
    """Return a run as a line of the table of runs."""
    test, clean, dev = (run.metrics.get(name) or {} for name in ("test", "test_clean", "dev"))
    scores = [(PERCENT * part["accuracy"] if part.get("accuracy") is not None else None) for part in (dev, test, clean)]
    return {
        "seed": run.seed,
        "fold": f"{run.fold.number} of {run.fold.folds}" if run.fold else "",
        "dev": scores[0],
        "test": scores[1],
        "clean": scores[2],
        "f1": PERCENT * test["macro_f1"] if test.get("macro_f1") is not None else None,
        **{name: f"{test[name]:.3f}" if name in test else None for name in CHOOSING},
        "epochs": run.metrics["epochs"]["run"],
        "chosen": run.metrics["epochs"]["chosen"],
        "options": ", ".join(f"{name} {value}" for name, value in run.metrics["chosen"].items()),
        "seconds": run.cost.get("seconds"),
        "answers": UNVERIFIED if run.is_unverified else None,
        "machine": f"{run.machine[0]}, {run.machine[1]} thread{'s' if run.machine[1] != 1 else ''}",
        "date": run.metrics["date"],
        "commit": run.commit,
        "key": run.key[:KEY_DIGITS],
        "parameters": run.hashes["parameters"][:KEY_DIGITS],
        "data": run.hashes["data"][:KEY_DIGITS],
        "who": run.who,
    }


def curves(found: Sequence[Sequence[float]], chosen: Sequence[int]) -> dict[str, Any]:
    """Return the score on dev after each epoch as lines of a drawing; nothing if no run has a curve.

    Args:
        chosen: for each run the epoch whose weights were scored, counted from 1; 0 if none was chosen.
    """
    drawn = [(curve, epoch) for curve, epoch in zip(found, chosen, strict=True) if len(curve) > 1]
    if not drawn:
        return {}
    values = [value for curve, _ in drawn for value in curve]
    low, high, epochs = min(values), max(values), max(len(curve) for curve, _ in drawn)

    def place(epoch: int, value: float) -> tuple[float, float]:
        return WIDTH * epoch / (epochs - 1), HEIGHT * (high - value) / max(high - low, 1e-9)

    lines = [points(place(*each) for each in enumerate(curve)) for curve, _ in drawn]
    best = [place(epoch - 1, curve[epoch - 1]) for curve, epoch in drawn if 0 < epoch <= len(curve)]
    return {"low": low, "high": high, "epochs": epochs, "lines": lines, "best": best}


def answers(runs: Sequence[RunRecord]) -> tuple[list[str], np.ndarray, dict[str, Any]]:
    """Return labels, and over all runs the confusion matrix (true class, answer) and the ROC curve of all decisions."""
    read = [read_predictions(run.predictions) for run in runs]
    labels = list(read[0][0].labels)
    true = np.concatenate([classes for _, _, classes, _, _ in read])
    probabilities = np.concatenate([each for _, _, _, _, each in read])
    confusion = confusion_matrix(true, probabilities.argmax(axis=1), labels=range(len(labels)))
    one_of = np.eye(len(labels), dtype=np.int64)[true]
    false_rate, true_rate, _ = roc_curve(one_of.ravel(), probabilities.ravel())
    at = np.unique(np.linspace(0, len(false_rate) - 1, POINTS).astype(int))
    line = points(thinned([(WIDTH * x, HEIGHT * (1 - y)) for x, y in zip(false_rate[at], true_rate[at], strict=True)]))
    areas = [run.metrics["test"].get("micro_auc") for run in runs]
    known = [area for area in areas if area is not None]
    return labels, confusion, {"line": line, "area": sum(known) / len(known) if known else None}


def points(found: Iterable[tuple[float, float]]) -> str:
    """Return points as the `points` attribute of an SVG polyline."""
    return " ".join(f"{x:.0f},{y:.0f}" for x, y in found)  # whole units of 320 by 180: a site of 700 cells stays small


def thinned(found: Sequence[tuple[float, float]]) -> list[tuple[float, float]]:
    """Return a line without the points that are straight between others. Source: Douglas and Peucker, 1973."""
    (x, y), (to_x, to_y) = found[0], found[-1]
    length = np.hypot(to_x - x, to_y - y) or 1.0
    apart = [abs((to_x - x) * (each[1] - y) - (to_y - y) * (each[0] - x)) / length for each in found]
    farthest = int(np.argmax(apart))
    if apart[farthest] <= SEEN:
        return [found[0], found[-1]]
    return thinned(found[: farthest + 1])[:-1] + thinned(found[farthest:])
