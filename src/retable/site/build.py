"""Build the results site: `retable site`.

In   docs/results/, README.md, docs/*.md, docs/findings/, docs/figures/, data/published/, data/digests.json,
     docs/attention.json
Out  a folder: index.html, numbers.html, missing.html, commands.html, attention.html, papers/, cells/,
     claims/, systems/, corpora/, docs/, data/
"""

import shutil
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from retable.errors import InputError
from retable.files import atomic_folder, read_csv
from retable.papers import NAMES, papers
from retable.papers.paper import Paper
from retable.project.progress import progress
from retable.results.export_tables import FORMATS, Exported
from retable.results.figures import read_entries
from retable.results.findings import MeasuredTable
from retable.results.headline import coverage
from retable.results.outcomes import counted
from retable.results.whole import Whole
from retable.site import attention, cells, claims, corpora, documents, systems, tables
from retable.site.templating import TEMPLATES, render
from retable.tables.markdown import result_markdown

Page = tuple[str, str]  # its path in the site, and its text
Command = tuple[str, str, str]  # its name, what it does, its help
ASSETS = ("site.css", "site.js")
CONTENTS = {  # of this version, and "attention" and "python.html" of an earlier one
    *ASSETS, "attention", "attention.html", "cells", "claims", "commands.html", "corpora", "data", "docs", "index.html",
    "missing.html", "numbers.html", "papers", "python.html", "systems",
}  # fmt: skip


def check_out(out: Path) -> None:
    """Check the output folder. Raises: InputError if it holds anything but an earlier site."""
    if out.exists() and (not (out / ASSETS[0]).is_file() or {path.name for path in out.iterdir()} - CONTENTS):
        raise InputError(f"{out} exists and is not a results site; --out takes a new folder or an earlier site.")


def write_site(out: Path, whole: Whole, docs: Path, commands: Sequence[Command] = ()) -> int:
    """Write every page into a folder that is replaced as a whole, and return the number of pages.

    Args:
        out: the folder; it may exist only if it is an earlier site.
        whole: the bank.
        docs: the folder of the docs.
        commands: commands of the command line.
    Raises: InputError.
    """
    check_out(out)
    count = 0
    parts = parts_of(whole, docs, commands)
    with progress("site", len(parts), "parts") as bar, atomic_folder(out) as folder:
        for part in parts:
            for place, text in part:
                path = folder / place
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text, encoding="utf-8")
                count += 1
            bar.advance(1)
        for name in ASSETS:
            shutil.copyfile(TEMPLATES / name, folder / name)
        (folder / "data").mkdir()
        for measured in whole.tables.values():
            write_formats(folder / "data", measured)
        documents.copy_pictures(docs, folder / "docs")
    return count


def write_formats(folder: Path, measured: MeasuredTable) -> None:
    """Write a table in the formats that its page offers."""
    found = Exported(measured.table, measured.scores, result_markdown(*measured))
    writers = dict(FORMATS.values())
    for _, suffix in tables.DOWNLOADS:
        writers[suffix](folder / f"{measured.table.name}.{suffix}", found)


def parts_of(whole: Whole, docs: Path, commands: Sequence[Command]) -> list[Iterable[Page]]:
    """Return every page, grouped by kind."""
    figures = read_entries(docs / "figures")
    return [
        tables.pages(whole, [as_table(each, docs / "figures") for each in figures]),
        cells.pages(whole),
        claims.pages(whole),
        systems.pages(whole),
        corpora.pages(whole),
        documents.pages(docs, [source.name for source in shown_papers(whole)]),
        attention.pages(docs / "attention.json"),
        [overview(whole, docs)],
        [("commands.html", render("commands.html", "commands.html", {"commands": commands}))],
    ]


def as_table(figure: Mapping[str, Any], folder: Path) -> dict[str, Any]:
    """Return a figure with the place of its picture; with the lines of its CSV if it has none."""
    has_picture = any(name.endswith(".svg") for name in figure["files"])
    lines = read_csv(folder / f"{figure['name']}.csv") if figure["files"] and not has_picture else []
    return {**figure, "lines": lines, "source": f"docs/figures/{figure['name']}.svg"}


def shown_papers(whole: Whole) -> list[Paper]:
    """Return the papers that have a table with runs or printed numbers."""
    return [source for source in papers() if any(table.name in whole.tables for table in source.results)]


def overview(whole: Whole, docs: Path) -> Page:
    """Return the home page."""
    cards = [card(source, whole) for source in shown_papers(whole)]
    of_documents = documents.overview(docs, [source.name for source in shown_papers(whole)])
    values = {"cards": cards, "counts": counted(whole.lines), **of_documents}
    return "index.html", render("index.html", "index.html", values)


def card(source: Paper, whole: Whole) -> dict[str, Any]:
    """Return a paper's entry on the home page: its name, how its claims come out, how much of it is measured."""
    of_claims = [line for line in whole.lines if claims.paper_of(line) == source.name]
    return {
        "id": source.name,
        "name": NAMES[source.name],
        "citation": source.citation,
        "counts": counted(of_claims),
        "has_claims": bool(of_claims),
        "covered": coverage(source, {name: found.scores for name, found in whole.tables.items()}),
    }
