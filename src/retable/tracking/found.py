"""Find our runs in a store, and how complete each is."""

import os
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import unquote

from retable.errors import InputError, shown
from retable.tracking.sqlite_file import AWAY, is_made, reading
from retable.tracking.store import Store

KEY, PLACE, DIGEST, LIVE = "retable.key", "retable.place", "retable.complete", "retable.live"
FILE = "retable.file."  # before the name of a file: the tag has its digest
PARENT = "mlflow.parentRunId"
CURVES = ("epoch/", "candidate/")  # before the names of figures that have many points; the others are final
FINAL = " AND ".join(f"key NOT LIKE '{prefix}%'" for prefix in CURVES)


@dataclass(frozen=True)
class Found:
    """A run of ours in a store; `digest` is empty until all is written, `live` marks a run logged during training.

    `artifacts` is where its files are. `files` has the digest of each; it is empty in an entry of an earlier version.
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

    @property
    def identity(self) -> tuple[str, str, str]:
        return self.place, self.key, self.digest


class Info(NamedTuple):
    """The facts about a run in a sqlite store, under the names of MLflow's `RunInfo`."""

    run_id: str
    end_time: int | None
    artifact_uri: str
    status: str


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
    )
