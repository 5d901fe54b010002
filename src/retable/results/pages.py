"""The pages that the bank alone gives: no run's folder is read, no data are needed, and nothing is trained.

In   docs/results/ (the bank), data/digests.json, data/published/
Out  docs/results.md, docs/claims.md, docs/bench.md, docs/findings/, docs/figures/, two blocks of README.md
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from itertools import groupby
from pathlib import Path
from typing import Any

from retable.figures.declared import COST_FIGURE
from retable.figures.figure import Lines
from retable.figures.forest import Difference, forest_picture
from retable.figures.style import INK
from retable.files import atomic_file, atomic_folder, read_csv, write_csv
from retable.papers import papers, result_table
from retable.papers.claims import claims
from retable.papers.paper import ResultTable
from retable.results.bench import bench_markdown
from retable.results.claims import Line, claims_markdown
from retable.results.figures import write_figures
from retable.results.findings import Finding, Measured, findings, index
from retable.results.generated import renew
from retable.results.headline import front_table, headline, linear_lead, printed_differences
from retable.results.resolving import Resolver
from retable.results.tables import Statistics, tables_without_runs
from retable.results.whole import read_whole
from retable.runs.bank import repeats
from retable.runs.record import RunRecord
from retable.tables.markdown import result_markdown

BENCH_TABLE = "bench-table-1"
FOREST = "claims"  # the picture of printed and measured differences
FRONT_TABLE = "fcsr-table-3"  # the one that README.md shows
CHANGED = (  # as `retable.runs.provenance.git_commit` says it
    "A + behind a commit: tracked files of src/ had changes that were not committed when the "
    "run was written. It decides nothing: a run is shown if the recipe of the code that made it, committed or not, is "
    "today's (docs/recipes.md)."
)
HEADING = (
    "# Measured results\n\nWritten by `retable results` from docs/results/, where each run is a line with its hashes, "
    "recipe, commit, machine, date and scale. `make params SCALE=...` with that scale, then `retable run TABLE ROW "
    f"COLUMN`, trains it again.\n\n{CHANGED}\n"
)
FIGURES_HEADING = (
    "## Figures\n\nDrawn by `retable results` from the same runs; a curve or a point is one run unless its data say "
    "more.\n"
)
PAPER_WHITE = f'<svg style="background:#fff;color:{INK};font-family:sans-serif" '


def write_pages(root: Path, bank: Path) -> int:
    """Write every page from the bank, and return how many runs they show.

    Args:
        root: of the checkout, below which docs/ and README.md are.
        bank: docs/results/.
    Raises: InputError.
    """
    whole, docs = read_whole(bank), root / "docs"
    resolver, statistics, tables, lines = whole.resolver, whole.statistics, whole.tables, whole.lines
    entries = write_figures(docs / "figures", resolver, statistics)
    for path in (docs / "figures").glob("*.svg"):
        put_on_white(path)
    sections = [table_section(measured, resolver, docs) for measured in tables.values()]
    parts = [HEADING, *sections, *statistics_sections(statistics), figures_markdown(entries, docs / "figures")]
    with atomic_file(docs / "results.md") as part:
        part.write_text("\n".join(parts), encoding="utf-8")
    renew(docs / "claims.md", "claims", claims_markdown(lines))
    write_forest(docs / "figures", lines)
    if resolver.fill(result_table(BENCH_TABLE)).runs:
        picture = "figures/bench-figure-1.svg"
        found = bench_markdown(resolver, whole.judge, picture if (docs / picture).exists() else "")
        renew(docs / "bench.md", "bench", found)
    write_findings(docs / "findings", findings(lines, tables))
    claimed = {claim.table for claim in claims()}
    lead = linear_lead((found.table, found.scores) for name, found in tables.items() if name in claimed)
    renew(root / "README.md", "headline", f"{headline(lines)}\n\n{lead}")
    renew(root / "README.md", "results", front_table(tables[FRONT_TABLE].table, tables[FRONT_TABLE].scores))
    return len(resolver.current())


def table_section(measured: Measured, resolver: Resolver, docs: Path) -> str:
    """Return a table as a section: lines, costs, picture, and where its runs were made."""
    table, lines, costs = measured
    picture = f"figures/{COST_FIGURE}{table.name}.svg"
    shown = f"\n![Accuracy against cost]({picture})\n" if (docs / picture).exists() else ""
    own = [run for run in resolver.by_key.values() if run.place[0] == table.name]
    made = f"### Made on\n\n{origin_of(own)}\n"
    return f"{below_a_title(result_markdown(table, lines, costs))}{shown}\n{made}{repeated(resolver, table)}"


def write_findings(folder: Path, found: Sequence[Finding]) -> None:
    """Write a page for each finding, and one that lists them; pages of earlier ones go."""
    with atomic_folder(folder) as part:
        (part / "README.md").write_text(index(found), encoding="utf-8")
        for each in found:
            (part / f"{each.name}.md").write_text(each.page, encoding="utf-8")


def statistics_sections(statistics: Statistics) -> list[str]:
    """Return the tables that need no run."""
    found = [markdown for source in papers() for _, markdown in tables_without_runs(source, statistics).values()]
    return [below_a_title(markdown) for markdown in found]


def figures_markdown(entries: Sequence[Mapping[str, Any]], folder: Path) -> str:
    """Return every figure of the papers that is drawn, with what its reader must know; lists of words as they are.

    Args:
        entries: of figures.json.
        folder: docs/figures, where the lists of words are read.
    """
    of_papers = (entry for entry in entries if not entry["name"].startswith(COST_FIGURE))
    shown = [figure_markdown(entry, folder) for entry in of_papers if entry["drawn"]]
    return "\n".join([FIGURES_HEADING, *shown]) if shown else ""


def figure_markdown(entry: Mapping[str, Any], folder: Path) -> str:
    """Return one figure; without a picture its list of words."""
    name, title = entry["name"], entry["title"]
    data = f"[data](figures/{name}.csv)"
    if f"{name}.svg" in entry["files"]:
        body, data = f"![{title}](figures/{name}.svg)", f"[PNG](figures/{name}.png), {data}"
    else:
        body = words_markdown(read_csv(folder / f"{name}.csv"))
    below = f"{entry['note']}\n\n" if entry["note"] else ""
    return f"### {title}\n\n{entry['caption']}\n\n{body}\n\n{below}{data}\n"


def words_markdown(lines: Lines) -> str:
    """Return the words of each class in a line."""
    return "\n".join(
        f"- {column}, {label}: {', '.join(line['word'] for line in words)}"
        for (column, label), words in groupby(lines, key=lambda line: (line["column"], line["class"]))
    )


def write_forest(folder: Path, lines: Sequence[Line]) -> None:
    """Write the picture of printed and measured differences, and its data; nothing where none can be shown."""
    if differences := printed_differences(lines):
        write_csv(folder / f"{FOREST}.csv", [told(each) for each in differences], list(told(differences[0])))
        with atomic_file(folder / f"{FOREST}.svg") as part:
            part.write_bytes(forest_picture(differences, "svg"))
        put_on_white(folder / f"{FOREST}.svg")


def told(difference: Difference) -> dict[str, str]:
    """Return a comparison as a line of a CSV, in points."""
    return {name: value if isinstance(value, str) else f"{value:.2f}" for name, value in asdict(difference).items()}


def origin_of(runs: Iterable[RunRecord]) -> str:
    """Return where runs were made, a line each."""
    made = {
        (*run.machine, run.metrics["date"], short(run.metrics["git_commit"]), run.metrics["versions"].get("torch", ""))
        for run in runs
    }
    return "\n".join(
        f"- {device}, {threads} threads, {date}, commit {commit}" + (f", torch {torch}" if torch else "")
        for device, threads, date, commit, torch in sorted(made)
    )


def repeated(resolver: Resolver, table: ResultTable) -> str:
    """Return the runs of a table that were trained more than once, with both accuracies; empty if none was."""
    pairs = repeats(run for runs in resolver.placed.values() for run in runs if run.place[0] == table.name)
    told = "\n".join(
        f"- {first.name}: {first.accuracy:.2f} is shown, {other.accuracy:.2f} on {other.machine[0]}, "
        f"{other.metrics['date']}, by {other.who}"
        for first, other in pairs
    )
    return f"\n### Trained again\n\n{told}\n" if told else ""


def short(commit: str) -> str:
    """Return the first digits of a commit, and the mark of a checkout that had been changed."""
    return commit[:10] + ("+" if commit.endswith("+") else "")


def below_a_title(markdown: str) -> str:
    """Return a table's page as a section of another page."""
    return re.sub("^#", "##", markdown, flags=re.MULTILINE)


def put_on_white(path: Path) -> None:
    """Give a picture that stands alone, and not in a page, a white ground and ink."""
    picture = path.read_text(encoding="utf-8")
    if PAPER_WHITE not in picture:
        with atomic_file(path) as part:
            part.write_text(picture.replace("<svg ", PAPER_WHITE, 1), encoding="utf-8")
