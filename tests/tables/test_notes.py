"""Notes below a table: a row or column is named once, with the few of its cells that a note is not about."""

import pytest

from retable.tables.lines import Line
from retable.tables.markdown import noted

ROWS, COLUMNS = ("a", "b"), ("p", "q", "r", "s", "t")


@pytest.mark.parametrize(
    ("without", "named"),
    [
        ({("b", column) for column in COLUMNS}, "row a"),
        ({("b", column) for column in COLUMNS} | {("a", "t")}, "row a (not t)"),
        ({("b", column) for column in COLUMNS} | {("a", "s"), ("a", "t")}, "a.p, a.q, a.r"),  # more than a fifth
        ({("b", "t")}, "column p, column q, column r, column s, row a"),
    ],
)
def test_a_note_names_whole_rows_and_columns_and_the_few_cells_that_they_lack(without, named):
    cells = [(row, column) for row in ROWS for column in COLUMNS]
    lines = [Line(*cell, "accuracy", note="" if cell in without else "cut") for cell in cells]
    assert [(note, ", ".join(cells)) for note, cells in noted(lines)] == [("cut", named)]
