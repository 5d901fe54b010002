"""Take runs that were made on another machine: `retable import DIR`.

In   DIR, or every folder below it that holds a metrics.json
Out  results/runs/<table>/<key>/, and the record in MLflow
"""

import argparse
import shutil
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa

from retable.errors import InputError
from retable.experiments.identity import hash_of_parameters
from retable.experiments.truth import check_against_data
from retable.files import atomic_folder, write_json
from retable.papers import paper_of_table
from retable.project.command import command, fail
from retable.project.paths import BANK, RUNS
from retable.runs.metrics import score
from retable.runs.predictions import read_predictions
from retable.runs.provenance import run_key
from retable.runs.record import FILES, UNVERIFIED, RunRecord, find_run, read_run, run_folder
from retable.tracking.checkout import the_store
from retable.tracking.entries import cells
from retable.tracking.record import record

SCORES_OF_TABLES = ("accuracy", "macro_f1")
HASHES = {"parameters", "data", "recipe"}


@command
def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        prog="retable import",
        description="Take runs that were made on another machine.",
        epilog="example: retable import other-machine/results/runs",
    )
    parser.add_argument("folder", type=Path, metavar="DIR", help="a run's folder, or one with runs somewhere below it")
    options = parser.parse_args(arguments)
    taken, refused = set[str](), 0
    for folder in run_folders(options.folder):
        try:
            run = check_run(folder)
            verified = check_against_data(run, BANK)
        except InputError as error:
            refused += 1
            print(f"refused: {error}", file=sys.stderr)
            continue
        new = import_run(run, RUNS, verified=verified)
        mark = "" if verified else f"; unverified: no data of {run.metrics['corpus']} here to compare its answers with"
        print(f"{'imported' if new else 'already here'}: {run.name} ({run.place[0]}){mark}")
        taken |= {run.key} if new else set()
    if taken:
        record(the_store(), [cell for cell in cells(RUNS) if any(run.key in taken for run in cell.runs)])
    if refused:
        fail(f"{refused} of the runs below {options.folder} were refused, see above; the others are taken.")


def run_folders(folder: Path) -> list[Path]:
    """Return the folders of runs at or below a folder.

    Raises: InputError if there is none.
    """
    found = sorted(path.parent for path in folder.rglob("metrics.json") if ".part" not in path.as_posix())
    if not found:
        raise InputError(f"{folder} holds no run; name a folder that has a metrics.json in it or somewhere below it.")
    return found


def import_run(run: RunRecord, runs: Path, *, verified: bool) -> bool:
    """Copy a run to where its key belongs, and return whether it was not here yet.

    Args:
        run: read by `check_run`.
        runs: results/runs/.
        verified: whether its answers could be compared with data here; if not, it is marked, until a verified copy
            takes its place.
    """
    there = find_run(runs, run.key)
    if there and not (verified and read_run(there).is_unverified):
        return False
    with atomic_folder(there or run_folder(runs, run.place[0], run.key)) as part:
        for name in FILES:
            shutil.copyfile(run.predictions.parent / name, part / name)
        told = {name: value for name, value in run.metrics.items() if name != UNVERIFIED}
        write_json(part / "metrics.json", told | ({} if verified else {UNVERIFIED: True}))
    return True


def check_run(folder: Path) -> RunRecord:
    """Return a run whose files are whole and agree with each other.

    Raises: InputError with the first thing that is wrong.
    """
    for name in FILES:
        if (folder / name).is_symlink():
            raise InputError(f"{folder / name} is a link; copy the folder again, with the files themselves.")
    run = read_run(folder)
    metrics = run.metrics
    check_names(metrics, f"{folder}/metrics.json")
    hashes = metrics["hashes"]
    if not isinstance(hashes, dict) or {name for name in HASHES if isinstance(hashes.get(name), str)} != HASHES:
        raise InputError(f"hashes is {hashes!r} in {folder}/metrics.json; it needs {', '.join(sorted(HASHES))}.")
    stated = (hashes["parameters"], metrics["key"])
    if stated != (
        hash_of_parameters(metrics["parameters"]),
        run_key(*(hashes[name] for name in ("parameters", "data", "recipe"))),
    ):
        raise InputError(
            f"{folder}/metrics.json was changed: its key is not that of its parameters, data and recipe; copy it again."
        )
    try:
        _, _, classes, _, probabilities = read_predictions(folder / "predictions.parquet")
    except (pa.ArrowException, KeyError, ValueError) as error:
        raise InputError(f"{folder}/predictions.parquet cannot be read ({error}); copy the folder again.") from None
    if len(classes) != metrics["test"]["texts"]:
        raise InputError(
            f"{folder}/predictions.parquet has {len(classes)} texts, but metrics.json says {metrics['test']['texts']}; "
            "copy the folder again."
        )
    found = score(probabilities, classes)
    for name in SCORES_OF_TABLES:
        if abs(float(found[name] or 0.0) - metrics["test"][name]) > 1e-9:
            raise InputError(
                f"{folder}/predictions.parquet gives {name} {found[name]:.6f}, but metrics.json says "
                f"{metrics['test'][name]:.6f}; copy the folder again."
            )
    return run


def check_names(metrics: Mapping[str, Any], where: str) -> None:
    """Refuse a table, row or column that is not there, and a paper, model or corpus that is not the one they declare.

    Raises: InputError.
    """
    asked = {name: metrics[name] for name in ("table", "row", "column", "paper")}
    for name, value in asked.items():
        if not isinstance(value, str):
            raise InputError(f"{name} is {value!r} in {where}; allowed: a name.")
    source = paper_of_table(asked["table"])
    table = source.result_table(asked["table"])  # names that there are: they can lead to no other folder
    declared = {
        "paper": source.name,
        "model": table.row(asked["row"]).model,
        "corpus": table.column(asked["column"]).corpus,
    }
    for name, value in declared.items():
        if metrics[name] != value:
            raise InputError(
                f"{name} is {metrics[name]!r} in {where}, but {asked['row']} on {asked['column']} of {table.name} "
                f"has {value!r}; import it with the version of retable that made it."
            )
