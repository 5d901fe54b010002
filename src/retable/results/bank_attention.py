"""The figures that ask a trained network again, drawn where its weights are at hand, and kept while its run stands.

In   docs/results/, results/runs/ (runs with kept weights), data/tagged/ (their test texts)
Out  docs/figures/<figure>.{svg,png,csv}, docs/figures/attention.json (figure -> the runs that it was drawn from)

Weights are in no repository. So a figure of them is drawn by whoever has them, and stays as long as the bank's current
lines are those of the runs that it shows.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path

from retable.figures.draw import KEPT_WEIGHTS, Drawn, drawn
from retable.figures.measure import Key, Measured, Run
from retable.files import read_json, write_json
from retable.papers import paper
from retable.papers.figures import Figure
from retable.results.figures import KeptNetworks, drawn_figures, with_weights
from retable.runs.bank import Entry

Banked = Mapping[tuple[str, str], Sequence[Entry]]  # paper, table -> its current entries
Shown = dict[str, str]  # table/row/column/run -> hash of parameters, data and code
DRAWN_FROM = "attention.json"


def attention_figures(banked: Banked, runs: Path, out: Path) -> tuple[dict[str, Drawn], list[str]]:
    """Figures that can be drawn now, and the names of those that stand as they were drawn before."""
    drawn_before: dict[str, Shown] = read_json(out / DRAWN_FROM) if (out / DRAWN_FROM).exists() else {}
    current = {run: key_of(entry) for (_, table), entries in banked.items() for run, entry in named(table, entries)}
    new: dict[str, Drawn] = {}
    shown: dict[str, Shown] = {}
    for name, figures in drawn_figures():
        measured = runs_with_weights(name, banked, runs)
        for figure in figures:
            if not isinstance(figure, KEPT_WEIGHTS):
                continue
            before = drawn_before.get(figure.name)
            if found := drawn(figure, measured, KeptNetworks()):
                new[figure.name] = found
                shown[figure.name] = shown_runs(figure, measured, runs, current)
            elif before and before.items() <= current.items():
                shown[figure.name] = before
    if shown or drawn_before:
        write_json(out / DRAWN_FROM, shown)
    return new, [name for name in shown if name not in new]


def named(table: str, entries: Sequence[Entry]) -> list[tuple[str, Entry]]:
    """A table's entries by the folder of their run, of a joint corpus's run that of its first column."""
    return [(f"{table}/{entry.row}/{entry.column}/{entry.run}", entry) for entry in entries]


def key_of(entry: Entry) -> str:
    """What makes an entry's run what it is."""
    return f"{entry.parameters} {entry.data} {entry.recipe}"


def runs_with_weights(name: str, banked: Banked, runs: Path) -> Measured:
    """The runs of a paper that are in the bank and whose weights are at hand."""
    tables = {table.name: table for table in paper(name).results}
    found: dict[Key, list[Run]] = {}
    for (source, table), entries in banked.items():
        for run, entry in named(table, entries) if source == name else ():
            if is_of(runs / run, entry):
                found.setdefault((table, entry.row, entry.column), []).append(Run(runs / run))
    return with_weights(Measured(tables, found, {}), {})[0]


def is_of(folder: Path, entry: Entry) -> bool:
    """Whether a run's folder is that of a line of the bank."""
    metrics = folder / "metrics.json"
    return metrics.exists() and read_json(metrics)["hashes"] == entry.hashes


def shown_runs(figure: Figure, measured: Measured, runs: Path, current: Mapping[str, str]) -> Shown:
    """The runs that a figure was drawn from."""
    folders = [run.folder for _, of_rows in measured.panels(figure) for of_row in of_rows.values() for run in of_row]
    names = [folder.relative_to(runs).as_posix() for folder in folders]
    return {name: current[name] for name in names}
