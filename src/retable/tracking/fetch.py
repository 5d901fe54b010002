"""The result files, back out of a store."""

from collections.abc import Container
from pathlib import Path

from retable.errors import InputError
from retable.files import atomic_folder, sha256_of_file
from retable.tracking.store import Found, Store, connect, found, locked


def runs_from_store(store: Store, destination: Path, standing: Container[str] = ()) -> list[str]:
    """Write the files of every finished run to the places where they stood, byte for byte.

    Args:
        destination: becomes runs/<table>/<key>/, focus/, clean/<corpus>/, vectors/<name>/, tagger/.
        standing: of several runs in one place, one with a key among these wins, else the newest.
    Returns: the places that were written.
    Raises: InputError if the store cannot be reached, or a file is not the one that was recorded.
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
    for place, run in sorted(chosen.items()):
        with atomic_folder(destination / place) as folder:
            for file in client.list_artifacts(run.run_id):
                if not file.is_dir:
                    client.download_artifacts(run.run_id, file.path, str(folder))
            if run.digest not in {sha256_of_file(file) for file in folder.iterdir()}:
                raise InputError(
                    f"the run {run.run_id} of {place} in {store.shown} lost or changed its files; delete that run in "
                    "the MLflow UI, and the next `make tables` records it again."
                )
    return sorted(chosen)
