"""Redraw the papers' figures from the available runs, or say why a figure's runs are missing.

Out  <folder>/<figure>.{svg,csv}, <folder>/figures.json (name, title, caption, files and note of each figure, and
     the run keys of those that query a trained network)

Each table of accuracies also gets a figure of our own, cost-<table>: accuracy against cost.
"""

import shutil
from collections.abc import Callable, Container, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from retable.figures.declared import COST_FIGURE, FIGURES, cost_figures
from retable.figures.figure import AnyFigure, Drawn
from retable.figures.measured import Key, Measured, is_timed, timed_alike
from retable.figures.networks import Networks
from retable.files import AGAIN, atomic_folder, read_json, write_csv, write_json
from retable.forms import ANY_TEXT, NAME, ListOf, Section, check
from retable.papers import papers
from retable.papers.paper import Paper
from retable.project.paths import RUNS, TAGGED
from retable.project.progress import progress
from retable.results.resolving import Resolver
from retable.results.tables import Statistics
from retable.runs.record import RunRecord, find_run
from retable.wording import listed

TOO_FEW = "No picture: too few cells are measured"
NOTED = "A cell without a run is not drawn, nor a panel with too few; the notes of its table say why."
ENTRIES = ListOf(  # entries of figures.json
    Section(
        {"name": NAME, "title": ANY_TEXT, "caption": ANY_TEXT, "note": ANY_TEXT, "files": ListOf(NAME)},
        {"runs": ListOf(ANY_TEXT)},
    )
)
NO_WEIGHTS = "the run's weights were not kept"
UNTIMED = "not timed: the machine had other work"  # the bank keeps the times of a quiet machine alone
OTHER_MACHINE = "timed on another machine, or with other threads"
OWN = (NO_WEIGHTS, UNTIMED, OTHER_MACHINE)  # reasons of cells that have runs, which the notes of tables do not have


def measured_of(source: Paper, resolver: Resolver, statistics: Statistics) -> tuple[Measured, dict[Key, str]]:
    """Return the data for a paper's figures, and why some of it is missing."""
    found: dict[Key, list[RunRecord]] = {}
    missing: dict[Key, str] = {}
    for table in source.results:
        filled = resolver.fill(table)
        own = [key for key in filled.runs if not table.column(key[1]).runs_of]
        found |= {(table.name, *key): filled.shown(key) for key in own}
        missing |= {(table.name, *key): reason for key, reason in filled.missing.items()}
    tables = {table.name: table for table in source.results}
    texts = {name: facts["splits"]["train"]["texts"] for name, facts in statistics.items()}
    return Measured(tables, found, texts), missing


def with_weights(measured: Measured, missing: dict[Key, str]) -> tuple[Measured, dict[Key, str]]:
    """Keep only the runs whose weights and test texts are available."""
    kept = {
        key: found for key, runs in measured.runs.items() if (found := [each for each in map(at_hand, runs) if each])
    }
    return replace(measured, runs=kept), missing | dict.fromkeys(measured.runs.keys() - kept.keys(), NO_WEIGHTS)


def at_hand(run: RunRecord) -> RunRecord | None:
    """Return a run with the folder of its weights; None if the weights were not kept or its test texts are missing."""
    folder = run.folder or find_run(RUNS, run.key)
    here = folder and (folder / "model").is_dir() and (TAGGED / run.metrics["corpus"] / "test.parquet").exists()
    return replace(run, folder=folder) if here else None


def reasons(figure: AnyFigure, measured: Measured, missing: Mapping[Key, str]) -> Iterator[str]:
    """Yield why cells of a figure are not drawn; an empty text for one in no plan."""
    for panel in figure.panels:
        table = measured.tables[panel.table]
        keys = {row: (table.name, row, panel.column) for row in figure.rows_of(table)}
        of_rows = {row: measured.runs[key] for row, key in keys.items() if key in measured.runs}
        alike = timed_alike(of_rows) if figure.asks == "times" else of_rows
        for row, key in keys.items():
            if row not in of_rows:
                yield table.column(panel.column).reason or table.row(row).reason or missing.get(key, "")
            elif row not in alike:
                yield OTHER_MACHINE if any(map(is_timed, of_rows[row])) else UNTIMED


def left_out(figure: AnyFigure, measured: Measured, missing: Mapping[Key, str], scale: str, *, is_drawn: bool) -> str:
    """Return why a figure is not drawn or, if it is, what its table's notes do not say; empty if it lacks nothing."""
    found = list(dict.fromkeys(reasons(figure, measured, missing)))
    if not is_drawn:
        why = "; ".join(reason or f"not in scale {scale}" for reason in found)
        return f"{TOO_FEW} ({why})." if why else f"{TOO_FEW}."
    own = [reason for reason in found if reason in OWN]
    noted = [NOTED] if any(reason and reason not in OWN for reason in found) else []
    return " ".join([*([f"Not drawn ({'; '.join(own)})."] if own else []), *noted])


def unverified(figure: AnyFigure, measured: Measured) -> str:
    """Return a sentence that names the rows with imported runs whose answers were not checked; empty if none."""
    names = [
        f"{measured.name(panel, row)} on {measured.title(panel)}"
        for panel, of_rows in figure.runs_of(measured)
        for row, runs in of_rows.items()
        if any(run.is_unverified for run in runs)
    ]
    return f"Unverified (imported, answers not compared with the test texts): {listed(names)}." if names else ""


def write_figure(
    figure: AnyFigure, measured: Measured, missing: dict[Key, str], scale: str, folder: Path, before: Path | None
) -> dict[str, Any]:
    """Write a figure's files, and return its entry of figures.json.

    Args:
        before: the folder of an earlier drawing. A figure of weights that are no longer available is copied
            from it, as long as its runs are current.
    """
    of_weights, keys = figure.asks == "weights", {run.key for runs in measured.runs.values() for run in runs}
    if of_weights:
        measured, missing = with_weights(measured, missing)
    found = figure.drawn(measured, Networks())
    if of_weights and before and not found and (standing := entry_before(figure, before, keys)):
        for name in standing["files"]:
            shutil.copyfile(before / name, folder / name)
        return standing
    told = left_out(figure, measured, missing, scale, is_drawn=found is not None)
    remarks = [*(figure.remarks(found.rows) if found else ()), told, unverified(figure, measured)]
    entry = {
        "name": figure.name,
        "title": figure.title,
        "caption": figure.caption,
        "drawn": found is not None,
        "files": write_files(folder, figure.name, found) if found else [],
        "note": " ".join(filter(None, remarks)),
    }
    if of_weights and found:
        shown = {run.key for _, of_rows in figure.runs_of(measured) for runs in of_rows.values() for run in runs}
        entry["runs"] = sorted(shown)
    return entry


def entry_before(figure: AnyFigure, before: Path, current: Container[str]) -> dict[str, Any] | None:
    """Return the entry of an earlier drawing whose runs are all current; None if there is none."""
    same = (entry for entry in read_entries(before) if entry["name"] == figure.name and entry.get("runs"))
    return next((entry for entry in same if all(key in current for key in entry["runs"])), None)


def read_entries(folder: Path) -> list[dict[str, Any]]:
    """Return the entries of figures.json; none without the file. Raises: InputError."""
    path = folder / "figures.json"
    if not path.exists():
        return []
    entries: list[dict[str, Any]] = read_json(path, list)
    check(entries, ENTRIES, str(path), AGAIN, "figures")
    return entries


def write_files(folder: Path, name: str, found: Drawn) -> list[str]:
    """Write the CSV and, if there is one, the picture; return the file names."""
    write_csv(folder / f"{name}.csv", found.rows, list(found.rows[0]))
    if found.picture is None:
        return [f"{name}.csv"]
    (folder / f"{name}.svg").write_bytes(found.picture())
    return [f"{name}.csv", f"{name}.svg"]


def write_figures(
    to: Path, resolver: Resolver, statistics: Statistics, finish: Callable[[Path], None] | None = None
) -> list[dict[str, Any]]:
    """Write every figure of every paper, and figures.json; return its entries.

    A figure of our own without runs has no entry. The folder is replaced as a whole.

    Args:
        finish: called with each picture before it gets its final name.
    """
    entries, scale, before = [], resolver.plan["scale"], to if to.exists() else None
    of_papers = [(source, [*FIGURES.get(source.name, ()), *cost_figures(source)]) for source in papers()]
    total = sum(len(figures) for _, figures in of_papers)
    with progress("figures", total, "figures") as bar, atomic_folder(to) as folder:
        for source, figures in of_papers:
            measured, missing = measured_of(source, resolver, statistics)
            for figure in figures:
                entry = write_figure(figure, measured, missing, scale, folder, before)
                entries += [entry] if entry["drawn"] or not entry["name"].startswith(COST_FIGURE) else []
                bar.advance()
        if finish:
            for picture in folder.glob("*.svg"):
                finish(picture)
        write_json(folder / "figures.json", entries)
    return entries
