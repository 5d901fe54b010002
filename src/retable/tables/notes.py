"""The notes below a table: each once, with the cells that it is about, named as short as can be."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from retable.tables.lines import Line
from retable.wording import listed

Cell = tuple[str, str]  # row, column
LONGEST = 500  # characters of a line on a Markdown page; the site's pages say the same cell by cell
FEWEST_ON_A_SIDE = 3  # cells of a row or column that are named together
NUMBER = re.compile(r"(?:(?P<of>.*) )?(?P<number>\d+(?:\.\d+)?)(?P<unit>%?)")  # "98.3%", "nb-svm 78.7"
ROW, COLUMN = 0, 1
KINDS = ("row", "column")


def noted(lines: Sequence[Line]) -> Iterator[tuple[str, dict[str, list[str]]]]:
    """Yield every note once with its cells; a note on most cells of a row or column names that, and the others.

    Yields: what the notes say, up to a colon; what follows it (empty if there is none) -> the cells.
    """
    cells = [(line.row, line.column) for line in lines]
    for what, values in notes_of(lines):
        yield what, {value: named(cells, found) for value, found in values.items()}


def notes_of(lines: Sequence[Line]) -> Iterator[tuple[str, dict[str, set[Cell]]]]:
    """Yield every note once: what it says up to a colon, and what follows it -> the cells."""
    where: dict[str, dict[str, set[Cell]]] = {}
    for line in lines:
        for note in line.note.split("; ") if line.note else []:
            what, _, value = note.partition(": ")
            where.setdefault(what, {}).setdefault(value, set()).add((line.row, line.column))
    for what, values in where.items():
        if "" in values:
            yield what, {"": values.pop("")}
        if values:
            yield what, values


def note_lines(lines: Sequence[Line]) -> Iterator[str]:
    """Yield the notes as lines of Markdown: "share of the tokens: 98.3% (row cnn); 98.6% (cnn.mr, fcsr.mr)".

    A note that would be too long a line has the range of its numbers or, without numbers, a line for each of its
    values. Cells whose names are still too long are counted by column.
    """
    cells = [(line.row, line.column) for line in lines]
    for what, values in notes_of(lines):
        whole = note_line(cells, what, values)
        if len(whole) <= LONGEST:
            yield whole
        elif ranged := range_of(values):
            yield fitting(cells, what, *ranged)
        else:
            yield from (fitting(cells, what, *each) for each in values.items())


def note_line(cells: Sequence[Cell], what: str, values: Mapping[str, set[Cell]]) -> str:
    """Return a note with the names of all its cells."""
    return said(what, {value: named(cells, found) for value, found in values.items()})


def fitting(cells: Sequence[Cell], what: str, value: str, found: set[Cell]) -> str:
    """Return a note with the names of its cells or, if that is too long, how many there are of each column."""
    whole = note_line(cells, what, {value: found})
    if len(whole) <= LONGEST:
        return whole
    counts = Counter(cell[COLUMN] for cell in cells if cell in found)
    by_column = said(what, {value: [f"cells: {', '.join(f'{count} of {name}' for name, count in counts.items())}"]})
    if len(by_column) <= LONGEST:
        return by_column
    return said(what, {value: [f"{len(found)} cells of {len(counts)} columns"]})


def said(what: str, values: Mapping[str, Sequence[str]]) -> str:
    """Return a note with the names of its cells in brackets."""
    told = "; ".join(f"{value} ({', '.join(names)})".lstrip() for value, names in values.items())
    return f"{what} {told}" if "" in values else f"{what}: {told}"


def range_of(values: Mapping[str, set[Cell]]) -> tuple[str, set[Cell]] | None:
    """Return "nb-svm, 70.0 to 83.2" and all cells of values that are a number each; None for any others."""
    parts = [part for value in values if (part := NUMBER.fullmatch(value))]
    units = {part["unit"] for part in parts}
    are_of_something = {bool(part["of"]) for part in parts}
    if len(values) < 2 or len(parts) < len(values) or len(units) > 1 or len(are_of_something) > 1:
        return None
    of = " or ".join(dict.fromkeys(part["of"] for part in parts if part["of"]))
    numbers, unit = sorted((part["number"] for part in parts), key=float), units.pop()
    value = f"{numbers[0]}{unit} to {numbers[-1]}{unit}"
    return f"{of}, {value}" if of else value, set().union(*values.values())


def named(cells: Sequence[Cell], found: set[Cell]) -> list[str]:
    """Return names of the cells; a table, row or column is named as a whole, with those of it that are not among them.

    These may be a third of a row or column, a fifth of the table.
    """
    if len(found) == len(cells):
        return ["all"]
    if 5 * len(found) >= 4 * len(cells):
        lacking = named(cells, {*cells} - found)
        if not any(" except " in name for name in lacking):  # an exception from an exception would be a riddle
            return [f"all except {listed(lacking)}"]
    by_column, by_row = (named_by(sides, cells, found) for sides in ((COLUMN, ROW), (ROW, COLUMN)))
    return min(by_column, by_row, key=lambda names: len(", ".join(names)))


def named_by(sides: tuple[int, int], cells: Sequence[Cell], found: set[Cell]) -> list[str]:
    """Return names of the cells: whole rows and columns, those of one kind first, and then the rest by that kind."""
    lacking: dict[tuple[int, tuple[str, ...]], list[str]] = {}
    rest = set(found)
    for share in (0, 1 / 3):
        for side in sides:
            for name in dict.fromkeys(cell[side] for cell in cells):
                whole = [cell for cell in cells if cell[side] == name]
                others = [cell[1 - side] for cell in whole if cell not in found]
                if len(whole) > 1 and len(others) <= share * len(whole) and rest.intersection(whole):
                    lacking.setdefault((side, tuple(others)), []).append(name)
                    rest -= {*whole}
    wholes = [
        f"{kind_of(side, names)} {listed(names)}" + (f" except {listed(others)}" if others else "")
        for (side, others), names in lacking.items()
    ]
    return wholes + named_of_a_side(sides[0], [cell for cell in cells if cell in rest])


def named_of_a_side(side: int, cells: Sequence[Cell]) -> list[str]:
    """Return names of cells; several of a row or column together: "column mr: cnn, lstm and fcsr"."""
    of_side: dict[str, list[Cell]] = {}
    for cell in cells:
        of_side.setdefault(cell[side], []).append(cell)
    names = []
    for name, own in of_side.items():
        if len(own) < FEWEST_ON_A_SIDE:
            names += [".".join(cell) for cell in own]
        else:
            names.append(f"{KINDS[side]} {name}: {listed([cell[1 - side] for cell in own])}")
    return names


def kind_of(side: int, names: Sequence[str]) -> str:
    """Return "row" or "column", or "rows" or "columns" for several names."""
    return f"{KINDS[side]}{'s' if len(names) > 1 else ''}"
