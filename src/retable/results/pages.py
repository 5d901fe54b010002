"""The pages generated from the bank alone: no run folder is read, no data are needed, and nothing is trained.

In   docs/results/ (the bank), data/digests.json, data/published/
Out  docs/results.md, docs/tables/ (one page per paper), docs/claims.md, docs/bench.md, docs/findings/,
     docs/figures/, four blocks of README.md, what is declared in docs/{corpora,models,timing}.md
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from itertools import groupby
from pathlib import Path
from typing import Any

from retable.experiments.estimate import speeds_of
from retable.figures.declared import COST_FIGURE
from retable.figures.figure import Lines
from retable.figures.forest import Difference, forest_picture
from retable.figures.style import INK
from retable.files import atomic_file, atomic_folder, read_csv, write_csv, write_text
from retable.papers import NAMES, paper_of_table, papers
from retable.papers.bench import TABLE_2 as ABLATION
from retable.papers.claims import claims
from retable.papers.floors import TABLE_1 as OF_FLOORS
from retable.papers.paper import Paper, ResultTable
from retable.project.progress import progress
from retable.results import declared
from retable.results.ablation import ablation
from retable.results.bench import bench_markdown, read_bench
from retable.results.chances import CHANCES, equal_chances
from retable.results.claims import claims_markdown
from retable.results.cost_claims import cost_claims, cost_claims_markdown
from retable.results.figures import write_figures
from retable.results.findings import COST, ON_A_GPU, Finding, MeasuredTable, findings, index
from retable.results.generated import renew
from retable.results.headline import (
    Point,
    caveats,
    front_table,
    headline,
    linear_lead,
    papers_table,
)
from retable.results.judging import Judged
from retable.results.outcomes import printed_differences
from retable.results.pretrained import SENTENCE_VECTORS, pretrained
from retable.results.resolving import Resolver
from retable.results.seconds import read_seconds
from retable.results.sources import sources_markdown
from retable.results.systems import systems_markdown
from retable.results.tables import Statistics, tables_without_runs
from retable.results.whole import read_whole
from retable.runs.bank import repeats
from retable.runs.record import UNVERIFIED, RunRecord
from retable.tables.costs import NOTE
from retable.tables.markdown import LEGEND, literal, result_markdown

FOREST = "claims"  # the picture of printed and measured differences
MORE = "[How to read them](../results.md#how-to-read-them), and all other papers."
IN_README = {  # what is added to findings, and their links
    CHANCES: ("", "Equal chances"),
    COST: (
        f"The claim is of training times on a GPU: {ON_A_GPU.format(page='docs/gpu.md')}",
        "Costs",
    ),
    SENTENCE_VECTORS: ("", "Column by column"),
}
NOT_JUDGED = "No comparison of the papers could be judged yet."
FRONT_TABLE = "fcsr-table-3"  # the table shown in README.md
CHANGED = (  # in the wording of `retable.runs.provenance.git_commit`
    "A + after a commit: tracked files of src/ had uncommitted changes when the run was written. It has no effect: a "
    "run is shown if the recipe of its code, committed or not, is the current one (docs/recipes.md)."
)
HEADING = (
    "# Measured results\n\nWritten by `retable results` from [the bank](results), where each run is a line with its "
    "hashes, recipe, commit, machine, date and scale. To repeat one: `make params SCALE=...` with that scale, then "
    "`retable run TABLE ROW COLUMN`. `make site` builds the same as pages that can be sorted and filtered.\n"
)
READING = f"## How to read them\n\n{LEGEND}\n\n**Costs**: {NOTE}\n\n**Made on**: {CHANGED}\n"
FIGURES_HEADING = (
    "## Figures\n\nDrawn by `retable results` from the same runs; each curve or point is one run unless its data "
    "list more.\n"
)
PAPER_WHITE = f'<svg style="background:#fff;color:{INK};font-family:sans-serif" '


def write_pages(root: Path, bank: Path) -> int:
    """Write every page from the bank, and return how many runs the pages show.

    Args:
        root: of the checkout, which contains docs/ and README.md.
        bank: docs/results/.
    Raises: InputError.
    """
    whole, docs = read_whole(bank), root / "docs"
    resolver, statistics, tables, lines = whole.resolver, whole.statistics, whole.tables, whole.lines
    entries = write_figures(docs / "figures", resolver, statistics, put_on_white)
    with progress("pages", 5, "groups of pages") as bar:
        write_tables(docs, tables, resolver, statistics, entries)
        bar.advance(note="docs/claims.md")
        renew(docs / "claims.md", "claims", claims_markdown(lines))
        renew(docs / "claims.md", "cost claims", cost_claims_markdown(cost_claims(resolver.fill)))
        write_forest(docs / "figures", lines)
        bar.advance(note="docs/bench.md")
        bench = read_bench(resolver, whole.judge)
        if bench.scores:
            picture = "figures/bench-figure-1.svg"
            drawn = picture if (docs / picture).exists() else ""
            renew(docs / "bench.md", "bench", bench_markdown(bench, drawn, read_seconds(bank)))
        bar.advance(note="docs/findings")
        of_ours = (
            equal_chances(bench),
            ablation(tables.get(ABLATION.name), resolver.fill(ABLATION), whole.judge),
            pretrained(tables.get(OF_FLOORS.name), resolver.fill(OF_FLOORS), whole.judge),
        )
        counted = [*filter(None, of_ours), *findings(lines, tables, resolver.fill(OF_FLOORS))]
        write_findings(docs / "findings", counted)
        systems = systems_markdown(resolver.by_key.values())
        renew(docs / "models.md", "systems", f"{systems}\n{sources_markdown(tables.values())}")
        runs = [run for of_place in resolver.placed.values() for run in of_place]
        for (page, block), text in declared.blocks(speeds_of(runs, statistics)).items():
            renew(docs / f"{page}.md", block, text)
        bar.advance(note="README.md")
        write_readme(root / "README.md", lines, tables, counted)
        bar.advance()
    return len(resolver.current())


def write_readme(
    page: Path, lines: Sequence[Judged], tables: Mapping[str, MeasuredTable], counted: Sequence[Finding]
) -> None:
    """Write the blocks of README.md: what comes out, a line for each paper, what to know before quoting, one table."""
    claimed = {claim.table for claim in claims()}
    found = {
        each.name: Point(f"{each.headline}.", *IN_README[each.name], f"docs/findings/{each.name}.md")
        for each in counted
        if each.name in IN_README
    }
    outcomes = headline(lines)
    points = [
        *outcomes,
        *(found[name] for name in (CHANCES,) if name in found),
        *linear_lead(lines, ((of.table, of.scores) for name, of in tables.items() if name in claimed)),
        *(found[name] for name in IN_README if name in found and name != CHANCES),
    ]
    scores = {name: of.scores for name, of in tables.items()}
    of_papers = [scores[table.name] for paper in papers() for table in paper.results if table.name in scores]
    told = [*([] if outcomes else [f"- {NOT_JUDGED}"]), *(point.markdown for point in points)]
    renew(page, "headline", "\n".join(told))
    renew(page, "caveats", "\n".join(f"- {each}" for each in caveats(lines, of_papers)))
    renew(page, "papers", papers_table(lines, scores))
    renew(page, "results", front_table(tables[FRONT_TABLE].table, tables[FRONT_TABLE].scores))


def write_tables(
    docs: Path,
    tables: Mapping[str, MeasuredTable],
    resolver: Resolver,
    statistics: Statistics,
    entries: Sequence[Mapping[str, Any]],
) -> None:
    """Write a page of tables and figures for each paper, and an index that explains how to read them."""
    listed = []
    with atomic_folder(docs / "tables") as folder:
        for source in papers():
            measured = [each for name, each in tables.items() if paper_of_table(name) is source]
            drawn = [entry for entry in entries if entry["name"].startswith(f"{source.name}-") and entry["drawn"]]
            sections = [table_section(each, resolver, docs) for each in measured]
            sections += statistics_sections(source, statistics)
            sections += [figures_markdown(drawn, docs / "figures")] if drawn else []
            if sections:
                text = "\n".join([f"# {NAMES[source.name]}: tables and figures\n\n{MORE}\n", *sections])
                (folder / f"{source.name}.md").write_text(text, encoding="utf-8")
                listed.append(f"- [{NAMES[source.name]}](tables/{source.name}.md): {', '.join(titles_of(text))}")
    write_text(docs / "results.md", "\n".join([HEADING, READING, "## All tables and figures\n", *listed, ""]))


def titles_of(page: str) -> list[str]:
    """Return the section titles of a page."""
    return [line.removeprefix("## ") for line in page.splitlines() if line.startswith("## ")]


def table_section(measured: MeasuredTable, resolver: Resolver, docs: Path) -> str:
    """Return a table as a section: lines, costs, picture, and where its runs were made."""
    table, lines, costs = measured
    picture = f"figures/{COST_FIGURE}{table.name}.svg"
    shown = f"\n![Accuracy against cost](../{picture})\n" if (docs / picture).exists() else ""
    own = [run for run in resolver.by_key.values() if run.place[0] == table.name]
    made = f"### Made on\n\n{origin_of(own)}\n"
    text = below_a_title(result_markdown(table, lines, costs, has_legend=False))
    return f"{text}{shown}\n{made}{repeated(resolver, table)}"


def write_findings(folder: Path, found: Sequence[Finding]) -> None:
    """Write a page for each finding and an index, and remove the pages of earlier findings."""
    with atomic_folder(folder) as part:
        (part / "README.md").write_text(index(found), encoding="utf-8")
        for each in found:
            (part / f"{each.name}.md").write_text(each.page, encoding="utf-8")


def statistics_sections(source: Paper, statistics: Statistics) -> list[str]:
    """Return the paper's tables that need no run."""
    return [below_a_title(markdown) for _, markdown in tables_without_runs(source, statistics).values()]


def figures_markdown(entries: Sequence[Mapping[str, Any]], folder: Path) -> str:
    """Return the drawn figures with their remarks, and lists of words as text.

    Args:
        entries: entries of figures.json.
        folder: docs/figures, from which the lists of words are read.
    """
    return "\n".join([FIGURES_HEADING, *(figure_markdown(entry, folder) for entry in entries)])


def figure_markdown(entry: Mapping[str, Any], folder: Path) -> str:
    """Return one figure, or its list of words if it has no picture."""
    name, title = entry["name"], entry["title"]
    data = f"[data](../figures/{name}.csv)"
    if f"{name}.svg" in entry["files"]:
        body = f"![{title}](../figures/{name}.svg)"
    else:
        body = words_markdown(read_csv(folder / f"{name}.csv"))
    below = f"{entry['note']}\n\n" if entry["note"] else ""
    return f"### {title}\n\n{entry['caption']}\n\n{body}\n\n{below}{data}\n"


def words_markdown(lines: Lines) -> str:
    """Return the words of each class, one class per line."""
    return "\n".join(
        f"- {column}, {label}: {', '.join(literal(line['word']) for line in words)}"
        for (column, label), words in groupby(lines, key=lambda line: (line["column"], line["class"]))
    )


def write_forest(folder: Path, lines: Sequence[Judged]) -> None:
    """Write the picture of printed and measured differences and its data; nothing if there are none to show."""
    if differences := printed_differences(lines):
        write_csv(folder / f"{FOREST}.csv", [told(each) for each in differences], list(told(differences[0])))
        with atomic_file(folder / f"{FOREST}.svg") as part:
            part.write_bytes(forest_picture(differences))
            put_on_white(part)


def told(difference: Difference) -> dict[str, str]:
    """Return a comparison as a line of a CSV, in points."""
    return {name: value if isinstance(value, str) else f"{value:.2f}" for name, value in asdict(difference).items()}


def origin_of(runs: Iterable[RunRecord]) -> str:
    """Return where runs were made, one line per machine and build of torch, with dates and commits."""
    made: dict[tuple[str, int, str], set[tuple[str, str]]] = {}
    for run in runs:
        machine = (*run.machine, run.metrics["versions"].get("torch", ""))
        made.setdefault(machine, set()).add((run.metrics["date"], run.commit))
    return "\n".join(
        f"- {device}, {threads} thread{'s' if threads > 1 else ''}{f', torch {torch}' if torch else ''}: "
        + "; ".join(
            f"{date}, commit{'s' if len(commits) > 1 else ''} {', '.join(commits)}" for date, commits in by_date(found)
        )
        for (device, threads, torch), found in sorted(made.items())
    )


def by_date(found: Iterable[tuple[str, str]]) -> list[tuple[str, list[str]]]:
    """Return each date with its commits, sorted by date."""
    return [(date, [commit for _, commit in of]) for date, of in groupby(sorted(found), key=lambda pair: pair[0])]


def repeated(resolver: Resolver, table: ResultTable) -> str:
    """Return the runs of a table that were trained more than once, with both accuracies; empty if there are none."""
    pairs = repeats(run for runs in resolver.placed.values() for run in runs if run.place[0] == table.name)
    text = "\n".join(
        f"- {first.name}: {first.accuracy:.2f}{marked(first)} is shown, "
        f"{other.accuracy:.2f}{marked(other)} on {other.machine[0]}, "
        f"{other.metrics['date']}, by {other.who}"
        for first, other in pairs
    )
    return f"\n### Trained again\n\n{text}\n" if text else ""


def marked(run: RunRecord) -> str:
    """Return the mark of a run whose answers were not checked; empty for any other."""
    return f" ({UNVERIFIED})" if run.is_unverified else ""


def below_a_title(markdown: str) -> str:
    """Turn a table's page into a section of another page."""
    return re.sub("^#", "##", markdown, flags=re.MULTILINE)


def put_on_white(path: Path) -> None:
    """Give a stand-alone picture a white background and dark ink, before it gets its final name."""
    picture = path.read_text(encoding="utf-8")
    if PAPER_WHITE not in picture:
        path.write_text(picture.replace("<svg ", PAPER_WHITE, 1), encoding="utf-8")
