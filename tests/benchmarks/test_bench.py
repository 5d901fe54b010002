"""Every group runs, quickly, on sample data; the table and a machine's file hold the groups' results."""

import importlib
import math

import pytest
from rich.console import Console

from benchmarks import bench, systems
from benchmarks.bench import GROUPS, chosen, measured, show
from benchmarks.report import Row, cells, figure, group_values, machine_name, page, write_results
from benchmarks.timing import machine
from retable.errors import InputError
from retable.files import read_json

ROW = Row("fcsr", "words/s", 7600.0, 19000.0, "BiLSTM", 10900.0, "products", ">= 75% of the limit", 0.02, 0.1)
HERE = {"cpu": "AMD EPYC", "cores": 2, "threads": 2, "torch": "2.13.0", "blas": "MKL", "cpu_capability": "AVX512"}


@pytest.mark.parametrize("group", GROUPS)
def test_every_group_gives_finite_rows_on_sample_data(group):
    rows = importlib.import_module(f"benchmarks.{group}").measure(True)
    assert rows
    for row in rows:
        assert all(math.isfinite(value) for value in (row.ours, row.peer or 0.0, row.limit or 0.0)), row
        assert row.path
        assert row.ours >= 0 or "%" in row.unit or "s" in row.unit
        assert (row.peer is None) == (row.peer_name == "")
        assert (row.limit is None) == (row.limit_name == "")
        assert len(cells(row)) == 6


def test_every_system_of_equal_chances_is_timed():
    found = systems.measure(quick=True)
    rows = {row.id for row in systems.TABLE.rows if row.model and not row.reason}
    assert found.training.keys() == found.answering.keys() == rows
    assert all(0 < seconds < math.inf for seconds in (*found.training.values(), *found.answering.values()))


def test_a_row_as_it_is_read():
    assert cells(ROW) == [
        "fcsr", "7,600 words/s ± 2%", "19,000 ± 10% (0.40x): BiLSTM", "10,900 (70%): products", ">= 75% of the limit",
        "missed",
    ]  # fmt: skip
    assert [figure(value) for value in (0.01234, 1.5, 99.94, 100.4, 5_300_000)] == [
        "0.0123", "1.5", "99.9", "100", "5,300,000",
    ]  # fmt: skip


def test_groups_are_chosen_by_name():
    assert chosen([]) == list(GROUPS)
    assert chosen(["evaluate", "fcsr"]) == ["fcsr", "evaluate"]
    with pytest.raises(InputError, match='did you mean "fcsr"'):
        chosen(["fcrs"])


def test_a_group_without_its_data_says_so_and_is_no_error(monkeypatch, capsys):
    class Lacking:
        @staticmethod
        def measure(quick):
            raise InputError("data/tagged/sst-2 is missing; `dvc repro tag@sst-2` makes it.")

    monkeypatch.setattr(bench.importlib, "import_module", lambda name: Lacking)
    found = measured("models", quick=False, date="2026-11-21")
    assert found["rows"] == []
    assert "dvc repro tag@sst-2" in found["not_measured"]
    show(Console(soft_wrap=True), "models", found)
    assert "not measured: data/tagged/sst-2 is missing" in capsys.readouterr().out


def test_the_table_has_every_row(capsys):
    show(Console(width=200), "fcsr", group_values([ROW], "2026-11-21"))
    shown = capsys.readouterr().out
    assert all(part in shown for part in ("fcsr", "7,600 words/s ± 2%", "(0.40x)", "(70%)", "missed"))


def test_the_file_of_a_machine(tmp_path):
    first = write_results(tmp_path, HERE, {"fcsr": group_values([ROW], "2026-11-21")})
    assert first.name == "amd-epyc-2-threads.json"
    write_results(tmp_path, HERE, {"text": group_values([], "2026-11-22", "data/clean is missing.")})
    found = read_json(first)
    assert sorted(found["groups"]) == ["fcsr", "text"]  # earlier results of the same machine stay
    assert Row(**found["groups"]["fcsr"]["rows"][0]) == ROW
    text = page(found)
    assert "| fcsr | 7,600 words/s ± 2% | 19,000 ± 10% (0.40x): BiLSTM |" in text
    assert "**missed**" in text
    assert "Not measured: data/clean is missing." in text
    write_results(tmp_path, HERE, {"fcsr": group_values([], "2026-11-23", "data/tagged is missing.")})
    assert read_json(first)["groups"]["fcsr"]["date"] == "2026-11-21"  # the measurement failed: the figures stay
    write_results(tmp_path, HERE | {"torch": "2.14.0"}, {"text": group_values([], "2026-11-22")})
    assert list(read_json(first)["groups"]) == ["text"]


def test_the_name_of_this_machine_is_a_file_name():
    here = machine()
    assert machine_name(here) == machine_name(here).lower()
    assert "/" not in machine_name(here) + here["date"]
    assert " " not in machine_name(here)
