import re
import socket
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from retable.commands import serve, ui
from retable.errors import InputError
from retable.tracking import checkout as record
from retable.tracking.found import found
from retable.tracking.sqlite_file import TABLES, is_made
from retable.tracking.store import Store, connect
from tests.tracking.conftest import copy_of, store_at


def store(uri: str) -> Store:
    return Store(uri, Path("artifacts"))


@pytest.mark.parametrize("uri", ["./mlruns", "file:///tmp/mlruns", "databricks", ""])
def test_a_uri_that_is_no_store_is_refused(uri: str):
    with pytest.raises(InputError, match="allowed: sqlite"):
        store(uri)


@pytest.mark.parametrize(
    ("uri", "shown"),
    [
        ("postgresql+psycopg2://me:s3cret@host/runs", "postgresql+psycopg2://***@host/runs"),
        ("http://s3cret@host:5000", "http://***@host:5000"),
        ("http://s3cret:@host:5000/a", "http://***@host:5000/a"),
        ("http://host?api_key=s3cret", "http://host?***"),
        ("http://me@host/a?b=1&s3cret#s3cret", "http://***@host/a?***"),
        ("http://host", "http://host"),
        ("sqlite:////home/me@work/what?/mlflow.db", "sqlite:////home/me@work/what?/mlflow.db"),
    ],
)
def test_a_uri_is_shown_without_user_and_query(uri: str, shown: str):
    assert store(uri).shown == shown


@pytest.mark.parametrize("uri", ["s3cret@host", "ftp://s3cret@host", "databricks?s3cret", "http://s3cret@[::1"])
def test_a_refused_uri_is_shown_without_user_and_query(uri: str):
    with pytest.raises(InputError, match=r"allowed: sqlite|cannot be parsed: Invalid IPv6 URL") as caught:
        store(uri)
    assert "s3cret" not in str(caught.value)


@pytest.mark.parametrize(
    "uri",
    [
        "postgresql://me:s3@cret@localhost:1/runs",
        "postgresql://me:s3/cret@localhost:1/runs",
        "postgresql://localhost:1/runs?user=me&password=s3cret",
        "mysql+none://me:s3cret@localhost:1/runs",
        "http://me:s3cret@localhost:1",
        "http://s3cret@localhost:1",
        "http://localhost:1?api_key=s3cret",
        "http://localhost:1/mlflow?s3cret",
        "http://me:s3cret@localhost:99999",
    ],
)
def test_the_password_of_the_uri_is_in_no_message(uri: str):
    assert not re.search("s3|cret", store(uri).shown)
    with pytest.raises(InputError, match="cannot be used") as caught:
        connect(store(uri))
    assert not re.search("s3|cret", str(caught.value))


@pytest.mark.parametrize(
    ("uri", "said", "shown"),
    [
        (
            "http://me:s3%40cret@host",
            "no http://me:s3%40cret@host, for s3@cret is wrong",
            "no http://***@host, for *** is wrong",
        ),
        ("http://s3cret@host", "no s3cret, no key%3Ds3cret", "no ***, no key%3D***"),
        (
            "http://host/?api_key=s3cret&b=1",
            "no /?api_key=s3cret&b=1, for s3cret is wrong",
            "no /?***, for *** is wrong",
        ),
        ("postgresql://me@host/runs", "the time of me@host is over", "the time of ***@host is over"),
    ],
)
def test_what_another_program_says_of_the_uri_loses_the_secrets(uri: str, said: str, shown: str):
    assert store(uri).hidden(said) == shown


def test_a_half_made_file_is_refused_with_what_to_do(tmp_path: Path):
    with sqlite3.connect(tmp_path / "mlflow.db") as half:
        half.execute("CREATE TABLE experiments (experiment_id INTEGER)")
    with pytest.raises(InputError, match=r"it lacks alembic_version, .*; move it away, and `retable record` creates"):
        connect(store(f"sqlite:///{tmp_path}/mlflow.db"))


@pytest.mark.parametrize("table", sorted(TABLES))
@pytest.mark.parametrize("use", [connect, lambda here: found(here, ["fcsr"]), lambda here: is_made(here.sqlite_file)])
def test_a_store_that_lost_a_table_is_refused_by_all_and_stays(
    table: str, use: Callable[[Store], object], tmp_path: Path, empty_store: Store
):
    """MLflow makes the table anew, empty, and every entry was recorded a second time."""
    here = copy_of(empty_store, tmp_path)
    with sqlite3.connect(tmp_path / "mlflow.db") as database:
        database.execute(f"DROP TABLE {table}")
    database.close()
    before = (tmp_path / "mlflow.db").read_bytes()
    with pytest.raises(InputError, match=rf"it lacks {table}; move it away"):
        use(here)
    assert (tmp_path / "mlflow.db").read_bytes() == before


def test_a_creation_that_is_interrupted_leaves_nothing_and_the_next_one_creates_the_store(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    """The store was half-made after Ctrl-C, and every later `make tables` ended with an error."""
    here = store_at(tmp_path)

    def interrupted(*given: object) -> None:
        raise KeyboardInterrupt  # after the tables of a migration, before its number

    with monkeypatch.context() as patch:
        patch.setattr("alembic.runtime.migration.HeadMaintainer.update_to_step", interrupted)
        with pytest.raises(KeyboardInterrupt):
            connect(here)
    assert not list(tmp_path.glob(".*"))
    assert connect(here).search_experiments(max_results=1)
    with sqlite3.connect(tmp_path / "mlflow.db") as database:
        assert database.execute("PRAGMA integrity_check").fetchone() == ("ok",)


HALF_A_TRANSACTION = """
import os, signal, sqlite3, sys
database = sqlite3.connect(sys.argv[1])
database.execute("PRAGMA cache_size = 1")  # pages are written before the end
database.execute("UPDATE experiments SET name = 'x'")
database.executemany("INSERT INTO experiment_tags VALUES (?, ?, 0)", ((str(n), "x" * 5_000) for n in range(200)))
os.kill(os.getpid(), signal.SIGKILL)
"""


def test_a_store_whose_writer_was_killed_in_a_transaction_is_read_as_before_it(tmp_path: Path, empty_store: Store):
    """It could not be read before a writer came, and every later record refused it."""
    here = copy_of(empty_store, tmp_path)
    subprocess.run([sys.executable, "-c", HALF_A_TRANSACTION, str(here.sqlite_file)], check=False)
    assert (tmp_path / "mlflow.db-journal").exists()
    assert found(here, ["fcsr"]) == []
    assert not (tmp_path / "mlflow.db-journal").exists()


def test_a_store_that_does_not_exist_holds_nothing(tmp_path: Path):
    assert found(store(f"sqlite:///{tmp_path}/mlflow.db"), ["fcsr"]) == []
    (tmp_path / "mlflow.db").touch()  # another process is about to create its tables
    assert found(store(f"sqlite:///{tmp_path}/mlflow.db"), ["fcsr"]) == []
    assert not (tmp_path / "mlartifacts").exists()


def test_the_store_is_that_of_the_real_checkout_and_the_environment_has_the_last_word(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(record, "CHECKOUT", Path("/home/me/retable"))
    monkeypatch.delenv("MLFLOW_TRACKING_URI", raising=False)
    assert record.the_store().uri == "sqlite:////home/me/retable/mlflow.db"
    monkeypatch.setenv("MLFLOW_TRACKING_URI", "sqlite:///runs/mine.db")
    assert record.the_store().uri == "sqlite:////home/me/retable/runs/mine.db"
    assert record.the_store().artifacts == Path("/home/me/retable/runs/mlartifacts")
    monkeypatch.setenv("MLFLOW_TRACKING_URI", "http://mlflow.example:5000")
    assert record.the_store().uri == "http://mlflow.example:5000"


def test_the_ui_of_a_server_is_named_without_the_password(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    monkeypatch.setenv("MLFLOW_TRACKING_URI", "http://me:s3cret@mlflow.example:5000")
    ui.main([])
    said = capsys.readouterr().out
    assert "mlflow.example:5000" in said
    assert "s3cret" not in said


@pytest.mark.parametrize("main", [ui.main, serve.main])
@pytest.mark.parametrize("port", ["99999", "65536", "0", "-1", "5000.0", "5_000", "a"])
def test_a_number_that_is_no_port_is_refused(main: Callable[[list[str]], None], port: str, capsys):
    with pytest.raises(SystemExit) as end:
        main([f"--port={port}", *(["folder"] if main is serve.main else [])])
    assert end.value.code == 2
    assert (
        f"argument --port: '{port}' is not a port; allowed: a whole number from 1 to 65535" in capsys.readouterr().err
    )


def test_a_port_that_another_program_has_is_refused(monkeypatch: pytest.MonkeyPatch, capsys):
    monkeypatch.setenv("MLFLOW_TRACKING_URI", "sqlite:///unused.db")
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        with pytest.raises(SystemExit):
            ui.main([f"--port={port}"])
    assert f"port {port} cannot be used (Address already in use)" in capsys.readouterr().err
