"""A line of a table's CSV, and the CSV itself."""

import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Literal, get_args

from retable.errors import InputError, shown
from retable.files import read_csv, write_csv

Verdict = Literal["agrees", "higher", "lower", "uninformative", "cut", "one-run", "unverified", "not-run", ""]

NUMBERS = ("measured", "low", "high")
REBUILT = "`make tables` rebuilds it"
CUT = "cut: ended after"  # start of the note on a training that ended early
PART = re.compile(r"(\S+ on \d+ of \d+ folds), the rest is ")  # start of the note on a cell with some of its folds
UNVERIFIED: Literal["unverified"] = "unverified"  # in place of a verdict


@dataclass(frozen=True)
class Line:
    """Hold one cell: numbers as text, in the paper's unit, empty if missing."""

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

    @property
    def is_cut(self) -> bool:
        """Return whether the limit of the scale or row ended a training of the cell early."""
        return CUT in self.note

    @property
    def part(self) -> str:
        """Return "38.03 on 1 of 10 folds" for a cell with some of its test folds; empty for any other."""
        found = PART.match(self.note)
        return found[1] if found and not self.measured else ""

    @property
    def is_unverified(self) -> bool:
        """Return whether a run of the cell was imported without its answers being checked."""
        return self.verdict == UNVERIFIED


def joined(notes: Iterable[str]) -> str:
    """Join the notes of a cell, leaving out empty ones."""
    return "; ".join(note for note in notes if note)


def judged(difference: float, tolerance: float = 0.0) -> str:
    """Return the verdict on a count with this difference from the printed one."""
    if abs(difference) <= tolerance:
        return "agrees"
    return "higher" if difference > 0 else "lower"


def write_lines(path: Path, lines: Iterable[Line]) -> None:
    """Write a table's CSV."""
    write_csv(path, map(asdict, lines), [field.name for field in fields(Line)])


def read_lines(path: Path) -> list[Line]:
    """Read a table's CSV. Raises: InputError if it is damaged, or a cell has a value that none can have."""
    names = [field.name for field in fields(Line)]
    found = []
    for number, cells in enumerate(read_csv(path, columns=names), start=2):
        place = f"{path}, line {number}"
        check_numbers(place, cells, NUMBERS)
        if cells["verdict"] not in get_args(Verdict):
            raise InputError(f"{place}: the verdict is {shown(cells['verdict'])}, which is none; {REBUILT}.")
        if bool(cells["low"]) != bool(cells["high"]):
            low, high = shown(cells["low"]), shown(cells["high"])
            raise InputError(f"{place}: low is {low} and high is {high}; allowed: both or neither; {REBUILT}.")
        found.append(Line(**{name: cells[name] for name in names}))
    return found


def check_numbers(place: str, cells: Mapping[str, str], names: Iterable[str]) -> None:
    """Refuse cells that are neither empty nor finite numbers. Raises: InputError."""
    for name in names:
        if cells[name] and not is_finite(cells[name]):
            raise InputError(f"{place}: {name} is {shown(cells[name])}, not a number; {REBUILT}.")


def is_finite(text: str) -> bool:
    """Return whether a text is a finite number."""
    try:
        return math.isfinite(float(text))
    except ValueError:
        return False
