"""The pages of docs/, written by hand or generated as Markdown: protocol, readings, findings and the rest."""

import re
import shutil
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from posixpath import dirname, normpath, relpath
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.token import Token
from markupsafe import Markup

from retable.results.generated import block_of
from retable.site.templating import render

ELSEWHERE = {"results.md": "../numbers.html"}  # a document replaced by a page of the site itself, relative to docs/
COMMENT = re.compile(r"<!--.*?-->\n?", re.DOTALL)
TAG, NEEDLESS = re.compile(r"<[^>]+>"), re.compile(r"(\.\d\d)\d+| transform=\"rotate\(-0 [^\"]*\"")  # of an SVG
ZEROS = re.compile(r"\.00?(?!\d)|(\.\d)0(?!\d)")  # at the end of a number
SPACED = re.compile(r' (?:style|d)="[^"]*"')  # attributes with spaces that nothing needs
SPACE = re.compile(r"(?<=[;:MLQC]) (?=[^ML])|(?<=[\dz]) (?=[MLQCz\"])")
FONTS, ROOT_FONT = (
    "font-family: 'DejaVu Sans', 'Verdana', sans-serif; ",
    "font-family:sans-serif",
)  # of matplotlib, ours
HOME = "../index.html"  # relative to docs/
FOLDERS = ("", "findings", "readings")
GROUPS = {  # of the home page; documents in none of them come last
    "Begin": ("quickstart", "tutorial", "your-own-texts", "papers", "glossary"),
    "Results": ("claims", "bench", "differences", "corpora", "models", "speed", "timing"),
    "How it is done": ("protocol", "readings", "architecture", "recipes", "training", "tagger", "vectors"),
    "How to": ("add-a-model", "add-a-corpus", "add-a-table", "add-a-figure", "objections", "mlflow", "cluster", "gpu"),
}


def sources(docs: Path) -> list[Path]:
    """Return the Markdown files that become pages."""
    found = [path for folder in FOLDERS for path in sorted((docs / folder).glob("*.md"))]
    return [path for path in found if path.name not in ELSEWHERE]


def page_name(path: Path, docs: Path) -> str:
    """Return the path of a Markdown file's page, relative to docs/."""
    stem = "index" if path.stem == "README" else path.stem
    return (path.relative_to(docs).parent / f"{stem}.html").as_posix()


def pages(docs: Path, of_papers: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Yield a page for each document.

    Args:
        docs: the folder of the documents.
        of_papers: the papers that have a page of tables, which takes the place of docs/tables/<paper>.md.
    """
    known = known_pages(docs, of_papers)
    for path in sources(docs):
        place = f"docs/{page_name(path, docs)}"
        title, body = rendered(path, known)
        yield place, render("document.html", place, {"title": title, "body": Markup(body)})


def known_pages(docs: Path, of_papers: Iterable[str]) -> dict[Path, str]:
    """Return a document's file -> the path of its page, relative to docs/."""
    known = {path.resolve(): page_name(path, docs) for path in sources(docs)}
    known |= {(docs / name).resolve(): page for name, page in ELSEWHERE.items()}
    return known | {(docs / f"tables/{name}.md").resolve(): f"../papers/{name}.html" for name in of_papers}


def overview(docs: Path, of_papers: Iterable[str]) -> dict[str, Any]:
    """Return what the home page takes from documents: README's blocks, and the documents in groups."""
    readme, known = docs.parent / "README.md", known_pages(docs, of_papers)
    blocks = {name: Markup(html_of(block_of(readme, name), readme, known, HOME)) for name in ("headline", "caveats")}
    found = {page_name(path, docs): title_of(path) for path in sources(docs) if path.stem != "README"}
    named = {f"{name}.html" for names in GROUPS.values() for name in names}
    others = [(title, f"docs/{to}") for to, title in found.items() if "/" not in to and to not in named]
    grouped = [
        (group, [(found[f"{name}.html"], f"docs/{name}.html") for name in names if f"{name}.html" in found])
        for group, names in GROUPS.items()
    ]
    return {**blocks, "documents": [each for each in [*grouped, ("More", others)] if each[1]]}


def title_of(path: Path) -> str:
    """Return the first heading of a document."""
    return next(
        (line[2:].replace("`", "") for line in path.read_text(encoding="utf-8").splitlines() if line.startswith("# ")),
        path.stem,
    )


def rendered(path: Path, known: dict[Path, str]) -> tuple[str, str]:
    """Return a document's title and its body as HTML; raw HTML is escaped, and links lead to pages of the site.

    Args:
        known: a document's file -> the path of its page, relative to docs/.
    """
    return title_of(path), html_of(path.read_text(encoding="utf-8"), path, known, known[path.resolve()])


def html_of(text: str, path: Path, known: dict[Path, str], place: str) -> str:
    """Return Markdown as HTML; raw HTML is escaped, and links lead to pages of the site.

    Args:
        text: of the file `path`, or a part of it.
        known: a document's file -> the path of its page, relative to docs/.
        place: path of the page that shows it, relative to docs/.
    """
    parser = MarkdownIt("commonmark", {"html": False}).enable("table")
    tokens = parser.parse(COMMENT.sub("", text))
    for token, following in pairwise(tokens):
        if token.type == "heading_open":
            token.attrs["id"] = anchor_of(following.content)
        mend_links(token.children or [], path, known, place)
    body = parser.renderer.render(tokens, parser.options, {})
    body = body.replace("<table>", '<div class="wide"><table>').replace("</table>", "</table></div>")
    return body.replace("<th></th>", "<td></td>").replace("<th>", '<th scope="col">')


def anchor_of(heading: str) -> str:
    """Return the anchor that GitHub gives a heading: lower case, no punctuation, hyphens for spaces."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


def mend_links(tokens: Sequence[Token], path: Path, known: dict[Path, str], place: str) -> None:
    """Point links to other documents at their pages; turn links to repository files into plain text."""
    is_plain = False
    for token in tokens:
        if token.type == "link_close" and is_plain:
            token.tag = "span"
        if token.type != "link_open":
            continue
        target, _, anchor = str(token.attrs["href"]).partition("#")
        page = known.get((path.parent / target).resolve())
        is_plain = bool(target) and "://" not in target and page is None
        if is_plain:
            token.tag, token.attrs = "span", {"class": "file", "title": f"in the repository: {target}"}
        elif page:
            link = relpath(f"/docs/{page}", dirname(normpath(f"/docs/{place}")))
            token.attrs["href"] = link + (f"#{anchor}" if anchor else "")


def copy_pictures(docs: Path, to: Path) -> None:
    """Copy the pictures of documents and papers, and the data of figures; an SVG without what no reader sees."""
    for pattern in ("figures/*.svg", "figures/*.csv", "*.svg", "mlflow/*.png"):
        for path in docs.glob(pattern):
            target = to / path.relative_to(docs)
            target.parent.mkdir(parents=True, exist_ok=True)
            if path.suffix == ".svg":
                target.write_text(compact(path.read_text(encoding="utf-8")), encoding="utf-8")
            else:
                shutil.copyfile(path, target)


def compact(picture: str) -> str:
    """Return an SVG with the fonts of its texts named once, on the whole, and every tag compact."""
    if ROOT_FONT in picture:
        fonts = FONTS.removesuffix("; ").replace("font-family: ", "font-family:")
        picture = picture.replace(FONTS, "").replace(ROOT_FONT, fonts, 1)
    return TAG.sub(compact_tag, picture)


def compact_tag(tag: re.Match[str]) -> str:
    """Return a tag of an SVG on one line: numbers to hundredths, not turned by zero degrees, no needless spaces."""
    text = " ".join(NEEDLESS.sub(r"\1", tag[0]).split())
    return SPACED.sub(lambda found: SPACE.sub("", found[0]), ZEROS.sub(r"\1", text))
