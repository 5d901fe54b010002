"""`retable list [KIND]`: list the tables, models, corpora, scales and commands."""

import json
import shutil
import textwrap
from pathlib import Path

from retable.commands import COMMANDS
from retable.corpora import CORPORA, corpus
from retable.errors import unknown_name
from retable.experiments.scale import scales
from retable.models import MODELS, TRAINERS, description
from retable.papers import result_tables
from retable.project.command import command
from retable.project.parser import Parser
from retable.project.paths import SCALES

KINDS = ("tables", "models", "corpora", "scales", "commands")
WITHOUT_TERMINAL = (1_000_000, 1)  # columns and lines: in a pipe, every name has one line


@command
def main(arguments: list[str] | None = None) -> None:
    parser = Parser(
        prog="retable list", description="List what is available.", epilog="example: retable list models --json"
    )
    parser.add_argument("kind", nargs="?", default="", help=f"{', '.join(KINDS)} (default: all)")
    parser.add_argument("--json", action="store_true", help="print JSON: kind -> name -> description")
    options = parser.parse_args(arguments)
    if options.kind and options.kind not in KINDS:
        raise unknown_name("kind to list", options.kind, KINDS)
    found = {kind: entries(kind) for kind in KINDS if kind == (options.kind or kind)}
    if options.json:
        print(json.dumps(found, ensure_ascii=False, indent=1))
        return
    for kind, names in found.items():
        heading = [] if options.kind else [kind]
        print("\n".join([*heading, *lines_of(names)]))


def lines_of(names: dict[str, str]) -> list[str]:
    """Return names with their descriptions, wrapped at the width of the terminal."""
    width = max(map(len, names))
    wrapper = textwrap.TextWrapper(
        shutil.get_terminal_size(WITHOUT_TERMINAL).columns,
        subsequent_indent=" " * (width + 4), break_long_words=False, break_on_hyphens=False,
    )  # fmt: skip
    return [wrapper.fill(f"  {name:<{width}}  {what}") for name, what in names.items()]


def entries(kind: str) -> dict[str, str]:
    """Return name -> description."""
    if kind == "tables":
        return {table.name: table.title for table in result_tables()}
    if kind == "models":
        return {name: description(name) for name in sorted(MODELS | TRAINERS)}
    if kind == "corpora":
        return {name: about_corpus(name) for name in sorted(CORPORA)}
    if kind == "scales":
        return {name: comment_of(SCALES / f"{name}.yaml") for name in scales()}
    return {name: what for name, (_, what) in COMMANDS.items()}


def about_corpus(name: str) -> str:
    """Return a corpus's language and title, and how to get it if it is not available locally."""
    found = corpus(name)
    return f"{found.language}  {found.title or found.note}" + (
        "" if found.at_hand else f" (not available here: {found.obtain})"
    )


def comment_of(path: Path) -> str:
    """Return the first sentence of a file's leading comment."""
    lines = path.read_text(encoding="utf-8").splitlines()
    comment = " ".join(line[1:].strip() for line in lines[: next(i for i, line in enumerate(lines) if line[:1] != "#")])
    return comment.partition(". ")[0].rstrip(".")
