"""The sqlite file of a store: read without MLflow, created whole, and its paths after a move."""

import os
import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from urllib.parse import unquote, urlsplit

from retable.errors import InputError
from retable.files import copy_file

BUSY_S = 20.0  # waiting time for a locked file
AWAY = "move it away, and `retable record` creates a new one"
TABLES = {  # among the tables of a sqlite store: what MLflow needs to open it, and to write a run
    "alembic_version", "experiments", "experiment_tags", "runs", "tags", "params", "metrics", "latest_metrics",
    "inputs", "input_tags", "datasets",
}  # fmt: skip


def is_made(path: Path) -> bool:
    """Return whether a sqlite file exists and has MLflow's tables, because MLflow would create them in any other file.

    Raises: InputError if it is not a database, or has lost a table: MLflow would create that anew, empty.
    """
    if not path.exists():
        return False
    with reading(path) as database:
        tables = database.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
        there = TABLES & {name for (name,) in tables}
    if there and there != TABLES:
        lacking = ", ".join(sorted(TABLES - there))
        raise InputError(f"{path} is not a complete MLflow store: it lacks {lacking}; {AWAY}.")
    return bool(there)


@contextmanager
def reading(path: Path) -> Iterator[sqlite3.Connection]:
    """Yield a connection to read from. Raises: InputError if that fails within the block.

    After a kill in the middle of a transaction, its journal has to be rolled back first: reading alone cannot.
    """
    file = path.resolve()
    mode = "rw" if Path(f"{file}-journal").exists() and os.access(file, os.W_OK) else "ro"
    try:
        with closing(sqlite3.connect(f"{file.as_uri()}?mode={mode}", uri=True, timeout=BUSY_S)) as database:
            yield database
    except sqlite3.Error as error:
        raise InputError(f"{path} cannot be read ({error}); close the program that uses it, or {AWAY}.") from None


def create(database: Path) -> None:
    """Create a sqlite store, whole or not at all: MLflow cannot complete one whose creation was interrupted."""
    import mlflow

    with tempfile.TemporaryDirectory(prefix="retable-store-") as folder:
        new = Path(folder) / "mlflow.db"
        mlflow.MlflowClient(tracking_uri=f"sqlite:///{new}").search_experiments(max_results=1)
        copy_file(new, database.resolve())


def take_files_beside(database: Path, artifacts: Path) -> None:
    """Point a copied or moved database at the files next to it, instead of the original ones.

    MLflow stores absolute paths: a copied checkout would write into the original one.
    """
    with closing(sqlite3.connect(database, timeout=BUSY_S)) as connection, connection:
        of_experiments = "SELECT experiment_id, name, artifact_location FROM experiments"
        for number, name, place in connection.execute(f"{of_experiments} WHERE typeof(artifact_location) = 'text'"):
            own = (artifacts / name).as_uri()
            if place == own or not place.endswith(f"/{artifacts.name}/{name}"):
                continue
            connection.execute("UPDATE experiments SET artifact_location = ? WHERE experiment_id = ?", (own, number))
            of_runs = (
                "SELECT run_uuid, artifact_uri FROM runs WHERE experiment_id = ? AND typeof(artifact_uri) = 'text'"
            )
            for run, uri in connection.execute(of_runs, (number,)).fetchall():
                moved = own + uri.removeprefix(place)
                if uri.startswith(place) and Path(unquote(urlsplit(moved).path)).exists():
                    connection.execute("UPDATE runs SET artifact_uri = ? WHERE run_uuid = ?", (moved, run))
