"""Read the papers' claims about their accuracies, and our own questions: comparisons of two rows of one table.

A claim is a line of data/published/claims.csv: its sentence (empty if only a table says it), the rows, the sign between
them, the size that the sentence names, who measured them. A row may have other readings (`Row.reading_of`), under which
a claim on it is judged as well.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Literal

from retable.corpora import FAMILIES
from retable.errors import InputError
from retable.files import read_csv
from retable.models import is_floor
from retable.papers import result_table
from retable.papers.paper import ResultTable, Row
from retable.project.paths import PUBLISHED

OURS = "ours"
SIGNS = {">": "ahead of", ">=": "at least equal to", "=": "equal to"}  # and in words
MEASURED = ("own", "cited", "both-cited", "unknown", OURS)
FAMILY = "family:"
COMPARED = "accuracy"  # the metric of the comparisons of retable.results.judging


@dataclass(frozen=True)
class Claim:
    """A comparison: `first` is ahead of `second` (sign ">"), at least equal (">="), or they are equal ("=").

    `columns` are those of the claim; () all of the table. With `together` it is on the mean over them. `measured` says
    who measured the printed pair: the authors ("own"), others one of the rows ("cited") or both ("both-cited"),
    "unknown"; or that no paper makes the comparison ("ours"). `size` is in points, as the sentence names it.
    """

    paper: str
    place: str
    sentence: str
    table: str
    first: str
    sign: Literal[">", ">=", "="]
    second: str
    size: str
    measured: str
    columns: tuple[str, ...] = ()
    together: bool = False

    def pairs(self, table: ResultTable) -> Iterator[tuple[Row, Row]]:
        """Yield the two rows, then each other reading of one with the other's same reading or, if none, the other row.

        A row with its own word vectors, or with a reading for all networks, is only compared with one that has them
        too, or with a linear model or fastText, which have no given vectors and their own training.
        """
        first, second = table.row(self.first), table.row(self.second)
        firsts, seconds = ([row for row in table.rows if row.reading_of == of.id] for of in (first, second))
        found = [(first, second)]
        for row in firsts:
            alike = [other for other in seconds if same_reading(row, other)]
            if not alike and (stands_alone(row) or is_floor(second.model)):
                alike = [second]
            found += [(row, other) for other in alike]
        for row in seconds:
            alike = [other for other in firsts if same_reading(row, other)]
            if not alike and (stands_alone(row) or is_floor(first.model)):
                found.append((first, row))
        yield from ((row, other) for row, other in found if row.id != other.id)


def stands_alone(row: Row) -> bool:
    """Return whether a reading is compared with any rival, not only with one that is read in the same way."""
    return not row.vectors and not row.for_all


def same_reading(row: Row, other: Row) -> bool:
    """Return whether two rows are the same reading of two rows: of the same vectors and name."""
    return bool(row.vectors or row.reading) and (row.vectors, row.reading) == (other.vectors, other.reading)


@cache
def claims() -> tuple[Claim, ...]:
    """Return all claims, in the order of the file. Raises: InputError for one that refers to something unknown."""
    path = PUBLISHED / "claims.csv"
    return tuple(_claim(cells, f"{path}, line {line}") for line, cells in enumerate(read_csv(path), start=2))


def _claim(cells: dict[str, str], where: str) -> Claim:
    for name, allowed in (("sign", SIGNS), ("measured", MEASURED)):
        if cells[name] not in allowed:
            raise InputError(f"{where}: {name} is {cells[name]!r}; allowed: {', '.join(allowed)}.")
    named = [
        column
        for name in cells["columns"].split()
        for column in (FAMILIES[name.removeprefix(FAMILY)] if name.startswith(FAMILY) else (name,))
    ]
    found = Claim(**cells | {"columns": tuple(named), "together": cells["together"] == "yes"})  # type: ignore[arg-type]
    table = result_table(found.table)
    try:
        for row in (found.first, found.second):
            table.row(row)
        metrics = {table.metric_of(table.column(column)) for column in found.columns} or {table.metric}
    except InputError as error:
        raise InputError(f"{where}: {error}") from None
    if other := metrics - {COMPARED}:
        raise InputError(
            f"{where}: the claim is on {', '.join(sorted(other))} in {table.name}; allowed: {COMPARED}, which is what "
            "claims are judged by; leave it out, or name columns of accuracies."
        )
    return found
