"""Run many cells at once, each in its own process, on this machine or on a SLURM cluster.

A stopped cell resumes where it was (resuming.py); a finished one is not run again.
"""

import importlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from retable.errors import lacks
from retable.project.paths import ROOT, SCRATCH

LOGS = SCRATCH / "logs"
POLL_S = 0.2
GPU = Path("/dev/nvidia0")
JOBS = "RETABLE_JOBS"  # number of cells run at once; `make tables JOBS=...` sets it


class Place(NamedTuple):
    """A cell, identified by its table, row and column."""

    table: str
    row: str
    column: str

    @property
    def command(self) -> list[str]:
        """Return the command that trains it."""
        return [sys.executable, "-m", "retable", "run", *self]


class Ended(NamedTuple):
    """A cell whose process has ended, with its run time in seconds; `log` holds its output if it failed."""

    place: Place
    failed: bool
    seconds: float
    log: Path


def default_jobs() -> int:
    """Return the number of cells to run at once: two on a CPU; one if a GPU trains."""
    return 1 if GPU.exists() or cores() < 2 else 2


def cores() -> int:
    """Return the number of CPU cores that this process may use."""
    return len(os.sched_getaffinity(0))


def run_here(places: Sequence[Place], jobs: int) -> Iterator[Ended]:
    """Run cells on this machine, `jobs` at once, and yield each as it ends; an interrupt ends those still running.

    Each gets its share of the cores. A single cell shows its own progress.
    """
    LOGS.mkdir(parents=True, exist_ok=True)
    threads = {"OMP_NUM_THREADS": str(max(1, cores() // jobs))} if jobs > 1 else {}
    waiting, running = list(reversed(places)), dict[Place, tuple[subprocess.Popen[bytes], float]]()
    try:
        while waiting or running:
            while waiting and len(running) < jobs:
                place = waiting.pop()
                running[place] = start(place, threads, shown=jobs == 1), time.monotonic()
            for place, (process, begun) in list(running.items()):
                if process.poll() is not None:
                    del running[place]
                    if process.returncode == -signal.SIGKILL:
                        tell_of_kill(place)
                    yield Ended(place, process.returncode != 0, time.monotonic() - begun, log_of(place))
            time.sleep(POLL_S)
    finally:
        for process, _ in running.values():
            process.terminate()
        for process, _ in running.values():
            process.wait()


def start(place: Place, variables: dict[str, str], *, shown: bool) -> "subprocess.Popen[bytes]":
    """Start the process of a cell; its output is shown, or goes to its log."""
    environment = variables | os.environ
    if shown:
        log_of(place).unlink(missing_ok=True)
        return subprocess.Popen(place.command, cwd=ROOT, env=environment, stdin=subprocess.DEVNULL)
    with log_of(place).open("wb") as log:
        return subprocess.Popen(
            place.command, cwd=ROOT, env=environment, stdin=subprocess.DEVNULL, stdout=log, stderr=log
        )


def tell_of_kill(place: Place) -> None:
    """Add to the log of a cell what its process could not say itself."""
    with log_of(place).open("a", encoding="utf-8") as log:
        log.write(
            "Killed by signal 9, as the system does when memory runs out; "
            "the next start resumes from its last saved state, if there is one.\n"
        )


def log_of(place: Place) -> Path:
    """Return the log file of a cell."""
    return LOGS / f"{'.'.join(place)}.log"


def run_on_slurm(places: Sequence[Place], jobs: int, asked: dict[str, Any]) -> Iterator[Ended]:
    """Queue one array of SLURM jobs, `jobs` at once, and yield each as it ends.

    An interrupt leaves the jobs to SLURM. All machines must see this checkout.

    Args:
        asked: submitit's parameters: time (minutes), cpus_per_task, gpus_per_node, partition.
    Raises: InputError if submitit is missing.
    """
    submitit = the_scheduler()
    executor = submitit.SlurmExecutor(LOGS / "%j")
    executor.update_parameters(job_name="retable", array_parallelism=jobs, **asked)
    run: Callable[..., Any] = submitit.helpers.CommandFunction([sys.executable, "-m", "retable", "run"], cwd=ROOT)
    begun = time.monotonic()
    queued = executor.map_array(run, *map(list, zip(*places, strict=True)))
    of_job = {job.job_id: place for place, job in zip(places, queued, strict=True)}
    for job in submitit.helpers.as_completed(queued):
        yield Ended(of_job[job.job_id], job.exception() is not None, time.monotonic() - begun, Path(job.paths.stderr))


def the_scheduler() -> Any:
    """Return the package submitit. Raises: InputError if it is missing."""
    try:
        importlib.import_module("submitit.helpers")
        return importlib.import_module("submitit")
    except ModuleNotFoundError:
        raise lacks("submitit", "--executor slurm") from None
