"""One self-contained page, rendered with the template report.html.

A section has `id`, `title`, and a body under the name of its kind: `table`, `figure`, `focus` or `facts`.
"""

import re
from collections.abc import Callable, Sequence
from html import escape
from itertools import count
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from retable.experiments.cells import plan_of_checkout
from retable.figures.declared import COST_CAPTION, COST_FIGURE
from retable.figures.pictures import pictures_of_run
from retable.files import atomic_folder
from retable.papers import NAMES
from retable.papers.paper import ResultTable, StatisticsTable
from retable.project.params import read_params
from retable.project.paths import FIGURES, FOCUS, REPORT, RUNS, TABLES
from retable.project.progress import progress
from retable.results import facts
from retable.results.figures import read_entries
from retable.results.resolving import Resolver
from retable.results.tables import all_tables
from retable.runs.form import read_cost, read_metrics
from retable.runs.record import RunRecord, read_runs
from retable.tables.costs import HEADER, NOTE, cost_of_run, cost_table, read_cost_lines
from retable.tables.lines import UNVERIFIED, Line, read_lines
from retable.tables.markdown import MARK, Table, half_interval, notes, printed_names

VERDICTS = {
    "agrees": "the printed number is in our 95% prediction interval",
    "higher": "ours is higher",
    "lower": "ours is lower",
    "uninformative": "the interval is too wide to tell",
    "cut": "no verdict: the limit of the scale or row ended training",
    "one-run": "no verdict: one run gives no spread",
    UNVERIFIED: "no verdict: imported, answers not compared with the test texts",
}
PICTURES = {"curve": "dev curve", "roc": "ROC curve", "confusion": "confusion matrix"}
RUNS_SHOWN = 3  # per cell; the others differ by seed or fold and are in MLflow
Section = dict[str, Any]
Key = tuple[str, str]  # row, column


def titled(svg: str, title: str) -> str:
    """Give a picture a title, for screen readers and as a tooltip."""
    return re.sub(r"<svg([^>]*)>", lambda tag: f'<svg role="img"{tag[1]}><title>{escape(title)}</title>', svg, count=1)


def with_own_names(html: str) -> str:
    """Make the ids of each picture in a page unique, even if the same picture appears twice."""
    number = count(1)

    def renamed(picture: re.Match[str]) -> str:
        return re.sub(r'(id="|#)(p[0-9a-f]{8}-)', rf"\g<1>s{next(number)}\2", picture[0])

    return re.sub(r"<svg.*?</svg>", renamed, html, flags=re.DOTALL)


def built_tables() -> list[Table]:
    """Return every table that was built."""
    built = [table for table in all_tables() if (TABLES / f"{table.name}.csv").exists()]
    return [table for table in built if read_lines(TABLES / f"{table.name}.csv")]  # a figure's table may have no run


def page(sections: Sequence[Section]) -> str:
    """Return the whole page."""
    environment = Environment(
        loader=FileSystemLoader(Path(__file__).parent),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {"half_interval": half_interval, "names": facts.names_of, "titled": titled}
    html = environment.get_template("report.html").render(
        scale=read_params("scale"),
        sections=sections,
        navigation=navigation(sections),
        verdicts=VERDICTS,
        mark=MARK,
        cost_note=NOTE,
        cost_caption=COST_CAPTION,
    )
    return with_own_names(html)


def navigation(sections: Sequence[Section]) -> dict[str, list[tuple[str, str, str]]]:
    """Return paper -> id, title and short name of its sections; sections of no paper are under an empty name."""
    links: dict[str, list[tuple[str, str, str]]] = {}
    for section in sections:
        found = re.fullmatch(r"(.+)-(table|figure)-(\d+)(-cells)?.*", section["id"])
        source, short = ("", section["title"]) if found is None else (found[1], f"{found[2]} {found[3]}")
        short += ", cells" if found and found[4] else ""
        links.setdefault(NAMES.get(source, source), []).append((section["id"], section["title"], short))
    return links


def table_section(table: Table, resolver: Resolver, on_cell: Callable[[int], None]) -> Section:
    """Return a table as the paper prints it, measured columns first, with notes and details of measured cells."""
    lines = read_lines(TABLES / f"{table.name}.csv")
    rows, columns = printed_names(table, lines)
    measured = {line.column for line in lines if line.measured}
    columns = dict(sorted(columns.items(), key=lambda pair: pair[0] not in measured))  # measured columns first
    runs = own_runs(table, resolver)
    cells: dict[Key, Line | None] = {(row, column): None for row in rows for column in columns}
    svg = FIGURES / f"{COST_FIGURE}{table.name}.svg"
    body = {
        "name": table.name,
        "unit": "" if isinstance(table, StatisticsTable) else f"{table.metric}, {table.unit}",
        "rows": rows,
        "columns": columns,
        "extra": {row for row in rows if is_extra(table, row, lines)},
        "lines": cells | {(line.row, line.column): line for line in lines},
        "costs": costs_of(table),
        "picture": svg.read_text(encoding="utf-8") if svg.exists() else "",
        "notes": notes(lines),
        "details": {
            key: cell_details(line, runs[key], on_cell)
            for line in lines
            if line.measured and (key := (line.row, line.column)) in runs
        },
    }
    of_figure = "-cells" if "-figure-" in table.name else ""  # the figure itself has a section too
    return {"id": table.name + of_figure, "title": table.title, "table": body}


def own_runs(table: Table, resolver: Resolver) -> dict[Key, list[RunRecord]]:
    """Return (row, column) -> runs, for the cells that the table runs itself."""
    if not isinstance(table, ResultTable):
        return {}
    filled, own = resolver.fill(table).runs, {(cell["row"], cell["column"]) for cell in resolver.cells(table)}
    return {key: [run for of_seed in seeds for run in of_seed] for key, seeds in filled.items() if key in own}


def costs_of(table: Table) -> facts.Rows:
    """Return the costs of the rows of a table of scores."""
    path = TABLES / f"{table.name}.cost.csv"
    if not isinstance(table, ResultTable) or not path.exists():
        return []
    spent = cost_table(read_cost_lines(path), {row.id: row.printed for row in table.rows})
    return [dict(zip(("row", *HEADER[1:]), cells, strict=True)) for cells in spent]


def is_extra(table: Table, row: str, lines: Sequence[Line]) -> bool:
    """Return whether a row is ours: declared as extra or, in a table of corpora, without a printed figure."""
    if isinstance(table, ResultTable):
        return table.row(row).extra
    return not any(line.published for line in lines if line.row == row)


def cell_details(line: Line, made: Sequence[RunRecord], on_cell: Callable[[int], None]) -> dict[str, Any]:
    """Return a measured cell: its reference, and its runs with cost and pictures."""
    on_cell(1)
    known = {
        f"measured, {line.unit}": line.measured,
        "95% prediction interval": f"{line.low} to {line.high}" if line.low else "", "on clean test texts": line.clean,
        "published": line.published, "difference": line.delta, "match": line.match,
    }  # fmt: skip
    runs = {
        f"seed {run.seed}" + (f", fold {run.fold.number}" if run.fold else ""): run_body(run.predictions.parent)
        for run in made[:RUNS_SHOWN]
    }
    return {"known": known, "runs": runs, "more": len(made[RUNS_SHOWN:])}


def run_body(folder: Path) -> dict[str, Any]:
    """Return a run's scores, cost and pictures."""
    metrics, cost = read_metrics(folder), read_cost(folder)
    scores = {f"{name.replace('_', ' ')}, test": value for name, value in metrics["test"].items() if name != "texts"}
    pictures = pictures_of_run(folder, "svg")
    return {
        "scores": scores | {f"chosen: {name}": value for name, value in metrics["chosen"].items()},
        "costs": cost_of_run(cost),
        "pictures": {what: pictures[name].decode("utf-8") for name, what in PICTURES.items()},
    }


def figure_sections() -> list[Section]:
    """Return the papers' figures with their remarks, or the reason why one cannot be drawn.

    Accuracy against cost is shown with its table.
    """
    sections = []
    for entry in read_entries(FIGURES):
        if not entry["name"].startswith(COST_FIGURE):
            drawn = [(FIGURES / name).read_text(encoding="utf-8") for name in entry["files"] if name.endswith(".svg")]
            body = {"pictures": drawn, "caption": entry["caption"], "note": entry["note"]}
            sections.append({"id": entry["name"], "title": entry["title"], "figure": body})
    return sections


def focus_section() -> list[Section]:
    """Return the run that params.yaml describes; nothing if it was not trained."""
    if not (FOCUS / "metrics.json").exists():
        return []
    metrics = read_metrics(FOCUS)
    options = ", ".join(f"{name} {value}" for name, value in metrics["parameters"]["model"].items() if name != "name")
    body = {"what": f"{metrics['model']} on {metrics['corpus']}", "options": options, "run": run_body(FOCUS)}
    return [{"id": "focus", "title": "The focus run", "focus": body}]


def data_sections() -> list[Section]:
    """Return corpora, leaks, vectors and parts of speech, which the scores depend on; titled tables are collapsible."""
    tables = {
        ("corpora", "Corpora"): {"": facts.corpora()},
        ("leakage", "Duplicate texts"): {"": facts.leakage(), "Between corpora": facts.overlaps()},
        ("vectors", "Word vectors"): {"": facts.vectors()},
        ("parts", "Parts of speech"): {
            "": facts.tagger(),
            "Table lookup compared with tagging in context, on dev texts": facts.comparison_table(),
            "Characters per second of processor time": facts.comparison_speeds(),
        },
    }
    return [
        {"id": name, "title": title, "facts": {folded: rows for folded, rows in of_section.items() if rows}}
        for (name, title), of_section in tables.items()
        if any(of_section.values())
    ]


def write_report() -> None:
    """Write results/report/index.html."""
    resolver, tables = Resolver(plan_of_checkout(), read_runs(RUNS)), built_tables()
    cells = sum(len(own_runs(table, resolver)) for table in tables)
    with progress("report", cells, "cells") as bar, atomic_folder(REPORT) as folder:
        sections = [table_section(table, resolver, bar.advance) for table in tables]
        sections += [*figure_sections(), *focus_section(), *data_sections()]
        (folder / "index.html").write_text(page(sections), encoding="utf-8")
    print(f"report: {REPORT / 'index.html'}")
