"""A line of a table's CSV, and the CSV itself."""

import csv
from collections.abc import Iterable
from dataclasses import asdict, dataclass, fields
from pathlib import Path

from retable.files import atomic_file


@dataclass(frozen=True)
class Line:
    """One cell: numbers as text, in the paper's unit, empty where there is none."""

    row: str
    column: str
    metric: str
    measured: str = ""
    low: str = ""
    high: str = ""
    runs: str = ""
    clean: str = ""
    published: str = ""
    delta: str = ""
    unit: str = ""
    match: str = ""
    verdict: str = ""
    note: str = ""


def write_lines(path: Path, lines: Iterable[Line]) -> None:
    """Write a table's CSV."""
    with atomic_file(path) as part, part.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, [field.name for field in fields(Line)], lineterminator="\n")
        writer.writeheader()
        writer.writerows(asdict(line) for line in lines)


def read_lines(path: Path) -> list[Line]:
    """Read a table's CSV."""
    with path.open(newline="", encoding="utf-8") as file:
        return [Line(**cells) for cells in csv.DictReader(file)]
