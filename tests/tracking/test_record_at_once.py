"""Writers at once into one store, from checkouts of one machine or of two: nothing lost, nothing doubled."""

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import textwrap
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from mlflow import MlflowException

from retable.errors import InputError
from retable.tracking import entries, record
from retable.tracking.fetch import runs_from_store
from retable.tracking.found import found
from retable.tracking.store import Store, connect
from tests.tracking.conftest import run_at, store_at, write_placed_run, write_run

WRITERS = """
    import json, sys
    from multiprocessing import get_context
    from pathlib import Path
    import mlflow.store.tracking.sqlalchemy_store  # once for all writers, because it takes seconds
    from retable.figures import pictures
    from retable.tracking.entries import cells
    from retable.tracking.record import record
    from retable.tracking.store import Store
    pictures.pictures_of_run = lambda folder: {}  # which take most of the time
    uri, folder, alone, *checkouts = sys.argv[1:]
    def write(checkout):
        Store.lock = property(lambda store: Path(checkout) / "lock") if alone else Store.lock
        record(Store(uri, Path(folder) / "mlartifacts"), cells(Path(checkout) / "runs"))
    writers = [get_context("fork").Process(target=write, args=(each,)) for each in checkouts]
    for step in ("start", "join"):
        for writer in writers:
            getattr(writer, step)()
    print(json.dumps([writer.exitcode for writer in writers]))
"""


def checkouts(folder: Path, count: int) -> list[Path]:
    """Return checkouts that share one run, and have one of their own each."""
    write_placed_run(folder)
    found = [folder / f"checkout-{number}" for number in range(count)]
    for number, checkout in enumerate(found):
        shutil.copytree(folder / "runs", checkout / "runs")
        write_placed_run(checkout, alpha=0.5 + number)
    return found


def record_at_once(uri: str, folder: Path, of: list[Path], alone: str = "") -> list[int]:
    """Record all checkouts at the same time, each in its own process; return their exit codes.

    Args:
        alone: not empty if each writer has a lock of its own, as on another machine.
    """
    words = [sys.executable, "-c", textwrap.dedent(WRITERS), uri, folder, alone, *of]
    done = subprocess.run(words, stdout=subprocess.PIPE, text=True, check=True)
    codes: list[int] = json.loads(done.stdout.splitlines()[-1])
    return codes


def check_each_once(here: list[Any], count: int) -> None:
    """Check that every run and its cell are recorded once and complete: the shared one, and one of each checkout."""
    places = Counter((run.place, run.key) for run in here)
    assert set(places.values()) == {1}
    assert len(places) == 2 * (count + 1)
    assert all(run.digest for run in here)
    parents = {run.run_id for run in here}
    assert all(run.parent in parents for run in here if not run.place.endswith("sst-2"))


def test_checkouts_at_once_make_one_sqlite_store_and_lose_and_double_nothing(tmp_path: Path):
    of = checkouts(tmp_path, 8)
    assert record_at_once(f"sqlite:///{tmp_path}/mlflow.db", tmp_path, of) == [0] * len(of)
    check_each_once(found(store_at(tmp_path), ["fcsr"]), len(of))


@pytest.fixture
def postgresql() -> Iterator[str]:
    """Return the URI of a server from Debian's package, with an empty database."""
    pytest.importorskip("psycopg", reason="MLflow reaches PostgreSQL by psycopg (pip install psycopg[binary])")
    programs = sorted(Path("/usr/lib/postgresql").glob("*/bin"))
    if not programs:
        pytest.skip("no PostgreSQL (apt-get install postgresql)")
    user = "postgres" if os.getuid() == 0 else None  # the server refuses to run as root
    with tempfile.TemporaryDirectory(prefix="retable-postgresql-") as data, socket.create_server(("", 0)) as probe:
        if user:
            shutil.chown(data, user)
        port = str(probe.getsockname()[1])
        probe.close()
        subprocess.run(
            [programs[-1] / "initdb", "-D", data, "-U", "me", "-A", "trust"], check=True, user=user, cwd=data
        )
        words = [programs[-1] / "postgres", "-D", data, "-p", port, "-k", data, "-h", "127.0.0.1"]
        with subprocess.Popen(words, cwd=data, user=user, stderr=subprocess.DEVNULL) as server:
            while subprocess.run(
                [programs[-1] / "pg_isready", "-q", "-h", "127.0.0.1", "-p", port], check=False
            ).returncode:
                time.sleep(0.2)
                assert server.poll() is None
            yield f"postgresql://me@127.0.0.1:{port}/postgres"
            server.send_signal(signal.SIGINT)


@pytest.mark.usefixtures("no_pictures")
def test_eight_checkouts_at_once_record_in_postgresql(tmp_path: Path, postgresql: str):
    of = checkouts(tmp_path, 8)
    assert record_at_once(postgresql, tmp_path, of) == [0] * 8
    store = Store(postgresql, tmp_path / "mlartifacts")
    check_each_once(found(store, ["fcsr"], connect(store)), 8)
    # On machines that do not share a lock: whatever they did to each other, one more record repairs it.
    client = connect(store)
    for run in found(store, ["fcsr"], client):
        client.delete_run(run.run_id)
    record_at_once(postgresql, tmp_path, of[:4], "alone")
    for each in of:
        record.record(store, entries.cells(each / "runs"))
    check_each_once(found(store, ["fcsr"], client), 8)


@pytest.fixture
def server(tmp_path: Path) -> Iterator[str]:
    """Return the URI of an MLflow server with an empty store."""
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port = str(probe.getsockname()[1])
    words = [sys.executable, "-m", "mlflow", "server", "--workers", "1", "--host", "127.0.0.1", "--port", port]
    words += ["--backend-store-uri", f"sqlite:///{tmp_path}/server.db", "--artifacts-destination", f"{tmp_path}/files"]
    with subprocess.Popen(words, cwd=tmp_path, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        while True:
            try:
                socket.create_connection(("127.0.0.1", int(port))).close()
                break
            except ConnectionRefusedError:
                assert process.poll() is None
                time.sleep(0.2)
        yield f"http://127.0.0.1:{port}"
        process.terminate()


@pytest.mark.usefixtures("no_pictures")
def test_checkouts_at_once_record_in_an_mlflow_server(tmp_path: Path, server: str):
    of = checkouts(tmp_path, 4)
    # "alone": on machines that do not share a lock. Whatever they did to each other, one more record repairs it.
    assert record_at_once(server, tmp_path, of, "alone") == [0] * len(of)
    store = Store(server, tmp_path / "unused")
    for each in of:
        record.record(store, entries.cells(each / "runs"))
    check_each_once(found(store, ["fcsr"], connect(store)), len(of))
    places = {path.parent.relative_to(each).as_posix() for each in of for path in each.rglob("metrics.json")}
    assert set(runs_from_store(store, tmp_path / "back")) == places


@pytest.mark.usefixtures("no_pictures")
def test_runs_that_two_machines_wrote_at_once_are_one_again(store: Store, tmp_path: Path):
    write_run(tmp_path / "runs/twin-table-1/1", table="twin-table-1")
    twins, client = entries.cells(tmp_path / "runs"), connect(store)
    record.record(store, twins)
    number = {"twin": record.experiment_id(client, store, "twin")}
    record.write_missing(client, number, twins, [])  # which did not see the existing entries
    assert len(found(store, ["twin"])) == 4
    record.record(store, twins)
    run_at(client, "twin", "runs/twin-table-1/1")
    assert len(found(store, ["twin"])) == 2


@pytest.mark.usefixtures("no_pictures")
@pytest.mark.parametrize(
    ("experiment", "told"),
    [("deleted", "must be in the 'active' state. Current state is deleted."), ("twice", "(sqlite3.IntegrityError)")],
)
def test_a_clash_with_another_writer_is_met_by_another_round(
    store: Store, tmp_path: Path, monkeypatch, experiment, told
):
    write_run(tmp_path / "runs" / f"{experiment}-table-1/1", table=f"{experiment}-table-1")
    write, clashes = record.write_missing, [MlflowException(told)] * 2
    monkeypatch.setattr(record, "write_missing", lambda *given: write(*given) if not clashes else throw(clashes.pop()))
    assert record.record(store, entries.cells(tmp_path / "runs")) == 1
    assert len(found(store, [experiment])) == 2  # the cell and its run


@pytest.mark.usefixtures("no_pictures")
def test_what_is_no_clash_is_told_at_once(store: Store, tmp_path: Path, monkeypatch):
    write_run(tmp_path / "runs/clash-table-1/1", table="clash-table-1")
    tried = []
    monkeypatch.setattr(record, "write_missing", lambda *_: tried.append(1) or throw(MlflowException("no such table")))
    with pytest.raises(InputError, match="no such table"):
        record.record(store, entries.cells(tmp_path / "runs"))
    assert len(tried) == 1


def throw(error: Exception) -> None:
    raise error
