"""Cells that are trained ahead of DVC: it runs one stage after the other, and would leave the other cores idle.

A cell is started as soon as its texts and vectors are made, the longest first, by `retable run`; its runs are kept
as those of an interrupted cell are (resuming.py). When DVC comes to it, the stage `run` takes them. Their key is of
parameters, data and recipe, so what is not what DVC asks for is never taken.
"""

import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from retable.project.launch import LAUNCHER
from retable.project.paths import ROOT, SCRATCH

POLL_S = 0.5
LOGS = SCRATCH / "ahead"
RUN = ["-m", "retable", "run"]  # what Python runs for a cell
GPU = Path("/dev/nvidia0")


Cells = Mapping[str, Mapping[str, Mapping[str, dict[str, str]]]]  # paper -> table -> name -> cell


@dataclass(frozen=True)
class AheadCell:
    """A cell: DVC's name of its stage, the stages that make what it reads, and the seconds it may take."""

    stage: str
    table: str
    name: str
    row: str
    column: str
    needs: tuple[str, ...]
    seconds: float


def default_jobs() -> int:
    """How many cells at once: two on a machine's cores; one where a GPU or a launcher trains."""
    shared = GPU.exists() or os.environ.get(LAUNCHER)
    return 1 if shared or cores() < 2 else 2


def cores() -> int:
    """Processors that this process may use."""
    return len(os.sched_getaffinity(0))


class Ahead:
    """Runs cells beside DVC, in a thread of its own, as long as the context lasts.

    Args:
        cells: those of the scale.
        done: names of the stages that DVC is done with; it grows.
        current: name of the stage that DVC runs now.
        is_current: whether a cell's results stand already.
        environment: of the cells, DVC's: where cells share the processors, each has its part of them.
        jobs: cells at once, without the one that DVC runs.
        took: stage -> seconds of every cell that is ready for DVC; filled here.
        tell: called with a sentence.
    """

    def __init__(
        self,
        cells: Sequence[AheadCell],
        done: Collection[str],
        current: Callable[[], str],
        is_current: Callable[[AheadCell], bool],
        *,
        environment: Mapping[str, str],
        jobs: int,
        took: dict[str, float],
        tell: Callable[[str], None],
    ) -> None:
        self.waiting = sorted(cells, key=lambda cell: -cell.seconds)
        self.done, self.current, self.is_current, self.jobs, self.tell = done, current, is_current, jobs, tell
        self.environment = environment
        self.running: dict[AheadCell, tuple[subprocess.Popen[bytes], float]] = {}
        self.took = took
        self.ended = threading.Event()
        self.thread = threading.Thread(target=self.work, daemon=True)

    def __enter__(self) -> "Ahead":
        """Begin."""
        if self.jobs > 0:
            self.thread.start()
        return self

    def __exit__(self, *error: object) -> None:
        """End; a cell that still runs keeps its state."""
        self.ended.set()
        if self.thread.is_alive():
            self.thread.join()
        for process, _ in self.running.values():
            process.terminate()
        for process, _ in self.running.values():
            process.wait()

    def work(self) -> None:
        """Start what can be started, and see what has ended."""
        while not self.ended.wait(POLL_S):
            self.collect()
            while len(self.running) < self.jobs and (cell := self.next_cell()):
                self.running[cell] = start_cell(cell, self.environment), time.monotonic()

    def collect(self) -> None:
        """The processes that have ended; one that failed is left to DVC, which will say why."""
        for cell, (process, start) in list(self.running.items()):
            if process.poll() is not None:
                del self.running[cell]
                if process.returncode == 0:
                    self.took[cell.stage] = time.monotonic() - start
                    self.tell(f"ahead: {cell.table} · {cell.row} · {cell.column}, {self.took[cell.stage]:.0f} s")

    def next_cell(self) -> AheadCell | None:
        """The longest cell whose data are made and which DVC has not come to."""
        for cell in list(self.waiting):
            if cell.stage in self.done or cell.stage == self.current():
                self.waiting.remove(cell)
            elif all(stage in self.done for stage in cell.needs):
                self.waiting.remove(cell)
                if not self.is_current(cell):
                    return cell
        return None


def start_cell(cell: AheadCell, environment: Mapping[str, str]) -> subprocess.Popen[bytes]:
    """A process that trains a cell; what it says goes to a file."""
    LOGS.mkdir(parents=True, exist_ok=True)
    asked = [sys.executable, *RUN, cell.table, cell.row, cell.column]
    with (LOGS / f"{cell.table}.{cell.row}.{cell.column}.log").open("wb") as log:
        return subprocess.Popen(asked, cwd=ROOT, env=environment, stdin=subprocess.DEVNULL, stdout=log, stderr=log)


def ahead_cells(cells: Cells, seconds: Mapping[str, float]) -> list[AheadCell]:
    """The cells of a scale, by DVC's names; `seconds` says how long a stage may take."""
    return [
        AheadCell(
            stage := f"pipeline/{paper}/dvc.yaml:{table}@{name}",
            table,
            name,
            cell["row"],
            cell["column"],
            ("code", f"tag@{cell['corpus']}", vectors_stage(cell["vectors"])),
            seconds.get(stage, 0.0),
        )
        for paper, tables in cells.items()
        for table, of_table in tables.items()
        for name, cell in of_table.items()
    ]


def vectors_stage(vectors: str) -> str:
    """The stage that makes word vectors."""
    return "no-vectors" if vectors == "none" else f"embed@{vectors}"
