"""Notes below a table: a row or column is named once, with the few of its cells that a note is not about."""

import pytest

from retable.tables.lines import Line
from retable.tables.notes import LONGEST, note_lines, noted

ROWS, COLUMNS = ("a", "b"), ("p", "q", "r", "s", "t")


@pytest.mark.parametrize(
    ("without", "named"),
    [
        ({("b", column) for column in COLUMNS}, "row a"),
        ({("b", column) for column in COLUMNS} | {("a", "t")}, "row a except t"),
        ({("b", column) for column in COLUMNS} | {("a", "s"), ("a", "t")}, "a.p, a.q, a.r"),  # more than a third
        ({("b", column) for column in COLUMNS[2:]}, "columns p and q, row a"),
        ({("b", "s"), ("b", "t")}, "all except b.s and b.t"),
        (set(), "all"),
    ],
)
def test_a_note_names_whole_rows_and_columns_and_the_few_cells_that_they_lack(without, named):
    cells = [(row, column) for row in ROWS for column in COLUMNS]
    lines = [Line(*cell, "accuracy", note="" if cell in without else "cut") for cell in cells]
    assert list(note_lines(lines)) == [f"cut ({named})"]


def test_notes_that_differ_after_a_colon_are_one_line():
    notes = {
        "p": "covered: 98%; in print: 6 heads",
        "q": "covered: 97%",
        "r": "covered: 98%",
        "s": "",
        "t": "limit: 1:2; in print",
    }
    lines = [Line("a", column, "accuracy", note=note) for column, note in notes.items()]
    assert list(note_lines(lines)) == [
        "covered: 98% (a.p, a.r); 97% (a.q)",
        "in print (a.t)",
        "in print: 6 heads (a.p)",
        "limit: 1:2 (a.t)",
    ]


def test_a_note_on_many_cells_is_a_line_that_a_reader_takes_in():
    rows = [f"system-with-a-long-name-{number}" for number in range(9)]
    lines = [
        Line(row, column, "accuracy", note=f"spread: {number}.{'pqrst'.index(column)}; in print: {column} {'x' * 80}")
        for number, row in enumerate(rows)
        for column in "pqrst"
    ]
    lines += [Line("a", column, "accuracy") for column in "pqrst"]
    said = list(note_lines(lines))
    assert said[0] == "spread: 0.0 to 8.4 (all except row a)"
    assert said[1].startswith("in print: p x")
    assert len(said) == 6
    assert max(map(len, said)) <= LONGEST
    assert [len(values) for _, values in noted(lines)] == [45, 5]  # the site has every value with its cells


def test_a_range_is_of_one_thing():
    values = ["nb 0", *map(str, range(1, 40))]
    lines = [Line(f"system-with-a-long-name-{each}", "p", "accuracy", note=f"best: {each}") for each in values]
    assert len(list(note_lines(lines))) == 40  # "nb, 0 to 39" would say that all are nb's


def test_cells_of_many_columns_with_long_names_are_only_counted():
    columns = [f"column-with-a-long-name-{number}" for number in range(20)]
    lines = [
        Line(f"system-with-a-long-name-{row}", column, "accuracy", note="" if (row + place) % 2 else "not run yet")
        for row in range(9)
        for place, column in enumerate(columns)
    ]
    assert list(note_lines(lines)) == ["not run yet (90 cells of 20 columns)"]


def test_cells_whose_names_are_too_long_are_counted():
    lines = [
        Line(f"system-with-a-long-name-{row}", name, "accuracy", note="" if (row + column) % 2 else "not run yet")
        for row in range(19)
        for column, name in enumerate("pqrst")
    ]
    assert list(note_lines(lines)) == ["not run yet (cells: 10 of p, 10 of r, 10 of t, 9 of q, 9 of s)"]
