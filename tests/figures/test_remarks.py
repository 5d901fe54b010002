"""Check the remarks on a figure, from its definition and the lines of its CSV alone."""

from dataclasses import replace

import pytest

from retable.figures.costs import CostFigure
from retable.figures.declared import FIGURES
from retable.figures.densities import WordWeightsFigure
from retable.figures.epochs import EpochFigure
from retable.figures.figure import INTERVALS, Plot
from retable.figures.grid import GridFigure
from retable.figures.heat import AttentionFigure
from retable.figures.left_out import not_drawn, remarks
from retable.figures.lines import Curve, far_lines
from retable.figures.measured import Panel
from retable.figures.parameters import ParameterFigure
from retable.figures.roc import RocFigure
from retable.figures.scatter import SizeFigure
from retable.figures.words import TopWords
from retable.papers import PAPERS, paper
from retable.papers.paper import Column, ResultTable, Row

ROWS = (Row("fcsr", "FCSR", "fcsr"), Row("cnn", "CNN", "textcnn"), Row("bert", "BERT", reason="needs another model"))
COLUMNS = (Column("a", "A", "a"), Column("b", "B", "b"), Column("c", "C", "c", reason="not obtainable"))
TABLES = {"t": ResultTable("t", "T", None, "accuracy", "%", ROWS, COLUMNS)}
PANELS = tuple(Panel("t", column.id) for column in COLUMNS)
WINDOWS = ParameterFigure(
    "windows", "", "", PANELS[:1], lines=(*(("FCSR", place, "fcsr") for place in range(1, 10)), ("whole", None, "cnn")),
    short="window",
)  # fmt: skip


def points(*pairs):
    """Return lines of a CSV with one panel and one model each."""
    return [{"panel": panel, "model": model} for panel, model in pairs]


def windows(*places, low="79", high="81"):
    """Return lines of the CSV of WINDOWS; no place is the level."""
    of_all = {"panel": "A", "accuracy": "80", "low": low, "high": high}
    return [of_all | {"line": "FCSR" if place else "whole", "window": place} for place in places]


def test_panels_then_lines_of_all_then_lines_of_some_are_named_by_their_reason():
    figure = RocFigure("roc", "", "", PANELS)
    lines = points(("A", "FCSR"), ("A", "CNN"), ("B", "CNN"))
    assert not_drawn(figure, TABLES, lines) == (
        "Not drawn on B: FCSR. Not drawn (not obtainable): C. Not drawn (needs another model): BERT."
    )
    assert not_drawn(figure, TABLES, points(("A", "FCSR"))) == (
        "Not drawn: B; CNN. Not drawn (not obtainable): C. Not drawn (needs another model): BERT."
    )
    whole = replace(figure, panels=PANELS[:2], rows=("fcsr", "cnn"))
    assert not_drawn(whole, TABLES, [*lines, *points(("B", "FCSR"))]) == ""


def test_many_rows_are_named_too_and_panels_with_a_comma_stay_apart():
    """Seven of 13 curves were only counted, "on Final, AG, 5,000 training texts"."""
    rows = tuple(Row(f"r{number}", f"row {number}", "fcsr") for number in range(9))
    columns = tuple(Column(name, printed, name) for name, printed in (("a", "A"), ("b", "B"), ("c", "AG, a sample")))
    tables = {"t": ResultTable("t", "T", None, "accuracy", "%", rows, columns)}
    lines = points(*(("A", row.printed) for row in rows), ("B", "row 0"), ("B", "row 8"), ("AG, a sample", "row 8"))
    why = {("t", "r0", "c"): "not planned"}
    figure = RocFigure("roc", "", "", PANELS)
    assert not_drawn(figure, tables, lines, lambda key: why.get(key, "not run yet")) == (
        "Not drawn on B and AG, a sample (not run yet): row 1; row 2; row 3; row 4; row 5; row 6; row 7. "
        "Not drawn on AG, a sample (not planned): row 0."
    )


def test_the_reasons_of_cells_split_a_panel():
    figure = EpochFigure("epochs", "", "", PANELS[:1])
    why = {("t", "fcsr", "a"): "stale", ("t", "cnn", "a"): "not run yet"}.get
    assert not_drawn(figure, TABLES, (), why) == (
        "Not drawn (stale): FCSR. Not drawn (not run yet): CNN. Not drawn (needs another model): BERT."
    )
    assert not_drawn(figure, TABLES, (), lambda key: "not run yet") == "Not drawn (not run yet): A."


def test_a_table_that_is_not_built_and_a_column_that_is_not_there():
    figure = RocFigure("roc", "", "", (Panel("u", "a"), Panel("t", "z")))
    assert not_drawn(figure, TABLES, ()) == (
        "Not drawn (not built here yet): a of u. Not drawn (no such column here): z of t."
    )


def test_places_of_a_line_are_named():
    assert not_drawn(WINDOWS, TABLES, windows(*"1234567", "")) == "Not drawn: FCSR at 8, 9."
    assert not_drawn(WINDOWS, TABLES, windows("1", "9", "")) == "Not drawn: FCSR at 2, 3, 4, 5, 6, 7, 8."
    assert not_drawn(WINDOWS, TABLES, windows(*"123456789")) == "Not drawn: whole."
    both = replace(WINDOWS, lines=tuple((line, place, "fcsr") for line in ("FCSR", "CNN") for place in (1, 3)))
    of_both = [line | {"line": name} for name in ("FCSR", "CNN") for line in windows("1")]
    assert not_drawn(both, TABLES, of_both) == "Not drawn: FCSR and CNN at 3."


def test_a_name_that_ends_in_a_full_stop_has_one():
    tables = {"t": replace(TABLES["t"], columns=(Column("a", "Yelp F.", "a"),))}
    assert not_drawn(RocFigure("roc", "", "", PANELS[:1]), tables, ()) == "Not drawn: Yelp F."


def test_cells_of_a_grid_are_named():
    cells = tuple((x, y, "fcsr") for x in (1, 2, 3) for y in (1, 2, 3))
    figure = GridFigure("grid", "", "", PANELS[:1], cells=cells, x="heads", y="layers")
    lines = [{"panel": "A", "heads": str(x), "layers": str(y), "runs": str(int(x + y == 2))} for x, y, _ in cells]
    assert not_drawn(figure, TABLES, lines) == "Not drawn: heads 1 with layers 2, 3; heads 2, 3 with layers 1, 2, 3."
    for line in lines[1:]:
        line["runs"] = "1"
    lines[5]["runs"] = "0"
    assert not_drawn(figure, TABLES, lines) == "Not drawn: heads 2 with layers 3."


def test_classes_words_and_networks():
    figure = TopWords("top", "", "", PANELS[:2], rows=("fcsr",), classes=(("a", "x"), ("a", "y"), ("b", "z")))
    assert not_drawn(figure, TABLES, [{"column": "A", "class": "x"}]) == "Not drawn: B; y."
    weights = WordWeightsFigure("words", "", "", PANELS[:1], rows=("fcsr",), words=("good", "bad"))
    lines = [{"word": "good", "class": label, "density": "1" if label == "x" else ""} for label in "xy"]
    assert not_drawn(weights, TABLES, lines) == "Not drawn: bad; good in y."
    attention = AttentionFigure("attention", "", "", PANELS[:1], rows=("fcsr", "cnn"))
    assert not_drawn(attention, TABLES, [{"panel": "FCSR"}]) == "Not drawn: CNN."


def test_a_mean_of_columns_stands_for_each():
    figure = CostFigure("cost-t", "", "", PANELS[:2], rows=("fcsr", "cnn"))
    assert not_drawn(figure, TABLES, points(("mean of 7 columns", "CNN"))) == "Not drawn: FCSR."


@pytest.mark.parametrize("name", PAPERS)
def test_each_figure_without_data_says_what_all_of_it_is(name):
    tables = {table.name: table for table in paper(name).results}
    for figure in FIGURES.get(name, ()):
        assert not_drawn(figure, tables, ()).startswith("Not drawn")


def test_bars_are_explained_where_there_are_any():
    places = (*"123456789", "")
    assert remarks(WINDOWS, TABLES, windows(*places)) == INTERVALS
    assert remarks(WINDOWS, TABLES, windows(*places, low="80", high="80")) == ""
    lines = [{"panel": "A", "model": "FCSR", "low": "1", "high": "2"}]
    assert remarks(SizeFigure("sizes", "", "", PANELS[:1], rows=("fcsr",)), TABLES, lines) == INTERVALS


def test_a_line_at_chance_is_far_and_one_that_climbs_from_there_is_not():
    near = {"a": [70.0, 75.0], "b": [72.0, 74.0], "c": [71.0]}
    assert far_lines(near) == []
    assert far_lines(near | {"chance": [25.9, 25.9]}) == ["chance"]
    assert far_lines(near | {"climbs": [25.9, 71.0]}) == []
    assert far_lines(near | {"other": [62.0]}) == []  # within ten points
    assert far_lines(near | {"chance": [25.9], "best": [99.0]}) == []  # the others would still be crowded
    assert far_lines({"a": [70.0], "chance": [25.9]}) == []
    assert far_lines({"a": [70.0], "b": [90.0], "c": [71.0]}) == ["b"]
    assert far_lines({}) == []


def test_a_far_line_is_told_at_the_border_and_in_words():
    scores = {"a": (80.0, 82.0), "b": (79.0, 81.0), "c": (25.9, 30.04)}
    lines = tuple(Curve.of_runs(name, (1, 2), [each]) for name, each in scores.items())
    figure = EpochFigure("epochs", "", "", PANELS[:1], rows=("fcsr",))
    assert "▼ c: 25.9 to 30.0" in figure.picture([Plot("A", lines)])["svg"].decode("utf-8")
    rows = [{"panel": "A", "line": name, "dev_accuracy": str(score)} for name, each in scores.items() for score in each]
    assert remarks(figure, TABLES, rows).startswith(
        "Too far from the others for one axis, noted at its border: c on A (25.9 to 30.0)."
    )


def test_how_long_the_networks_were_trained():
    figure = TopWords("top", "", "", (), rows=("fcsr",))
    lines = [{"column": column, "class": "x", "epochs": epochs} for column, epochs in (("A", "9"), ("B", "9"))]
    assert remarks(figure, TABLES, lines) == "Trained for 9 epochs."
    lines[1]["epochs"] = "8"
    assert remarks(figure, TABLES, lines) == "Epochs of training: A (9); B (8)."
    assert remarks(figure, TABLES, [{"column": "A", "class": "x"}]) == ""  # drawn before epochs were kept


@pytest.mark.parametrize(
    ("weights", "said"),
    [
        ((0.5, 0.5, 0.5, 0.5), "The weights of FCSR are uniform: every weight is 1/2."),
        ((0.3, 0.7, 0.3, 0.7), "In FCSR all words attend alike: all rows of the map are equal."),
        ((0.3, 0.7, 0.4, 0.6), ""),
    ],
)
def test_weights_that_are_alike_are_told(weights, said):
    figure = AttentionFigure("attention", "", "", PANELS[:1], rows=("fcsr",))
    lines = [
        {"panel": "FCSR", "to": "12"[place % 2], "weight": str(weight), "epochs": "1"}
        for place, weight in enumerate(weights)
    ]
    assert remarks(figure, TABLES, lines) == f"Trained for one epoch. {said}".strip()
