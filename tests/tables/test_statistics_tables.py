"""Tables of facts about corpora: which statistic a cell shows, what is summed, our own rows, notes."""

import pytest

from retable.papers.paper import StatisticsTable
from retable.tables.markdown import statistics_markdown
from retable.tables.published import Published
from retable.tables.statistics import statistics_lines

TABLE = StatisticsTable(
    name="t",
    title="T",
    published="table-1",
    corpora={"posts": "ced", "polarity": "mr", "yelp": "yelp-full", "sample": "ag-news-5k"},
    reasons={"yelp": "not here"},
    statistics={"vocabulary": "characters", ("polarity", "vocabulary"): "words"},
    added={("posts", "vocabulary"): 2, ("posts", "length"): 3},
    notes={("posts", "vocabulary"): "two more", "sample": "a sample", ("sample", "length"): "of a sample"},
)
NUMBERS = [
    Published("posts", "vocabulary", "statistic", "4411", "count", "unknown", "odd"),
    Published("posts", "length", "statistic", "113", "words", "unknown", ""),
    Published("polarity", "vocabulary", "statistic", "21", "thousand", "cited", ""),
    Published("yelp", "vocabulary", "statistic", "62", "thousand", "unknown", "odd too"),
    Published("yelp", "most", "statistic", "1345", "sentences", "unknown", ""),
]
STATS = {
    "ced": {"characters": 4409, "length": 110.0841, "most": 9},
    "mr": {"words": 21_419, "characters": 87},
    "ag-news-5k": {"characters": 81, "length": 37.94, "most": 22},
}


@pytest.fixture
def lines():
    return {(line.row, line.column): line for line in statistics_lines(TABLE, NUMBERS, STATS)}


@pytest.mark.parametrize(
    ("cell", "measured", "delta", "verdict", "note"),
    [
        (("polarity", "vocabulary"), "21.4", "+0.4", "agrees", ""),  # a statistic for this cell only, in thousands
        (("posts", "vocabulary"), "4411", "+0", "agrees", "two more"),  # two are summed; a note instead of a remark
        (("posts", "length"), "113.1", "+0.1", "agrees", ""),
        (("yelp", "vocabulary"), "", "", "not-run", "not here; odd too"),
    ],
)
def test_a_cell_by_hand(lines, cell, measured, delta, verdict, note):
    line = lines[cell]
    assert (line.measured, line.delta, line.verdict, line.note) == (measured, delta, verdict, note)


def test_a_row_of_ours_has_the_columns_that_are_counted_and_no_verdict(lines):
    ours = {column: line for (row, column), line in lines.items() if row == "sample"}
    assert {column: (line.measured, line.unit) for column, line in ours.items()} == {
        "vocabulary": ("81", "count"),  # the unit of the column's first printed cell
        "length": ("37.9", "words"),
        "most": ("22", "sentences"),
    }
    assert {line.verdict + line.published + line.match for line in ours.values()} == {""}
    assert [line.note for line in ours.values()] == ["a sample", "of a sample", "a sample"]
    assert list(lines)[-3:] == [("sample", "vocabulary"), ("sample", "length"), ("sample", "most")]


def test_a_row_of_ours_that_is_not_at_hand_is_left_out():
    found = statistics_lines(TABLE, NUMBERS, {"mr": STATS["mr"]})
    assert {line.row for line in found} == {"posts", "polarity", "yelp"}
    assert [line.note for line in found if line.row == "posts"] == ["not in this scale; odd", "not in this scale"]


def test_markdown_shows_printed_and_own_rows_and_a_unit_over_a_column_only_if_all_its_figures_have_it(lines):
    text = statistics_markdown(TABLE, list(lines.values()))
    assert "| posts | **4411** *4411* = | **113.1** *113* = |  |" in text
    assert "| sample | **81** |" in text
    assert "|  | vocabulary | length (words) | most (sentences) |" in text  # 4411 texts, but 21 thousand
    assert "| polarity | **21.4** *21* thousand (=) |" in text
    assert "| yelp | – *62* thousand |" in text
    odd = Published("polarity", "vocabulary", "statistic", "10", "L (as printed)", "unknown", "")
    text = statistics_markdown(TABLE, statistics_lines(TABLE, [NUMBERS[0], odd], STATS))
    assert "| polarity | **21419** *10* L (as printed) ~ |" in text
