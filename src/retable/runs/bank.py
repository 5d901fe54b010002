"""The bank: measured runs in git, one per line, and each run's answer to every test text (ids, never texts).

docs/results/<table>.jsonl                            metrics, cost, curve, who banked it, the name of its predictions
docs/results/predictions/<table>/<key>[.<n>].parquet  id, label, predicted, clean, probabilities in float16
docs/results/corpora.json                             corpus -> its statistics (data/clean/<corpus>/stats.json)
docs/results/copies.json                              corpus -> ids of test texts that are near copies of each other

Lines are added and never changed: a second run of the same key comes after the first, whose numbers the tables show.
"""

import json
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from retable.errors import InputError, unknown_name
from retable.files import read_json_lines, write_text
from retable.forms import check
from retable.papers import result_tables
from retable.runs.form import TIMES, WHO, check_line
from retable.runs.predictions import write_compact
from retable.runs.record import KEY_DIGITS, RunRecord, check_place

SAME_RUN = ("key", "date", "device", "threads", "git_commit", "dev", "test")  # fields of metrics.json


def read_bank(bank: Path) -> list[RunRecord]:
    """Read the runs of all tables, each table's in the order in which they were banked. Raises: InputError."""
    return [run for path in table_files(bank) for run in read_lines(path)]


def table_files(bank: Path) -> list[Path]:
    """Return the file of each table. Raises: InputError for a file of an unknown table, which no page would show."""
    known, files = [table.name for table in result_tables()], sorted(bank.glob("*.jsonl"))
    for path in files:
        if path.stem not in known:
            raise unknown_name(f"table of {path}", path.stem, known)
    return files


def read_lines(path: Path) -> list[RunRecord]:
    """Read the runs of a table's file; none if there is no file. Raises: InputError."""
    if not path.exists():
        return []
    found, advice = [], f"`git checkout {path.name}`"
    for where, record in read_json_lines(path, "a valid run", advice):
        check_line(record, where, advice)
        metrics, predictions = record["metrics"], path.parent / "predictions" / path.stem / record["predictions"]
        check_place(metrics, where)
        if metrics["table"] != path.stem:
            raise InputError(f"{where}: its table is {metrics['table']}; {advice}.")
        if not predictions.exists():
            raise InputError(
                f"{where}: its predictions, {predictions}, are missing; `git checkout` them, or bank it again."
            )
        found.append(RunRecord(metrics, record["cost"], tuple(record["curve"]), predictions, who=record["who"]))
    return found


def add_to_bank(bank: Path, runs: Iterable[RunRecord], who: str, *, times: bool = True) -> int:
    """Add the runs that are not in the bank yet, each to the file of its table, and return how many were added.

    Args:
        runs: runs with their folders.
        who: name of whoever banks them.
        times: whether to keep their times; not if the machine was busy.
    Raises: InputError, before anything is written, for a name that the bank could not hold.
    """
    check(who, WHO, "the name of who banks the runs", "give another with --who")
    banked = {path.stem: read_lines(path) for path in table_files(bank)}
    same: dict[tuple[str, str], list[RunRecord]] = defaultdict(list)
    for table, runs_there in banked.items():
        for run in runs_there:
            same[table, run.key].append(run)
    added, changed = 0, dict[str, None]()
    for run in runs:
        table = run.metrics["table"]
        there = same[table, run.key]
        if any(is_same(other, run) for other in there):
            continue
        name = run.key[:KEY_DIGITS] + (f".{len(there) + 1}" if there else "") + ".parquet"
        predictions = bank / "predictions" / table / name
        write_compact(run.predictions, predictions)
        cost = {name: value for name, value in run.cost.items() if times or name not in TIMES}
        new = RunRecord(run.metrics, cost, run.curve, predictions, who=who)
        banked.setdefault(table, []).append(new)
        there.append(new)
        changed[table] = None
        added += 1
    for table in changed:  # once per table: line by line would be quadratic in their number
        write_lines(bank / f"{table}.jsonl", banked[table])
    return added


def is_same(one: RunRecord, other: RunRecord) -> bool:
    """Return whether two records are of the same training."""
    return all(one.metrics.get(name) == other.metrics.get(name) for name in SAME_RUN)


def write_lines(path: Path, runs: Iterable[RunRecord]) -> None:
    """Write a table's file."""
    write_text(path, "".join(f"{as_line(run)}\n" for run in runs))


def as_line(run: RunRecord) -> str:
    """Return a run as a line of the bank."""
    record: dict[str, Any] = {
        "metrics": run.metrics, "cost": run.cost, "curve": [round(each, 4) for each in run.curve], "who": run.who,
        "predictions": run.predictions.name,
    }  # fmt: skip
    return json.dumps(record, sort_keys=True, ensure_ascii=False)


def repeats(runs: Iterable[RunRecord]) -> list[tuple[RunRecord, RunRecord]]:
    """Return the first run of each repeated key, paired with each of the later ones."""
    first: dict[str, RunRecord] = {}
    return [(before, run) for run in runs if (before := first.setdefault(run.key, run)) is not run]
