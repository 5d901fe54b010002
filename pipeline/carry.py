"""`retable carry`: banked runs stay after a change of code that changes no number.

The code hash of a run is that of all sources that train and score it, so that a refactoring makes every run of the
bank stale. This command looks at the rows of which that is so, data and parameters being the current ones, and
trains the row's cheapest banked cell twice: with the code of the commit that made the run, and with HEAD's, each in a
worktree of its own, for one epoch of texts cut after 16 words (a linear model as it is). Where predictions and curve
are equal to the last bit, a line of docs/results/carried.csv says so, and the bank shows the row's runs again. Where
they are not, the row stays stale: `dvc repro` runs it anew.

In   docs/results/, data/tagged/, data/vectors/, the commits
Out  docs/results/carried.csv
"""

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow.csv
import pyarrow.parquet as pq
from ruamel.yaml import YAML

from pipeline.command import command
from pipeline.params import load_yaml, read_params
from pipeline.paths import BANK, CARRIED, ROOT, SCALES, SCRATCH, TAGGED, VECTORS
from pipeline.scale import scale_preset
from pipeline.tables import cell_of_run, current_identity
from retable.errors import InputError
from retable.evaluation.run_folder import today
from retable.files import read_json
from retable.papers import PAPERS, paper, paper_of_table
from retable.papers.paper import Paper, ResultTable
from retable.tables.bank import Entry, read_bank
from retable.tables.carried import Carried, read_carried, stands_for, write_carried

EPOCHS, MAX_WORDS = 1, 16  # enough for every line of the code, and few enough for all rows within minutes
# Runs in a worktree: each argument is a cell as `pipeline.run` takes it, "table row column". A cell that its code
# refuses (a row that it does not know, say) has said so, and the others follow.
RUN_ALL = """
import sys
from pipeline.run import main
for cell in sys.argv[1:]:
    sys.argv = ["run", *cell.split()]
    try:
        main()
    except SystemExit as end:
        if end.code != 1:
            raise
"""


@dataclass(frozen=True)
class Trial:
    """A row that is stale by its code alone: the banked run to train again, its cell, and the row's code today."""

    table: str
    entry: Entry
    cell: Mapping[str, str]
    new: str

    @property
    def folder(self) -> str:
        """Of its run, below results/runs."""
        return f"{self.table}/{self.cell['row']}/{self.cell['column']}/{self.entry.seed}"


def stale_by_code(source: Paper, table: ResultTable, carried: Sequence[Carried]) -> Iterator[Trial]:
    """For every row and code of its banked runs: the cheapest run whose code alone is not the current one."""
    protocol = read_params("papers")[source.name]
    cheapest: dict[tuple[str, str], Trial] = {}
    for entry in read_bank(BANK / f"{table.name}.csv"):
        cell = cell_of_run(table, entry.row, entry.column, entry.vectors)
        if cell is None or entry.fold:  # the trial is of a row's plain splits
            continue
        try:
            now = current_identity(table, source, cell, int(entry.seed), protocol, None)["hashes"]
        except FileNotFoundError:  # its corpus or vectors are not at hand
            continue
        if entry.hashes | {"code": now["code"]} != now or stands_for(
            carried, table.name, entry.row, entry.code, now["code"]
        ):
            continue
        key = (entry.row, entry.code)
        if key not in cheapest or seconds_of(entry) < seconds_of(cheapest[key].entry):
            cheapest[key] = Trial(table.name, entry, cell, now["code"])
    return iter(cheapest.values())


def seconds_of(entry: Entry) -> float:
    """What an epoch took; runs of before costs were kept come last."""
    return float(entry.seconds_per_epoch or "inf")


@contextmanager
def worktree(commit: str) -> Iterator[Path]:
    """A checkout of a commit in a temporary folder, with this checkout's prepared data."""
    SCRATCH.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="carry-", dir=SCRATCH) as scratch:
        folder = Path(scratch) / "tree"
        done = subprocess.run(
            ["git", "worktree", "add", "--detach", str(folder), commit], cwd=ROOT, capture_output=True, text=True
        )
        if done.returncode:
            raise InputError(f"git cannot check out {commit}: {done.stderr.strip()}; fetch the whole history.")
        try:
            for data in (TAGGED, VECTORS):
                place = folder / data.relative_to(ROOT)
                place.parent.mkdir(parents=True, exist_ok=True)
                place.symlink_to(data)
            yield folder
        finally:
            subprocess.run(["git", "worktree", "remove", "--force", str(folder)], cwd=ROOT, capture_output=True)
            shutil.rmtree(folder, ignore_errors=True)


def add_data_of_full(params: dict[str, Any], folder: Path) -> None:
    """Let parameters know the data of scale full: a banked cell need not be one of the scale that stands in them."""
    scales = folder / SCALES.relative_to(ROOT)
    if (scales / "base.yaml").exists():
        known = scale_preset("full", scales)
    elif (scales / "full.yaml").exists():  # of a commit in which every scale was a whole file
        known = load_yaml(scales / "full.yaml")
    else:  # an early commit has no such scale
        return
    for section in ("corpora", "pools", "vectors"):
        params[section] = known[section] | params[section]


def prepare(folder: Path, trials: Sequence[Trial]) -> None:
    """Write the limits and the cells of the trials into a worktree's parameters."""
    yaml = YAML()
    path = folder / "params.yaml"
    params = yaml.load(path.read_text(encoding="utf-8"))
    add_data_of_full(params, folder)
    for limits in params["papers"].values():
        limits |= {"epochs": EPOCHS, "max_words": MAX_WORDS}
    yaml.dump(params, path)
    cells: dict[str, dict[str, dict[str, Any]]] = {name: {} for name in PAPERS}
    for trial in trials:
        of_table = cells[paper_of_table(trial.table).name].setdefault(trial.table, {})
        of_table[f"{trial.cell['row']}.{trial.cell['column']}"] = dict(trial.cell)
    for name, found in cells.items():
        if (folder / f"pipeline/{name}").is_dir():  # an early commit does not know every paper
            yaml.dump(found, folder / f"pipeline/{name}/cells.yaml")


def run_in(folder: Path, trials: Sequence[Trial], what: str) -> None:
    """Train the cells of the trials with a worktree's code. Raises: InputError."""
    prepare(folder, trials)
    environment = os.environ | {"PYTHONPATH": f"{folder / 'src'}{os.pathsep}{folder}"}
    cells = [f"{trial.table} {trial.cell['row']} {trial.cell['column']}" for trial in trials]
    for arguments in (["-m", "pipeline.code"], ["-c", RUN_ALL, *dict.fromkeys(cells)]):
        done = subprocess.run([sys.executable, *arguments], cwd=folder, env=environment)
        if done.returncode:
            raise InputError(f"the runs with {what} ended with an error (above).")


def difference(old: Path, new: Path) -> str:
    """In what two runs differ; empty if predictions and curve (without its seconds) are equal to the last bit."""
    theirs, ours = (pq.read_table(folder / "predictions.parquet") for folder in (old, new))
    if not theirs.equals(ours):
        return "predictions"
    curves = [pyarrow.csv.read_csv(folder / "curve.csv") for folder in (old, new)]
    lines = [curve.drop([name for name in ("seconds",) if name in curve.column_names]) for curve in curves]
    return "" if lines[0].equals(lines[1]) else "curve"


def compare(trial: Trial, old: Path, new: Path) -> Carried | str:
    """The line of a row whose two codes give the same, or why there is none."""
    files = [tree / "results/runs" / trial.folder / "metrics.json" for tree in (old, new)]
    for file, code in zip(files, (f"the code of {trial.entry.commit[:10]}", "the code of HEAD"), strict=True):
        if not file.exists():
            return f"{code} refused its cell (above)"
    before, after = map(read_json, files)
    if before["hashes"]["code"] != trial.entry.code:
        return f"commit {trial.entry.commit[:10]} does not hold the code that made it"
    if after["hashes"]["code"] != trial.new:
        return "the code here is not that of HEAD; commit first"
    if differing := difference(*(tree / "results/runs" / trial.folder for tree in (old, new))):
        return f"the two codes differ in their {differing}"
    return Carried(
        table=trial.table,
        row=trial.entry.row,
        old=trial.entry.code,
        new=trial.new,
        column=trial.entry.column,
        seed=trial.entry.seed,
        epochs=str(EPOCHS),
        max_words=str(MAX_WORDS),
        old_commit=before["git_commit"].rstrip("+"),  # its parameters are changed for the trial, its sources are not
        new_commit=after["git_commit"].rstrip("+"),
        device=after["device"],
        threads=str(after["threads"]),
        date=today(),
    )


def carry(trials: Iterable[Trial]) -> Iterator[list[Carried]]:
    """Try rows, and give the lines of each commit's; what stays stale is told."""
    by_commit: dict[str, list[Trial]] = defaultdict(list)
    for trial in trials:
        by_commit[trial.entry.commit.rstrip("+")].append(trial)
    for commit, group in by_commit.items():
        try:
            yield carry_from(commit, group)
        except InputError as error:  # an early commit reads other parameters, say; those of the others may stand
            print(f"rows of {commit[:10]} stay stale: {error}")


def carry_from(commit: str, trials: Sequence[Trial]) -> list[Carried]:
    """The lines of the rows whose runs one commit made. Raises: InputError."""
    found = []
    with worktree(commit) as old, worktree("HEAD") as new:
        run_in(old, trials, f"the code of {commit[:10]}")
        run_in(new, trials, "the code of HEAD")
        for trial in trials:
            outcome = compare(trial, old, new)
            if isinstance(outcome, str):
                print(f"{trial.table}: {trial.entry.row} stays stale: {outcome}")
            else:
                print(f"{trial.table}: {trial.entry.row} stands, equal on {trial.entry.column}")
                found.append(outcome)
    return found


@command
def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        prog="retable carry", description="Let banked runs stand after a change of code that changes no number."
    )
    parser.add_argument("--table", help="only this table")
    parser.add_argument("--row", help="only this row")
    options = parser.parse_args(arguments)
    if options.table:
        paper_of_table(options.table).result_table(options.table)
    carried = read_carried(CARRIED)
    trials = [
        trial
        for source in map(paper, PAPERS)
        for table in source.results
        if options.table in (None, table.name)
        for trial in stale_by_code(source, table, carried)
        if options.row in (None, trial.entry.row)
    ]
    if not trials:
        print("no run of the bank is stale by its code alone")
        return
    print(f"{len(trials)} rows are stale by their code alone; each is trained twice on its cheapest corpus")
    before = len(carried)
    for found in carry(trials):  # a commit's lines are kept, should the next one's trial break off
        carried += found
        write_carried(CARRIED, carried)
    print(f"{len(carried) - before} of {len(trials)} rows stand; `retable bank` shows their runs again")


if __name__ == "__main__":
    main()
