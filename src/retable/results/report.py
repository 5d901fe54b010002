"""One page to look at, which needs nothing beside it."""

import csv
import html
import re
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from retable.experiments.cells import plan_of_checkout
from retable.figures.pictures import pictures_of_run
from retable.files import atomic_folder, read_json
from retable.papers import PAPERS, paper
from retable.papers.counts import CountTable
from retable.papers.paper import ResultTable, StatisticsTable
from retable.project.params import read_params
from retable.project.paths import FIGURES, FOCUS, REPORT, RUNS, TABLES
from retable.project.progress import progress
from retable.results import facts
from retable.results.figures import COST_CAPTION, cost_figure_name
from retable.results.resolving import Resolver
from retable.runs.record import RunRecord, read_runs
from retable.tables.costs import HEADER, NOTE, cost_table
from retable.tables.lines import Line, read_lines
from retable.tables.markdown import MARK, half_interval

VERDICTS = {
    "agrees": "the printed figure lies in our 95% prediction interval",
    "higher": "ours is higher",
    "lower": "ours is lower",
    "uninformative": "the interval is too wide to tell",
}
NAMES = {"fcsr": "FCSR", "cspan": "CSPAN", "lama": "LAMA", "transformer-f": "Transformer-F", "floors": "Floors"}
PICTURES = ("curve", "roc", "confusion")
RUNS_SHOWN = 3  # of a cell; the others differ by seed or fold and stand in MLflow
COSTS = {
    "parameters": ("trained parameters", "{:,.0f}"), "parameters_tuned_words": ("of them in word vectors", "{:,.0f}"),
    "flops_per_word": ("FLOPs a word, forward", "{:,.0f}"), "words_per_second": ("words a second, training", "{:,.0f}"),
    "seconds_per_epoch": ("seconds an epoch", "{:,.1f}"), "seconds": ("seconds in all", "{:,.1f}"),
    "peak_memory_mb": ("peak memory, MB", "{:,.0f}"), "device": ("device", "{}"), "threads": ("threads", "{}"),
}  # fmt: skip
Table = ResultTable | StatisticsTable | CountTable
Section = tuple[str, str, str]  # id, title, body; without a body it is left out


def all_tables() -> list[Table]:
    """Return every table that was built: first the scores, then counts, then the corpora."""
    papers = [paper(name) for name in PAPERS]
    tables: list[Table] = [table for source in papers for table in source.results]
    tables += [table for source in papers for table in source.counts]
    tables += [table for source in papers for table in source.statistics]
    built = [table for table in tables if (TABLES / f"{table.name}.csv").exists()]
    return [table for table in built if read_lines(TABLES / f"{table.name}.csv")]  # a figure's own may have no run


def page(sections: Sequence[Section]) -> str:
    """Return the whole page."""
    style = (Path(__file__).with_name("report.css")).read_text(encoding="utf-8")
    keys = " ".join(f"{verdict_key(name)}{meaning}. " for name, meaning in VERDICTS.items())
    body = "".join(
        f'<section id="{name}"><h2>{text(title)}</h2>{content}</section>' for name, title, content in sections
    )
    return (
        '<!doctype html>\n<html lang="en">\n<head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1"><title>retable</title>'
        f"<style>\n{style}</style></head>\n<body>\n<header><h1>Measured beside published</h1>"
        f'<p class="soft">Every table of the papers, rebuilt; scale <code>{text(read_params("scale"))}</code>.</p>'
        f"<nav>{navigation(sections)}</nav>"
        f"<p><small>{keys}No verdict on the paper where vectors or split are not its own (match: proxy). "
        "An empty cell says why when pointed at, and so do the notes.</small></p></header>\n"
        f"{body}\n</body>\n</html>\n"
    )


def navigation(sections: Sequence[Section]) -> str:
    """Links to all sections, a line a paper; what a link leads to is told when it is pointed at."""
    lines: dict[str, list[str]] = {}
    for name, title, _ in sections:
        source, kind, number = re.fullmatch(r"(?:(.+)-(table|figure)-(\d+(?:-cells)?))?.*", name).groups()  # type: ignore[union-attr]
        short = f"{kind} {number.replace('-', ', ')}" if source else title
        lines.setdefault(source or "", []).append(f'<a href="#{name}" title="{text(title)}">{text(short)}</a>')
    return "".join(
        f"<div>{f'<b>{text(NAMES.get(source, source))}</b> ' if source else ''}{''.join(links)}</div>"
        for source, links in lines.items()
    )


def table_section(table: Table, resolver: Resolver, on_cell: Callable[[int], None]) -> Section:
    """Return a table as the paper prints it, its notes, and every measured cell in detail."""
    lines = read_lines(TABLES / f"{table.name}.csv")
    rows, columns = printed_names(table, lines)
    cells = {(line.row, line.column): line for line in lines}
    runs = own_runs(table, resolver)
    detailed = {key for key, line in cells.items() if line.measured and key in runs}
    head = "".join(f"<th>{text(name)}</th>" for name in ("", *columns.values()))
    body = ""
    for row, name in rows.items():
        kind = "extra" if is_extra(table, row, lines) else ""
        row_id = "" if name == row else f"<small><code>{text(row)}</code></small>"
        figures = "".join(grid_cell(table.name, cells.get((row, column)), detailed) for column in columns)
        body += f'<tr class="{kind}"><th>{text(name)}{row_id}</th>{figures}</tr>'
    unit = "" if isinstance(table, StatisticsTable) else f"<p class=soft>{text(table.metric)}, {text(table.unit)}</p>"
    grid = f'<div class="wide"><table class="grid"><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>'
    details = "".join(
        cell_details(table.name, line, f"{rows[line.row]} on {columns[line.column]}", runs[key], on_cell)
        for line in lines if (key := (line.row, line.column)) in detailed
    )  # fmt: skip
    of_figure = "-cells" if "-figure-" in table.name else ""  # the figure itself has a section too
    return (
        table.name + of_figure,
        table.title,
        unit
        + grid
        + costs_of(table)
        + cost_figure(table)
        + notes(lines)
        + (f"<h3>Measured cells</h3>{details}" if details else ""),
    )


def own_runs(table: Table, resolver: Resolver) -> dict[tuple[str, str], list[RunRecord]]:
    """Return (row, column) -> the runs of the cells that a table runs itself."""
    if not isinstance(table, ResultTable):
        return {}
    filled, own = resolver.fill(table).runs, {(cell["row"], cell["column"]) for cell in resolver.cells(table)}
    return {key: [run for of_seed in seeds for run in of_seed] for key, seeds in filled.items() if key in own}


def costs_of(table: Table) -> str:
    """Return what the rows of a table of scores cost."""
    path = TABLES / f"{table.name}.cost.csv"
    if not isinstance(table, ResultTable) or not path.exists():
        return ""
    with path.open(newline="", encoding="utf-8") as file:
        spent = cost_table(list(csv.DictReader(file)), {row.id: row.printed for row in table.rows})
    rows = [dict(zip(("row", *HEADER[1:]), cells, strict=True)) for cells in spent]
    return (
        f"<details><summary><b>Cost</b></summary><p class=soft>{NOTE}</p>{plain_table(rows)}</details>" if rows else ""
    )


def cost_figure(table: Table) -> str:
    """Accuracy against cost, where the runs of a table sufficed for it."""
    svg = FIGURES / f"{cost_figure_name(table.name)}.svg"
    if not svg.exists():
        return ""
    return (
        "<details><summary><b>Accuracy against cost</b></summary>"
        f'<div class="pictures"><figure>{svg.read_text(encoding="utf-8")}</figure></div>'
        f"<p class=soft>{text(COST_CAPTION)}</p></details>"
    )


def printed_names(table: Table, lines: Sequence[Line]) -> tuple[dict[str, str], dict[str, str]]:
    """Id -> what the paper calls it, of the rows and of the columns that have a line."""
    if not isinstance(table, ResultTable):
        printed = table.printed if isinstance(table, CountTable) else {}
        return {line.row: printed.get(line.row, line.row) for line in lines}, {
            line.column: line.column for line in lines
        }
    rows, columns = {line.row for line in lines}, {line.column for line in lines}
    return ({row.id: row.printed for row in table.rows if row.id in rows},
            {column.id: column.printed for column in table.columns if column.id in columns})  # fmt: skip


def is_extra(table: Table, row: str, lines: Sequence[Line]) -> bool:
    """Return whether a row is ours and not the paper's: so declared, or, of corpora, without any printed figure."""
    if isinstance(table, ResultTable):
        return table.row(row).extra
    return not any(line.published for line in lines if line.row == row)


def grid_cell(table: str, line: Line | None, detailed: Container[tuple[str, str]]) -> str:
    """Measured, its interval, published, verdict; or why there is no measured figure.

    A cell whose run another table shows (or another column) has no details here, and no link.
    """
    if line is None:
        return "<td></td>"
    published = f"<small>published {text(line.published)}</small>" if line.published else ""
    if not line.measured:
        return f'<td class="not-run" title="{text(line.note)}">–{published}</td>'
    half = f" <span class=soft>± {half_interval(line)}</span>" if line.high else ""
    verdict = f'<span class="verdict">{MARK[line.verdict]} {text(line.delta)}</span>' if line.verdict else ""
    figure = f"<b>{text(line.measured)}</b>{half} {verdict}{published}"
    link = f'<a href="#{cell_id(table, line)}">{figure}</a>' if (line.row, line.column) in detailed else figure
    return f'<td class="{line.verdict or "measured"}" title="{text(line.note)}">{link}</td>'


def cell_id(table: str, line: Line) -> str:
    """Return the anchor of a cell's details."""
    return text(f"{table}.{line.row}.{line.column}")


def notes(lines: Iterable[Line]) -> str:
    """Return every note once, with the cells that have it."""
    where: dict[str, list[str]] = {}
    for line in lines:
        for note in line.note.split("; ") if line.note else []:
            where.setdefault(note, []).append(f"{line.row}.{line.column}")
    items = "".join(f"<li>{text(note)} <code>{text(', '.join(cells))}</code></li>" for note, cells in where.items())
    return f"<details><summary><b>Notes</b></summary><ul>{items}</ul></details>" if items else ""


def verdict_key(verdict: str) -> str:
    """Return a verdict as a coloured word; nothing where there is none."""
    return f'<span class="key {verdict}">{MARK[verdict]} {verdict}</span>' if verdict in VERDICTS else ""


def cell_details(table: str, line: Line, name: str, made: list[RunRecord], on_cell: Callable[[int], None]) -> str:
    """Return a measured cell: what it is compared with, and its runs with cost and pictures."""
    known = {
        f"measured, {line.unit}": line.measured,
        "95% prediction interval": f"{line.low} to {line.high}" if line.low else "", "on clean test texts": line.clean,
        "published": line.published, "difference": line.delta, "match": line.match,
    }  # fmt: skip
    runs = ""
    on_cell(1)
    for run in made[:RUNS_SHOWN]:
        seed = f"seed {run.seed}" + (f", fold {run.fold.number}" if run.fold else "")
        runs += f"<h3>{text(seed)}</h3>{run_body(run.predictions.parent)}"
    if made[RUNS_SHOWN:]:
        runs += f"<p class=soft>{len(made) - RUNS_SHOWN} more runs stand in MLflow.</p>"
    published = f", published {text(line.published)}" if line.published else ""
    return (
        f"<details><summary><b>{text(name)}</b>{text(line.measured)}{published} {verdict_key(line.verdict)}</summary>"
        f'<div id="{cell_id(table, line)}">{definitions(known)}<p>{text(line.note)}</p>{runs}</div></details>'
    )


def run_body(folder: Path) -> str:
    """Return a run's scores, cost and pictures."""
    metrics, cost = read_json(folder / "metrics.json"), read_json(folder / "cost.json")
    scores = {f"{name.replace('_', ' ')}, test": value for name, value in metrics["test"].items() if name != "texts"}
    chosen = {f"chosen: {name}": value for name, value in metrics["chosen"].items()}
    costs = {name: form.format(cost[key]) for key, (name, form) in COSTS.items() if cost.get(key) is not None}
    pictures = pictures_of_run(folder, "svg")
    drawn = "".join(f"<figure>{pictures[name].decode('utf-8')}</figure>" for name in PICTURES)
    return f'<div class="pictures">{drawn}</div>{definitions(scores | chosen)}{definitions(costs)}'


def figure_sections() -> list[Section]:
    """Return the papers' figures, redrawn; where one cannot be drawn, the sentence that says why.

    Accuracy against cost stands with its table.
    """
    path = FIGURES / "figures.json"
    entries = read_json(path) if path.exists() else []
    return [figure_section(entry) for entry in entries if not entry["name"].startswith(cost_figure_name(""))]


def figure_section(entry: Mapping[str, Any]) -> Section:
    """Return a figure with what its reader must know."""
    svg = next((name for name in entry["files"] if name.endswith(".svg")), None)
    picture = f"<figure>{(FIGURES / svg).read_text(encoding='utf-8')}</figure>" if svg else ""
    body = (
        f'<div class="pictures">{picture}</div><p>{text(entry["caption"])}</p><p class=soft>{text(entry["note"])}</p>'
    )
    return entry["name"], entry["title"], body


def focus_section() -> Section:
    """Return the run that params.yaml describes."""
    if not (FOCUS / "metrics.json").exists():
        return "focus", "The focus run", ""
    metrics = read_json(FOCUS / "metrics.json")
    options = ", ".join(f"{name} {value}" for name, value in metrics["parameters"]["model"].items() if name != "name")
    what = f"{metrics['model']} on {metrics['corpus']}"
    return "focus", "The focus run", f"<p><b>{text(what)}</b>, {text(options)}</p>{run_body(FOCUS)}"


def data_sections() -> list[Section]:
    """Return corpora, leaks, word vectors, parts of speech: what the scores stand on."""
    return [
        ("corpora", "Corpora", plain_table(facts.corpora())),
        (
            "leakage",
            "Texts that occur twice",
            plain_table(facts.leakage()) + folded("Between corpora", facts.overlaps()),
        ),
        (
            "vectors",
            "Word vectors",
            plain_table(facts.vectors()),
        ),
        (
            "parts",
            "Parts of speech",
            plain_table(facts.tagger())
            + folded("Comparison table against tagging in context, on dev texts", facts.comparison_table())
            + folded("Characters a second of processor time", facts.comparison_speeds()),
        ),
    ]


def folded(title: str, rows: facts.Rows) -> str:
    """Return a table that opens on a click; nothing where there are no rows."""
    return f"<details><summary><b>{text(title)}</b></summary>{plain_table(rows)}</details>" if rows else ""


def plain_table(rows: Sequence[Mapping[str, Any]]) -> str:
    """Return a table of facts, numbers to the right."""
    if not rows:
        return ""
    names = list(dict.fromkeys(name for row in rows for name in row))
    head = "".join(f"<th>{text(name)}</th>" for name in names)
    body = "".join("<tr>" + "".join(plain_cell(row.get(name)) for name in names) + "</tr>" for row in rows)
    return f'<div class="wide"><table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>'


def plain_cell(value: Any) -> str:
    """Return a cell of a table of facts."""
    if isinstance(value, int | float):
        return f"<td class=number>{value:,}</td>" if isinstance(value, int) else f"<td class=number>{value:,.1f}</td>"
    return f"<td>{text(value if value is not None else '')}</td>"


def definitions(values: Mapping[str, Any]) -> str:
    """Return names and values, as many beside each other as fit; empty ones are left out."""
    shown = {
        name: f"{value:.4g}" if isinstance(value, float) else str(value)
        for name, value in values.items()
        if value not in ("", None)
    }
    return (
        "<dl>"
        + "".join(f"<div><dt>{text(name)}</dt><dd>{text(value)}</dd></div>" for name, value in shown.items())
        + "</dl>"
    )


def text(value: Any) -> str:
    """Return a value as HTML text."""
    return html.escape(str(value))


def write_report() -> None:
    """Write results/report/index.html."""
    resolver = Resolver(plan_of_checkout(), read_runs(RUNS))
    cells = sum(len(own_runs(table, resolver)) for table in all_tables())
    with progress("report", cells, "cells") as bar, atomic_folder(REPORT) as folder:
        sections = [table_section(table, resolver, bar.advance) for table in all_tables()]
        sections += [*figure_sections(), focus_section(), *data_sections()]
        (folder / "index.html").write_text(page([section for section in sections if section[2]]), encoding="utf-8")
    print(f"report: {REPORT / 'index.html'}")
