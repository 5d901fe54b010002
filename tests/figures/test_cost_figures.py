from dataclasses import dataclass, replace
from itertools import combinations, pairwise

import matplotlib as mpl
import numpy as np
import pytest

from retable.figures import costs
from retable.figures.cost_points import CostPoint, is_proposed
from retable.figures.costs import CostFigure, best_floor, cost_values, pareto_front, title_of
from retable.figures.declared import cost_figures
from retable.figures.figure import Plot
from retable.figures.measured import Measured, Panel
from retable.figures.names import covered, rank
from retable.figures.style import log_x, new_figure
from retable.models import MODELS, OF_CHARACTERS, network_class
from retable.papers import paper_of_table, papers, result_table
from retable.papers.paper import Column, ResultTable, Row

ROWS = (
    Row("fcsr", "FCSR", "fcsr"), Row("cnn", "CNN", "textcnn"), Row("svm", "SVM", "tfidf-svm"),
    Row("fasttext", "fastText", "fasttext"),
)  # fmt: skip
COLUMNS = tuple(Column(name, name.upper(), name) for name in "abcdefgh")
TABLE = ResultTable("t", "T", None, "accuracy", "%", ROWS, COLUMNS)


@dataclass(frozen=True)
class MadeUp:
    """Return a run."""

    accuracy: float
    flops: float = 10.0
    seconds: float = 2.0
    machine: tuple[str, int] = ("EPYC", 2)

    @property
    def cost(self):
        return {"flops_per_word": self.flops} | ({"seconds": self.seconds} if self.seconds else {})


@pytest.fixture(autouse=True)
def interval(monkeypatch):
    """Give every row an interval, which tests/tables computes."""
    monkeypatch.setattr(Measured, "interval", lambda self, panel, row: (78.0, 82.0))
    monkeypatch.setattr(Measured, "mean_interval", lambda self, panels, row: (79.0, 79.0 + len(panels)))


FIGURE = CostFigure("cost-t", "", "", tuple(Panel("t", name) for name in "abcdefgh"), tuple(row.id for row in ROWS))


def panels_of(runs, columns="abcdefgh", most=6):
    """Return the panels of (row, column) -> runs."""
    figure = replace(FIGURE, panels=tuple(Panel("t", name) for name in columns), most=most)
    keyed = {("t", row, column): of_cell for (row, column), of_cell in runs.items()}
    return figure.plots(Measured({"t": TABLE}, keyed, {}), None)


def test_runs_without_times_on_another_machine_do_not_take_away_those_of_the_timed_one():
    on_gpu = MadeUp(81.0, seconds=0.0, machine=("H100", 1))
    (panel,) = panels_of({("fcsr", "a"): [on_gpu, on_gpu], ("svm", "a"): [MadeUp(79.0, seconds=3.0)]}, columns="a")
    assert [mark.seconds for mark in panel.marks] == [None, 3.0]


def test_a_row_is_the_mean_of_its_runs_by_hand():
    runs = {
        ("fcsr", "a"): [MadeUp(80.0, 100.0, 10.0), MadeUp(82.0, 100.0, 14.0)],
        ("svm", "a"): [MadeUp(79.0, 8.0, 0.5, ("EPYC", 1))],
    }
    (panel,) = panels_of(runs)
    assert panel == Plot(
        "A",
        (
            CostPoint(
                "FCSR", 81.0, 100.0, 12.0, 24.0, False, 2, 2, "EPYC, threads 2", frozenset({2}), 78.0, 82.0, True
            ),
            CostPoint("SVM", 79.0, 8.0, 0.5, 0.5, True, 1, 1, "EPYC, threads 1", frozenset({1}), 78.0, 82.0),
        ),
    )
    assert best_floor(panel.marks) == 79.0
    assert FIGURE.csv_lines([panel])[1] == {
        "panel": "A", "model": "SVM", "accuracy": "79", "flops_per_word": "8", "seconds": "0.5",
        "core_seconds": "0.5", "floor": "yes", "timed": "1", "runs": "1", "machine": "EPYC, threads 1",
        "low": "78", "high": "82", "proposed": "no",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("table", "proposed"),
    [
        ("cspan-table-3", ["cspan-base", "cspan-base-glove"]),
        ("cspan-table-5", ["cspan-fusion-e", "cspan-fusion-e-glove"]),
        ("transformer-f-table-3", ["transformer-f"]),
        ("fcsr-table-5", ["fcsr", "fcsr-shared-heads"]),
    ],
)
def test_a_step_towards_a_papers_network_is_not_that_network(table, proposed):
    rows = paper_of_table(table).result_table(table).rows
    assert [row.id for row in rows if is_proposed(row) and row.reading_of != "transformer-f"] == proposed


def test_seconds_of_another_machine_are_not_told_and_flops_are():
    runs = {(row, "a"): [MadeUp(80.0)] for row in ("fcsr", "svm")} | {("cnn", "a"): [MadeUp(81.0, machine=("Xeon", 2))]}
    (panel,) = panels_of(runs)
    assert {point.model: point.seconds for point in panel.marks} == {"FCSR": 2.0, "CNN": None, "SVM": 2.0}
    assert FIGURE.csv_lines([panel])[1]["seconds"] == ""
    assert FIGURE.picture([panel]).count(b">CNN<") == 1  # only for FLOPs; the other names occur twice
    assert FIGURE.picture([panel]).count(b">FCSR<") == 2


def test_seconds_are_those_of_the_timed_runs_and_the_note_says_how_many():
    """FCSR had no seconds on SST, because one run of five was timed."""
    runs = {("fcsr", "a"): [MadeUp(80.0, seconds=4.0), MadeUp(82.0, seconds=6.0), MadeUp(84.0, seconds=0.0)]}
    (panel,) = panels_of(runs | {("svm", "a"): [MadeUp(79.0)], ("cnn", "a"): [MadeUp(81.0, seconds=0.0)]}, columns="a")
    assert [(point.accuracy, point.seconds, point.timed) for point in panel.marks] == [
        (82.0, 5.0, 2), (81.0, None, 0), (79.0, 2.0, 1),
    ]  # fmt: skip
    assert list(FIGURE.remarks(FIGURE.csv_lines([panel]))) == ["Timed on A: 2 of 3 runs of FCSR."]


def test_rows_of_unlike_threads_are_compared_by_core_seconds():
    runs = {("fcsr", "a"): [MadeUp(80.0, seconds=10.0)], ("svm", "a"): [MadeUp(79.0, 8.0, 3.0, ("EPYC", 1))]}
    (panel,) = panels_of(runs)
    assert cost_values(panel.marks, "seconds") == ([20.0, 3.0], "core-seconds of training (threads × seconds)")
    (panel,) = panels_of(runs | {("svm", "a"): [MadeUp(79.0, 8.0, 3.0)]})
    assert cost_values(panel.marks, "seconds") == ([10.0, 3.0], "seconds of training, threads: 2")


def test_floors_alone_are_no_picture_of_a_table_that_has_networks():
    floors = {(row, "a"): [MadeUp(80.0)] for row in ("svm", "fasttext")}
    assert panels_of(floors) == []
    assert len(panels_of(floors | {("cnn", "a"): [MadeUp(81.0)]})) == 1


def test_many_columns_are_one_panel_of_means_over_those_that_all_rows_have():
    wide = {("cnn", name): [MadeUp(80.0 + place)] for place, name in enumerate("abcdefgh")}
    narrow = {("svm", name): [MadeUp(70.0)] for name in "bcdefgh"}
    (panel,) = panels_of(wide | narrow)
    assert panel.title == "mean of 7 columns"
    assert {(point.low, point.high) for point in panel.marks} == {(79.0, 86.0)}
    assert b"95% interval of the mean" in FIGURE.picture([panel])
    assert [(point.model, point.accuracy, point.runs) for point in panel.marks] == [("CNN", 84.0, 7), ("SVM", 70.0, 7)]
    assert len(panels_of(wide | narrow, most=7)) == 7
    assert panels_of(wide | narrow, columns="bcd", most=2)[0].title == "mean of B, C and D"
    assert [each.title for each in panels_of(wide | narrow, columns="abcd")] == ["B", "C", "D"]


def test_a_bar_is_named_in_the_legend_by_what_it_is_and_a_point_may_have_none(monkeypatch):
    (panel,) = panels_of({(row, "a"): [MadeUp(80.0)] for row in ("cnn", "svm")}, columns="a")
    assert b"95% interval for one more run" in FIGURE.picture([panel])
    monkeypatch.setattr(Measured, "mean_interval", lambda self, panels, row: None)
    (panel,) = panels_of({(row, name): [MadeUp(80.0)] for row in ("cnn", "svm") for name in "abcdefgh"})
    assert FIGURE.csv_lines([panel])[0]["low"] == ""
    assert b"95% interval" not in FIGURE.picture([panel])


def test_a_row_that_shares_a_single_column_is_left_out_of_the_mean():
    runs = {(row, name): [MadeUp(80.0)] for row in ("cnn", "svm") for name in "abcdefgh"}
    (panel,) = panels_of(runs | {("fcsr", "a"): [MadeUp(90.0)]})
    assert [point.model for point in panel.marks] == ["CNN", "SVM"]


def crowded():
    """Return twelve rows within half a point and a third of a decade."""
    names = (f"a model of some length, {number}" for number in range(10))
    one = frozenset({1})
    points = [
        CostPoint(n, 96 + i % 5 / 10, 1e5 * (1 + i / 8), 50 + 7 * i, 50 + 7 * i, False, 1, 1, "", one)
        for i, n in enumerate(names)
    ]
    floors = [
        CostPoint("tf-idf + SVM", 96.15, 8, 3, 3, True, 1, 1, "", one),
        CostPoint("NB-SVM", 95.9, 8, 2, 2, True, 1, 1, "", one),
    ]
    return Plot("Reuters", (*points, *floors))


def test_names_cover_neither_each_other_nor_a_point_nor_the_floors_line(monkeypatch):
    put, seen = costs.put_names, []

    def kept(figure, place, points, floor, front, wanted):
        names = put(figure, place, points, floor, front, wanted)
        shown = {text.get_text().replace("\n", " ") for text in place.texts}
        numbers = shown - {name for name, *_ in points}
        assert {name for name, *_ in points} - shown == set(names)
        assert numbers == {str(number) for number in range(1, len(names) + 1)}
        texts = [text.get_window_extent() for text in place.texts]
        dots = [place.transData.transform((x, y)) for _, x, y in points]
        steps = [place.transData.transform(corner) for corner in front]
        seen.append((texts, dots, place.get_window_extent(), place.transData.transform((1, floor))[1], steps))
        return names

    monkeypatch.setattr(costs, "put_names", kept)
    with mpl.rc_context():
        FIGURE.picture([crowded()])
    assert len(seen) == 2
    for texts, dots, inside, level, steps in seen:
        assert len(steps) > 1
        for (left, low), (right, high) in pairwise(steps):
            assert not [1 for text in texts if text.y0 < low < text.y1 and text.x0 < right and left < text.x1]
            assert not [1 for text in texts if text.x0 < right < text.x1 and text.y0 < high and low < text.y1]
        assert len(texts) == len(dots) == 12
        assert not [1 for one, other in combinations(texts, 2) if one.fully_overlaps(other)]
        assert not [1 for text in texts for x, y in dots if text.x0 < x < text.x1 and text.y0 < y < text.y1]
        assert not [1 for text in texts if text.y0 < level < text.y1]
        assert all(inside.x0 - 2 <= text.x0 and text.x1 <= inside.x1 + 2 for text in texts)


def numbered(monkeypatch, plot):
    """Return the names that are numbers in the panels of a picture."""
    put, seen = costs.put_names, set()

    def kept(*args):
        names = put(*args)
        seen.update(names)
        return names

    with monkeypatch.context() as patch:
        patch.setattr(costs, "put_names", kept)
        FIGURE.picture([plot])
    return seen


def test_the_papers_networks_are_named_in_a_crowd(monkeypatch):
    plot = crowded()
    low = replace(plot.marks[0], model="low", accuracy=90.0)  # so that there is room below the others
    plot = Plot(plot.title, (*plot.marks, low))
    left = sorted(numbered(monkeypatch, plot))
    assert len(left) > 3
    for name in left[:3]:
        marks = tuple(replace(each, proposed=each.model == name) for each in plot.marks)
        assert name not in numbered(monkeypatch, Plot(plot.title, marks))


def test_names_of_the_papers_networks_are_placed_after_the_front_and_before_the_best():
    points = [("best", 2.0, 90.0), ("proposed", 3.0, 70.0), ("front", 1.0, 60.0)]
    ordered = sorted(points, key=lambda point: rank(point, [(1.0, 60.0)], {"proposed"}))
    assert [name for name, *_ in ordered] == ["front", "proposed", "best"]


def test_a_picture_has_the_short_names_and_its_data_the_whole_ones():
    plot = crowded()
    marks = (replace(plot.marks[0], model="BiLSTM, max over words", short="BiLSTM"), *plot.marks[1:])
    drawn = FIGURE.picture([Plot("A", marks)])
    assert b">BiLSTM<" in drawn
    assert b"max over words" not in drawn
    assert FIGURE.csv_lines([Plot("A", marks)])[0]["model"] == "BiLSTM, max over words"
    rows = {row.id: row.short for row in (row for row in result_table("bench-table-1").rows if row.trials)}
    assert (rows["bilstm"], rows["transformer-f"], rows["cnn"]) == ("BiLSTM", "Transformer-F", "CNN")
    assert len(set(rows.values())) == len(rows)


def test_a_point_far_from_the_others_is_at_the_border_with_its_accuracy_and_the_axis_fits_the_others(monkeypatch):
    """Four networks at chance left the other 28 of FCSR's figure 3 a fifth of the axis."""
    seen = []

    def kept(figure, place, points, floor, front, wanted):
        seen.append((points, place.get_ylim()))
        return []

    monkeypatch.setattr(costs, "put_names", kept)
    one = frozenset({1})
    marks = [
        CostPoint(f"model {number}", 70.0 + number, 1e5, None, None, False, 0, 1, "", one, 69.0 + number, 71.0 + number)
        for number in range(3)
    ]
    plot = Plot("A", (*marks, CostPoint("at chance", 25.9, 1e5, None, None, False, 0, 1, "", one)))
    assert b"beyond the axis, accuracy in brackets" in FIGURE.picture([plot])
    ((points, (low, high)),) = seen
    (name, cost, y), *others = points[::-1]
    assert (name, cost) == ("at chance (25.9)", 1e5)
    assert 65 < low < y < 69
    assert 73 < high < 75
    assert [each[2] for each in others] == [72.0, 71.0, 70.0]
    assert FIGURE.csv_lines([plot])[3]["accuracy"] == "25.9"


def test_what_a_box_covers_is_the_area_that_it_shares_with_each():
    boxes = np.array([[0.0, 0.0, 4.0, 2.0], [10.0, 10.0, 11.0, 11.0]])
    taken = np.array([[1.0, 1.0, 3.0, 5.0], [3.0, 0.0, 9.0, 1.0], [4.0, 0.0, 5.0, 2.0], [-1.0, -1.0, 0.5, 3.0]])
    assert covered(boxes, taken).tolist() == [2.0 + 1.0 + 0.0 + 1.0, 0.0]


def test_an_axis_of_six_decades_has_a_tick_a_decade_and_a_narrow_one_more_than_one():
    seen = []
    for values in ([8.0, 6e6], [8.3e5, 1.6e6]):
        figure = new_figure(3.6, 2.0)
        place = figure.subplots()
        place.plot(values, [80, 81])
        log_x(place, values)
        figure.draw_without_rendering()
        low, high = place.get_xlim()
        seen.append([tick for tick in place.xaxis.get_majorticklocs() if low <= tick <= high])
    assert set(seen[0]) <= {10.0**power for power in range(9)}
    assert 5 <= len(seen[0]) <= 8
    assert len(seen[1]) >= 3


def test_seconds_are_drawn_only_where_networks_have_them_or_there_are_floors_alone(monkeypatch):
    drawn = []
    monkeypatch.setattr(costs, "draw_cost", lambda place, plot, cost: drawn.append(cost) or [])
    point = CostPoint("FCSR", 81.0, 100.0, None, None, False, 1, 1, "EPYC", frozenset({1}))
    floor = CostPoint("SVM", 79.0, 8.0, 0.5, 0.5, True, 1, 1, "EPYC", frozenset({1}))
    for marks, shown in [
        ((point, floor), ["flops_per_word"]),
        ((replace(point, seconds=2.0), floor), ["flops_per_word", "seconds"]),
        ((floor,), ["flops_per_word", "seconds"]),
        ((replace(floor, seconds=None),), ["flops_per_word"]),
    ]:
        drawn.clear()
        FIGURE.picture([Plot("A", marks)])
        assert drawn == shown


@pytest.mark.parametrize(
    ("points", "front"),
    [
        ([(3.0, 80.0), (1.0, 70.0), (2.0, 75.0)], [(1.0, 70.0), (2.0, 75.0), (3.0, 80.0)]),
        ([(1.0, 80.0), (2.0, 75.0)], [(1.0, 80.0)]),  # more expensive and worse
        ([(1.0, 70.0), (1.0, 75.0), (2.0, 75.0)], [(1.0, 75.0)]),  # equally good at a higher cost
        ([], []),
    ],
)
def test_the_front_holds_what_nothing_beats_at_its_cost(points, front):
    assert pareto_front(points) == front


def test_no_picture_of_costs_has_a_row_whose_flops_are_of_a_character():
    assert {model for model in MODELS if network_class(model).alphabet} == OF_CHARACTERS
    of_rows = {
        source.result_table(figure.panels[0].table).row(row).model
        for source in papers()
        for figure in cost_figures(source)
        for row in figure.rows
    }
    assert "word-cnn" in of_rows
    assert not of_rows & OF_CHARACTERS


def test_a_panel_with_one_run_of_each_row_says_so():
    point = CostPoint("FCSR", 84.5, 100.0, 2.0, 2.0, False, 1, 1, "EPYC", frozenset({1}), 84.5, 84.5, True)
    point = replace(point, epochs=3, texts=400, is_single=True)
    others = (replace(point, model="CNN"), replace(point, model="LSTM", epochs=5))
    assert title_of(Plot("A", (point, others[0]))) == "A: one run each of 3 epochs, 400 test texts, no intervals"
    assert title_of(Plot("A", (point, *others))) == "A: one run each, 400 test texts, no intervals"
    assert title_of(Plot("A", (point, replace(point, runs=5, low=80.0, is_single=False)))) == "A"
    lines = FIGURE.csv_lines([Plot("A", (point, *others)), Plot("B", (replace(point, low=80.0),))])
    assert list(FIGURE.remarks(lines)) == ["On A: one run each, without intervals."]
