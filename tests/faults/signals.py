"""Stop `make tables` at many moments, as Ctrl-C and kill do, and check that the next one ends as if uninterrupted.

    python -m tests.faults.signals CHECKOUT [--only WORDS ...]

CHECKOUT must have completed `make tables SCALE=smoke`; the script works on copies. --only selects the trials whose
names contain one of these words. Checked after each: an exit code, a sentence, no process left; after the next `make
tables` the same table bytes as CHECKOUT, no temporary file, and in MLflow each run once, none running. A trial takes
half a minute. tests/pipeline/test_resume.py covers trainings.
"""

import argparse
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from pathlib import Path
from typing import NamedTuple

import psutil

from retable.files import write_json
from retable.project.params import load_yaml
from tests.faults.everywhere import STAGES, is_part

LATER_S, STAGE_S, NEXT_S = 5.0, 300.0, 900.0  # a process to end after make; a stage to begin; the next make to end
SENTENCES = ("error: stopped;", "Terminated", "Interrupt")  # ours; make's, if our code had not started


class Moment(NamedTuple):
    """`seconds` after make printed `words` ("" is its start); the stages `again` must run again in it."""

    words: str
    seconds: float
    again: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        return f"{self.seconds} s after {self.words.strip() or 'the start'}"


MOMENTS = (
    Moment("", 0.6),  # before this, Python imports, and shows Ctrl-C as a traceback
    Moment("", 1.0),
    Moment("", 2.5),
    Moment(" download@sample-en", 0.4, ("download",)),
    Moment("clean sample-en: ", 0.1, ("clean",)),  # the stage ends, and DVC hashes its output
    Moment(" tagger ", 2.0, ("tagger",)),
    Moment(" embed@sample-en.glove-50", 1.5, ("embed",)),
    Moment(" tables ", 0.0, ("tables",)),  # between two stages
    Moment(" tables ", 2.5, ("tables",)),
    Moment(" report ", 4.0, ("report",)),
    Moment(" record ", 3.0, ("record",)),  # MLflow makes its tables
    Moment("record ...", 6.0, ("record",)),
)
SENT = {  # to make alone, as `kill` does, or to all, as a terminal does; GNU make passes on only SIGTERM
    "kill -TERM of make": (signal.SIGTERM, os.kill),
    "Ctrl-C": (signal.SIGINT, os.killpg),
}


class Make:
    """Run `make tables` in a folder, in its own process group, and collect its output."""

    def __init__(self, folder: Path, *words: str) -> None:
        self.folder, self.said = folder, ""
        self.process = subprocess.Popen(
            ["make", "-o", ".venv/.ready", "tables", *words], cwd=folder, text=True, start_new_session=True,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # a shell's background job ignores it
        )  # fmt: skip
        self.heard = threading.Condition()
        self.listener = threading.Thread(target=self.listen)
        self.listener.start()

    def listen(self) -> None:
        """Collect the output."""
        for line in self.process.stdout or ():
            with self.heard:
                self.said += line
                self.heard.notify()

    def wait_for(self, words: str) -> None:
        """Wait until the output contains the words."""
        with self.heard:
            if not self.heard.wait_for(lambda: words in self.said, STAGE_S):
                raise SystemExit(f'make never said "{words}": {self.said}')

    def end(self, seconds: float) -> int:
        """Wait for the end, and return the exit code."""
        code = self.process.wait(seconds)
        self.listener.join(LATER_S)
        return code


def below(folder: Path) -> Iterator[psutil.Process]:
    """Yield the living processes whose working directory is in a folder."""
    for process in psutil.process_iter():
        with suppress(psutil.Error):
            if Path(process.cwd()) == folder and process.status() != psutil.STATUS_ZOMBIE:
                yield process


def in_store(database: Path) -> tuple[Counter[str], list[str]]:
    """Return how often MLflow has each complete run, and the names of the runs still running."""
    of_runs = "FROM runs LEFT JOIN tags ON tags.run_uuid = runs.run_uuid AND tags.key = 'retable.place'"
    with suppress(sqlite3.OperationalError), closing(sqlite3.connect(database)) as store:
        active = store.execute(f"SELECT tags.value, status {of_runs} WHERE lifecycle_stage = 'active'").fetchall()
        return Counter(str(place) for place, _ in active), [str(place) for place, how in active if how == "RUNNING"]
    return Counter(), []


def tables(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in (folder / "results/tables").glob("*.csv")}


def copied(checkout: Path, scratch: Path, again: tuple[str, ...]) -> Path:
    """Return a copy of a checkout in which these stages have to run."""
    folder = scratch / "checkout"
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(checkout, folder, ignore=shutil.ignore_patterns(".venv", ".*_cache"), symlinks=True)
    (folder / ".venv").symlink_to(checkout.resolve() / ".venv")
    shutil.rmtree(folder / ".dvc/cache/runs", ignore_errors=True)  # DVC would restore the outputs from there
    lock = load_yaml(folder / "dvc.lock")
    lock["stages"] = {name: of for name, of in lock["stages"].items() if name.partition("@")[0] not in again}
    write_json(folder / "dvc.lock", lock)
    for stage in again:
        for pattern in STAGES[stage][2]:
            for path in folder.glob(pattern):
                shutil.rmtree(path) if path.is_dir() else path.unlink()
    return folder


def problems_of(
    checkout: Path, folder: Path, moment: Moment, number: int, send: Callable[[int, int], None]
) -> Iterator[str]:
    """Yield the problems after a signal, and after the next `make tables`."""
    make = Make(folder, "SCALE=smoke")
    make.wait_for(moment.words)
    time.sleep(moment.seconds)
    send(make.process.pid, number)
    begun = time.monotonic()
    code = make.end(NEXT_S)
    tail = " | ".join(make.said.strip().splitlines()[-4:])
    if not code:
        yield f"exit code 0: {tail}"
    if "Traceback" in make.said:
        yield f"a traceback: {tail}"
    if not any(words in make.said for words in SENTENCES):
        yield f"no sentence: {tail}"
    while (left := list(below(folder))) and time.monotonic() - begun < LATER_S:
        time.sleep(0.1)
    yield from (f"left alive: {' '.join(process.cmdline())}" for process in left)
    after = Make(folder, "SCALE=smoke")
    if code := after.end(NEXT_S):
        yield f"the next make ends with {code}: {' | '.join(after.said.strip().splitlines()[-4:])}"
    yield from (f"left: {path}" for path in folder.rglob("*") if is_part(path.name))
    here, wanted = tables(folder), tables(checkout)
    yield from (f"differs: {name}" for name in sorted({*here, *wanted}) if here.get(name) != wanted.get(name))
    places, running = in_store(folder / "mlflow.db")
    expected, _ = in_store(checkout / "mlflow.db")
    yield from (
        f"MLflow has {place} {places[place]} times"
        for place in {*places, *expected}
        if places[place] != expected[place]
    )
    yield from (f"running for ever: {place}" for place in running)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.faults.signals", description=__doc__)
    parser.add_argument("checkout", type=Path)
    parser.add_argument("--only", nargs="*", default=[""])
    options = parser.parse_args()
    tried = wrong = 0
    with tempfile.TemporaryDirectory(prefix="retable-signals-") as scratch:
        for moment in MOMENTS:
            for kind, (number, send) in SENT.items():
                name = f"{kind}, {moment.name}"
                if not any(words in name for words in options.only):
                    continue
                print(name, flush=True)
                folder = copied(options.checkout, Path(scratch), moment.again)
                problems = list(problems_of(options.checkout, folder, moment, number, send))
                tried, wrong = tried + 1, wrong + bool(problems)
                for problem in problems:
                    print(f"    {problem}", flush=True)
    print(f"{tried} signals tried, {wrong} with problems")
    sys.exit(wrong > 0)


if __name__ == "__main__":
    main()
