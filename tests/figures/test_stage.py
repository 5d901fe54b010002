import csv
import json
import shutil
from dataclasses import replace

import numpy as np
import pytest

from retable.figures.bars import TimeFigure
from retable.figures.declared import cost_figures
from retable.figures.epochs import EpochFigure
from retable.figures.figure import INTERVALS, Figure
from retable.figures.grid import GridFigure
from retable.figures.measured import AttendedText, Panel
from retable.figures.parameters import ParameterFigure
from retable.figures.roc import RocFigure
from retable.figures.scatter import SizeFigure
from retable.figures.words import TopWords
from retable.files import write_json
from retable.papers import paper, papers
from retable.papers.paper import Column, Paper, ResultTable, Row
from retable.results import figures
from retable.results.resolving import Filled
from retable.runs import form
from retable.runs.record import read_runs
from tests.tracking.conftest import write_run

ROWS = (
    Row("fcsr", "FCSR", "fcsr"), Row("cnn", "CNN", "textcnn"), Row("tfidf-svm", "SVM", "tfidf-svm"),
    Row("s-lstm", "S-LSTM", reason="not built"),
)  # fmt: skip
COLUMNS = (Column("sst-2", "SST", "sst-2"), Column("ag-news", "AG", "ag-news", reason="not obtainable"))
TABLE = ResultTable("fcsr-table-3", "Scores", None, "accuracy", "%", ROWS, COLUMNS)
PAPER = Paper("fcsr", "FCSR", "", (TABLE,))
SST = (Panel("fcsr-table-3", "sst-2"),)
EPOCHS = EpochFigure("fcsr-figure-4", "Epochs", "On dev.", SST)
KINDS = (
    EPOCHS,
    RocFigure("fcsr-figure-6", "ROC", "", (*SST, Panel("fcsr-table-3", "ag-news"))),
    TimeFigure("fcsr-figure-7", "Time", "", SST, rows=("fcsr", "cnn")),
    SizeFigure("sizes", "Sizes", "", SST, rows=("fcsr", "cnn")),
    ParameterFigure(
        "window", "Window", "", SST, ("fcsr", "cnn"), lines=(("FCSR", 3, "fcsr"), ("FCSR", 5, "cnn")), short="window"
    ),
    GridFigure(
        "grid", "Grid", "", SST, rows=("fcsr", "cnn"), cells=((1, 1, "fcsr"), (1, 2, "cnn")), x="heads", y="layers"
    ),
)


class Filling:
    """Fill the one table with all runs of a folder; `missing` gives the reason for rows without runs."""

    def __init__(self, runs, missing=None):
        self.plan, self.runs, self.missing = {"scale": "cpu"}, runs, missing or {}

    def fill(self, table):
        found = {}
        for run in read_runs(self.runs):
            if (run.metrics["row"], "sst-2") not in self.missing:
                found.setdefault((run.metrics["row"], "sst-2"), []).append([run])
        return Filled(found, self.missing)


def run_of(root, row, seed):
    return root / f"runs/fcsr-table-3/{row}-{seed}"


def change(path, **values):
    write_json(path, json.loads(path.read_text()) | values)


@pytest.fixture
def runs(tmp_path, monkeypatch):
    """Return three current cells of one table, two seeds each, on a corpus of 500 training texts."""
    for row in ("fcsr", "cnn", "tfidf-svm"):
        for seed in (1, 2):
            folder = write_run(run_of(tmp_path, row, seed), row=row, seed=seed)
            change(folder / "cost.json", parameters=5_200_000 + len(row))
    monkeypatch.setattr(figures, "papers", lambda: [PAPER])
    monkeypatch.setattr(figures, "FIGURES", {"fcsr": KINDS})
    monkeypatch.setattr(figures, "cost_figures", lambda source: [])
    return tmp_path


@pytest.fixture
def no_pictures(monkeypatch):
    """Replace pictures, which take most of the time and are tested elsewhere."""
    drawn = Figure.drawn

    def lines_alone(*given):
        found = drawn(*given)
        return replace(found, picture=None) if found else None

    monkeypatch.setattr(Figure, "drawn", lines_alone)


def written(root, name="figures", missing=None):
    """Return the entries of all figures, written into a folder."""
    statistics = {"sst-2": {"splits": {"train": {"texts": 500}}}, "other": {"splits": {"train": {"texts": 1}}}}
    entries = figures.write_figures(root / name, Filling(root / "runs", missing), statistics)
    return {entry["name"]: entry for entry in entries}


def lines_of(path):
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def test_every_kind_is_drawn_and_what_is_left_out_is_said(runs):
    entries = written(runs)
    assert all(entry["drawn"] for entry in entries.values()), entries
    assert json.loads((runs / "figures/figures.json").read_text()) == list(entries.values())
    assert {path.name for path in (runs / "figures").iterdir()} == {
        "figures.json", *(f"{figure.name}.{form}" for figure in KINDS for form in ("csv", "svg")),
    }  # fmt: skip
    assert entries["fcsr-figure-6"]["note"] == figures.NOTED
    assert entries["window"]["note"] == INTERVALS


def test_the_data_of_the_pictures_by_hand(runs, no_pictures):
    written(runs)
    times = {line["model"]: line for line in lines_of(runs / "figures/fcsr-figure-7.csv")}
    fcsr = {"panel": "SST", "model": "FCSR", "milliseconds": "416", "timed": "2", "runs": "2"}  # 20 * 10.4 s / 500
    assert times["FCSR"] == fcsr
    sizes = lines_of(runs / "figures/sizes.csv")
    assert [line["parameters"] for line in sizes] == ["200004", "200003"]  # all but 5,000,000 in word vectors
    epochs = lines_of(runs / "figures/fcsr-figure-4.csv")
    assert [line["epoch"] for line in epochs if line["line"] == "FCSR"] == [str(epoch) for epoch in range(1, 7)]
    assert {line["line"] for line in epochs} == {"FCSR", "CNN"}  # a linear model has no epochs
    areas = [line for line in lines_of(runs / "figures/fcsr-figure-6.csv") if line["model"] == "SVM"]
    metrics = [json.loads((run_of(runs, "tfidf-svm", seed) / "metrics.json").read_text()) for seed in (1, 2)]
    assert float(areas[0]["macro_auc"]) == pytest.approx(
        sum(each["test"]["macro_auc"] for each in metrics) / 2, rel=1e-5
    )


def test_a_table_of_accuracies_has_its_costs_beside_them(runs, monkeypatch):
    monkeypatch.setattr(figures, "FIGURES", {})
    monkeypatch.setattr(figures, "cost_figures", cost_figures)
    entries = written(runs)
    assert entries["cost-fcsr-table-3"]["files"] == [f"cost-fcsr-table-3.{form}" for form in ("csv", "svg")]
    # a row without a model is not a row of this figure
    assert cost_figures(PAPER)[0].rows == ("fcsr", "cnn", "tfidf-svm")
    lines = {line["model"]: line for line in lines_of(runs / "figures/cost-fcsr-table-3.csv")}
    assert {name: line["floor"] for name, line in lines.items()} == {"FCSR": "no", "CNN": "no", "SVM": "yes"}
    assert (lines["FCSR"]["flops_per_word"], lines["FCSR"]["seconds"]) == ("2200000", "66.5")
    scores = [
        json.loads((run_of(runs, "cnn", seed) / "metrics.json").read_text())["test"]["accuracy"] for seed in (1, 2)
    ]
    assert float(lines["CNN"]["accuracy"]) == pytest.approx(50 * sum(scores), rel=1e-5)


def test_runs_without_times_have_parameters_and_are_said_to_be_untimed(runs, monkeypatch):
    """The bank keeps no seconds from a machine that had other load."""
    monkeypatch.setattr(form, "COST_OF_FOLDER", form.COST)  # from the bank
    for path in runs.rglob("cost.json"):
        cost = json.loads(path.read_text())
        path.write_text(json.dumps({name: value for name, value in cost.items() if "second" not in name}))
    entries = written(runs)
    assert [line["parameters"] for line in lines_of(runs / "figures/sizes.csv")] == ["200004", "200003"]
    assert not entries["fcsr-figure-7"]["drawn"]
    assert "(not timed: the machine had other work)" in entries["fcsr-figure-7"]["note"]


def test_a_row_has_the_time_of_its_timed_runs_and_the_note_says_how_many(runs, monkeypatch, no_pictures):
    """One untimed run took away the bar of FCSR in its figure 7."""
    monkeypatch.setattr(form, "COST_OF_FOLDER", form.COST)  # from the bank
    path = run_of(runs, "fcsr", 2) / "cost.json"
    write_json(path, {name: value for name, value in json.loads(path.read_text()).items() if "second" not in name})
    entry = written(runs)["fcsr-figure-7"]
    (line,) = (line for line in lines_of(runs / "figures/fcsr-figure-7.csv") if line["model"] == "FCSR")
    assert (line["milliseconds"], line["timed"], line["runs"]) == ("416", "1", "2")
    assert entry["note"] == "Timed on SST: 1 of 2 runs of FCSR."


def test_costs_are_drawn_for_every_table_with_a_column_of_accuracy():
    names = {figure.name for source in papers() for figure in cost_figures(source)}
    assert {"cost-fcsr-table-3", "cost-lama-table-4", "cost-floors-table-1"} <= names
    assert "cost-lama-table-5" not in names  # counts, not scores
    (figure,) = (each for each in cost_figures(paper("transformer-f")) if each.name == "cost-transformer-f-table-3")
    assert all(not panel.column.endswith("-f1") for panel in figure.panels)


def test_a_missing_run_is_said_in_one_sentence_and_leaves_no_file(runs, monkeypatch):
    monkeypatch.setattr(figures, "FIGURES", {"fcsr": (EPOCHS,)})
    missing = {(row, "sst-2"): "not run yet" for row in ("cnn", "tfidf-svm")}
    entry = written(runs, missing=missing)["fcsr-figure-4"]
    assert (entry["drawn"], entry["files"]) == (False, [])
    assert entry["note"] == "No picture: too few cells are measured (not run yet; not built)."
    assert [path.name for path in (runs / "figures").iterdir()] == ["figures.json"]


def test_without_runs_a_figure_says_that_its_cells_are_not_in_the_scale_and_costs_have_none(runs, monkeypatch):
    monkeypatch.setattr(figures, "cost_figures", cost_figures)
    shutil.rmtree(runs / "runs")
    entries = written(runs)
    assert "(not in scale cpu; not built)" in entries["fcsr-figure-4"]["note"]
    assert list(entries) == [figure.name for figure in KINDS]
    assert [path.name for path in (runs / "figures").iterdir()] == ["figures.json"]


def test_times_of_two_machines_are_not_compared(runs, monkeypatch, no_pictures):
    monkeypatch.setattr(figures, "FIGURES", {"fcsr": (replace(KINDS[2], rows=("fcsr", "cnn", "tfidf-svm")),)})
    for seed in (1, 2):
        change(run_of(runs, "fcsr", seed) / "metrics.json", device="GPU")
    entry = written(runs)["fcsr-figure-7"]
    assert {line["model"] for line in lines_of(runs / "figures/fcsr-figure-7.csv")} == {"CNN", "SVM"}
    assert entry["note"] == "Not drawn (timed on another machine, or with other threads)."


def test_runs_without_times_have_flops_and_no_seconds(runs, monkeypatch):
    monkeypatch.setattr(form, "COST_OF_FOLDER", form.COST)  # from the bank
    monkeypatch.setattr(figures, "FIGURES", {"fcsr": KINDS[1:3]})
    monkeypatch.setattr(figures, "cost_figures", cost_figures)
    for seed in (1, 2):
        path = run_of(runs, "fcsr", seed) / "cost.json"
        write_json(path, {name: value for name, value in json.loads(path.read_text()).items() if "second" not in name})
    entries = written(runs)
    assert [name for name, entry in entries.items() if entry["drawn"]] == ["fcsr-figure-6", "cost-fcsr-table-3"]
    lines = {line["model"]: line for line in lines_of(runs / "figures/cost-fcsr-table-3.csv")}
    assert {name for name, line in lines.items() if line["seconds"]} == {"CNN", "SVM"}
    assert lines["FCSR"]["flops_per_word"] == "2200000"


class Network:
    """A network that attends to one of two words."""

    def texts(self, run):
        return [AttendedText(("vessel", "the"), np.array([0.9, 0.1]), "ship") for _ in range(6)]

    def labels(self, run):
        return ("ship",)


def test_a_figure_of_weights_stands_where_they_are_not_at_hand_until_its_runs_are_others(runs, monkeypatch):
    figure = TopWords("words", "Words", "", SST, rows=("fcsr",), fewest=1, classes=(("sst-2", "ship"),))
    monkeypatch.setattr(figures, "FIGURES", {"fcsr": (figure,)})
    monkeypatch.setattr(figures, "Networks", Network)
    monkeypatch.setattr(figures, "TAGGED", runs)
    assert not written(runs)["words"]["drawn"]
    (runs / "sst-2").mkdir()
    (runs / "sst-2/test.parquet").touch()
    for seed in (1, 2):
        (run_of(runs, "fcsr", seed) / "model").mkdir()
    entry = written(runs)["words"]
    assert entry["drawn"]
    data = (runs / "figures/words.csv").read_text()
    assert data.splitlines()[:2] == [
        "column,class,place,word,share,occurrences,epochs", "SST,ship,1,vessel,1.80,6,6",  # epochs that ran, not 4
    ]  # fmt: skip
    for seed in (1, 2):
        (run_of(runs, "fcsr", seed) / "model").rmdir()
    assert written(runs)["words"] == entry  # as drawn before
    assert (runs / "figures/words.csv").read_text() == data
    for seed in (1, 2):
        write_run(run_of(runs, "fcsr", seed), seed=seed, alpha=0.5)
    assert not written(runs)["words"]["drawn"]
    assert not (runs / "figures/words.csv").exists()
