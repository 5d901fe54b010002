"""Restore the result files from a store."""

import os
import re
import shutil
from collections.abc import Container, Iterable
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from retable.errors import InputError, shown
from retable.files import atomic_folder, is_plain_name, sha256_of_file
from retable.project.progress import progress
from retable.runs.form import FILES, KEY_DIGITS
from retable.tracking.found import Found, found
from retable.tracking.store import Store, answering, connect, locked, parted, unusable

# First component of a place -> number of components, and files; `Found.digest` is that of the first file.
KINDS = {
    "runs": (3, FILES), "focus": (1, FILES), "clean": (2, ("stats.json",)), "vectors": (2, ("vectors.json",)),
    "tagger": (1, ("accuracy.json",)),
}  # fmt: skip
AGAIN = "delete that run in the MLflow UI, and the next `make tables` records it again"


def runs_from_store(store: Store, destination: Path, standing: Container[str] = ()) -> list[str]:
    """Write the files of every finished run back to their original places, byte for byte.

    Args:
        destination: receives runs/<table>/<key>/, focus/, clean/<corpus>/, vectors/<name>/, tagger/.
        standing: of several runs in one place, one with a key among these wins, otherwise the newest.
    Returns: the places that were written.
    Raises: InputError if the store cannot be reached, a run names a place elsewhere, a file differs from the recorded
        one, or the files of a run contradict each other.
    """
    with locked(store):
        client = connect(store)
        experiments = [experiment.name for experiment in client.search_experiments()]
        runs = found(store, experiments, client)
    parents = {run.parent for run in runs}
    chosen: dict[str, Found] = {}
    for run in sorted(runs, key=lambda run: (run.key in standing, run.ended)):
        if run.digest and run.run_id not in parents:
            check_place(run, store)  # all of them, before the first folder is replaced
            chosen[run.place] = run
    with progress("fetch", len(chosen), "entries") as bar:
        for place, run in sorted(chosen.items()):
            with atomic_folder(destination / place) as folder:
                take_files(client, run, store, folder)
            bar.advance(note=place)
    return sorted(chosen)


def take_files(client: Any, run: Found, store: Store, folder: Path) -> None:
    """Copy the files of a run into a folder, and check them. Raises: InputError."""
    kind = run.place.split("/")[0]
    _, names = KINDS[kind]
    if store.is_server:
        download(client, run, store, folder, names)
    else:
        copy(artifacts_of(run, store), folder, names)
    for name in names:
        check_file(folder / name, run, store)
    if kind in ("runs", "focus"):
        check_run(folder, run, store)


def download(client: Any, run: Found, store: Store, folder: Path, names: Iterable[str]) -> None:
    """Download those of these files that a server has. Raises: InputError."""
    if not re.match("mlflow-artifacts:/(?!/)", run.artifacts):  # else files of this machine, or of a third one
        raise elsewhere(run, store, "mlflow-artifacts:/..., of a server with --artifacts-destination")
    try:
        with answering(store):
            there = {file.path for file in client.list_artifacts(run.run_id)}
            for name in there.intersection(names):
                client.download_artifacts(run.run_id, name, str(folder))
    except OSError as error:  # that of requests too
        raise unusable(store, str(error)) from None


def copy(source: Path, folder: Path, names: Iterable[str]) -> None:
    """Copy those of these files that there are; a link would lead elsewhere. Raises: InputError."""
    for path in (source / name for name in names):
        if path.is_symlink():
            raise InputError(f"{path} is a symbolic link; put the file itself in its place, or remove the link.")
        if path.is_file():
            shutil.copyfile(path, folder / path.name)


def artifacts_of(run: Found, store: Store) -> Path:
    """Return the folder of a run's files, which anybody with access to a store could point elsewhere.

    Raises: InputError.
    """
    own = (run.run_id, "artifacts")
    folder = Path(unquote(run.artifacts.removeprefix("file://")))
    root = store.artifacts if store.sqlite_file is not None else folder  # a database's may be of another checkout
    if (
        not run.artifacts.startswith("file:///")
        or not str(folder).isprintable()
        or folder.parts[-2:] != own
        or not Path(os.path.realpath(folder)).is_relative_to(os.path.realpath(root))
    ):
        place = store.artifacts.as_uri() if store.sqlite_file is not None else "file:///..."
        raise elsewhere(run, store, f"{place}/<experiment>/{'/'.join(own)}")
    return folder


def elsewhere(run: Found, store: Store, allowed: str) -> InputError:
    """Return the error for a run whose files are not among the store's."""
    return InputError(
        f"the files of the run {run.run_id} of {run.place} in {store.shown} are at {shown(parted(run.artifacts)[0])}; "
        f"allowed: {allowed}; {AGAIN}."
    )


def check_file(path: Path, run: Found, store: Store) -> None:
    """Refuse a file that is missing, or differs from the recorded one.

    An entry of an earlier version has the digest of its first file alone. Raises: InputError.
    """
    _, names = KINDS[run.place.split("/")[0]]
    digest = {**run.files, names[0]: run.digest}.get(path.name)
    if not path.is_file() or digest not in (None, sha256_of_file(path)):
        raise InputError(
            f"the run {run.run_id} of {run.place} in {store.shown} lost or changed its files ({path.name}); {AGAIN}."
        )


def check_run(folder: Path, run: Found, store: Store) -> None:
    """Refuse a run whose files contradict each other, as `retable import` does, or its place. Raises: InputError."""
    from retable.runs.check import check_files  # not at the top: numpy loads slowly, and a complete record needs none

    try:
        metrics = check_files(folder).metrics
    except InputError as error:
        reason = str(error).replace(str(folder), run.place).rsplit("; ", 1)[0].rstrip(".")  # without its advice
        raise InputError(f"the run {run.run_id} in {store.shown} is damaged: {reason}; {AGAIN}.") from None
    if run.place not in ("focus", f"runs/{metrics['table']}/{metrics['key'][:KEY_DIGITS]}"):
        raise misplaced(run, store)


def check_place(run: Found, store: Store) -> None:
    """Refuse an unknown place, because anybody with access to a store can write its tags, and another run's.

    Raises: InputError.
    """
    kind, *names = run.place.split("/")
    parts, _ = KINDS.get(kind, (0, ()))
    if len(names) + 1 != parts or not all(map(is_plain_name, names)):
        raise misplaced(run, store)
    if kind == "runs" and names[-1] != run.key[:KEY_DIGITS]:
        raise misplaced(run, store)


def misplaced(run: Found, store: Store) -> InputError:
    """Return the error for a run with a place that is not its own."""
    return InputError(
        f"the tag retable.place of the run {run.run_id} in {store.shown} is {shown(run.place)}; allowed: "
        f"runs/<its table>/{run.key[:KEY_DIGITS]}, clean/<corpus>, vectors/<name>, focus, tagger; {AGAIN}."
    )
