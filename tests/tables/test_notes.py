"""Notes below a table: a row or column is named once, with the few of its cells that a note is not about."""

import pytest

from retable.tables.lines import Line
from retable.tables.markdown import noted, noted_text

ROWS, COLUMNS = ("a", "b"), ("p", "q", "r", "s", "t")


@pytest.mark.parametrize(
    ("without", "named"),
    [
        ({("b", column) for column in COLUMNS}, "row a"),
        ({("b", column) for column in COLUMNS} | {("a", "t")}, "row a except t"),
        ({("b", column) for column in COLUMNS} | {("a", "s"), ("a", "t")}, "a.p, a.q, a.r"),  # more than a third
        ({("b", column) for column in COLUMNS[2:]}, "column p, column q, row a"),
        ({("b", "s"), ("b", "t")}, "all except b.s and b.t"),
        (set(), "all"),
    ],
)
def test_a_note_names_whole_rows_and_columns_and_the_few_cells_that_they_lack(without, named):
    cells = [(row, column) for row in ROWS for column in COLUMNS]
    lines = [Line(*cell, "accuracy", note="" if cell in without else "cut") for cell in cells]
    assert [noted_text(*note) for note in noted(lines)] == [f"cut ({named})"]


def test_notes_that_differ_after_a_colon_are_one_line():
    notes = {
        "p": "covered: 98%; in print: 6 heads",
        "q": "covered: 97%",
        "r": "covered: 98%",
        "s": "",
        "t": "limit: 1:2; in print",
    }
    lines = [Line("a", column, "accuracy", note=note) for column, note in notes.items()]
    assert [noted_text(*note) for note in noted(lines)] == [
        "covered: 98% (a.p, a.r); 97% (a.q)",
        "in print (a.t)",
        "in print: 6 heads (a.p)",
        "limit: 1:2 (a.t)",
    ]
