"""Restore the result files from a store."""

from collections.abc import Container
from pathlib import Path
from typing import Any

from retable.errors import InputError
from retable.files import atomic_folder, is_plain_name, sha256_of_file
from retable.runs.form import FILES
from retable.tracking.store import Found, Store, connect, found, locked

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
            chosen[run.place] = run
    for run in chosen.values():  # check all before the first folder is replaced
        check_place(run, store)
    for place, run in sorted(chosen.items()):
        with atomic_folder(destination / place) as folder:
            take_files(client, run, store, folder)
    return sorted(chosen)


def take_files(client: Any, run: Found, store: Store, folder: Path) -> None:
    """Copy the files of a run into a folder, and check them. Raises: InputError."""
    kind = run.place.split("/")[0]
    _, names = KINDS[kind]
    there = {file.path for file in client.list_artifacts(run.run_id)}
    for name in names:
        if name in there:
            client.download_artifacts(run.run_id, name, str(folder))
        check_file(folder / name, run, store)
    if kind in ("runs", "focus"):
        check_run(folder, run, store)


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
    """Refuse a run whose files contradict each other, as `retable import` does. Raises: InputError."""
    from retable.runs.check import check_files  # not at the top: numpy loads slowly, and a complete record needs none

    try:
        check_files(folder)
    except InputError as error:
        reason = str(error).replace(str(folder), run.place).rsplit("; ", 1)[0].rstrip(".")  # without its advice
        raise InputError(f"the run {run.run_id} in {store.shown} is damaged: {reason}; {AGAIN}.") from None


def check_place(run: Found, store: Store) -> None:
    """Refuse an unknown place, because anybody with access to a store can write its tags.

    Raises: InputError.
    """
    names = run.place.split("/")
    parts, _ = KINDS.get(names[0], (0, ()))
    if len(names) != parts or not all(map(is_plain_name, names)):
        raise InputError(
            f"the tag retable.place of the run {run.run_id} in {store.shown} is {run.place!r}; allowed: "
            "runs/<table>/<key>, clean/<corpus>, vectors/<name>, focus, tagger; delete that run in the MLflow UI."
        )
