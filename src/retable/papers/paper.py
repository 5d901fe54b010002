"""What a paper is here: tables of rows and columns, and the protocol under which its rows are run."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from retable.errors import unknown_name
from retable.text.units import Unit


@dataclass(frozen=True)
class Row:
    """A line of a table: the id of its published numbers, what the paper calls it, and the model that it is here.

    `reason` says why there is no model. `extra` marks a row that the paper does not print. `overrides` holds the
    protocol's departures from the model's preset: {"training": {"epochs": 20}}.
    """

    id: str
    printed: str
    model: str | None = None
    reason: str = ""
    extra: bool = False
    overrides: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)


@dataclass(frozen=True)
class Column:
    """A column of a table: its id, what the paper calls it, and the corpus that it is here.

    `split` says whether our test texts are the paper's: "paper" (a published split that the paper uses), "unknown" (the
    paper names no split, or another one). `extra` marks a column that the paper does not print (a sample). `unit` is
    what its texts are read as. A column of another score than the table's names it in `metric`; if it is a score of the
    same runs, `runs_of` is the column that they stand under, and they are trained once.
    """

    id: str
    printed: str
    corpus: str | None = None
    split: Literal["paper", "unknown"] = "unknown"
    reason: str = ""
    extra: bool = False
    note: str = ""
    unit: Unit = "words"
    metric: str = ""
    runs_of: str = ""


@dataclass(frozen=True)
class ResultTable:
    """A table of scores.

    `published` is the table's id in the published numbers ("table-3"), None for our own tables; `metric` a key of
    metrics.json's scores; `vectors` the paper's word vectors: the source of a published release ("glove"), or
    "corpus.word2vec" where each corpus has vectors of its own, trained by that method.
    """

    name: str
    title: str
    published: str | None
    metric: str
    unit: Literal["%", "fraction"]
    rows: tuple[Row, ...]
    columns: tuple[Column, ...]
    vectors: str = ""

    def row(self, row: str) -> Row:
        """A row by its id. Raises: InputError."""
        return _by_id(self.rows, row, f"the row of {self.name}")

    def column(self, column: str) -> Column:
        """A column by its id. Raises: InputError."""
        return _by_id(self.columns, column, f"the column of {self.name}")

    def metric_of(self, column: Column) -> str:
        """The score that a column shows."""
        return column.metric or self.metric

    def showing(self, column: str) -> list[Column]:
        """The columns that show the runs of a column: itself first, then other scores of them."""
        return [self.column(column), *(other for other in self.columns if other.runs_of == column)]

    def shares(self, other: "ResultTable", row: str, column: str) -> bool:
        """Whether a cell of another table is, under the same ids, also a cell here: one run serves both."""
        if row not in [mine.id for mine in self.rows] or column not in [mine.id for mine in self.columns]:
            return False
        rows, columns = ([table.row(row) for table in (self, other)], [table.column(column) for table in (self, other)])
        return (
            (rows[0].model, rows[0].overrides) == (rows[1].model, rows[1].overrides)
            and (columns[0].corpus, columns[0].unit) == (columns[1].corpus, columns[1].unit)
        )  # fmt: skip


@dataclass(frozen=True)
class StatisticsTable:
    """A table of facts about corpora: a row a corpus, a column a statistic.

    `corpora` maps the id of a row to the corpus that it is here; a row that the paper does not print is one of ours (a
    sample). `reasons` says why a row's corpus is not at hand. `statistics` names the key of stats.json where it is not
    the column's own id, for a whole column or for one (row, column); `added` is a constant that the paper's count
    includes and ours does not (two for padding and unknown). `notes` explains a difference, or how a figure was
    counted, keyed by (row, column) or by row.
    """

    name: str
    title: str
    published: str
    corpora: Mapping[str, str]
    reasons: Mapping[str, str] = field(default_factory=dict)
    notes: Mapping[str | tuple[str, str], str] = field(default_factory=dict)
    statistics: Mapping[str | tuple[str, str], str] = field(default_factory=dict)
    added: Mapping[tuple[str, str], int] = field(default_factory=dict)

    def statistic(self, row: str, column: str) -> str:
        """The key of stats.json of a cell."""
        return self.statistics.get((row, column)) or self.statistics.get(column) or column

    def note(self, row: str, column: str) -> str:
        """What is said of a cell."""
        return self.notes.get((row, column)) or self.notes.get(row) or ""


@dataclass(frozen=True)
class Paper:
    """A paper by its id, title and tables."""

    name: str
    title: str
    citation: str
    results: tuple[ResultTable, ...]
    statistics: tuple[StatisticsTable, ...] = ()

    def result_table(self, name: str) -> ResultTable:
        """A table of scores by its name. Raises: InputError."""
        for table in self.results:
            if table.name == name:
                return table
        raise unknown_name("the table", name, [table.name for table in self.results])


def _by_id(items: tuple[Any, ...], wanted: str, what: str) -> Any:
    for item in items:
        if item.id == wanted:
            return item
    raise unknown_name(what, wanted, [item.id for item in items])
