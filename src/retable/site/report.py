"""One self-contained page: the site's tables, cells and figures from the runs of this checkout, and the facts on data.

In   results/{tables,figures,runs,focus}/; data/ as results/facts.py reads it
Out  results/report/index.html
"""

import re
from base64 import b64encode
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from retable.experiments.cells import plan_of_checkout
from retable.files import atomic_folder
from retable.papers import NAMES
from retable.papers.paper import ResultTable
from retable.project.params import read_params
from retable.project.paths import FIGURES, FOCUS, REPORT, RUNS, TABLES
from retable.project.progress import progress
from retable.results import facts
from retable.results.figures import read_entries
from retable.results.resolving import Resolver
from retable.results.tables import Statistics, all_tables
from retable.runs.record import RunRecord, read_run, read_runs
from retable.site.build import as_table
from retable.site.cells import cell, place_of, shown_cells, shown_runs
from retable.site.tables import grid, links_of, missing
from retable.site.templating import render
from retable.tables.costs import Costs, cost_of_run, read_cost_lines
from retable.tables.lines import read_lines
from retable.tables.markdown import Table

RUNS_SHOWN = 3  # with all their scores, per cell; the others differ by seed or fold and are in MLflow


def write_report() -> None:
    """Write results/report/index.html."""
    resolver = Resolver(plan_of_checkout(), read_runs(RUNS))
    statistics = {each["corpus"]: each for each in facts.statistics_in_scale()}
    built = [table for table in all_tables() if (TABLES / f"{table.name}.csv").exists()]
    with progress("report", len(shown_cells(resolver)), "cells") as bar, atomic_folder(REPORT) as folder:
        tables = [
            table_values(table, resolver, statistics, bar.advance)
            for table in built
            if read_lines(TABLES / f"{table.name}.csv")  # a figure's table may have no run
        ]
        values = {"root": "#", "scale": read_params("scale"), "tables": tables}
        values |= {"figures": list(figures()), "focus": list(focus()), "facts": list(facts_on_data())}
        text = render("report.html", "index.html", values | {"navigation": navigation(values)})
        (folder / "index.html").write_text(text, encoding="utf-8")
    print(f"report: {REPORT / 'index.html'}")


def navigation(values: Mapping[str, Any]) -> dict[str, list[tuple[str, str, str]]]:
    """Return paper -> id, title and short name of its sections; sections of no paper are under an empty name."""
    sections = [(each["table"].name, each["table"].title) for each in values["tables"]]
    sections += [(f"{each['name']}-picture", each["title"]) for each in values["figures"]]
    sections += [("focus", "The focus run") for _ in values["focus"]] + [each[:2] for each in values["facts"]]
    links: dict[str, list[tuple[str, str, str]]] = {}
    for id_, title in sections:
        found = re.fullmatch(r"(?!cost-)(.+)-(table|figure)-(\d+)(-picture)?", id_)
        if found:
            of_figure = ", cells" if found[2] == "figure" and not found[4] else ""  # the figure has a section too
            links.setdefault(NAMES[found[1]], []).append((id_, title, f"{found[2]} {found[3]}{of_figure}"))
        elif not id_.startswith("cost-"):
            links.setdefault("", []).append((id_, title, title))
    return links


def table_values(
    table: Table, resolver: Resolver, statistics: Statistics, on_cell: Callable[[int], None]
) -> dict[str, Any]:
    """Return a table as the site shows it, with what is not measured and the cells whose runs it is the first to show.

    Args:
        on_cell: called with 1 after each of these cells.
    """
    lines = read_lines(TABLES / f"{table.name}.csv")
    of_cell = {(line.row, line.column): line for line in lines if line.measured}
    details = []
    for of, runs in shown_cells(resolver).values():
        if of[0] == table.name:
            found = cell(of, runs, read_params("scale"))
            details.append((place_of(runs, resolver), found, of_cell.get(of[1:]), list(first(runs))))
            on_cell(1)
    left = missing(table, lines)
    more = {"missing": left, "left_out": sum(len(cells) for _, _, cells in left), "details": details}
    return grid(table, lines, costs_of(table), links_of(table, resolver), statistics) | more


def costs_of(table: Table) -> Costs:
    """Return the costs of the runs of a table of scores."""
    path = TABLES / f"{table.name}.cost.csv"
    return read_cost_lines(path) if isinstance(table, ResultTable) and path.exists() else []


def first(runs: Sequence[RunRecord]) -> Iterator[tuple[str, dict[str, str]]]:
    """Yield seed and fold, and all scores and costs, of the first runs."""
    for run in runs[:RUNS_SHOWN]:
        name = f"seed {run.seed}" + (f", fold {run.fold.number}" if run.fold else "")
        scores = {
            f"{score.replace('_', ' ')}, test": f"{value:.4g}" if isinstance(value, float) else f"{value:,}"
            for score, value in run.metrics["test"].items()
            if score != "texts" and value is not None  # a ranking measure of test texts of one class
        }
        yield name, scores | cost_of_run(run.cost)


def embedded(svg: bytes) -> str:
    """Return a picture as an address that holds it."""
    return f"data:image/svg+xml;base64,{b64encode(svg).decode('ascii')}"


def figures() -> Iterator[dict[str, Any]]:
    """Yield every figure with its picture inside, or its lines, or the reason why it cannot be drawn."""
    for entry in read_entries(FIGURES):
        svg = FIGURES / f"{entry['name']}.svg"
        yield as_table(entry, FIGURES) | ({"source": embedded(svg.read_bytes())} if svg.exists() else {})


def focus() -> Iterator[tuple[str, str, dict[str, Any], Any]]:
    """Yield the run that params.yaml describes: its name, its options, what a cell shows; nothing if untrained."""
    if (FOCUS / "metrics.json").exists():
        run = read_run(FOCUS)
        model = run.metrics["parameters"]["model"]
        options = ", ".join(f"{name} {value}" for name, value in model.items() if name != "name")
        name = f"{run.metrics['model']} on {run.metrics['corpus']}"
        yield name, options, shown_runs([run], ["dvc repro evaluate"]), list(first([run]))


def facts_on_data() -> Iterator[tuple[str, str, list[tuple[str, list[str], list[list[Any]]]]]]:
    """Yield what the scores depend on: id, title, and tables (title, header, rows); those with a title are folded."""
    tables = {
        ("corpora", "Corpora"): {"": facts.corpora()},
        ("leakage", "Duplicate texts"): {"": facts.leakage(), "Between corpora": facts.overlaps()},
        ("vectors", "Word vectors"): {"": facts.vectors()},
        ("parts", "Parts of speech"): {
            "": facts.tagger(),
            "Table lookup compared with tagging in context, on dev texts": facts.comparison_table(),
        },
    }
    for (name, title), of_section in tables.items():
        found = [
            (folded, names := facts.names_of(rows), [[row.get(name) for name in names] for row in rows])
            for folded, rows in of_section.items()
            if rows
        ]
        if found:
            yield name, title, found
