"""Check the remarks on a figure, from its definition and the lines of its CSV alone."""

from dataclasses import replace

import pytest

from retable.figures.declared import FIGURES
from retable.figures.densities import WordWeightsFigure
from retable.figures.epochs import EpochFigure
from retable.figures.figure import INTERVALS, Plot
from retable.figures.heat import AttentionFigure
from retable.figures.lines import Curve, far_lines
from retable.figures.measured import Measured, Panel
from retable.figures.parameters import ParameterFigure
from retable.figures.roc import RocFigure
from retable.figures.scatter import SizeFigure
from retable.figures.words import TopWords
from retable.papers import PAPERS, paper
from retable.papers.paper import Column, ResultTable, Row
from retable.results import figures
from retable.results.figures import NOTED

ROWS = (Row("fcsr", "FCSR", "fcsr"), Row("cnn", "CNN", "textcnn"), Row("bert", "BERT", reason="needs another model"))
COLUMNS = (Column("a", "A", "a"), Column("b", "B", "b"), Column("c", "C", "c", reason="not obtainable"))
TABLES = {"t": ResultTable("t", "T", None, "accuracy", "%", ROWS, COLUMNS)}
PANELS = tuple(Panel("t", column.id) for column in COLUMNS)
WINDOWS = ParameterFigure(
    "windows", "", "", PANELS[:1], lines=(*(("FCSR", place, "fcsr") for place in range(1, 10)), ("whole", None, "cnn")),
    short="window",
)  # fmt: skip


def windows(*places, low="79", high="81"):
    """Return lines of the CSV of WINDOWS; no place is the level."""
    of_all = {"panel": "A", "accuracy": "80", "low": low, "high": high}
    return [of_all | {"line": "FCSR" if place else "whole", "window": place} for place in places]


def remarks(figure, lines):
    return " ".join(figure.remarks(lines))


def left_out(figure, runs=(), missing=None, *, is_drawn=True):
    """Return what a figure of the tables says on what it lacks; `runs` holds (row, column) and their runs."""
    measured = Measured(TABLES, {("t", *key): found for key, found in dict(runs).items()}, {})
    of_cells = {("t", *key): reason for key, reason in (missing or {}).items()}
    return figures.left_out(figure, measured, of_cells, "cpu", is_drawn=is_drawn)


def test_a_figure_that_lacks_a_cell_says_where_the_reason_stands():
    figure = RocFigure("roc", "", "", PANELS[:2], rows=("fcsr", "cnn"))
    runs = {(row, column): [] for row in ("fcsr", "cnn") for column in "ab"}
    assert left_out(figure, runs) == ""
    runs.pop(("cnn", "b"))
    assert left_out(figure, runs) == ""  # in no plan, and in no note of its table
    assert left_out(figure, runs, {("cnn", "b"): "not run yet"}) == NOTED
    assert left_out(replace(figure, rows=()), runs) == NOTED  # BERT
    assert left_out(replace(figure, panels=PANELS), runs) == NOTED  # C


def test_a_figure_without_a_picture_has_every_reason_once():
    figure = EpochFigure("epochs", "", "", PANELS)
    missing = {("fcsr", "a"): "stale", ("cnn", "a"): "not run yet", ("cnn", "b"): "not run yet"}
    assert left_out(figure, missing=missing, is_drawn=False) == (
        "No picture: too few cells are measured "
        "(stale; not run yet; needs another model; not in scale cpu; not obtainable)."
    )
    assert left_out(replace(figure, panels=()), is_drawn=False) == "No picture: too few cells are measured."


def test_weights_that_were_not_kept_are_in_no_table_and_said_here():
    figure = TopWords("top", "", "", PANELS[:2], rows=("fcsr",), classes=(("a", "x"), ("b", "y")))
    missing = {("fcsr", "b"): figures.NO_WEIGHTS}
    assert left_out(figure, {("fcsr", "a"): []}, missing) == "Not drawn (the run's weights were not kept)."
    missing |= {("fcsr", "a"): "not run yet"}
    assert left_out(figure, missing=missing) == f"Not drawn (the run's weights were not kept). {NOTED}"


def test_words_too_rare_in_a_class_are_not_drawn():
    figure = WordWeightsFigure("words", "", "", PANELS[:1], rows=("fcsr",), words=("good", "bad"))
    lines = [{"word": word, "class": label, "density": "1"} for word in ("good", "bad") for label in "xy"]
    said = "Not drawn: a word with fewer than 5 occurrences in a class."
    assert remarks(figure, lines) == ""
    assert remarks(figure, lines[:2]) == said
    assert remarks(figure, [*lines[:3], lines[3] | {"density": ""}]) == said


@pytest.mark.parametrize("name", PAPERS)
def test_each_figure_without_data_says_why(name):
    tables = {table.name: table for table in paper(name).results}
    for figure in FIGURES.get(name, ()):
        said = figures.left_out(figure, Measured(tables, {}, {}), {}, "cpu", is_drawn=False)
        assert said.startswith("No picture: too few cells are measured (")
        assert "()" not in said


def test_bars_are_explained_where_there_are_any():
    places = (*"123456789", "")
    assert remarks(WINDOWS, windows(*places)) == INTERVALS
    assert remarks(WINDOWS, windows(*places, low="80", high="80")) == ""
    lines = [{"panel": "A", "model": "FCSR", "low": "1", "high": "2"}]
    assert remarks(SizeFigure("sizes", "", "", PANELS[:1], rows=("fcsr",)), lines) == INTERVALS


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
    steps = near | {"d": [73.0], "low": [61.0], "lower": [40.0]}  # the gap above both is not the largest
    assert far_lines(steps | {"low": [60.0]}) == ["lower", "low"]
    assert far_lines(steps) == []  # nine points below the others


def test_a_far_line_is_told_at_the_border_and_in_words():
    scores = {"a": (80.0, 82.0), "b": (79.0, 81.0), "c": (25.9, 30.04)}
    lines = tuple(Curve.of_runs(name, (1, 2), [each]) for name, each in scores.items())
    figure = EpochFigure("epochs", "", "", PANELS[:1], rows=("fcsr",))
    assert "▼ c: 25.9 to 30.0" in figure.picture([Plot("A", lines)]).decode("utf-8")
    rows = [{"panel": "A", "line": name, "dev_accuracy": str(score)} for name, each in scores.items() for score in each]
    assert remarks(figure, rows).startswith(
        "Too far from the others for one axis, noted at its border: c on A (25.9 to 30.0)."
    )


def test_how_long_the_networks_were_trained():
    figure = TopWords("top", "", "", (), rows=("fcsr",))
    lines = [{"column": column, "class": "x", "epochs": epochs} for column, epochs in (("A", "9"), ("B", "9"))]
    assert remarks(figure, lines) == "Trained for 9 epochs."
    lines[1]["epochs"] = "8"
    assert remarks(figure, lines) == "Epochs of training: A (9); B (8)."
    assert remarks(figure, [{"column": "A", "class": "x"}]) == ""  # drawn before epochs were kept


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
    assert remarks(figure, lines) == f"Trained for one epoch. {said}".strip()
