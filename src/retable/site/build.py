"""Build the results site: `retable site`.

In   docs/results/, docs/*.md, docs/findings/, docs/figures/, data/published/, data/digests.json
Out  a folder: index.html, numbers.html, missing.html, papers/, cells/, claims/, systems/, corpora/, docs/, data/
"""

import shutil
from collections.abc import Iterable
from pathlib import Path

from retable.errors import InputError
from retable.files import atomic_folder, read_json
from retable.papers import NAMES, paper_of_table
from retable.project.progress import progress
from retable.results.whole import Whole
from retable.site import cells, claims, corpora, documents, systems, tables
from retable.site.templating import TEMPLATES, render
from retable.tables.lines import write_lines

Page = tuple[str, str]  # its place in the site, and its text
ASSETS = ("site.css", "site.js")


def write_site(out: Path, whole: Whole, docs: Path) -> int:
    """Write every page into a folder that is replaced as a whole, and return how many they are.

    Args:
        out: the folder; it may exist only if it is an earlier site.
        whole: the bank.
        docs: the folder of the docs.
    Raises: InputError.
    """
    if out.exists() and not (out / ASSETS[0]).is_file():
        raise InputError(f"{out} exists and is no results site; --out takes a new folder, or an earlier site.")
    count = 0
    parts = parts_of(whole, docs)
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
        for name, measured in whole.tables.items():
            write_lines(folder / "data" / f"{name}.csv", measured.scores)
        documents.copy_pictures(docs, folder / "docs")
    return count


def parts_of(whole: Whole, docs: Path) -> list[Iterable[Page]]:
    """Return every page, in parts of one kind each."""
    listed = docs / "figures/figures.json"
    figures = read_json(listed) if listed.exists() else []
    return [
        tables.pages(whole, figures),
        cells.pages(whole),
        claims.pages(whole),
        systems.pages(whole),
        corpora.pages(whole),
        documents.pages(docs),
        [overview(whole, docs)],
    ]


def overview(whole: Whole, docs: Path) -> Page:
    """Return the first page."""
    counts = []
    for name in dict.fromkeys(paper_of_table(table).name for table in whole.tables):
        found = [
            line for table, each in whole.tables.items() if paper_of_table(table).name == name for line in each.scores
        ]
        counts.append((NAMES[name], f"papers/{name}.html", len(found), sum(bool(line.measured) for line in found)))
    values = {"counts": counts, **claims.overview(whole), **documents.overview(docs)}
    return "index.html", render("index.html", "index.html", values)
