"""What a paper is here: tables of rows and columns, and the protocol under which its rows are run."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from retable.errors import unknown_name


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
    paper names no split, or another one). `extra` marks a column that the paper does not print (a sample).
    """

    id: str
    printed: str
    corpus: str | None = None
    split: Literal["paper", "unknown"] = "unknown"
    reason: str = ""
    extra: bool = False
    note: str = ""


@dataclass(frozen=True)
class ResultTable:
    """A table of scores.

    `published` is the table's id in the published numbers ("table-3"), None for our own tables; `metric` a key of
    metrics.json's scores; `vectors` the method of the paper's word vectors ("glove").
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


@dataclass(frozen=True)
class StatisticsTable:
    """A table of facts about corpora: a row a corpus, a column a statistic.

    `corpora` maps the id of a row to the corpus that it is here (None: not at hand, with the reason in `reasons`),
    `notes` explains a difference, keyed by (row, column); `statistics` names the key of stats.json where it is not the
    column's own id.
    """

    name: str
    title: str
    published: str
    corpora: Mapping[str, str | None]
    reasons: Mapping[str, str] = field(default_factory=dict)
    notes: Mapping[tuple[str, str], str] = field(default_factory=dict)
    statistics: Mapping[str, str] = field(default_factory=dict)


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
