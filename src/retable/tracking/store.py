"""Find an MLflow store, connect to it, and read its contents."""

import logging
import os
import re
import socket
import sqlite3
import tempfile
import textwrap
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import unquote, unquote_plus, urlsplit

from retable.errors import InputError, shown
from retable.files import copy_file, sha256_of_value
from retable.project.alone import alone
from retable.tracking import experiments as of_ui

KEY, PLACE, DIGEST, LIVE = "retable.key", "retable.place", "retable.complete", "retable.live"
MODEL = "retable.model"  # a tag: SHA-256 of the weights of the linked model
FILE = "retable.file."  # before the name of a file: the tag has its digest
PARENT = "mlflow.parentRunId"
CURVES = ("epoch/", "candidate/")  # before the names of figures that have many points; the others are final
DATABASE_PORTS = {"postgresql": 5432, "mysql": 3306}
SECONDS_TO_ANSWER = 10
SHORT = 4  # characters of a secret that is hidden as a whole word only: a user "me" is no part of "time"
BUSY_S = 20.0  # waiting time for a locked sqlite file
AWAY = "move it away, and `retable record` creates a new one"
FINAL = " AND ".join(f"key NOT LIKE '{prefix}%'" for prefix in CURVES)
TABLES = {  # among the tables of a sqlite store: what MLflow needs to open it, and to write a run
    "alembic_version", "experiments", "experiment_tags", "runs", "tags", "params", "metrics", "latest_metrics",
    "inputs", "input_tags", "datasets",
}  # fmt: skip
ENVIRONMENT = {  # read by MLflow on import
    "MLFLOW_DISABLE_TELEMETRY": "true",
    "MLFLOW_ALLOW_PICKLE_DESERIALIZATION": "false",
    "MLFLOW_ENABLE_ARTIFACTS_PROGRESS_BAR": "false",
    "MLFLOW_SUPPRESS_PRINTING_URL_TO_STDOUT": "true",
    "MLFLOW_HTTP_REQUEST_MAX_RETRIES": "2",
    "MLFLOW_HTTP_REQUEST_TIMEOUT": str(SECONDS_TO_ANSWER),
}


@dataclass(frozen=True)
class Store:
    """An MLflow store.

    Attributes:
        uri: sqlite:///<absolute path>, postgresql://..., mysql://..., or http(s)://... of an MLflow server.
        artifacts: folder for the files of runs; unused with a server, which keeps them itself.
    """

    uri: str
    artifacts: Path

    def __post_init__(self) -> None:
        if self.scheme not in ("sqlite", "http", "https", *DATABASE_PORTS):
            raise InputError(
                f'the MLflow store is "{self.shown}"; allowed: sqlite:///<path>, postgresql://..., mysql://..., '
                "http(s)://... Change MLFLOW_TRACKING_URI, or unset it to use the sqlite file of this checkout."
            )
        try:
            urlsplit(self.uri)
        except ValueError as error:
            raise unusable(self, f"its address cannot be parsed: {error}") from None

    @property
    def scheme(self) -> str:
        """Return the kind of store, without a driver: postgresql for postgresql+psycopg2://."""
        return self.uri.partition(":")[0].partition("+")[0].lower()

    @property
    def shown(self) -> str:
        """Return the URI for messages, without user, password and query."""
        return parted(self.uri)[0]

    def hidden(self, text: str) -> str:
        """Return another program's message without this store's URI, password, token, and values of its query."""
        text = text.replace(self.uri, self.shown)
        _, user, query = parted(self.uri)
        values = [value for _, _, value in (pair.partition("=") for pair in query.split("&"))]
        name, _, password = user.partition(":")
        for secret in filter(None, [user, password or name, query, *values]):
            for form in {secret, unquote(secret), unquote_plus(secret)}:
                whole = re.escape(form) if len(form) > SHORT else rf"(?<!\w){re.escape(form)}(?!\w)"
                text = re.sub(whole, "***", text)
        return text

    @property
    def is_server(self) -> bool:
        """Return whether the store is behind an MLflow server, which keeps the artifacts too."""
        return self.scheme.startswith("http")

    @property
    def lock(self) -> Path:
        """Return a lock file shared by every checkout on this machine; one process at a time may write."""
        if self.sqlite_file is not None:
            return Path(f"{self.sqlite_file}.lock")
        name = f"retable-{os.getuid()}-{sha256_of_value(self.uri)[:16]}.lock"
        return Path(tempfile.gettempdir()) / name

    @property
    def sqlite_file(self) -> Path | None:
        """Return the database file of a sqlite store."""
        return Path(self.uri.removeprefix("sqlite:///")) if self.scheme == "sqlite" else None


@dataclass(frozen=True)
class Found:
    """A run of ours in a store; `digest` is empty until all is written, `live` marks a run logged during training.

    `artifacts` is where its files are. `files` has the digest of each; it is empty in an entry of an earlier version.
    `model` is the digest of its model's weights, if one is linked.
    `figures` and `parameters` are how many there are, `there` the files that a sqlite store has (else None).
    """

    run_id: str
    place: str
    key: str
    digest: str
    live: bool
    ended: int
    parent: str
    artifacts: str
    files: Mapping[str, str]
    finished: bool
    figures: int
    parameters: int
    there: frozenset[str] | None
    model: str = ""

    @property
    def identity(self) -> tuple[str, str, str]:
        return self.place, self.key, self.digest


def parted(uri: str) -> tuple[str, str, str]:
    """Return a URI without its secrets, and these: what is before the last @, and the query.

    A password may contain / ? # @ too. The path of a file has no secrets.
    """
    if uri.startswith(("sqlite:///", "file:///")):
        return uri, "", ""
    found = re.fullmatch(r"(?s)(.*?://)?(?:(.*)@)?([^?#]*)(?:[?#](.*))?", uri)
    assert found
    scheme, user, place, query = (part or "" for part in found.groups())
    return f"{scheme}{'***@' if user else ''}{place}{'?***' if query else ''}", user, query


class Info(NamedTuple):
    """The facts about a run in a sqlite store, under the names of MLflow's `RunInfo`."""

    run_id: str
    end_time: int | None
    artifact_uri: str
    status: str


@contextmanager
def locked(store: Store) -> Iterator[None]:
    """Exclude every other process on this machine, in any checkout, that creates the store or records in it.

    Raises: InputError if the store fails within the block.
    """
    with alone(store.lock), answering(store):
        yield


@contextmanager
def answering(store: Store) -> Iterator[None]:
    """Turn an error of a store, or of the disk below it, into a message. Raises: InputError."""
    try:
        yield
    except errors_of_stores() as error:
        raise unusable(store, str(error)) from None


def errors_of_stores() -> tuple[type[Exception], ...]:
    """Return the exceptions of sqlite and MLflow; MLflow is imported only after an error."""
    from mlflow import MlflowException
    from sqlalchemy.exc import SQLAlchemyError

    return sqlite3.Error, MlflowException, SQLAlchemyError


def unusable(store: Store, reason: str) -> InputError:
    """Return the error for an unusable store, with the store's message."""
    remedy = (
        "repair it; or, if its creation was interrupted, remove it: `retable record` fills a new one from the runs."
        if store.sqlite_file is not None
        else "start or repair it, or unset MLFLOW_TRACKING_URI to use the sqlite file of this checkout."
    )
    said = shortened(store.hidden(reason))
    return InputError(f"the MLflow store {store.shown} cannot be used ({said}); {remedy}")


def connect(store: Store) -> Any:
    """Return an `MlflowClient` on a reachable store; a missing sqlite store is created. Hold `locked` around the call.

    Raises: InputError, within seconds, if the store cannot be reached.
    """
    for name, value in ENVIRONMENT.items():
        os.environ.setdefault(name, value)
    import mlflow  # takes seconds

    for name in ("mlflow", "alembic"):
        logging.getLogger(name).setLevel(logging.WARNING)
    logging.getLogger("mlflow.store.db.utils").setLevel(logging.CRITICAL)  # tracebacks; the exception is reported
    try:
        if store.scheme in DATABASE_PORTS:  # otherwise MLflow would retry for minutes
            address = urlsplit(store.uri)
            port = address.port or DATABASE_PORTS[store.scheme]
            socket.create_connection((address.hostname or "localhost", port), SECONDS_TO_ANSWER).close()
        if store.sqlite_file is not None:  # with a folder in its place, MLflow would retry for minutes
            with closing(sqlite3.connect(store.sqlite_file, timeout=BUSY_S)) as database:
                database.execute("PRAGMA user_version")
            if not is_made(store.sqlite_file) and not store.sqlite_file.stat().st_size:
                create(store.sqlite_file)
        client = mlflow.MlflowClient(tracking_uri=store.uri)
        client.search_experiments(max_results=1)
        if store.sqlite_file is not None:
            take_files_beside(store.sqlite_file, store.artifacts)
    except InputError:
        raise
    except ValueError:
        unreadable = "its address cannot be parsed; write / @ ? # in a password as %2F %40 %3F %23"
        raise unusable(store, unreadable) from None
    except (OSError, ModuleNotFoundError) as error:
        raise unusable(store, str(error)) from None
    except errors_of_stores() as error:
        raise unusable(store, str(error)) from None
    return client


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
    with closing(sqlite3.connect(database, timeout=SECONDS_TO_ANSWER)) as connection, connection:
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


def shortened(text: str) -> str:
    """Shorten a message of MLflow to at most two lines."""
    return textwrap.shorten(text, 160, placeholder=" ...")


def found(store: Store, experiments: Iterable[str], client: Any = None) -> list[Found]:
    """Return every run of ours in these experiments. A sqlite store is read without MLflow, in milliseconds.

    Args:
        client: returned by `connect`; needed for a store that is not a sqlite file.
    """
    if store.sqlite_file is not None:
        return found_in_sqlite(store.sqlite_file, list(experiments))
    runs = []
    for name in experiments:
        experiment = client.get_experiment_by_name(name)
        token = None
        while experiment is not None:
            page = client.search_runs([experiment.experiment_id], f"tags.`{PLACE}` != ''", page_token=token)
            for run in page:
                figures = sum(not name.startswith(CURVES) for name in run.data.metrics)
                runs.append(found_run(run.info, run.data.tags, figures, len(run.data.params)))
            token = page.token
            if not token:
                break
    return runs


def found_in_sqlite(path: Path, experiments: list[str]) -> list[Found]:
    """Return the same directly from the database; empty if it has not been made. Raises: InputError."""
    ours = f"""
        FROM runs JOIN experiments USING (experiment_id) JOIN tags USING (run_uuid)
        WHERE runs.lifecycle_stage = 'active' AND experiments.lifecycle_stage = 'active'
          AND experiments.name IN ({", ".join("?" * len(experiments))})"""
    of_tags = f"SELECT run_uuid, key, value {ours} AND (key LIKE 'retable.%' OR key = '{PARENT}')"
    of_runs = f"""
        SELECT run_uuid, end_time, artifact_uri, status,
          (SELECT COUNT(*) FROM params WHERE params.run_uuid = runs.run_uuid),
          (SELECT COUNT(*) FROM latest_metrics AS latest WHERE latest.run_uuid = runs.run_uuid AND {FINAL}),
          (SELECT COUNT(DISTINCT key) FROM metrics WHERE metrics.run_uuid = runs.run_uuid AND {FINAL})
        {ours} AND key = '{PLACE}'"""
    if not is_made(path):
        return []
    with reading(path) as database:
        tags: dict[str, dict[str, str]] = defaultdict(dict)
        for run_id, key, value in database.execute(of_tags, experiments):
            tags[run_id][key] = value
        runs = []
        for run_id, ended, uri, status, parameters, latest, figures in database.execute(of_runs, experiments):
            info = Info(run_id, ended, uri, status)
            check_types(path, info, tags[run_id])
            runs.append(found_run(info, tags[run_id], min(latest, figures), parameters, files_at(uri)))
    return runs


def files_at(uri: str) -> frozenset[str]:
    """Return the names of the files in a folder of this machine; none of another place."""
    folder = unquote(uri.removeprefix("file://"))
    if not folder.isprintable() or not os.path.isdir(folder):
        return frozenset()
    return frozenset(entry.name for entry in os.scandir(folder) if entry.is_file())


def check_types(path: Path, info: Info, tags: Mapping[str, Any]) -> None:
    """Refuse a value of another type in a sqlite store, which accepts any, unlike MLflow. Raises: InputError."""
    values = {"artifact_uri": info.artifact_uri, **{f"tag {name}": value for name, value in tags.items()}}
    wrong = [(name, value, "text") for name, value in values.items() if not isinstance(value, str)]
    if not isinstance(info.end_time, int | None):
        wrong.append(("end_time", info.end_time, "a whole number"))
    for name, value, allowed in wrong:
        raise InputError(
            f"the {name} of the run {info.run_id} in {path} is {shown(value)}; allowed: {allowed}; repair it there, "
            f"or {AWAY}."
        )


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


def found_run(
    info: Any, tags: Mapping[str, str], figures: int, parameters: int, there: frozenset[str] | None = None
) -> Found:
    """Build a run from its tags and its `Info`, or MLflow's."""
    return Found(
        run_id=info.run_id,
        place=tags[PLACE],
        key=tags.get(KEY, ""),
        digest=tags.get(DIGEST, ""),
        live=LIVE in tags,
        ended=info.end_time or 0,
        parent=tags.get(PARENT, ""),
        artifacts=info.artifact_uri,
        files={name.removeprefix(FILE): digest for name, digest in tags.items() if name.startswith(FILE)},
        finished=info.status == "FINISHED",
        figures=figures,
        parameters=parameters,
        there=there,
        model=tags.get(MODEL, ""),
    )


def experiment_id(client: Any, store: Store, name: str) -> str:
    """Return the id of an experiment, which is created if missing and restored if it was deleted.

    Its description, columns and kind in the UI are updated.
    """
    experiment, tags = client.get_experiment_by_name(name), of_ui.tags(name)
    if experiment is None:
        location = None if store.is_server else (store.artifacts / name).as_uri()
        try:
            return str(client.create_experiment(name, artifact_location=location, tags=tags))
        except errors_of_stores():  # another machine was quicker
            experiment = client.get_experiment_by_name(name)
            if experiment is None:
                raise
    if experiment.lifecycle_stage == "deleted":
        client.restore_experiment(experiment.experiment_id)
    for key, value in tags.items():
        if experiment.tags.get(key) != value:
            client.set_experiment_tag(experiment.experiment_id, key, value)
    return str(experiment.experiment_id)
