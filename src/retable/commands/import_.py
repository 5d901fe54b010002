"""Import runs that were made on another machine: `retable import DIR`.

In   DIR, or every folder below it that contains a metrics.json
Out  results/runs/<table>/<key>/, and the record in MLflow
"""

import shutil
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from retable.errors import InputError
from retable.experiments.truth import check_against_data
from retable.files import PART, atomic_folder, write_json
from retable.papers import paper_of_table
from retable.project.command import command, fail, given_path
from retable.project.parser import Parser
from retable.project.paths import BANK, RUNS
from retable.project.progress import progress
from retable.runs.check import check_files
from retable.runs.record import FILES, UNVERIFIED, RunRecord, find_run, read_run, run_folder
from retable.tracking.checkout import record_shown, the_store
from retable.tracking.entries import cells


@command
def main(arguments: list[str] | None = None) -> None:
    parser = Parser(
        prog="retable import",
        description="Import runs made on another machine.",
        epilog="example: retable import other-machine/results/runs",
    )
    parser.add_argument("folder", type=given_path, metavar="DIR", help="a run's folder, or a folder with runs below it")
    options = parser.parse_args(arguments)
    taken, refused = set[str](), 0
    folders = run_folders(options.folder)
    with progress("import", len(folders), "runs") as bar:
        for folder in folders:
            bar.advance()
            try:
                run = check_run(folder)
                verified = check_against_data(run, BANK)
            except InputError as error:
                refused += 1
                print(f"refused: {error}", file=sys.stderr)
                continue
            new = import_run(run, RUNS, verified=verified)
            mark = (
                ""
                if verified
                else f"; unverified: {run.metrics['corpus']} is not available here to check its predictions"
            )
            print(f"{'imported' if new else 'already here'}: {run.name} ({run.place[0]}){mark}")
            taken |= {run.key} if new else set()
    if taken:
        record_shown(the_store(), [cell for cell in cells(RUNS) if any(run.key in taken for run in cell.runs)])
    if refused:
        fail(f"{refused} of the runs below {options.folder} were refused, see above; the others were imported.")


def run_folders(folder: Path) -> list[Path]:
    """Return the folders of runs at or below a folder.

    Raises: InputError if there are none.
    """
    found = sorted(
        path.parent
        for path in folder.rglob("metrics.json")
        if not any(PART.search(name) for name in path.relative_to(folder).parts)
    )
    if not found:
        raise InputError(f"{folder} contains no run; give a folder that has a metrics.json in it or below it.")
    return found


def import_run(run: RunRecord, runs: Path, *, verified: bool) -> bool:
    """Copy a run to the place of its key, and return whether it was new.

    Args:
        run: as read by `check_run`.
        runs: results/runs/.
        verified: whether its predictions could be checked against local data; if not, it is marked until a verified
            copy replaces it.
    """
    there = find_run(runs, run.key)
    if there and not (verified and read_run(there).is_unverified):
        return False
    own = run_folder(runs, run.place[0], run.key)
    with atomic_folder(own) as part:
        for name in FILES:
            shutil.copyfile(run.predictions.parent / name, part / name)
        scores = {name: value for name, value in run.metrics.items() if name != UNVERIFIED}
        write_json(part / "metrics.json", scores | ({} if verified else {UNVERIFIED: True}))
    if there and there != own:  # an unverified copy that another table asked for
        shutil.rmtree(there)
    return True


def check_run(folder: Path) -> RunRecord:
    """Return a run whose files are complete and consistent, and whose table, row and column are known.

    Raises: InputError with the first problem.
    """
    run = check_files(folder)
    check_names(run.metrics)
    return run


def check_names(metrics: Mapping[str, Any]) -> None:
    """Refuse an unknown table, row or column; every reader checks that the run is what they declare.

    Raises: InputError.
    """
    source = paper_of_table(metrics["table"])
    table = source.result_table(metrics["table"])
    table.row(metrics["row"])
    table.column(metrics["column"])
