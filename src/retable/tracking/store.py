"""Find an MLflow store, and connect to it."""

import logging
import os
import re
import socket
import sqlite3
import tempfile
import textwrap
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import unquote, unquote_plus, urlsplit

from retable.errors import InputError
from retable.files import sha256_of_value
from retable.project.alone import alone
from retable.tracking import experiments as of_ui
from retable.tracking.sqlite_file import BUSY_S, create, is_made, take_files_beside

DATABASE_PORTS = {"postgresql": 5432, "mysql": 3306}
SECONDS_TO_ANSWER = 10
SHORT = 4  # characters of a secret that is hidden as a whole word only: a user "me" is no part of "time"
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


def store_at(home: Path) -> Store:
    """Return the store that MLFLOW_TRACKING_URI names, else the one in a folder.

    A relative path of a sqlite file starts there; artifacts are next to the file.
    """
    uri = os.environ.get("MLFLOW_TRACKING_URI") or "sqlite:///mlflow.db"
    if uri.startswith("sqlite:///"):
        file = home / uri.removeprefix("sqlite:///")
        uri, home = f"sqlite:///{file}", file.parent
    return Store(uri, artifacts=home / "mlartifacts")


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


def shortened(text: str) -> str:
    """Shorten a message of MLflow to at most two lines."""
    return textwrap.shorten(text, 160, placeholder=" ...")


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
