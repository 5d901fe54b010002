"""Write what is missing in a store, once; after a kill at any moment the next call repairs what was half-written."""

import json
import random
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from itertools import islice, zip_longest
from pathlib import Path
from typing import Any

from retable.files import sha256_of_file
from retable.runs.curve import read_curve
from retable.tracking.entries import Entry, Facts, final_metrics, parameters, points, start_and_end, tags
from retable.tracking.found import DIGEST, FILE, KEY, PARENT, PLACE, Found, found
from retable.tracking.store import Store, connect, experiment_id, locked

ROUNDS = 8
FIRST_PAUSE_S, LONGEST_PAUSE_S = 0.25, 10.0  # at most, after the first clash and after the later ones
CLASHES = ("Current state is deleted", "IntegrityError")  # MLflow's messages when two writers write the same
PARAMETERS_IN_BATCH, METRICS_IN_BATCH = 100, 900
NOTHING: Mapping[str, str] = {}
Point = tuple[str, float, float, int]  # a figure: name, value, seconds since 1970, step
DIGEST_LENGTH = 12  # of a data set in the UI; the whole sha256 is in a tag


def is_recorded(store: Store, entries: Sequence[Entry]) -> bool:
    """Return whether a sqlite store holds all of this, checked without MLflow; False for other stores, which cannot be
    checked as quickly.
    """
    return not entries or (
        store.sqlite_file is not None and not missing(entries, found(store, experiments_of(entries)))
    )


def experiments_of(entries: Iterable[Entry]) -> list[str]:
    """Return the names of the experiments that entries belong to."""
    return sorted({entry.experiment for entry in entries})


def record(store: Store, entries: Sequence[Entry], on_entry: Callable[[Entry], None] | None = None) -> int:
    """Complete the record.

    Args:
        entries: cells (with their runs), the focus run, files.
        on_entry: called with each entry once it is in the store.
    Returns: number of missing entries.
    Raises: InputError if the store cannot be reached.
    """
    from mlflow import MlflowException

    experiments = experiments_of(entries)
    with locked(store):
        client = connect(store)
        ids = {name: experiment_id(client, store, name) for name in experiments}
        written = 0
        for turn in range(ROUNDS + 1):  # another machine may have written or removed the same meanwhile
            try:
                here = found(store, experiments, client)
                missed = write_round(client, ids, entries, here, None if turn else on_entry)
            except MlflowException as error:
                if turn == ROUNDS or not any(clash in str(error) for clash in CLASHES):
                    raise
                # Two writers at the same pace would remove each other's half-written runs in every round.
                time.sleep(random.uniform(0, min(LONGEST_PAUSE_S, FIRST_PAUSE_S * 2**turn)))
                continue
            written = max(written, missed)
            if turn and not missed:
                break
    return written


def write_round(
    client: Any,
    ids: Mapping[str, str],
    entries: Sequence[Entry],
    here: Sequence[Found],
    on_entry: Callable[[Entry], None] | None,
) -> int:
    """Remove the runs that the store holds twice, write the missing entries, and return how many were missing."""
    twins = twins_among(here)
    for run in twins:
        client.delete_run(run.run_id)
    return write_missing(client, ids, entries, [run for run in here if run not in twins], on_entry)


def write_missing(
    client: Any,
    ids: Mapping[str, str],
    entries: Sequence[Entry],
    here: Sequence[Found],
    on_entry: Callable[[Entry], None] | None = None,
) -> int:
    """Write the entries that are not complete in the store, and return how many there are."""
    to_write = {entry.identity for entry in missing(entries, here)}
    same: dict[tuple[str, str], list[Found]] = defaultdict(list)
    for found_run in sorted(here, key=lambda run: run.ended):
        same[found_run.place, found_run.key].append(found_run)
    for entry in entries:
        if entry.identity in to_write:
            check_runs(entry)
            run_id = write(client, ids[entry.experiment], entry, same[entry.place, entry.key])
            for run in entry.runs:
                drawn = run is entry.runs[0]  # pictures take six times as long as the rest; the report draws all runs
                write(client, ids[entry.experiment], run, same[run.place, run.key], run_id, drawn)
            if entry.runs:
                log(client, run_id, {}, final_points(entry))
                finish(client, run_id, entry)
        if on_entry:
            on_entry(entry)
    return len(to_write)


def check_runs(entry: Entry) -> None:
    """Refuse runs that contradict their answers, or what their table declares, before any of the entry is written.

    Raises: InputError.
    """
    from retable.runs.record import read_run  # not at the top: numpy loads slowly, and a complete record needs none

    for run in (entry, *entry.runs):
        if run.kind in ("run", "focus"):
            read_run(run.files[0].parent)


def twins_among(here: Iterable[Found]) -> list[Found]:
    """Return the complete runs that duplicate another in the store: every machine keeps the one with the first id."""
    whole = sorted((run for run in here if run.digest), key=lambda run: run.run_id)
    first: dict[tuple[str, str, str], Found] = {}
    return [run for run in whole if first.setdefault(run.identity, run) is not run]


def missing(entries: Iterable[Entry], here: Iterable[Found]) -> list[Entry]:
    """Return the entries that are missing, incomplete or damaged in the store, or stored with other bytes.

    A complete one that was started again, such as the same focus run, counts as missing until that is cleaned up.
    """
    here = list(here)
    whole = {run.identity: run for run in here if run.digest}
    begun = {(run.place, run.key) for run in here if not run.digest}
    parents = {run.run_id for run in whole.values()}
    return [
        entry
        for entry in entries
        if any(each.identity not in whole for each in (entry, *entry.runs))
        or any((each.place, each.key) in begun for each in (entry, *entry.runs))
        or any(whole[run.identity].parent not in parents for run in entry.runs)
        or not all(is_whole(each, whole[each.identity]) for each in (entry, *entry.runs))
    ]


def is_whole(entry: Entry, run: Found) -> bool:
    """Return whether the store still has all of an entry, by count; the bytes are compared when they are fetched."""
    files = {file.name for file in entry.files}
    return (
        run.finished
        and run.figures >= len(final_metrics(entry))
        and run.parameters >= len(parameters(entry.facts))
        and (run.there is None or files <= run.there)
    )


def write(
    client: Any, experiment: str, entry: Entry, same: Sequence[Found], parent: str = "", drawn: bool = True
) -> str:
    """Write one entry, unless it is there, remove what it replaces, and return the id of its MLflow run.

    A run that was logged live is completed, a half-written or damaged one replaced. A cell stays open until its runs
    are written.

    Args:
        same: the store's runs with its place and key, newest last.
        parent: id of its cell.
        drawn: whether to draw a trained run's pictures.
    """
    whole = [run for run in same if run.digest == entry.digest and is_whole(entry, run)]
    open_to_completion = [run for run in same if entry.kind == "cell" or (run.live and not run.digest)]
    kept = (whole or open_to_completion)[-1:]
    for run in same:
        if run not in kept:
            client.delete_run(run.run_id)
    if whole:
        if parent and whole[-1].parent != parent:
            client.set_tag(whole[-1].run_id, PARENT, parent)
        return whole[-1].run_id
    start, _ = start_and_end(entry)
    own = tags(entry.kind, entry.facts) | ({PARENT: parent} if parent else {})
    own |= {FILE + file.name: sha256_of_file(file) for file in entry.files}
    run_id = kept[0].run_id if kept else create(client, experiment, entry.name, entry.place, entry.key, start, own)
    metrics = [] if entry.kind == "cell" else final_points(entry)
    if entry.kind in ("run", "focus"):
        metrics = [*curve(entry, start, logged(client, run_id) if kept else set()), *metrics]
    log(client, run_id, parameters(entry.facts), metrics, own if kept else {})
    log_data(client, run_id, entry.facts)
    for file in entry.files:
        client.log_artifact(run_id, str(file))
    if drawn and entry.kind in ("run", "focus"):
        draw(client, run_id, entry)
    if entry.kind != "cell":
        finish(client, run_id, entry)
    return run_id


def create(client: Any, experiment: str, name: str, place: str, key: str, start: float, own: Mapping[str, str]) -> str:
    """Create a run with these tags, which can be found by its key, and return its id."""
    found_by = {PLACE: place, KEY: key, "mlflow.source.name": "retable"}
    commit = {"mlflow.source.git.commit": own["commit"]} if "commit" in own else {}
    made = client.create_run(
        experiment, start_time=int(start * 1000), tags={**own, **commit, **found_by}, run_name=name
    )
    return str(made.info.run_id)


def log(
    client: Any, run_id: str, params: Mapping[str, str], metrics: Iterable[Point], own: Mapping[str, str] = NOTHING
) -> None:
    """Log parameters, figures and tags in as few calls as MLflow allows: each is a transaction, or a request."""
    from mlflow.entities import Metric, Param, RunTag

    some_params = in_batches((Param(*each) for each in params.items()), PARAMETERS_IN_BATCH)
    some_metrics = in_batches(
        (Metric(name, value, int(when * 1000), step) for name, value, when, step in metrics), METRICS_IN_BATCH
    )
    if own:
        client.log_batch(run_id, tags=[RunTag(*each) for each in own.items()])
    for of_params, of_metrics in zip_longest(some_params, some_metrics, fillvalue=()):
        client.log_batch(run_id, params=of_params, metrics=of_metrics)


def log_data(client: Any, run_id: str, facts: Facts) -> None:
    """Log the data that a run was trained on."""
    from mlflow.entities import Dataset, DatasetInput, InputTag

    if "hashes" in facts:
        digest, source = facts["hashes"]["data"], {"uri": f"data/tagged/{facts['corpus']}"}
        data = Dataset(facts["corpus"], digest[:DIGEST_LENGTH], "local", json.dumps(source))
        own = [InputTag("mlflow.data.context", "training"), InputTag("sha256", digest)]
        client.log_inputs(run_id, [DatasetInput(data, own)])


def logged(client: Any, run_id: str) -> set[tuple[str, int]]:
    """Return name and step of the figures that were logged for a run during training."""
    return {
        (name, metric.step)
        for name in client.get_run(run_id).data.metrics
        for metric in client.get_metric_history(run_id, name)
    }


def curve(entry: Entry, start: float, there: Container[tuple[str, int]]) -> Iterator[Point]:
    """Yield the figures of a run's epochs or candidates that are not logged yet."""
    when = start
    for position, line in enumerate(read_curve(entry.files[0].parent, entry.facts["epochs"]["run"]), start=1):
        when += float(line.get("seconds", 0))
        yield from (
            (name, value, when, step) for name, step, value in points(line, position) if (name, step) not in there
        )


def final_points(entry: Entry) -> list[Point]:
    """Return the figures of a finished entry."""
    _, end = start_and_end(entry)
    when = time.time() if entry.kind == "cell" else end  # a cell's means change, and the latest are shown
    return [(name, value, when, 0) for name, value in final_metrics(entry).items()]


def draw(client: Any, run_id: str, entry: Entry) -> None:
    """Log a run's pictures."""
    from retable.figures.pictures import pictures_of_run

    with tempfile.TemporaryDirectory() as folder:
        for name, picture in pictures_of_run(entry.files[0].parent).items():
            Path(folder, f"{name}.png").write_bytes(picture)
        client.log_artifacts(run_id, folder, "pictures")


def finish(client: Any, run_id: str, entry: Entry) -> None:
    """Log the end, and last the mark that everything is there."""
    _, end = start_and_end(entry)
    client.set_terminated(run_id, "FINISHED", end_time=int(end * 1000))
    client.set_tag(run_id, DIGEST, entry.digest)


def in_batches(values: Iterable[Any], size: int) -> Iterator[list[Any]]:
    """Yield lists of at most `size` values."""
    rest = iter(values)
    while some := list(islice(rest, size)):
        yield some
