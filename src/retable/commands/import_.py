"""Take runs that were made on another machine: `retable import DIR`.

In   DIR, or every folder below it that holds a metrics.json
Out  results/runs/<table>/<row>/<column>/<seed>[-fold-<number>]/, and the record in MLflow
"""

import argparse
import shutil
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

import pyarrow as pa

from retable.errors import InputError
from retable.experiments.identity import hash_of_parameters
from retable.files import atomic_folder, read_json
from retable.papers.parameters import run_name
from retable.project.command import command, fail
from retable.project.paths import RUNS
from retable.runs.folder import FILES, read_predictions
from retable.runs.metrics import score
from retable.runs.provenance import run_key
from retable.text.folds import Fold
from retable.tracking.checkout import the_store
from retable.tracking.entries import cells
from retable.tracking.record import record

NEEDED = {
    "key", "paper", "table", "row", "column", "model", "corpus", "seed", "fold", "scale", "parameters", "hashes",
    "vectors", "test", "test_clean", "dev", "epochs", "chosen", "git_commit", "versions", "device", "threads", "date",
}  # fmt: skip
SCORES_OF_TABLES = ("accuracy", "macro_f1")


@command
def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="retable import", description="Take runs that were made on another machine.")
    parser.add_argument("folder", type=Path, metavar="DIR", help="a run's folder, or one with runs somewhere below it")
    parser.add_argument("--replace", action="store_true", help="replace runs that stand here under other hashes")
    options = parser.parse_args(arguments)
    taken, refused = [], 0
    for folder in run_folders(options.folder):
        try:
            outcome = import_run(folder, RUNS, replace=options.replace)
        except InputError as error:
            refused += 1
            print(f"refused: {error}", file=sys.stderr)
            continue
        place = place_of(read_json(folder / "metrics.json"))
        print(f"{outcome}: {place}")
        taken += [RUNS / place] if outcome == "imported" else []
    if taken:
        folders = {folder.parent for folder in taken}
        record(the_store(), [cell for cell in cells(RUNS) if RUNS.parent / cell.place in folders])
    if refused:
        fail(f"{refused} of the runs below {options.folder} were refused, see above; the others are taken.")


def run_folders(folder: Path) -> list[Path]:
    """The folders of runs at or below a folder.

    Raises: InputError if there is none.
    """
    found = sorted(path.parent for path in folder.rglob("metrics.json") if ".part" not in path.as_posix())
    if not found:
        raise InputError(f"{folder} holds no run; name a folder that has a metrics.json in it or somewhere below it.")
    return found


def import_run(folder: Path, runs: Path, *, replace: bool) -> Literal["imported", "already here"]:
    """Check a run and copy it to its place.

    Args:
        folder: the run's folder.
        runs: results/runs/.
        replace: whether a run with another key in that place gives way.
    Raises: InputError if the run is not whole or not what it says it is, or another run stands in its place.
    """
    metrics = check_run(folder)
    target = runs / place_of(metrics)
    if (target / "metrics.json").exists():
        there = read_json(target / "metrics.json")["key"]
        if there == metrics["key"]:
            return "already here"
        if not replace:
            raise InputError(
                f"{target} holds a run with other parameters, data or recipe "
                f"(key {there[:12]}, not {metrics['key'][:12]}); say --replace to give it up."
            )
    with atomic_folder(target) as part:
        for name in FILES:
            shutil.copyfile(folder / name, part / name)
    return "imported"


def check_run(folder: Path) -> dict[str, Any]:
    """The metrics of a run whose files are whole and agree with each other.

    Raises: InputError with the first thing that is wrong.
    """
    missing = [name for name in FILES if not (folder / name).is_file()]
    if missing:
        raise InputError(f"{folder} lacks {', '.join(missing)}; copy the whole folder.")
    try:
        metrics: dict[str, Any] = read_json(folder / "metrics.json")
        read_json(folder / "cost.json")
    except ValueError as error:
        raise InputError(f"{folder} has a JSON file that cannot be read ({error}); copy the folder again.") from None
    absent = sorted(NEEDED - set(metrics)) if isinstance(metrics, dict) else sorted(NEEDED)
    if absent:
        raise InputError(
            f"{folder}/metrics.json does not say {', '.join(absent)}; was it written by this version of retable?"
        )
    hashes = metrics["hashes"]
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
    return metrics


def place_of(metrics: Mapping[str, Any]) -> Path:
    """Where a run stands below results/runs/.

    Raises: InputError for a name that would lead elsewhere.
    """
    last = run_name(metrics["seed"], Fold.of_parameters(metrics["parameters"]["corpus"]))
    parts = [str(part) for part in (metrics["table"], metrics["row"], metrics["column"], last)]
    if any(not part or part in (".", "..") or "/" in part or "\\" in part for part in parts):
        raise InputError(f"the run of {' · '.join(parts)} is not named as a run of a table is.")
    return Path(*parts)
