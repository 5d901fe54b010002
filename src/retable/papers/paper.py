"""Define a paper: tables of rows and columns, and the protocol under which its rows are run."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from retable.errors import unknown_name
from retable.papers.counts import CountTable
from retable.text.units import Unit


@dataclass(frozen=True)
class Row:
    """A row of a table: the id of its published numbers, its printed name, and the model used for it here.

    `reason` says why there is no model, or why it is not run here. `extra` marks a row that the paper does not print.
    `overrides` holds the protocol's departures from the model's preset: {"training": {"epochs": 20}}. `chosen` holds,
    per corpus, what was chosen on its dev texts where the paper leaves an option open: {"mr": {"model": {"dropout":
    0.2}}}. `reading_of` names the row of which this is another reading: claims on that row are judged under both, rows
    with the same `reading` (its name, if several rows have it) against each other. `vectors` names the row's own word
    vectors, used instead of those that a scale gives the table's cells; it is compared with rows that have them too.
    `for_all` marks a reading that the paper gives to all networks; it is compared with its other rows that have it.
    `trials` names the table whose trials on dev choose its options (retable.papers.trials); "" without trials. `part`
    marks a paper's own model without some of its parts: a baseline, or a step towards it. `short` is its name in a
    picture; "" takes the printed one.
    """

    id: str
    printed: str
    model: str | None = None
    reason: str = ""
    extra: bool = False
    overrides: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    chosen: Mapping[str, Mapping[str, Mapping[str, Any]]] = field(default_factory=dict)
    reading_of: str = ""
    reading: str = ""
    for_all: bool = False
    vectors: str = ""
    trials: str = ""
    part: bool = False
    short: str = ""


@dataclass(frozen=True)
class Column:
    """A column of a table: its id, its printed name, and the corpus used for it here.

    `split` says whether our test texts are the paper's: "paper" (a published split that the paper uses), "unknown" (the
    paper names no split, or another one); `training` says the same of the training texts. `extra` marks a column that
    the paper does not print (a sample). `unit` is the unit in which texts are read. A column with another score than
    the table's names it in `metric`; if it is a score of the same runs, `runs_of` is the column that they belong to,
    and they are trained once. A column that shows the scores on one domain of a joint corpus names it in `domain`; its
    runs are those of the joint corpus's column. `mean_of` names the columns that a column averages; it has no corpus
    and no runs of its own. `folds` says what the paper's folds of this corpus hold out, for scales that use folds
    (`retable.text.folds`): "dev" or "test"; "" if it never uses folds. `split_note` is the note on runs without folds.
    """

    id: str
    printed: str
    corpus: str | None = None
    split: Literal["paper", "unknown"] = "unknown"
    training: Literal["paper", "other"] = "paper"
    reason: str = ""
    extra: bool = False
    note: str = ""
    unit: Unit = "words"
    metric: str = ""
    runs_of: str = ""
    domain: str = ""
    mean_of: tuple[str, ...] = ()
    folds: Literal["", "dev", "test"] = ""
    split_note: str = ""


@dataclass(frozen=True)
class ResultTable:
    """A table of scores.

    `published` is the table's id in the published numbers ("table-3"), None for our own tables; `metric` a key of
    metrics.json's scores; `vectors` the paper's word vectors: the source of a published release ("glove"), or
    "corpus.word2vec" if each corpus has its own vectors, trained by that method; `vector_size` is their dimension (0:
    the same as ours).
    """

    name: str
    title: str
    published: str | None
    metric: str
    unit: Literal["%", "fraction"]
    rows: tuple[Row, ...]
    columns: tuple[Column, ...]
    vectors: str = ""
    vector_size: int = 0

    def row(self, row: str) -> Row:
        """Return a row by its id. Raises: InputError."""
        return _by_id(self.rows, row, f"row of {self.name}")

    def column(self, column: str) -> Column:
        """Return a column by its id. Raises: InputError."""
        return _by_id(self.columns, column, f"column of {self.name}")

    def printed_as(self, column: Column) -> tuple[str, str]:
        """Return column and metric of the published numbers that belong to a column.

        Another score of a column's runs is printed under that column; the score on a domain under its own name.
        """
        own = bool(column.domain) or not column.runs_of
        return column.id if own else column.runs_of, self.metric_of(column)

    def metric_of(self, column: Column) -> str:
        """Return the score that a column shows."""
        return column.metric or self.metric

    def showing(self, column: str) -> list[Column]:
        """Return the columns that show a column's runs: itself first, then those with other scores."""
        return [self.column(column), *(other for other in self.columns if other.runs_of == column)]

    def shown_as(
        self, other: "ResultTable", row: str, column: str, resolved: Callable[[Row], Any]
    ) -> list[tuple[Row, Column]]:
        """Return the rows and columns of this table that a cell of another one fills, because equal runs are made once.

        Args:
            other, row, column: the other table, and the row and column of its cell.
            resolved: returns all options of a row's model; rows with other names may have the same.
        """
        theirs, of = other.row(row), other.column(column)
        showing = [
            own
            for own in self.columns
            if of.corpus and (own.corpus, own.unit) == (of.corpus, of.unit) and not (own.runs_of or own.mean_of)
        ]
        alike = [own for own in self.rows if (own.model, own.vectors) == (theirs.model, theirs.vectors)]
        if not (showing and alike):  # for most cells of most tables
            return []
        options = resolved(theirs)
        return [(own, shown) for own in alike if resolved(own) == options for shown in showing]


@dataclass(frozen=True)
class StatisticsTable:
    """A table of facts about corpora: one row per corpus, one column per statistic.

    `corpora` maps a row's id to the corpus used for it here; a row that the paper does not print is ours (a sample).
    `reasons` says why a row's corpus is unavailable. `statistics` names the key of stats.json if it is not the column's
    id, for a whole column or for one (row, column); `added` is a constant that the paper's count includes and ours does
    not (two for padding and unknown). `notes` explains a difference, or how a figure was counted, keyed by (row,
    column) or by row.
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
        """Return a cell's key in stats.json."""
        return self.statistics.get((row, column)) or self.statistics.get(column) or column

    def note(self, row: str, column: str) -> str:
        """Return the note on a cell."""
        return self.notes.get((row, column)) or self.notes.get(row) or ""


@dataclass(frozen=True)
class Paper:
    """A paper: its id, title and tables of scores, of facts about corpora, and of counts."""

    name: str
    title: str
    citation: str
    results: tuple[ResultTable, ...]
    statistics: tuple[StatisticsTable, ...] = ()
    counts: tuple[CountTable, ...] = ()

    def result_table(self, name: str) -> ResultTable:
        """Return a table of scores by its name. Raises: InputError."""
        for table in self.results:
            if table.name == name:
                return table
        raise unknown_name("table", name, [table.name for table in self.results])


def _by_id(items: tuple[Any, ...], wanted: str, what: str) -> Any:
    for item in items:
        if item.id == wanted:
            return item
    raise unknown_name(what, wanted, [item.id for item in items])
