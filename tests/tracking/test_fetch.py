import os
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing, nullcontext
from pathlib import Path

import pytest

from retable.errors import InputError
from retable.files import read_json, write_json
from retable.project.paths import BANK
from retable.runs.form import FILES
from retable.tracking.checkout import fetch
from retable.tracking.entries import cells, file_entry, focus_entry
from retable.tracking.fetch import runs_from_store, take_files
from retable.tracking.found import DIGEST, FILE, PLACE, Found, found
from retable.tracking.record import record
from retable.tracking.store import Store, connect
from tests.tracking.conftest import CELLS, copy_of, store_at, tree, write_placed_run, write_run

STATISTICS = read_json(BANK / "corpora.json")

pytestmark = pytest.mark.usefixtures("no_pictures")


def test_what_was_recorded_comes_back_byte_for_byte(store: Store, tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    results = tmp_path / "results"
    for row, column, seed in CELLS:
        write_placed_run(results, row=row, column=column, seed=seed)
    write_run(results / "focus", alpha=0.3)
    write_json(results / "clean/mr/stats.json", STATISTICS["mr"])
    focus = focus_entry(results / "focus", None)
    assert focus
    statistics = file_entry("corpus", "mr", "clean/mr", results / "clean/mr/stats.json")
    record(store, [*cells(results / "runs"), focus, statistics])
    places = runs_from_store(store, tmp_path / "back")
    assert len(places) == 6
    assert "fetch: 6 entries in " in capsys.readouterr().err
    assert tree(tmp_path / "back") == tree(results)


def test_the_focus_run_that_stands_here_wins_over_a_newer_one(store: Store, tmp_path: Path):
    keys = []
    for alpha in (0.4, 0.5):
        write_run(tmp_path / "focus", alpha=alpha)
        entry = focus_entry(tmp_path / "focus", None)
        assert entry
        keys.append(entry.key)
        record(store, [entry])
    for standing, alpha in (([], b'"alpha": 0.5'), ([keys[0]], b'"alpha": 0.4')):
        runs_from_store(store, tmp_path / "back", standing)
        assert alpha in (tmp_path / "back/focus/metrics.json").read_bytes()


def change(path: Path, **values: object) -> None:
    """Edit a JSON file by hand."""
    write_json(path, read_json(path) | values)


def hide_behind_a_copy(run: Path) -> None:
    shutil.copy(run / "metrics.json", run / "other.json")
    change(run / "metrics.json", test=read_json(run / "metrics.json")["test"] | {"accuracy": 0.987})


def take_answers_of_another_run(run: Path) -> None:
    shutil.copy(write_run(run.parent / "other", seed=9) / "predictions.parquet", run / "predictions.parquet")


def train_in_no_time(run: Path) -> None:
    change(run / "cost.json", seconds=0.001)


def cut_the_curve(run: Path) -> None:
    (run / "curve.csv").write_text("epoch,dev_accuracy\n1,2.0\n")


CHANGED = r"the run \w{32} of runs/t-table-1/\w{16} in .* lost or changed its files \(%s\); delete that run"
DAMAGED = r"the run \w{32} in .* is damaged: .*runs/t-table-1/\w{16}/%s; delete that run"


@pytest.mark.parametrize(
    ("edit", "refusal", "of_an_earlier_version"),
    [
        (hide_behind_a_copy, CHANGED % "metrics.json", CHANGED % "metrics.json"),
        (
            take_answers_of_another_run,
            CHANGED % "predictions.parquet",
            DAMAGED % "predictions.parquet gives accuracy.*",
        ),
        (train_in_no_time, CHANGED % "cost.json", ""),  # which had no digest of it
        (cut_the_curve, CHANGED % "curve.csv", DAMAGED % "curve.csv, line 2 lacks learning_rate"),
        (lambda run: (run / "cost.json").unlink(), CHANGED % "cost.json", CHANGED % "cost.json"),
    ],
)
def test_a_changed_artifact_is_noticed(
    tmp_path: Path, empty_store: Store, edit: Callable[[Path], None], refusal: str, of_an_earlier_version: str
):
    copy = copy_of(empty_store, tmp_path)
    write_placed_run(tmp_path, table="t-table-1")
    record(copy, cells(tmp_path / "runs"))
    edit(next(copy.artifacts.rglob("metrics.json")).parent)
    with pytest.raises(InputError, match=refusal):
        runs_from_store(copy, tmp_path / "back")
    assert not list((tmp_path / "back").rglob("*.*"))
    with closing(sqlite3.connect(tmp_path / "mlflow.db")) as database, database:
        database.execute("DELETE FROM tags WHERE key LIKE ?", (f"{FILE}%",))
    with pytest.raises(InputError, match=of_an_earlier_version) if of_an_earlier_version else nullcontext():
        runs_from_store(copy, tmp_path / "back")


def test_only_the_known_files_of_a_run_come_back(tmp_path: Path, empty_store: Store):
    copy = copy_of(empty_store, tmp_path)
    write_placed_run(tmp_path, table="t-table-1")
    record(copy, cells(tmp_path / "runs"))
    (next(copy.artifacts.rglob("metrics.json")).parent / "more.json").touch()
    (place,) = runs_from_store(copy, tmp_path / "back")
    assert {path.name for path in (tmp_path / "back" / place).iterdir()} == set(FILES)


PLACES = ["{here}/mine", "../mine", "clean/../../mine", "runs", "clean/.git", "else/where", "runs/x/y", "runs/x/{key}"]


@pytest.mark.parametrize("place", PLACES)
def test_a_tag_that_names_a_place_elsewhere_is_refused_before_a_folder_is_replaced(
    tmp_path: Path, empty_store: Store, place: str
):
    copy = copy_of(empty_store, tmp_path)
    run = write_placed_run(tmp_path, table="t-table-1")
    record(copy, cells(tmp_path / "runs"))
    set_value(copy, f"UPDATE tags SET value = ? WHERE key = '{PLACE}'", place.format(here=tmp_path, key=run.name))
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine/kept").touch()
    with pytest.raises(InputError, match=r"retable\.place .* allowed: runs/<its table>/\w{16}, .* delete that run"):
        runs_from_store(copy, tmp_path / "back")
    assert (tmp_path / "mine/kept").exists()
    assert not list((tmp_path / "back").rglob("*.*"))


def set_value(store: Store, statement: str, value: object) -> None:
    """Change a value in the database by hand."""
    with closing(sqlite3.connect(store.sqlite_file or "")) as database, database:
        database.execute(statement, (value,))


OF_TAG, OF_RUN = "UPDATE tags SET value = ? WHERE key = '{}'", "UPDATE runs SET {} = ?"
TYPES = r"the {} of the run \w{{32}} in .*mlflow\.db is {}; allowed: {}; repair it there, or move it away"
URI = (
    r"the files of the run \w{32} of clean/sst-2 in .* are at '.*'; allowed: file:///.*/<experiment>/\w{32}/artifacts;"
)


@pytest.mark.parametrize(
    ("statement", "value", "refusal"),
    [
        (OF_TAG.format(PLACE), None, TYPES.format("tag retable.place", "None", "text")),
        (OF_TAG.format(DIGEST), b"0", TYPES.format("tag retable.complete", "b'0'", "text")),
        (OF_RUN.format("end_time"), "soon", TYPES.format("end_time", "'soon'", "a whole number")),
        (OF_RUN.format("artifact_uri"), None, TYPES.format("artifact_uri", "None", "text")),
        (OF_RUN.format("artifact_uri"), "file:///etc", URI),
        (OF_RUN.format("artifact_uri"), "file:///etc/%00", URI),
        (OF_RUN.format("artifact_uri"), "file://[::1", URI),
        (OF_RUN.format("artifact_uri"), "file:///{elsewhere}", URI),
        (OF_RUN.format("artifact_uri"), "http://localhost:1/files", URI),
        (OF_RUN.format("artifact_uri"), "s3://bucket/files", URI),
        (OF_RUN.format("artifact_uri"), "", URI),
    ],
)
def test_what_anybody_may_have_written_into_a_store_is_one_sentence(
    tmp_path: Path, empty_store: Store, statement: str, value: object, refusal: str
):
    copy = copy_of(empty_store, tmp_path)
    write_json(tmp_path / "clean/sst-2/stats.json", STATISTICS["sst-2"])
    record(copy, [file_entry("corpus", "sst-2", "clean/sst-2", tmp_path / "clean/sst-2/stats.json")])
    (run,) = found(copy, ["corpora"])
    elsewhere = tmp_path / "elsewhere" / run.run_id / "artifacts"
    shutil.copytree(next(copy.artifacts.rglob("stats.json")).parent, elsewhere)
    set_value(copy, statement, value.format(elsewhere=elsewhere) if isinstance(value, str) else value)
    with pytest.raises(InputError, match=refusal):
        runs_from_store(copy, tmp_path / "back")
    assert not list((tmp_path / "back").rglob("*.*"))


@pytest.mark.parametrize("linked", ["stats.json", "."])
def test_a_link_among_the_files_of_a_store_is_refused(tmp_path: Path, empty_store: Store, linked: str):
    copy = copy_of(empty_store, tmp_path)
    write_json(tmp_path / "clean/sst-2/stats.json", STATISTICS["sst-2"])
    record(copy, [file_entry("corpus", "sst-2", "clean/sst-2", tmp_path / "clean/sst-2/stats.json")])
    file = next(copy.artifacts.rglob("stats.json")).parent / linked
    file.rename(tmp_path / "elsewhere")
    file.symlink_to(tmp_path / "elsewhere")
    with pytest.raises(InputError, match=r"stats\.json is a symbolic link|the files of the run"):
        runs_from_store(copy, tmp_path / "back")
    assert not list((tmp_path / "back").rglob("*.*"))


@pytest.mark.parametrize("uri", ["s3://s3cret@bucket/1", "file:///etc", "mlflow-artifacts://other/1"])
def test_files_that_a_server_has_elsewhere_are_refused(tmp_path: Path, uri: str):
    run = Found("1", "tagger", "", "0", False, 0, "", uri, {}, True, 1, 0, None)
    with pytest.raises(InputError, match=r"the files of the run 1 of tagger .* allowed: mlflow-artifacts:/") as caught:
        take_files(None, run, Store("http://localhost:1", tmp_path), tmp_path)
    assert "s3cret" not in str(caught.value)


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
    copy = copy_of(empty_store, tmp_path)
    write_json(tmp_path / "clean/sst-2/stats.json", STATISTICS["sst-2"])
    record(copy, [file_entry("corpus", "sst-2", "clean/sst-2", tmp_path / "clean/sst-2/stats.json")])
    (found_there,) = copy.artifacts.rglob("stats.json")
    (shutil.rmtree if lost == "." else os.remove)(found_there.parent / lost)
    with pytest.raises(InputError, match="lost or changed its files"):
        runs_from_store(copy, tmp_path / "back")
    assert not list((tmp_path / "back").rglob("*.json"))
