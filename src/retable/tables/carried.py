"""Codes that were seen to give the same numbers: what lets a banked run stand after a refactoring.

docs/results/carried.csv   a line for every row and earlier code: with which code it was last compared, on what, where
"""

import csv
from collections.abc import Iterable
from dataclasses import asdict, dataclass, fields
from pathlib import Path

from retable.files import atomic_file


@dataclass(frozen=True)
class Carried:
    """A row's code that gave the same bits as an earlier one.

    `old` and `new` are code hashes as in metrics.json. Both trained the cell `column` of the row with one seed, at most
    `epochs` epochs of texts cut after `max_words` words, at the two commits, and predictions and curve were equal to
    the last bit.
    """

    table: str
    row: str
    old: str
    new: str
    column: str
    seed: str
    epochs: str
    max_words: str
    old_commit: str
    new_commit: str
    device: str
    threads: str
    date: str


def read_carried(path: Path) -> list[Carried]:
    """The lines of the file; none if it is not there yet."""
    if not path.exists():
        return []
    with path.open(newline="", encoding="utf-8") as file:
        return [Carried(**cells) for cells in csv.DictReader(file)]


def write_carried(path: Path, lines: Iterable[Carried]) -> None:
    """Write the last line of every row and old code, sorted by table and row, in the order of their making."""
    latest = {(line.table, line.row, line.old): line for line in lines}
    with atomic_file(path) as part, part.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, [field.name for field in fields(Carried)], lineterminator="\n")
        writer.writeheader()
        writer.writerows(asdict(line) for line in sorted(latest.values(), key=lambda line: (line.table, line.row)))


def stands_for(lines: Iterable[Carried], table: str, row: str, old: str, new: str) -> bool:
    """Whether a row's old code was seen to give what the new one gives, at once or over codes in between."""
    steps = [(line.old, line.new) for line in lines if (line.table, line.row) == (table, row)]
    reached, waiting = {old}, [old]
    while waiting:
        at = waiting.pop()
        further = {after for before, after in steps if before == at} - reached
        reached |= further
        waiting += further
    return new in reached
