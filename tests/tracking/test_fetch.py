import os
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from retable.errors import InputError
from retable.files import write_json
from retable.tracking.checkout import fetch
from retable.tracking.entries import cells, file_entry, focus_entry
from retable.tracking.fetch import runs_from_store
from retable.tracking.record import record
from retable.tracking.store import PLACE, Store, connect, found
from tests.tracking.conftest import store_at, tree, write_results, write_run

pytestmark = pytest.mark.usefixtures("no_pictures")


def test_what_was_recorded_comes_back_byte_for_byte(store: Store, tmp_path: Path):
    results = write_results(tmp_path / "results")
    write_json(results / "clean/mr/stats.json", {"corpus": "mr", "vocabulary": 100})
    focus = focus_entry(results / "focus", None)
    assert focus
    statistics = file_entry("corpus", "mr", "clean/mr", results / "clean/mr/stats.json")
    record(store, [*cells(results / "runs"), focus, statistics])
    places = runs_from_store(store, tmp_path / "back")
    assert len(places) == 6
    assert tree(tmp_path / "back") == tree(results)


def test_the_run_that_stands_here_wins_over_a_newer_one(store: Store, tmp_path: Path):
    place = "runs/two-table-1/1"
    keys = []
    for alpha in (0.2, 0.3):
        write_run(tmp_path / place, table="two-table-1", alpha=alpha)
        (cell,) = cells(tmp_path / "runs")
        keys.append(cell.runs[0].key)
        record(store, [cell])
    for standing, alpha in (([], b'"alpha": 0.3'), ([keys[0]], b'"alpha": 0.2')):
        runs_from_store(store, tmp_path / "back", standing)
        assert alpha in (tmp_path / "back" / place / "metrics.json").read_bytes()


def test_a_changed_artifact_is_noticed(tmp_path: Path, store: Store):
    write_json(tmp_path / "clean/sst-2/stats.json", {"corpus": "sst-2"})
    record(store, [file_entry("corpus", "sst-2", "clean/sst-2", tmp_path / "clean/sst-2/stats.json")])
    for recorded in store.artifacts.rglob("stats.json"):
        recorded.write_text("{}")
    with pytest.raises(InputError, match="lost or changed its files"):
        runs_from_store(store, tmp_path / "back")


@pytest.mark.parametrize("place", ["{here}/mine", "../mine", "clean/../../mine", "runs", "clean/.git", "else/where"])
def test_a_tag_that_names_a_place_elsewhere_is_refused_before_a_folder_is_replaced(
    tmp_path: Path, empty_store: Store, place: str
):
    copy = Store(f"sqlite:///{tmp_path}/mlflow.db", tmp_path / "mlartifacts")
    (tmp_path / "mlflow.db").write_bytes((empty_store.sqlite_file or Path()).read_bytes())
    write_json(tmp_path / "clean/sst-2/stats.json", {"corpus": "sst-2"})
    record(copy, [file_entry("corpus", "sst-2", "clean/sst-2", tmp_path / "clean/sst-2/stats.json")])
    (recorded,) = found(copy, ["corpora"])
    connect(copy).set_tag(recorded.run_id, PLACE, place.format(here=tmp_path))
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine/kept").touch()
    with pytest.raises(InputError, match=r"retable\.place"):
        runs_from_store(copy, tmp_path / "back")
    assert (tmp_path / "mine/kept").exists()
    assert not (tmp_path / "back").exists()


def no_file(path: Path) -> None:
    pass


def of_another_program(path: Path) -> None:
    with closing(sqlite3.connect(path)) as database, database:
        database.execute("CREATE TABLE notes (text)")


@pytest.mark.parametrize("made", [no_file, Path.touch, of_another_program])
def test_a_store_that_is_not_made_is_refused_at_once_and_not_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, made: Callable[[Path], None]
):
    made(tmp_path / "mlflow.db")
    before = tree(tmp_path)
    monkeypatch.setenv("MLFLOW_TRACKING_URI", f"sqlite:///{tmp_path}/mlflow.db")
    with pytest.raises(InputError, match="contains no finished run"):
        fetch(tmp_path / "scratch")
    assert tree(tmp_path) == before


def test_a_store_without_our_runs_is_refused(tmp_path: Path, empty_store: Store, monkeypatch: pytest.MonkeyPatch):
    shutil.copy(empty_store.sqlite_file or "", tmp_path / "mlflow.db")
    monkeypatch.setenv("MLFLOW_TRACKING_URI", f"sqlite:///{tmp_path}/mlflow.db")
    connect(store_at(tmp_path)).create_experiment("of-others")
    with pytest.raises(InputError, match="contains no finished run"):
        fetch(tmp_path / "scratch")


@pytest.mark.parametrize("lost", ["stats.json", "."])
def test_a_run_that_lost_its_files_is_named_with_what_to_do(tmp_path: Path, empty_store: Store, lost: str):
    copy = store_at(tmp_path)
    shutil.copy(empty_store.sqlite_file or "", copy.sqlite_file or "")
    write_json(tmp_path / "clean/sst-2/stats.json", {"corpus": "sst-2"})
    record(copy, [file_entry("corpus", "sst-2", "clean/sst-2", tmp_path / "clean/sst-2/stats.json")])
    (found_there,) = copy.artifacts.rglob("stats.json")
    (shutil.rmtree if lost == "." else os.remove)(found_there.parent / lost)
    with pytest.raises(InputError, match="lost or changed its files"):
        runs_from_store(copy, tmp_path / "back")
    assert not list((tmp_path / "back").rglob("*.json"))
