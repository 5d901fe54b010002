"""The section of docs/results.md that shows the papers' figures, each with what its data say of it."""

import csv
from collections.abc import Collection
from itertools import groupby
from pathlib import Path

from retable.figures.left_out import Lines, Tables
from retable.figures.remarks import remarks
from retable.papers import paper
from retable.papers.figures import FIGURES, Figure, TopWords

HEADING = """## Figures

Drawn by `retable bank` from the same runs; a curve or a point is one run unless its data say more.
"""


def figures_markdown(names: Collection[str], folder: Path) -> str:
    """Every figure of the papers that is drawn, with what its reader must know; lists of words as they are.

    Args:
        folder: docs/figures, where the lists of words are read.
    """
    shown = [
        figure_markdown(figure, {table.name: table for table in paper(name).results}, folder)
        for name, figures in FIGURES.items()
        for figure in figures
        if figure.name in names
    ]
    return "\n".join([HEADING, *shown]) if shown else ""


def figure_markdown(figure: Figure, tables: Tables, folder: Path) -> str:
    """One figure; `tables` are those of its paper."""
    lines = read_lines(folder / f"{figure.name}.csv")
    data = f"[data](figures/{figure.name}.csv)"
    if isinstance(figure, TopWords):
        body = words_markdown(lines)
    else:
        body, data = f"![{figure.title}](figures/{figure.name}.svg)", f"[PNG](figures/{figure.name}.png), {data}"
    below = f"{told}\n\n" if (told := remarks(figure, tables, lines)) else ""
    return f"### {figure.title}\n\n{figure.caption}\n\n{body}\n\n{below}{data}\n"


def read_lines(path: Path) -> list[dict[str, str]]:
    """The data of a figure."""
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def words_markdown(lines: Lines) -> str:
    """The words of each class in a line."""
    return "\n".join(
        f"- {column}, {label}: {', '.join(line['word'] for line in words)}"
        for (column, label), words in groupby(lines, key=lambda line: (line["column"], line["class"]))
    )
