"""Read what the papers claim of their accuracies, and what we ask beside: comparisons of two rows of one table.

A claim is a line of data/published/claims.csv: the sentence that it stands in (empty where only a table says it), the
rows, the sign between them, the size that the sentence names, who measured them. A row may have other readings
(`Row.reading_of`), under which a claim on it is judged as well.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Literal

from retable.corpora import FAMILIES
from retable.errors import InputError
from retable.files import read_csv
from retable.models import LINEAR_MODELS
from retable.papers import result_table
from retable.papers.paper import ResultTable, Row
from retable.project.paths import PUBLISHED

OURS = "ours"
SIGNS = (">", "=")
MEASURED = ("own", "cited", "unknown", OURS)


@dataclass(frozen=True)
class Claim:
    """A comparison: `first` is ahead of `second` (sign ">"), or they are equal ("=").

    `columns` are those of the claim; () all of the table. With `together` it is one on the mean over them. `measured`
    says who measured the printed pair: the authors ("own"), one of the rows elsewhere ("cited"), "unknown"; or that no
    paper makes the comparison ("ours"). `size` is in points, as the sentence names it.
    """

    paper: str
    place: str
    sentence: str
    table: str
    first: str
    sign: Literal[">", "="]
    second: str
    size: str
    measured: str
    columns: tuple[str, ...] = ()
    together: bool = False

    def pairs(self, table: ResultTable) -> Iterator[tuple[Row, Row]]:
        """Yield the two rows, then each with the other readings of the other one; then both with other word vectors."""
        first, second = table.row(self.first), table.row(self.second)
        firsts, seconds = (
            [row for row in table.rows if row.reading_of == of.id and row.id not in (self.first, self.second)]
            for of in (first, second)
        )
        yield first, second
        yield from ((row, second) for row in firsts if not row.vectors)
        yield from ((first, row) for row in seconds if not row.vectors)
        yield from ((row, other) for row in firsts for other in seconds if row.vectors and row.vectors == other.vectors)
        if second.model in LINEAR_MODELS:  # which have none
            yield from ((row, second) for row in firsts if row.vectors)


@cache
def claims() -> tuple[Claim, ...]:
    """Return all claims, in the order of the file. Raises: InputError for one that names what there is not."""
    path = PUBLISHED / "claims.csv"
    return tuple(_claim(cells, f"{path}, line {line}") for line, cells in enumerate(read_csv(path), start=2))


def _claim(cells: dict[str, str], where: str) -> Claim:
    for name, allowed in (("sign", SIGNS), ("measured", MEASURED)):
        if cells[name] not in allowed:
            raise InputError(f"{where}: {name} is {cells[name]!r}; allowed: {', '.join(allowed)}.")
    named = [column for name in cells["columns"].split() for column in FAMILIES.get(name, (name,))]
    found = Claim(**cells | {"columns": tuple(named), "together": cells["together"] == "yes"})  # type: ignore[arg-type]
    table = result_table(found.table)
    try:
        for row in (found.first, found.second):
            table.row(row)
        for column in found.columns:
            table.column(column)
    except InputError as error:
        raise InputError(f"{where}: {error}") from None
    return found
