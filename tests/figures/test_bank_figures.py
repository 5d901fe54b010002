import csv
import json
from dataclasses import replace

import pytest

from retable.figures.banked import BankedRun, banked_runs, read_compact
from retable.figures.measure import Run
from retable.papers import paper
from retable.results import bank, bank_figures
from retable.runs.bank import Entry, bank_predictions, write_bank
from tests.tracking.conftest import write_run

TABLE = paper("fcsr").result_table("fcsr-table-3")
ROWS = ("fcsr", "cnn", "tfidf-svm")


@pytest.fixture
def banked(tmp_path):
    """A bank of three cells on one corpus, and the runs that it was made of."""
    found = {}
    for row in ROWS:
        folder = write_run(tmp_path / f"runs/{row}", row=row, seed=len(row))
        metrics, cost = (json.loads((folder / name).read_text()) for name in ("metrics.json", "cost.json"))
        curve = Run(folder).dev_accuracies()
        entry = Entry.from_metrics(metrics, cost, "accuracy", row, TABLE.column("sst-2"), curve)
        bank_predictions(folder / "predictions.parquet", tmp_path / f"bank/{row}.parquet")
        found[row, "sst-2"] = [entry]
    return found


@pytest.fixture
def views(tmp_path, banked):
    """What the bank tells, all of it current."""
    return (lambda table: banked if table == TABLE.name else {}), (lambda entry: tmp_path / f"bank/{entry.row}.parquet")


def lines_of(path):
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def test_the_figures_of_the_bank_are_those_of_its_runs(tmp_path, views):
    (tmp_path / "clean/sst-2").mkdir(parents=True)
    (tmp_path / "clean/sst-2/stats.json").write_text('{"splits": {"train": {"texts": 500}}}')
    names = bank_figures.write_bank_figures(*views, out=tmp_path / "figures", clean=tmp_path / "clean")
    assert names == ["fcsr-figure-6", "fcsr-figure-7", "cost-fcsr-table-3"]
    assert {path.name for path in (tmp_path / "figures").iterdir()} == {
        f"{name}.{form}" for name in names for form in ("csv", "svg", "png")
    }
    times = {line["model"]: line["milliseconds"] for line in lines_of(tmp_path / "figures/fcsr-figure-7.csv")}
    assert times["FCSR"] == "416"  # 20 * 10.4 s / 500
    costs = {line["model"]: line for line in lines_of(tmp_path / "figures/cost-fcsr-table-3.csv")}
    assert costs["FCSR"]["seconds"] == "62.4"  # six epochs of 10.4 s
    assert costs["tf-idf + SVM"]["seconds"] == f"{10.4 * bank_figures.rounds_of(TABLE, 'tfidf-svm', None):g}"
    truth = Run(tmp_path / "runs/cnn")
    assert float(costs["CNN"]["accuracy"]) == pytest.approx(truth.accuracy, rel=1e-5)
    areas = {line["model"]: float(line["macro_auc"]) for line in lines_of(tmp_path / "figures/fcsr-figure-6.csv")}
    assert areas["CNN"] == pytest.approx(truth.metrics["test"]["macro_auc"], abs=2e-3)  # probabilities are float16
    svg = (tmp_path / "figures/cost-fcsr-table-3.svg").read_text()
    assert svg.startswith('<svg style="background:#fff;')
    assert svg.count("<svg ") == 1


def test_compact_predictions_are_the_runs_own(tmp_path, banked):
    run = BankedRun(tmp_path / "bank/fcsr.parquet", banked["fcsr", "sst-2"][0], 6)
    truth = Run(tmp_path / "runs/fcsr")
    classes, probabilities = read_compact(run.folder)
    assert probabilities.shape == (400, 2)
    assert (probabilities.argmax(axis=1) == classes).mean() == pytest.approx(truth.accuracy / 100, abs=0.005)
    assert run.accuracy == truth.accuracy
    assert run.rates() == pytest.approx(truth.rates(), abs=0.01)
    assert run.dev_accuracies() == pytest.approx(truth.dev_accuracies(), abs=1e-4)
    assert read_compact(run.folder, "fdu-baby")[0].shape == (0,)


def test_entries_without_costs_are_in_no_figure_of_costs(tmp_path, banked, views):
    banked["fcsr", "sst-2"] = [replace(banked["fcsr", "sst-2"][0], seconds_per_epoch="")]
    names = bank_figures.write_bank_figures(*views, out=tmp_path / "figures", clean=tmp_path / "clean")
    assert names == ["fcsr-figure-6", "cost-fcsr-table-3"]
    models = {name: {line["model"] for line in lines_of(tmp_path / f"figures/{name}.csv")} for name in names}
    assert "FCSR" in models["fcsr-figure-6"]
    assert models["cost-fcsr-table-3"] == {"CNN", "tf-idf + SVM"}


def test_a_figure_that_can_no_longer_be_drawn_goes_away(tmp_path, views):
    bank_figures.write_bank_figures(*views, out=tmp_path / "figures", clean=tmp_path / "clean")
    assert bank_figures.picture_of(TABLE.name, tmp_path / "figures") == (
        "\n![Accuracy against cost](figures/cost-fcsr-table-3.svg)\n"
    )
    assert bank_figures.write_bank_figures(lambda table: {}, views[1], out=tmp_path / "figures") == []
    assert list((tmp_path / "figures").iterdir()) == []
    assert bank_figures.picture_of(TABLE.name, tmp_path / "figures") == ""


def test_of_dev_folds_the_best_on_dev_is_shown_and_of_test_folds_all(banked):
    entry = banked["fcsr", "sst-2"][0]

    def shown(kind):
        folds = [replace(entry, fold=f"{kind} {number} of 2", dev=dev) for number, dev in ((1, "0.7"), (2, "0.9"))]
        return [run.entry.fold for run in banked_runs(folds, lambda _: None, lambda _: 1, "")]

    assert shown("dev") == ["dev 2 of 2"]
    assert shown("test") == ["test 1 of 2", "test 2 of 2"]


def test_only_entries_that_are_current_are_drawn(tmp_path, banked, monkeypatch):
    entries = [entry for of_cell in banked.values() for entry in of_cell]
    write_bank(tmp_path / "bank/fcsr-table-3.csv", entries)
    monkeypatch.setattr(bank_figures, "BANK", tmp_path / "bank")
    monkeypatch.setattr(bank, "is_current", lambda source, table, entry, protocol: entry.row == "cnn")
    current = bank_figures.current_entries()
    assert [(key, entry.row) for key, of_table in current.items() for entry in of_table] == [
        (("fcsr", "fcsr-table-3"), "cnn")
    ]
