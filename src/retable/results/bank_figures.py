"""The figures that the bank alone can give: no run's folder is read, and nothing is trained.

In   docs/results/, data/clean/*/stats.json (times of a batch are of so many training texts)
Out  docs/figures/<figure>.{svg,png,csv}

`retable bank` calls `draw_all` with the entries that are current. Figures of attention weights need the networks: those
that bank_attention.py could draw.
"""

import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from retable.figures.banked import BankedRun, banked_runs
from retable.figures.draw import KEPT_WEIGHTS, Drawn, drawn
from retable.figures.measure import Key, Measured, Run, shows_times
from retable.figures.style import INK
from retable.files import atomic_file
from retable.models import LINEAR_MODELS
from retable.papers import PAPERS, paper, paper_of_table
from retable.papers.figures import CostFigure, Figure, SizeFigure
from retable.papers.paper import Paper, ResultTable
from retable.project.params import read_params
from retable.project.paths import BANK, CLEAN, ROOT, RUNS
from retable.results.bank_attention import Banked, attention_figures
from retable.results.figures import KeptNetworks, cost_figure_name, drawn_figures, training_texts, write_rows
from retable.results.tables import row_options, seed_spreads
from retable.runs.bank import Entry, read_bank

OUT = ROOT / "docs/figures"
FORMS = (".svg", ".png", ".csv")
ShownIn = Callable[[str], Mapping[tuple[str, str], Sequence[Entry]]]  # table -> (row, column) -> its current entries
Predictions = Callable[[Entry], Path]
PAPER_WHITE = f'<svg style="background:#fff;color:{INK};font-family:sans-serif" '


def write_bank_figures(
    shown_in: ShownIn,
    predictions: Predictions,
    out: Path = OUT,
    clean: Path = CLEAN,
    *,
    more: Mapping[str, Drawn] | None = None,
    standing: Sequence[str] = (),
) -> list[str]:
    """Draw every figure that current entries suffice for, and take away those for which they no longer do.

    Args:
        shown_in: table -> its current runs in the bank, as `retable.results.claims` takes them.
        predictions: the file of a run's predictions.
        more: figures that the bank alone cannot give, by their names.
        standing: those of them that stand as they were drawn before.
    Returns: the names of the figures.
    """
    found = {figure.name: each for figure, each in bank_figures(shown_in, predictions, clean)} | dict(more or {})
    for name, each in found.items():
        write_drawn(out, name, each)
    names = [*found, *standing]
    for path in out.glob("*.*"):
        if path.stem not in names and path.suffix in FORMS:
            path.unlink()
    return names


def write_drawn(out: Path, name: str, found: Drawn) -> None:
    """A figure's data and, if it has one, its picture in both forms."""
    write_rows(out / f"{name}.csv", found.rows)
    if found.picture:
        with atomic_file(out / f"{name}.svg") as part:
            part.write_text(on_white(found.picture("svg").decode("utf-8")), encoding="utf-8")
        with atomic_file(out / f"{name}.png") as part:
            part.write_bytes(found.picture("png"))


def bank_figures(shown_in: ShownIn, predictions: Predictions, clean: Path) -> Iterator[tuple[Figure, Drawn]]:
    """The figures that can be drawn."""
    texts = training_texts(clean)
    for name, figures in drawn_figures():
        measured = measured_in_bank(paper(name), shown_in, predictions, texts)
        for figure in figures:
            if isinstance(figure, KEPT_WEIGHTS):
                continue
            shown = with_costs(measured) if is_of_costs(figure) else measured
            if found := drawn(figure, shown, KeptNetworks()):
                yield figure, found


def measured_in_bank(source: Paper, shown_in: ShownIn, predictions: Predictions, texts: Mapping[str, int]) -> Measured:
    """All that a paper's figures are drawn from."""
    found: dict[Key, list[Run]] = {}
    for table in source.results:
        for (row, column), entries in shown_in(table.name).items():
            shown = table.column(column)
            if entries and not shown.runs_of:
                rounds = partial(rounds_of, table, row)
                found[table.name, row, column] = list(banked_runs(entries, predictions, rounds, shown.domain))
    return Measured({table.name: table for table in source.results}, found, texts, seed_spreads())


def is_of_costs(figure: Figure) -> bool:
    """Whether a figure shows times, sizes or FLOPs."""
    return isinstance(figure, CostFigure | SizeFigure) or shows_times(figure)


def with_costs(measured: Measured) -> Measured:
    """Only the cells whose lines have their costs."""
    runs = {
        key: runs
        for key, runs in measured.runs.items()
        if all(isinstance(run, BankedRun) and run.has_costs for run in runs)
    }
    return replace(measured, runs=runs)


def rounds_of(table: ResultTable, row: str, entry: Entry) -> int:
    """How often a run went through its training texts: epochs, or candidates of a linear model."""
    asked = table.row(row)
    if asked.model in LINEAR_MODELS:
        model = row_options(asked)["model"]
        return math.prod(len(model[name]) for name in ("features", "costs"))
    return int(entry.epochs)


def picture_of(table: str, out: Path = OUT) -> str:
    """The Markdown of a table's figure of costs for docs/results.md; empty where it could not be drawn."""
    name = cost_figure_name(table)
    return f"\n![Accuracy against cost](figures/{name}.svg)\n" if (out / f"{name}.svg").exists() else ""


def on_white(svg: str) -> str:
    """A picture that stands alone and not in a page: on white, in ink."""
    return re.sub(r"<svg ", PAPER_WHITE, svg, count=1)


def views_of(banked: Banked) -> tuple[ShownIn, Predictions]:
    """What figures and claims ask of the bank.

    Args:
        banked: paper, table -> its current entries.
    """
    from retable.results.bank import (  # not at the top: the bank draws its figures by this
        prediction_file,
        shown_from_bank,
    )

    home = {id(entry): paper(name).result_table(table) for (name, table), runs in banked.items() for entry in runs}

    def shown_in(table: str) -> Mapping[tuple[str, str], Sequence[Entry]]:
        source = paper_of_table(table)
        return shown_from_bank(source.result_table(table), source, banked)

    def predictions(entry: Entry) -> Path:
        table = home[id(entry)]
        column = table.column(entry.column)
        return prediction_file(table, replace(entry, column=column.runs_of or column.id))

    return shown_in, predictions


def draw_all(banked: Banked) -> list[str]:
    """The figures of the bank and of the networks at hand; their names."""
    more, standing = attention_figures(banked, RUNS, OUT)
    return write_bank_figures(*views_of(banked), more=more, standing=standing)


def current_entries() -> dict[tuple[str, str], list[Entry]]:
    """Paper, table -> its entries that a run of today would have; the others are never drawn."""
    from retable.results.bank import is_current

    protocols = read_params("papers")
    return {
        (source.name, table.name): [
            entry
            for entry in read_bank(BANK / f"{table.name}.csv")
            if is_current(source, table, entry, protocols[source.name])
        ]
        for source in map(paper, PAPERS)
        for table in source.results
    }
