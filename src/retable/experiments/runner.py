"""Run many cells: several at once, each in a process of its own, on this machine or on a SLURM cluster.

A cell that was stopped goes on where it stood (resuming.py); one that is done is not run again.
"""

import importlib
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from retable.errors import InputError
from retable.project.paths import ROOT, SCRATCH

LOGS = SCRATCH / "logs"
POLL_S = 0.2
GPU = Path("/dev/nvidia0")
JOBS = "RETABLE_JOBS"  # how many cells at once; `make tables JOBS=...` sets it
INSTALL = "python -m pip install submitit==1.5.4"


class Place(NamedTuple):
    """A cell by the table, row and column that run it."""

    table: str
    row: str
    column: str

    @property
    def command(self) -> list[str]:
        """Return the command that trains it."""
        return [sys.executable, "-m", "retable", "run", *self]


class Ended(NamedTuple):
    """A cell whose process has ended, after so many seconds; `log` holds what it said where it failed."""

    place: Place
    failed: bool
    seconds: float
    log: Path


def default_jobs() -> int:
    """Return how many cells run at once: two on a machine's cores; one where a GPU trains."""
    return 1 if GPU.exists() or cores() < 2 else 2


def cores() -> int:
    """Return how many processors this process may use."""
    return len(os.sched_getaffinity(0))


def run_here(places: Sequence[Place], jobs: int) -> Iterator[Ended]:
    """Run cells on this machine, so many at once, and yield each as it ends; a break ends those that run.

    Each has its share of the processors. A single one shows its own progress.
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
                    yield Ended(place, process.returncode != 0, time.monotonic() - begun, log_of(place))
            time.sleep(POLL_S)
    finally:
        for process, _ in running.values():
            process.terminate()
        for process, _ in running.values():
            process.wait()


def start(place: Place, variables: dict[str, str], *, shown: bool) -> "subprocess.Popen[bytes]":
    """Start the process of a cell; what it says is shown, or goes to its log."""
    environment = variables | os.environ
    if shown:
        log_of(place).unlink(missing_ok=True)
        return subprocess.Popen(place.command, cwd=ROOT, env=environment, stdin=subprocess.DEVNULL)
    with log_of(place).open("wb") as log:
        return subprocess.Popen(
            place.command, cwd=ROOT, env=environment, stdin=subprocess.DEVNULL, stdout=log, stderr=log
        )


def log_of(place: Place) -> Path:
    """Return the file for what a cell says."""
    return LOGS / f"{'.'.join(place)}.log"


def run_on_slurm(places: Sequence[Place], jobs: int, asked: dict[str, Any]) -> Iterator[Ended]:
    """Queue one array of SLURM jobs, of which so many run at once, and yield each as it ends.

    A break leaves them to SLURM. All machines must see this checkout.

    Args:
        asked: submitit's parameters: time (minutes), cpus_per_task, gpus_per_node, partition.
    Raises: InputError without submitit.
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
    """Return the package submitit, which `make env` brings. Raises: InputError without it."""
    try:
        importlib.import_module("submitit.helpers")
        return importlib.import_module("submitit")
    except ModuleNotFoundError as error:
        raise InputError(f"--executor slurm needs submitit ({error}); `{INSTALL}` brings it.") from None
