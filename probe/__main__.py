"""`python -m probe [CASE ...]`: compare the current numbers with those of the last commit at which the probe passed."""

import argparse
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from probe.case import Case
from probe.compare import compare, demands, twins
from probe.loops import idle
from probe.sides import (
    PASSED,
    TESTS,
    changed_files,
    git,
    known_commit,
    outcomes,
    start,
    state_of_checkout,
    worktree,
    write,
)
from retable.errors import unknown_name
from retable.experiments.scale import scale_preset
from retable.files import read_json, write_json
from retable.project.command import command, fail
from retable.project.params import load_yaml
from retable.project.paths import CLEAN, PARAMS, ROOT, TAGGED, VECTORS

SCALE = "smoke"  # whose stages the data cases are


@command
def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m probe", description="Do today's numbers need another recipe?")
    parser.add_argument(
        "--accept", action="store_true", help="write HEAD into probe/passed.json after it and its mutants have passed"
    )
    parser.add_argument("--against", metavar="COMMIT", default="", help="compare with this commit instead")
    parser.add_argument("--write", type=Path, metavar="FOLDER", help="only run the cases of this tree, into FOLDER")
    parser.add_argument("case", nargs="*", help="only cases whose name begins so")
    options = parser.parse_args()
    if options.write:
        if (ROOT / ".git").is_dir() or (ROOT / ".venv").exists():
            fail(f"--write puts made-up texts into {ROOT}/data; use it in a copy of the tree (git worktree add).")
        run_cases(options.write, options.case)
        return
    if options.accept and (options.case or options.against):
        parser.error("--accept compares every case with the last accepted commit: no case and no --against")
    before = known_commit(options.against or read_json(ROOT / PASSED)["commit"])
    if options.accept:
        accept(before)
    else:
        report(before, options.case)


def accept(before: str) -> None:
    """Write HEAD into probe/passed.json if the probe passes, and sees the careless changes that its tests make."""
    head = git("rev-parse", "HEAD")
    check_committed(head)
    report(before, [])
    mutants = f"{TESTS}/test_mutations.py"
    if subprocess.run([sys.executable, "-m", "pytest", mutants], cwd=ROOT, check=False).returncode:
        fail(f"nothing is accepted: {mutants} does not pass.")
    check_committed(head)  # the mutants copied the files as they were by then
    write_json(ROOT / PASSED, {"commit": head})


def check_committed(head: str) -> None:
    """Fail if the code, its inputs or the mutants differ from the commit that would be accepted."""
    if changed := changed_files(head, state_of_checkout(), TESTS):
        fail(f"--accept writes commit {head[:10]}, but {changed[0]} differs from it; commit or undo the change first.")


def run_cases(folder: Path, wanted: list[str]) -> None:
    """Run the cases of this tree; the data cases leave what later ones read."""
    from probe.samples import write_samples  # imported here: a comparison needs neither torch nor spaCy
    from retable.experiments import folds
    from retable.experiments.params_file import write_scale
    from retable.training import schedules

    if PARAMS.resolve().parent == ROOT:
        write_scale(SCALE)
    vars(folds)["CORPORA"] = {}  # made-up texts use declared names, with their own labels
    vars(schedules)["HALVED_AFTER"] = 20  # batches, in place of 15,000
    write_samples(CLEAN, TAGGED, VECTORS)
    with tempfile.TemporaryDirectory() as scratch:
        write(folder, [case for case in cases_of(load_yaml(PARAMS)) if chosen(case.name, wanted)], Path(scratch))


def cases_of(params: dict[str, Any]) -> Iterator[Case]:
    """Yield the cases of this tree, in the order in which they are run; those of data are the stages of a scale."""
    from probe.bank import bank_cases  # imported here, as above
    from probe.data import data_cases
    from probe.direct import direct_cases
    from probe.tables import table_cases
    from probe.training import training_cases

    for cases in (table_cases(), bank_cases(), direct_cases(), data_cases(params), training_cases()):
        yield from cases


def check_names(wanted: list[str]) -> None:
    """Refuse a word with which no case begins. Raises: InputError with the known cases."""
    known = [case.name for case in cases_of(scale_preset(SCALE))] if wanted else []
    for word in wanted:
        if not any(chosen(name, [word]) for name in known):
            raise unknown_name("case of the probe", word, known)


def chosen(name: str, wanted: list[str]) -> bool:
    """Return whether a case is requested; without any words all are."""
    return not wanted or any(name.startswith(word) for word in wanted)


def report(before: str, wanted: list[str]) -> None:
    """Run both sides in parallel, report what differs, and fail where the recipes do not match.

    Nothing is run if no file differs that the cases run or read: the same code gives the same numbers.
    """
    current = state_of_checkout()
    if not changed_files(before, current):
        print(f"no file that the cases run or read has changed since commit {before[:10]}: nothing to compare")
        return
    check_names(wanted)
    with worktree(before) as old, worktree(current) as new:
        processes = [start(tree, wanted) for tree in (old, new)]
        then, now = (
            outcomes(tree, process, what)
            for tree, process, what in zip(
                (old, new), processes, (f"commit {before[:10]}", "this checkout"), strict=True
            )
        )
    differences = {name: compare(then[name], now[name]) for name in now if name in then}
    for name, difference in differences.items():
        if difference and difference.level:
            print(f"{name}: {difference.sentence}")
    asked_otherwise = sum(each is None for each in differences.values())
    equal = sum(each is not None and not each.level for each in differences.values())
    print(
        f"{equal} of {len(differences)} cases are equal to those of commit {before[:10]}, {asked_otherwise} were asked "
        f"otherwise, {len(now.keys() - then.keys())} are new, {len(then.keys() - now.keys())} are gone"
    )
    sentences = demands(then, now)
    for sentence in sentences:
        print(sentence, file=sys.stderr)
    if sentences:
        fail(f"{len(sentences)} recipes and numbers do not agree (retable/runs/recipes.py, src/retable/conf/models/).")
    if found := twins(now) + idle(now):
        fail(f"{len(found)} cases do not watch what they name (probe/loops.py, probe/training.py): {'; '.join(found)}.")


if __name__ == "__main__":
    main()
