"""`make tables`: run the pipeline with one overall progress display.

DVC decides what to run; this script reads its output, shows which stage of how many is running and how long all may
take, and at the end how long each stage took. The times are stored (.retable/stages.json) for the next estimate; before
the first run, tables are estimated from the bank's runs, and other stages have no estimate.
"""

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import psutil
from rich.console import Console
from rich.table import Table

from retable.errors import InputError
from retable.experiments.runner import JOBS, cores, default_jobs
from retable.files import read_json, write_json
from retable.forms import Named, Number
from retable.project.alone import alone
from retable.project.command import continuing, fail
from retable.project.params import load_yaml
from retable.project.parser import Parser
from retable.project.paths import BANK, CHECKOUT, PARAMS, ROOT, SCRATCH
from retable.project.progress import QUIET
from retable.wording import number_of

# glibc returns large tensors to the kernel and requests them anew at every step; keeping them speeds up a run by 5%.
KEEP_MEMORY = {"MALLOC_TRIM_THRESHOLD_": str(8 << 30), "MALLOC_MMAP_THRESHOLD_": str(1 << 30)}
RUNNING = re.compile(r"Running stage '(.+)':")
SKIPPED = re.compile(r"Stage '(.+)' (?:didn't change|is cached)")
# DVC's output apart from stages and errors.
CHATTER = ("> ", "Updating lock", "Generating lock", "Use `dvc", "To track", "To enable auto", "\t", "'", "Data and",
           "Pipeline is", "Restored stage", "Verifying", "Everything is")  # fmt: skip
GRACE_S, IDLE_S, POLL_S = 10.0, 2.0, 0.1  # to stop; until DVC counts as idle; between two polls
OF_TIMES = Named(Named(Number(0, 1e9)))
PLAN, TIMES = SCRATCH / "plan.json", SCRATCH / "stages.json"


def estimates(params: dict[str, Any], jobs: int) -> dict[str, float]:
    """Return stage -> seconds: its last time here at this scale; else, for a table, the bank's estimate, or 0."""
    # Slow to import, because of pyarrow: DVC starts meanwhile.
    from retable.experiments.estimate import read_measured, table_seconds

    known = known_times().get(params["scale"], {})
    tables = {f"table@{table}": seconds / jobs for table, seconds in table_seconds(params, read_measured(BANK)).items()}
    return {stage: known.get(stage) or tables.get(stage, 0.0) for stage in stages_of(params)}


def known_times() -> dict[str, dict[str, float]]:
    """Return the stored scale -> stage -> seconds; empty if the file is damaged, as the next stage rewrites it."""
    try:
        found: dict[str, dict[str, float]] = read_json(TIMES)
    except (OSError, InputError):
        return {}
    return {} if next(OF_TIMES.misfits(found, ""), None) else found


def stages_of(params: dict[str, Any]) -> Iterator[str]:
    """Yield the stages of dvc.yaml at a scale."""
    for name, stage in load_yaml(ROOT / "dvc.yaml")["stages"].items():
        if "foreach" in stage:
            yield from (f"{name}@{key}" for key in params[stage["foreach"].strip("${}")])
        else:
            yield name


class Reader:
    """Follow DVC's output: the running stage, the remaining ones, and the time of each.

    Args:
        expected: stage -> seconds; 0 if unknown.
        scale: the scale whose times are stored.
    """

    def __init__(self, expected: dict[str, float], scale: str) -> None:
        self.expected, self.scale = expected, scale
        self.done: set[str] = set()
        self.took: dict[str, float] = {}
        self.skipped = 0
        self.current, self.start = "", 0.0
        self.console = Console(stderr=True, highlight=False, soft_wrap=True, quiet=QUIET in os.environ)

    def read(self, lines: Iterator[str]) -> None:
        """Read to the end; a line that is not about a stage is an error of DVC or output of a stage, and printed."""
        for line in lines:
            if match := RUNNING.match(line):
                self.finish()
                self.begin(match.group(1))
            elif match := SKIPPED.match(line):
                self.finish()
                self.done.add(match.group(1))
                self.skipped += 1
            elif line.startswith("ERROR"):
                self.current = ""  # it did not finish, so its time is no estimate
                print(line, end="", flush=True)
            elif line.strip() and not line.startswith(CHATTER):
                print(line, end="", flush=True)
        self.finish()

    def begin(self, stage: str) -> None:
        """Show the position of a starting stage, and write the plan for the stage's own display."""
        self.current, self.start = stage, time.monotonic()
        here, left = self.expected.get(stage, 0.0), self.expected.keys() - self.done - {stage}
        after, unknown = sum(self.expected[name] for name in left), sum(not self.expected[name] for name in left)
        position = f"stage {len(self.done) + 1} of {max(len(self.expected), len(self.done) + 1)}"
        write_json(PLAN, {"position": position, "this_s": here, "after_s": after})
        self.console.print(
            f"[bold]{position}[/] {stage.rpartition(':')[2]}  [dim]"
            + (f"about {duration_text(here)}, " if here else "")
            + f"all stages about {duration_text(here + after)}"
            + (f", not counting {unknown} that have never run here[/]" if unknown else "[/]")
        )

    def finish(self) -> None:
        """End the current stage."""
        if self.current:
            self.took[self.current] = time.monotonic() - self.start
            self.done.add(self.current)
            self.keep_time(self.current)
        self.current = ""

    def keep_time(self, stage: str) -> None:
        """Store the time of a stage for the next estimate."""
        known = known_times()
        known.setdefault(self.scale, {})[stage] = round(self.took[stage], 1)
        write_json(TIMES, known)

    def show_times(self, total: float) -> None:
        """Show the stages that took more than a second."""
        slow = {stage: seconds for stage, seconds in self.took.items() if seconds >= 1.0}
        if len(slow) > 3:
            table = Table("stage", "time", title="time of each stage", title_justify="left")
            table.columns[1].justify = "right"
            for stage, seconds in slow.items():
                table.add_row(stage.rpartition(":")[2], duration_text(seconds))
            self.console.print(table)
        self.console.print(
            f"{number_of(len(self.took), 'stages')} run, {self.skipped} unchanged, {duration_text(total)} in all"
        )


def duration_text(seconds: float) -> str:
    """Return seconds as readable text."""
    return f"{seconds:.0f} s" if seconds < 100 else f"{seconds / 60:.0f} min"


def follow(process: subprocess.Popen[str], params: dict[str, Any], jobs: int) -> Reader:
    """Follow the running DVC to its end; end it after a signal, or if the estimate fails."""
    try:
        reader = Reader(estimates(params, jobs), params["scale"])
        assert process.stdout is not None
        reader.read(iter(process.stdout))
    except BaseException:
        end(process)
        raise
    return reader


def end(process: subprocess.Popen[str]) -> None:
    """End the processes that DVC runs, and with them DVC, which finishes its own files; kill what remains.

    A training saves its state at the end of its step, whichever process received the signal.
    """
    begun, running = time.monotonic(), dict[int, psutil.Process]()
    while time.monotonic() - begun < GRACE_S:
        with suppress(psutil.NoSuchProcess):
            for child in psutil.Process(process.pid).children(recursive=True):
                if child.pid not in running:
                    running[child.pid] = child
                    child.terminate()
        left = [child for child in running.values() if is_alive(child)]
        if not left and process.poll() is not None:
            return
        if not left and time.monotonic() - begun > IDLE_S:
            process.terminate()
        time.sleep(POLL_S)
    for child in running.values():
        with suppress(psutil.NoSuchProcess):
            child.kill()
    process.kill()
    psutil.wait_procs(running.values(), timeout=IDLE_S)


def is_alive(process: psutil.Process) -> bool:
    """Return whether a process has not ended."""
    try:
        return process.is_running() and process.status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def mend_lock_of_dvc() -> None:
    """Remove the list of readers and writers that DVC left when the disk was full: it would refuse every later run.

    This is safe: only this process runs the pipeline here.
    """
    path = ROOT / ".dvc/tmp/rwlock"
    try:
        read_json(path)
    except FileNotFoundError:
        pass
    except ValueError:
        print(f"removed {path}, which was left half-written", file=sys.stderr)
        path.unlink()


@continuing
def main(arguments: list[str] | None = None) -> None:
    parser = Parser(
        prog="retable make",
        description="Run the pipeline with an overall progress display.",
        epilog="example: retable make --scale smoke",
    )
    parser.add_argument("--scale", default="", help="write this scale into params.yaml first")
    parser.add_argument("--jobs", type=int, default=default_jobs(), help="cells in parallel (default: %(default)s)")
    options = parser.parse_args(arguments)
    if not 1 <= options.jobs <= cores():
        raise InputError(f"JOBS is {options.jobs}; allowed: 1 to {cores()}, the processors of this machine.")
    with alone(SCRATCH / "make.lock", "is running the pipeline in this checkout"):
        before = load_yaml(PARAMS)["scale"] if PARAMS.exists() else ""
        if options.scale or not before:
            from retable.experiments.params_file import write_scale

            write_scale(options.scale or "cpu")
        try:
            run_pipeline(load_yaml(PARAMS), options.jobs)
        finally:
            print(way_back(before, options.scale), end="", flush=True)


def way_back(before: str, now: str) -> str:
    """Return how to restore the previous scale; "" if it is the same."""
    if not now or before in ("", now):
        return ""
    return f"params.yaml now has scale {now}, with only its corpora; `make params SCALE={before}` restores {before}\n"


def start_dvc(jobs: int) -> subprocess.Popen[str]:
    """Start DVC, ignoring Ctrl-C as its stages do until they listen: Python would show a traceback of its imports.

    `end` ends them in that case.
    """
    words = [sys.executable, "-m", "dvc", "--wait-for-lock", "repro"]
    environment = KEEP_MEMORY | os.environ | {"PYTHONUNBUFFERED": "1", JOBS: str(jobs)}
    return subprocess.Popen(
        words,
        cwd=ROOT,
        stdout=subprocess.PIPE,
        text=True,
        env=environment,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_IGN),
    )


def run_pipeline(params: dict[str, Any], jobs: int) -> None:
    """Run DVC and show its progress."""
    mend_lock_of_dvc()
    start, process = time.monotonic(), start_dvc(jobs)
    try:
        reader = follow(process, params, jobs)
    finally:
        code = process.wait()
        PLAN.unlink(missing_ok=True)
    if code:
        fail("the pipeline stopped; finished work is kept, and `make tables` continues from there.", code)
    reader.show_times(time.monotonic() - start)
    print(
        f"tables: {CHECKOUT / 'results/tables'}; page: results/report/index.html; `make ui` shows the record",
        file=sys.stderr,
    )
