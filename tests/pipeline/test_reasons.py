"""What is said of a cell that is not measured."""

from dataclasses import replace

import pytest

from retable.papers import PAPERS, paper
from retable.results import bank, reasons
from retable.runs.bank import Entry

FCSR, TRANSFORMER_F = paper("fcsr"), paper("transformer-f")
TABLE = FCSR.result_table("fcsr-table-3")
PROTOCOL = {"seeds": [1], "folds": {}, "epochs": 0, "max_words": 0, "device": "auto", "precision": "float32"}
ENTRY = Entry(
    row="cnn", column="sst-2", seed="1", metric="accuracy", value="0.8", clean="", texts="1821", vectors="pool",
    tokens_covered="0.9", epochs="7", turned="True",
    scale="cpu", parameters="p", data="d", recipe="c 1.0", commit="abc",
    device="a processor", threads="1", date="2026-11-22",
)  # fmt: skip


def cells(*found):
    """Paper -> table -> its cells, of (table, row, column, model, corpus)."""
    listed = {name: {table.name: {} for table in paper(name).results} for name in PAPERS}
    for table, row, column, model, corpus in found:
        cell = {"row": row, "column": column, "model": model, "corpus": corpus, "vectors": "pool"}
        listed[table.partition("-table")[0]][table][f"{row}.{column}"] = cell
    return listed, dict.fromkeys(PAPERS, PROTOCOL)


CNN, BILSTM = (
    ("fcsr-table-3", "cnn", "sst-2", "textcnn", "sst-2"),
    ("fcsr-table-3", "bilstm", "sst-2", "bilstm", "sst-2"),
)
SVM, FIVE = (
    ("floors-table-1", "tfidf-svm", "mr", "tfidf-svm", "mr"),
    ("fcsr-table-3", "cnn", "ag-news-5k", "textcnn", "a"),
)
PLAIN = ("transformer-f-table-3", "transformer", "ced", "transformer", "ced")


@pytest.fixture(autouse=True)
def scales(monkeypatch):
    listed = {"cpu": cells(CNN), "full": cells(CNN, BILSTM, FIVE, PLAIN), "paper": cells(CNN, BILSTM, SVM, PLAIN)}
    monkeypatch.setattr(reasons, "cells_of_scale", listed.__getitem__)


def test_a_cell_that_never_ran_names_the_smallest_scale_that_has_it():
    assert reasons.not_run(TABLE, FCSR) == {
        ("cnn", "sst-2"): "not run yet: scale cpu has it",
        ("bilstm", "sst-2"): "not run yet: scale full has it",
        ("cnn", "ag-news-5k"): "not run yet: scale full has it",  # an extra column, blank before
        ("tfidf-svm", "polarity"): "not run yet: scale paper has it",  # another table's run
    }


def test_every_column_that_shows_a_run_has_its_reason():
    told = reasons.not_run(TRANSFORMER_F.result_table("transformer-f-table-3"), TRANSFORMER_F)
    assert told == {("transformer", name): "not run yet: scale full has it" for name in ("ced", "ced-f1")}


def test_a_banked_run_of_other_code_is_not_said_to_be_missing(monkeypatch):
    monkeypatch.setattr(bank, "changed_since", lambda source, table, entry, protocol: {"recipe", "parameters"})
    entries = {("fcsr", "fcsr-table-3"): [ENTRY, replace(ENTRY, row="fcsr-printed-rate")]}
    missing = bank.why_missing(TABLE, FCSR, {}, {}, entries)
    lines = {(line.row, line.column): line for line in bank.lines_from_bank(TABLE, FCSR, {}, missing)}
    told = "a banked run of other preset or budget and recipe is refused, it has to be run again"
    assert f"{told}: scale cpu has it" in lines["cnn", "sst-2"].note
    assert lines["fcsr-printed-rate", "sst-2"].note == f"{told}: in no scale"
    assert "not run yet: scale full has it" in lines["bilstm", "sst-2"].note
    assert lines["fcsr", "sst-2"].note == "in no scale"


def test_what_changed_of_a_banked_run_is_listed():
    told = reasons.refused(
        TABLE, FCSR, {("fcsr", "sst-2"): {"recipe", "parameters", "data"}, ("cnn", "sst-2"): {"data"}}
    )
    assert "of other preset or budget, data and recipe is refused" in told["fcsr", "sst-2"]
    assert "of other data is refused" in told["cnn", "sst-2"]


def test_of_a_refused_run_every_score_is_told(monkeypatch):
    monkeypatch.setattr(bank, "changed_since", lambda source, table, entry, protocol: {"recipe"})
    table = TRANSFORMER_F.result_table("transformer-f-table-3")
    entries = {("transformer-f", table.name): [replace(ENTRY, row="transformer", column="ced")]}
    assert bank.refused_cells(table, TRANSFORMER_F, {}, entries) == {
        ("transformer", "ced"): {"recipe"}, ("transformer", "ced-f1"): {"recipe"},
    }  # fmt: skip
    shown = {("transformer", "ced"): entries["transformer-f", table.name]}
    assert bank.refused_cells(table, TRANSFORMER_F, shown, entries) == {}


def test_a_run_of_another_paper_that_is_limited_otherwise_is_not_shown_and_told(monkeypatch):
    lama = {"lama": PROTOCOL | {"epochs": {"r8": 15, "imdb": 5}, "max_words": {"imdb": 200}}}  # of 15 epochs
    monkeypatch.setattr(bank, "read_params", {"papers": dict.fromkeys(PAPERS, PROTOCOL) | lama}.get)
    source = paper("lama")
    table = source.result_table("lama-table-4")
    runs = [replace(ENTRY, row="fasttext", column=name, vectors="", recipe="c 0.9") for name in ("r8", "imdb")]
    banked = {("lama", table.name): [], ("floors", "floors-table-1"): runs}
    shown = bank.shown_from_bank(table, source, banked)
    assert shown == {("fasttext", "r8"): runs[:1]}
    assert bank.why_missing(table, source, shown, banked, {("lama", table.name): []}) == {
        ("fasttext", "imdb"): "in no scale, floors-table-1 has a run with training.epochs 15 (here 5), "
        "training.max_words 0 (here 200)",
    }


def test_an_entry_is_current_only_if_all_its_hashes_are(monkeypatch):
    now = {"parameters": "p", "data": "d", "recipe": "c 1.0"}
    monkeypatch.setattr(bank, "current_identity", lambda *of_cell: {"hashes": now})
    protocol = {"folds": {}}
    assert bank.changed_since(FCSR, TABLE, ENTRY, protocol) == set()
    assert bank.changed_since(FCSR, TABLE, replace(ENTRY, recipe="c 0.9", data="old"), protocol) == {"recipe", "data"}
    assert bank.changed_since(FCSR, TABLE, replace(ENTRY, row="char-cnn"), protocol) == {"parameters"}
    assert bank.is_current(FCSR, TABLE, replace(ENTRY, recipe="c 1.3"), protocol)  # equal within rounding


def test_a_run_of_a_checkout_with_changes_keeps_its_mark():
    commit = "0123456789" * 4
    entries = [replace(ENTRY, commit=commit), replace(ENTRY, commit=f"{commit}+"), replace(ENTRY, commit=commit)]
    told = bank.origin_of(entries).splitlines()
    assert told == [f"- a processor, 1 threads, 2026-11-22, commit 0123456789{mark}" for mark in ("", "+")]
