"""Run the two sides of a probe: worktrees, the process that runs the cases in each, and its output."""

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import numpy as np

from probe.case import Case
from probe.compare import Outcome
from retable.errors import InputError
from retable.project.paths import ROOT

READ = ("src", "probe", "data", "params.yaml", "dvc.yaml", "pyproject.toml", "requirements")  # what numbers depend on
PASSED = "probe/passed.json"
TESTS = "tests/probe"
ENVIRONMENT = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "NUMBA_NUM_THREADS"), "1")


def git(*arguments: str) -> str:
    """Return git's output. Raises: InputError with its error."""
    done = subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True)
    if done.returncode:
        raise InputError(f"git {' '.join(arguments)}: {done.stderr.strip()}")
    return done.stdout.strip()


def state_of_checkout() -> str:
    """Return a commit of the checkout's current state: HEAD, or HEAD with the changed tracked files."""
    return git("stash", "create") or git("rev-parse", "HEAD")


def known_commit(commit: str) -> str:
    """Return the commit. Raises: InputError if the clone does not contain it."""
    try:
        return git("rev-parse", "--verify", f"{commit}^{{commit}}")
    except InputError:
        raise InputError(
            f"commit {commit[:10]}, at which the probe last passed (probe/passed.json), is not in this clone; "
            "fetch the whole history (`git fetch --unshallow`)."
        ) from None


def changed_files(before: str, now: str, *more: str) -> list[str]:
    """Return the files that differ between two commits, of those that the cases run or read and of more."""
    return git("diff", "--name-only", before, now, "--", *READ, *more, f":!{PASSED}").splitlines()


@contextmanager
def worktree(commit: str) -> Iterator[Path]:
    """Check a commit out into a temporary folder."""
    with tempfile.TemporaryDirectory(prefix="probe-") as scratch:
        folder = Path(scratch) / "tree"
        git("worktree", "add", "--detach", str(folder), commit)
        try:
            yield folder
        finally:
            shutil.rmtree(folder, ignore_errors=True)
            git("worktree", "prune")


def start(tree: Path, only: Sequence[str]) -> "subprocess.Popen[str]":
    """Start the cases of a tree, with its own code, in a single-threaded process."""
    environment = os.environ | ENVIRONMENT | {"PYTHONPATH": f"{tree / 'src'}{os.pathsep}{tree}"}
    command = [sys.executable, "-m", "probe", "--write", str(tree / "probe.out"), *only]
    with (tree / "probe.log").open("w", encoding="utf-8") as log:
        return subprocess.Popen(command, cwd=tree, env=environment, stdout=log, stderr=log, text=True)


def outcomes(tree: Path, process: "subprocess.Popen[str]", what: str) -> dict[str, Outcome]:
    """Return the outcomes of a side once it has ended. Raises: InputError if it failed."""
    if process.wait():
        last = (tree / "probe.log").read_text(encoding="utf-8")[-3000:]
        raise InputError(f"the cases of {what} ended with an error:\n{last}")
    return read(tree / "probe.out")


def write(folder: Path, cases: Iterable[Case], scratch: Path) -> None:
    """Run cases and write their results: one JSON and one file of arrays per case."""
    folder.mkdir()
    listed = []
    for number, case in enumerate(cases):
        arrays = case.run(scratch)
        np.savez(folder / f"{number}.npz", allow_pickle=False, **arrays)
        listed.append([case.name, dict(case.asked), dict(case.recipe), case.rounding])
    (folder / "cases.json").write_text(json.dumps(listed), encoding="utf-8")


def read(folder: Path) -> dict[str, Outcome]:
    """Read the files that `write` wrote."""
    listed = json.loads((folder / "cases.json").read_text(encoding="utf-8"))
    found = {}
    for number, (name, asked, recipe, rounding) in enumerate(listed):
        with np.load(folder / f"{number}.npz") as arrays:
            found[name] = Outcome(asked, recipe, dict(arrays), rounding)
    return found
