import json
from dataclasses import replace

import pytest

from retable.commands.check import is_regression
from retable.errors import InputError
from retable.papers import PAPERS, paper
from retable.papers.paper import Column
from retable.results import bank, tables
from retable.results.tables import cells_shown, read_cells, refuse_other_files, why_not
from retable.runs.bank import Entry
from retable.tables.lines import Line

CURRENT = {"hashes": {"parameters": "p", "data": "d", "recipe": "c 1.0"}}


def run_folder(folder, **changes):
    (folder / "metrics.json").write_text(json.dumps({"hashes": CURRENT["hashes"] | changes}))
    return folder


def test_a_current_run_is_shown_and_a_stale_one_refused(tmp_path):
    assert why_not(tmp_path, CURRENT) == "not run yet"
    assert why_not(run_folder(tmp_path), CURRENT) == ""
    assert why_not(run_folder(tmp_path, data="old"), CURRENT).startswith("refused: its data changed")
    assert "parameters and recipe" in why_not(run_folder(tmp_path, parameters="old", recipe="c 0.9"), CURRENT)


def test_tables_never_replace_a_folder_of_something_else(tmp_path):
    refuse_other_files(tmp_path / "new")
    (tmp_path / "t.csv").write_text("")
    refuse_other_files(tmp_path)
    (tmp_path / "thesis.tex").write_text("")
    with pytest.raises(InputError, match="holds other files"):
        refuse_other_files(tmp_path)
    with pytest.raises(InputError, match="holds other files"):
        refuse_other_files(tmp_path / "thesis.tex")


def test_a_regression_is_a_fall_by_more_than_one_more_run_may_bring():
    line = Line("fcsr", "sst-2", "accuracy", measured="81.71", low="79.71", high="83.71")
    assert not is_regression(line, None, 2)
    assert not is_regression(line, 83.7, 2)
    assert is_regression(line, 83.8, 2)
    exact = Line("tfidf-svm", "sst-2", "accuracy", measured="81.71", low="81.71", high="81.71")
    assert not is_regression(exact, 81.7133, 2)
    assert is_regression(exact, 81.73, 2)


def cell(row, column, model="transformer"):
    return {"row": row, "column": column, "model": model, "corpus": column, "vectors": "none"}


CELLS = {
    "transformer-f-table-2": {"transformer.ced": cell("transformer", "ced"), "fasttext.mr": cell("fasttext", "mr")},
    "transformer-f-table-3": {"transformer-f-cor.ced": cell("transformer-f-cor", "ced", "transformer-f")},
}


PROTOCOL = {"seeds": [1], "folds": {}, "epochs": 0, "max_words": 0, "device": "auto", "precision": "float32"}


@pytest.fixture
def transformer_f(monkeypatch):
    """The paper, with three cells in two tables, all of them current."""
    monkeypatch.setattr(tables, "cells_of", lambda table, source: dict(CELLS.get(table.name, {})))
    monkeypatch.setattr(tables, "current_identity", lambda *of_cell: CURRENT)
    monkeypatch.setattr(
        tables, "read_params", {"papers": {"transformer-f": PROTOCOL | {"epochs": {"ced": 3}}}, "scale": "cpu"}.get
    )
    return paper("transformer-f")


def test_a_table_shows_the_cells_that_it_shares_with_another(transformer_f):
    second, third = (transformer_f.result_table(f"transformer-f-table-{number}") for number in (2, 3))
    shown = [(found.table.name, found.cell["row"], found.column.id) for found in cells_shown(third, transformer_f)]
    assert shown == [
        ("transformer-f-table-3", "transformer-f-cor", "ced"), ("transformer-f-table-2", "transformer", "ced"),
    ]  # fmt: skip
    assert [found.table.name for found in cells_shown(second, transformer_f)] == ["transformer-f-table-2"] * 2


@pytest.mark.parametrize(("limits", "served"), [(0, ["tfidf-svm", "fasttext"]), ({"mr": 3}, ["tfidf-svm"])])
def test_a_linear_row_serves_the_tables_of_all_papers_and_a_network_those_that_limit_it_alike(
    monkeypatch, limits, served
):
    listed = [cell("tfidf-svm", "mr", "tfidf-svm"), cell("fasttext", "mr", "fasttext")]
    listed.append(cell("avg-embedding", "mr", "avg-embedding") | {"vectors": "pool"})  # are they the paper's?
    cells = {"floors-table-1": {each["row"]: each for each in listed[:2]}, "transformer-f-table-2": {"avg": listed[2]}}
    monkeypatch.setattr(tables, "cells_of", lambda table, source: cells.get(table.name, {}))
    protocols = dict.fromkeys(PAPERS, PROTOCOL) | {"fcsr": PROTOCOL | {"epochs": limits}}
    monkeypatch.setattr(tables, "read_params", {"papers": protocols}.get)
    fcsr = paper("fcsr")
    shown = list(cells_shown(fcsr.result_table("fcsr-table-3"), fcsr))
    assert [(found.paper.name, found.cell["row"], found.column.id) for found in shown] == [
        ("floors", row, "polarity") for row in served
    ]


def test_a_run_stands_under_every_column_that_shows_a_score_of_it(transformer_f, tmp_path):
    folder = tmp_path / "transformer-f-table-2/transformer/ced/1"
    folder.mkdir(parents=True)
    scores = {"accuracy": 0.9, "macro_f1": 0.89, "texts": 341}
    metrics = CURRENT | {
        "test": scores, "test_clean": None, "vectors": None, "epochs": {"run": 3, "turned": True},
        "parameters": {"training": {"max_words": 0}},
    }  # fmt: skip
    (folder / "metrics.json").write_text(json.dumps(metrics))
    (folder / "cost.json").write_text('{"seconds": 5}')
    found, costs = read_cells(transformer_f.results[1], transformer_f, tmp_path)
    assert {key: [run.value for run in runs] for key, runs in found.runs.items()} == {
        ("transformer", "ced"): [0.9], ("transformer", "ced-f1"): [0.89],
    }  # fmt: skip
    assert [run.of_epochs for run in found.runs["transformer", "ced"]] == [20]  # of which this scale allows three
    assert [(cost["row"], cost["column"]) for cost in costs] == [("transformer", "ced")]
    assert found.missing == {
        ("transformer-f-cor", "ced"): "not run yet",
        ("transformer-f-cor", "ced-f1"): "not run yet",
    }


def test_every_seed_of_a_shared_run_is_shown_from_the_bank(monkeypatch):
    cspan = paper("cspan")
    second, fifth = cspan.result_table("cspan-table-2"), cspan.result_table("cspan-table-5")
    entries = [entry_of("cspan-base", "ag-news-5k", seed, value) for seed, value in ((1, 0.8), (2, 0.9), (3, 0.85))]
    banked = {("cspan", "cspan-table-2"): entries, ("cspan", "cspan-table-5"): []}
    shown = bank.shown_from_bank(fifth, cspan, banked)
    assert {key: len(runs) for key, runs in shown.items()} == {("cspan-fusion-e", "ag-news-5k"): 3}
    lines = {(line.row, line.column): line for line in bank.lines_from_bank(fifth, cspan, shown)}
    assert lines["cspan-fusion-e", "ag-news-5k"].measured == "85.00"
    memory = cspan.result_table("cspan-table-4")
    shown = bank.shown_from_bank(memory, cspan, banked | {("cspan", "cspan-table-4"): []})
    assert {entry.value for entry in shown["cspan-l1-q16", "ag-news-5k-memory"]} == {"812.5"}
    assert bank.shown_from_bank(second, cspan, banked)["cspan-base", "ag-news-5k"] == entries


def test_a_banked_run_that_the_scales_limit_ended_says_so(monkeypatch):
    lama = paper("lama")
    table = lama.result_table("lama-table-4")
    monkeypatch.setattr(bank, "read_params", {"papers": {"lama": PROTOCOL | {"epochs": {"r8": 15}}}}.get)
    monkeypatch.setattr(bank, "not_run", lambda table, source: {})
    run = entry_of("lama", "r8", 1, 0.9)
    shown = {
        ("lama", "r8"): [replace(run, epochs="15")],
        ("lama-ctx", "r8"): [replace(run, epochs="14")],  # patience
        ("bigru", "r8"): [replace(run, epochs="15", cut="30")],  # says so already
        ("lama-ctx", "imdb"): [replace(run, epochs="15")],  # no limit
        ("tfidf-svm", "r8"): [replace(run, epochs="")],
    }
    lines = bank.lines_from_bank(table, lama, shown)
    told = {(line.row, line.column) for line in lines if "ended after 15 of 30 epochs, the scale's limit" in line.note}
    assert told == {("lama", "r8")}
    assert not any("ended after" in line.note for line in lines if (line.row, line.column) not in told)


def test_a_score_that_another_tables_entry_does_not_hold_is_told_from_its_predictions(monkeypatch):
    source = paper("transformer-f")
    second, third = (source.result_table(f"transformer-f-table-{number}") for number in (2, 3))
    asked = []

    def scored(entry, table, predictions, metric):
        asked.append((table.name, predictions.name, metric))
        return replace(entry, metric=metric, value="0.71", clean="")

    monkeypatch.setattr(bank, "with_score", scored)
    svm = entry_of("tfidf-svm", "ced", 1, 0.8)
    banked = {
        ("transformer-f", second.name): [svm],
        ("transformer-f", third.name): [],
        ("floors", "floors-table-1"): [svm],
    }
    shown = bank.shown_from_bank(third, source, banked)
    assert {key: [run.value for run in runs] for key, runs in shown.items()} == {
        ("tfidf-svm", "ced"): ["0.8"], ("tfidf-svm", "ced-f1"): ["0.71"],
    }  # fmt: skip
    assert asked == [(second.name, "tfidf-svm.ced.1.parquet", "macro_f1")]  # of two tables that have it, one
    lines = {(line.row, line.column): line for line in bank.lines_from_bank(third, source, shown)}
    f1 = lines["tfidf-svm", "ced-f1"]
    assert (f1.metric, f1.measured, bool(f1.low)) == ("macro_f1", "71.00", True)
    own = replace(svm, row="transformer", column="ced-f1", metric="macro_f1", value="0.6")
    banked["transformer-f", third.name] = [replace(own, column="ced", metric="accuracy"), own]
    assert bank.shown_from_bank(third, source, banked)["transformer", "ced-f1"] == [own]  # as it was banked


def entry_of(row, column, seed, value):
    """An entry of the bank with an accuracy and costs."""
    metrics = CURRENT | {
        "row": row, "column": column, "seed": seed, "scale": "cpu", "git_commit": "abc", "device": "a processor",
        "threads": 2, "date": "2026-11-21",
        "hashes": {"parameters": "p", "data": "d", "recipe": "c 1.0"}, "vectors": None,
        "test": {"accuracy": value, "texts": 7600}, "test_clean": None, "epochs": {"run": 7, "turned": True},
        "parameters": {"training": {"max_words": 0}},
    }  # fmt: skip
    return Entry.from_metrics(metrics, {"peak_memory_mb": 812.5}, "accuracy", row, Column(column, column))
