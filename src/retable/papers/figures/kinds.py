"""The kinds of figures that show measurements: what each is drawn from, and what its reader must know."""

from dataclasses import dataclass
from typing import Literal

from retable.papers.paper import ResultTable


@dataclass(frozen=True)
class Panel:
    """A column of a table: what one panel of a figure shows."""

    table: str
    column: str


@dataclass(frozen=True)
class Figure:
    """A figure by its id, title and what its reader must know; its panels, and the rows that each shows.

    Without `rows` it shows those that the table's paper prints. A panel is left out where fewer than `fewest` of its
    rows were measured.
    """

    name: str
    title: str
    caption: str
    panels: tuple[Panel, ...]
    rows: tuple[str, ...] = ()
    fewest: int = 2

    def rows_of(self, table: ResultTable) -> list[str]:
        """Return the rows of a panel of this table; one that the table does not have is left out."""
        known = [row.id for row in table.rows]
        if self.rows:
            return [row for row in self.rows if row in known]
        return [row.id for row in table.rows if not row.extra]


@dataclass(frozen=True)
class EpochFigure(Figure):
    """A line a row: accuracy on dev after every epoch."""


@dataclass(frozen=True)
class ParameterFigure(Figure):
    """Lines over a parameter: `lines` holds (line, value of the parameter, row).

    A value of None is a row to which the parameter does not apply; it is drawn across the panel. `parameter` is the
    axis's label, `short` its name in the CSV.
    """

    lines: tuple[tuple[str, int | None, str], ...] = ()
    parameter: str = ""
    short: str = ""
    measure: Literal["accuracy", "seconds_per_epoch"] = "accuracy"


@dataclass(frozen=True)
class SizeFigure(Figure):
    """A point a row: trained parameters against accuracy."""


@dataclass(frozen=True)
class TimeFigure(Figure):
    """A bar a row: time of a batch of `texts` training texts."""

    texts: int = 20


@dataclass(frozen=True)
class GridFigure(Figure):
    """Accuracy for every pair of values of two parameters: `cells` holds (x, y, row)."""

    cells: tuple[tuple[int, int, str], ...] = ()
    x: str = ""
    y: str = ""


@dataclass(frozen=True)
class RocFigure(Figure):
    """A curve a row: true against false positives."""


@dataclass(frozen=True)
class CostFigure(Figure):
    """A point a row: accuracy against FLOPs of a word and against seconds of training; of one table.

    Beyond `most` panels there is one of means, over the columns on which all its rows were measured.
    """

    most: int = 6


@dataclass(frozen=True)
class WordWeightsFigure(Figure):
    """The attention weights of some words by the class of the text, of the one row; needs kept weights."""

    words: tuple[str, ...] = ()


@dataclass(frozen=True)
class TopWords(Figure):
    """The words that a network attends to most in the texts of some classes, of the one row; needs kept weights.

    `classes` holds (column, label).
    """

    classes: tuple[tuple[str, str], ...] = ()
    count: int = 20


@dataclass(frozen=True)
class AttentionFigure(Figure):
    """A heat map a row, of the first test text that has all of `wanted`; needs kept weights."""

    wanted: tuple[str, ...] = ()
    longest: int = 40
