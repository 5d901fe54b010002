"""The section of docs/results.md that shows the papers' figures."""

import csv
from collections.abc import Collection
from itertools import groupby
from pathlib import Path

from retable.papers.figures import FIGURES, Figure, TopWords

HEADING = """## Figures

Drawn by `retable bank` from the same runs; a curve or a point is one run unless its data say more.
"""


def figures_markdown(names: Collection[str], folder: Path) -> str:
    """Every figure of the papers that is drawn, with what its reader must know; lists of words as they are.

    Args:
        folder: docs/figures, where the lists of words are read.
    """
    shown = [figure for figures in FIGURES.values() for figure in figures if figure.name in names]
    return "\n".join([HEADING, *(figure_markdown(figure, folder) for figure in shown)]) if shown else ""


def figure_markdown(figure: Figure, folder: Path) -> str:
    """One figure."""
    path = folder / f"{figure.name}.csv"
    data = f"[data](figures/{figure.name}.csv)"
    if isinstance(figure, TopWords):
        body = words_markdown(path)
    else:
        body, data = f"![{figure.title}](figures/{figure.name}.svg)", f"[PNG](figures/{figure.name}.png), {data}"
    return f"### {figure.title}\n\n{figure.caption}\n\n{body}\n\n{data}\n"


def words_markdown(path: Path) -> str:
    """The words of each class in a line."""
    with path.open(newline="", encoding="utf-8") as file:
        lines = list(csv.DictReader(file))
    return "\n".join(
        f"- {column}, {label}: {', '.join(line['word'] for line in words)}"
        for (column, label), words in groupby(lines, key=lambda line: (line["column"], line["class"]))
    )
