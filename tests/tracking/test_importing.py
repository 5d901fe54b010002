import shutil
from pathlib import Path
from typing import Any

import pytest

from retable.commands import import_ as importing
from retable.commands.import_ import check_run, import_run, run_folders
from retable.errors import InputError
from retable.files import read_json, write_json
from retable.runs.record import read_run, run_folder
from retable.tracking import checkout
from tests.tracking.conftest import tree, write_run


@pytest.fixture
def run(tmp_path: Path) -> Path:
    """Return a run that came from another machine."""
    return write_run(tmp_path / "from-gpu/a/b")


def place_in(runs: Path, run: Path) -> Path:
    """Return where a run belongs."""
    return run_folder(runs, "fcsr-table-3", read_json(run / "metrics.json")["key"])


def test_a_run_is_found_anywhere_below_and_copied_to_where_its_key_belongs_once(tmp_path: Path, run: Path):
    with pytest.raises(InputError, match="contains no run"):
        run_folders(tmp_path / "from-nowhere")
    (found,) = run_folders(tmp_path / "from-gpu")
    assert import_run(check_run(found), tmp_path / "runs", verified=True)
    assert tree(place_in(tmp_path / "runs", run)) == tree(run)
    before = place_in(tmp_path / "runs", run).stat().st_ino
    assert not import_run(check_run(found), tmp_path / "runs", verified=True)
    assert place_in(tmp_path / "runs", run).stat().st_ino == before


def test_runs_are_found_below_a_folder_named_like_half_of_a_file(tmp_path: Path, run: Path):
    """Any ".part" in the path hid them, above the given folder as well."""
    shutil.move(run, tmp_path / "disk.part2/runs/from.partner/b")
    half = tmp_path / "disk.part2/runs/.b.a1b2c3d4.part"
    shutil.copytree(tmp_path / "disk.part2/runs/from.partner/b", half)
    assert run_folders(tmp_path / "disk.part2/runs") == [tmp_path / "disk.part2/runs/from.partner/b"]


def test_cut_off_predictions_are_refused(run: Path):  # other files: tests/results/test_bank.py
    path = run / "predictions.parquet"
    path.write_bytes(path.read_bytes()[:-20])
    with pytest.raises(InputError, match="is damaged"):
        check_run(run)


def change(run: Path, **values: object) -> None:
    """Edit metrics.json by hand."""
    write_json(run / "metrics.json", read_json(run / "metrics.json") | values)


@pytest.mark.parametrize(
    ("section", "values", "message"),
    [
        ("parameters", {"precision": "bfloat16"}, "its key does not match its parameters"),
        ("test", {"accuracy": 0.99}, r"gives accuracy 0\.882500 for test, but metrics\.json says 0\.990000"),
    ],
)
def test_metrics_that_were_edited_are_refused(run: Path, section: str, values: dict[str, float], message: str):
    change(run, **{section: read_json(run / "metrics.json")[section] | values})
    with pytest.raises(InputError, match=message):
        check_run(run)


def test_a_run_cannot_name_a_place_elsewhere(run: Path):
    for name in ("table", "row", "column"):
        written = read_json(run / "metrics.json")[name]
        change(run, **{name: "../.."})
        with pytest.raises(InputError, match=r"\.\./\.\."):
            check_run(run)
        change(run, **{name: written})
    assert check_run(run)


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"paper": "lama"}, "paper is 'lama' in .*has 'fcsr'"),
        ({"row": "bilstm"}, "model is 'fcsr' in .*bilstm on sst-2 of fcsr-table-3 has 'bilstm'"),
        ({"column": "covid-sentiment"}, "corpus is 'sst-2' in .*has 'covid-sentiment'"),
        ({"row": "fscr"}, 'did you mean "fcsr"'),
        ({"row": ["fcsr"]}, r"row is \['fcsr'\] in .*allowed: a name"),
        ({"table": None}, "table is None in .*allowed: a name"),
        ({"hashes": {"data": 1}}, "hashes.data is 1 in .*allowed: 64 hexadecimal digits"),
    ],
)
def test_a_run_of_another_row_column_or_paper_than_it_says_is_refused(run: Path, values: Any, message: str):
    change(run, **values)
    with pytest.raises(InputError, match=message):
        check_run(run)


def test_a_link_out_of_the_folder_is_refused(run: Path, tmp_path: Path):
    shutil.move(run / "curve.csv", tmp_path / "secret.csv")
    (run / "curve.csv").symlink_to(tmp_path / "secret.csv")
    with pytest.raises(InputError, match=r"curve\.csv is a symbolic link"):
        check_run(run)


def test_one_bad_run_does_not_keep_the_others_out(
    tmp_path: Path, run: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    shutil.copytree(run, run.parent / "bad")
    (run.parent / "bad/curve.csv").unlink()
    taken: list[list[Any]] = []
    monkeypatch.setattr(importing, "RUNS", tmp_path / "runs")
    monkeypatch.setattr(importing, "the_store", lambda: None)
    monkeypatch.setattr(importing, "check_against_data", lambda run, bank: False)
    monkeypatch.setattr(checkout, "record", lambda store, entries, on_entry: taken.append(entries))
    with pytest.raises(SystemExit) as end:
        importing.main([str(tmp_path / "from-gpu")])
    assert end.value.code == 1
    assert [[entry.place for entry in entries] for entries in taken] == [["runs/fcsr-table-3/fcsr/sst-2"]]
    printed = capsys.readouterr()
    assert "record ..." in printed.err
    assert "imported: fcsr on sst-2, seed 1 (fcsr-table-3); unverified: sst-2 is not available here" in printed.out
    assert "refused: " in printed.err
    assert "lacks curve.csv" in printed.err


def test_a_run_that_nothing_here_can_verify_is_marked_until_a_verified_copy_comes(tmp_path: Path, run: Path):
    runs, here = tmp_path / "runs", place_in(tmp_path / "runs", run)
    assert import_run(check_run(run), runs, verified=False)
    assert read_run(here).is_unverified
    assert not import_run(check_run(here), runs, verified=False)
    assert import_run(check_run(here), runs, verified=True)
    assert tree(here) == tree(run)


def test_a_verified_copy_of_another_table_takes_the_place_of_the_unverified_one(tmp_path: Path, run: Path):
    runs = tmp_path / "runs"  # a place names the table that trained the run
    unverified = shutil.copytree(run, run_folder(runs, "pool-table-1", read_json(run / "metrics.json")["key"]))
    change(unverified, unverified=True)
    assert import_run(check_run(run), runs, verified=True)
    assert not unverified.exists()
    assert tree(place_in(runs, run)) == tree(run)
