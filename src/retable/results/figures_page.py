"""The section of docs/results.md that shows the papers' figures, each with what its data say of it."""

from collections.abc import Mapping, Sequence
from itertools import groupby
from pathlib import Path
from typing import Any

from retable.figures.declared import FIGURES
from retable.figures.figure import Lines
from retable.files import read_csv

HEADING = """## Figures

Drawn by `retable results` from the same runs; a curve or a point is one run unless its data say more.
"""


def figures_markdown(entries: Sequence[Mapping[str, Any]], folder: Path) -> str:
    """Return every figure of the papers that is drawn, with what its reader must know; lists of words as they are.

    Args:
        entries: of figures.json.
        folder: docs/figures, where the lists of words are read.
    """
    of_papers = {figure.name for figures in FIGURES.values() for figure in figures}
    shown = [figure_markdown(entry, folder) for entry in entries if entry["drawn"] and entry["name"] in of_papers]
    return "\n".join([HEADING, *shown]) if shown else ""


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
