"""Restore the result files from a store."""

from collections.abc import Container
from pathlib import Path

from retable.errors import InputError
from retable.files import atomic_folder, is_plain_name, sha256_of_file
from retable.tracking.store import Found, Store, connect, found, locked

PARTS = {"runs": 3, "clean": 2, "vectors": 2, "focus": 1, "tagger": 1}  # number of path components by kind


def runs_from_store(store: Store, destination: Path, standing: Container[str] = ()) -> list[str]:
    """Write the files of every finished run back to their original places, byte for byte.

    Args:
        destination: receives runs/<table>/<key>/, focus/, clean/<corpus>/, vectors/<name>/, tagger/.
        standing: of several runs in one place, one with a key among these wins, otherwise the newest.
    Returns: the places that were written.
    Raises: InputError if the store cannot be reached, a run names a place elsewhere, or a file differs from the
        recorded one.
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
    for place, run in chosen.items():  # check all before the first folder is replaced
        check_place(place, run, store)
    for place, run in sorted(chosen.items()):
        with atomic_folder(destination / place) as folder:
            for file in client.list_artifacts(run.run_id):
                if not file.is_dir and is_plain_name(file.path):
                    client.download_artifacts(run.run_id, file.path, str(folder))
            if run.digest not in {sha256_of_file(file) for file in folder.iterdir()}:
                raise InputError(
                    f"the run {run.run_id} of {place} in {store.shown} lost or changed its files; delete that run in "
                    "the MLflow UI, and the next `make tables` records it again."
                )
    return sorted(chosen)


def check_place(place: str, run: Found, store: Store) -> None:
    """Refuse an unknown place, because anybody with access to a store can write its tags.

    Raises: InputError.
    """
    names = place.split("/")
    if len(names) != PARTS.get(names[0]) or not all(map(is_plain_name, names)):
        raise InputError(
            f"the tag retable.place of the run {run.run_id} in {store.shown} is {place!r}; allowed: "
            "runs/<table>/<key>, clean/<corpus>, vectors/<name>, focus, tagger; delete that run in the MLflow UI."
        )
