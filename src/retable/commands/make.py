"""`make tables`: run the pipeline with a display of the whole.

DVC decides what is run; this script reads along, says which stage of how many it is, how long all may take, and in the
end what each stage took. The times are kept (.retable/stages.json) and make the next estimate. Meanwhile it trains
cells ahead of DVC on the cores that it leaves idle (`retable.experiments.ahead`).
"""

import argparse
import json
import os
import re
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Any

from rich.console import Console
from rich.table import Table

from retable.errors import InputError
from retable.experiments.ahead import Ahead, AheadCell, Cells, ahead_cells, cores, default_jobs
from retable.files import atomic_file, read_json, write_json
from retable.project.command import command, fail
from retable.project.params import load_yaml
from retable.project.paths import CHECKOUT, PARAMS, ROOT, SCRATCH

# glibc gives large tensors back to the kernel and fetches them anew at every step; keeping them saves a run about 5%.
KEEP_MEMORY = {"MALLOC_TRIM_THRESHOLD_": str(8 << 30), "MALLOC_MMAP_THRESHOLD_": str(1 << 30)}
RUNNING = re.compile(r"Running stage '(.+)':")
SKIPPED = re.compile(r"Stage '(.+)' (?:didn't change|is cached)")
# What DVC says beside the stages and its errors.
CHATTER = ("> ", "Updating lock", "Generating lock", "Use `dvc", "To track", "To enable auto", "\t", "'", "Data and",
           "Pipeline is", "Restored stage", "Verifying", "Everything is")  # fmt: skip
PLAN, TIMES = SCRATCH / "plan.json", SCRATCH / "stages.json"


def cells_of_scale() -> Cells:
    """The cells that this scale runs."""
    from retable.papers import PAPERS  # slow to import, as pyarrow comes with it: DVC starts meanwhile

    return {name: load_yaml(ROOT / f"pipeline/{name}/cells.yaml") or {} for name in PAPERS}


def estimates(params: dict[str, Any], cells: Cells) -> dict[str, float]:
    """Stage -> seconds: what it took here the last time at this scale, else by the speed table."""
    from retable.experiments.estimate import stages_of  # as above

    known = read_json(TIMES).get(params["scale"], {}) if TIMES.exists() else {}
    return {stage: known.get(stage, seconds) for stage, seconds in stages_of(params, cells).items()}


def is_current(cell: AheadCell) -> bool:
    """Whether a cell's results stand already."""
    from retable.commands.spread import is_current as stands  # torch comes with it, and takes seconds to import
    from retable.papers import paper_of_table

    source = paper_of_table(cell.table)
    table = source.result_table(cell.table)
    return stands(table, source, load_yaml(ROOT / f"pipeline/{source.name}/cells.yaml")[cell.table][cell.name])


class Reader:
    """Follows DVC's output: which stage runs, what is left, what each took.

    Args:
        expected: stage -> seconds.
        scale: whose times are kept.
        jobs: cells that are trained at once.
        trained: stage -> what it took where it was trained ahead of DVC; it grows.
    """

    def __init__(
        self,
        expected: dict[str, float],
        scale: str,
        *,
        jobs: int = 1,
        trained: Mapping[str, float] = MappingProxyType({}),
    ) -> None:
        self.expected, self.scale, self.jobs, self.trained = expected, scale, jobs, trained
        self.done: set[str] = set()
        self.took: dict[str, float] = {}
        self.skipped = 0
        self.current, self.start = "", 0.0
        self.console = Console(stderr=True, highlight=False, soft_wrap=True)

    def read(self, lines: Iterator[str]) -> None:
        """Read to the end; a line that is not about a stage is an error of DVC's or a stage's word, and shown."""
        for line in lines:
            if match := RUNNING.match(line):
                self.finish()
                self.begin(match.group(1))
            elif match := SKIPPED.match(line):
                self.finish()
                self.done.add(match.group(1))
                self.skipped += 1
            elif line.startswith("ERROR"):
                self.current = ""  # it did not end, so what it took is no estimate
                print(line, end="", flush=True)
            elif line.strip() and not line.startswith(CHATTER):
                print(line, end="", flush=True)
        self.finish()

    def begin(self, stage: str) -> None:
        """A stage starts: tell its place, and leave the plan for its own display."""
        self.current, self.start = stage, time.monotonic()
        left = [name for name in self.expected if name not in self.done | self.trained.keys() and name != stage]
        after = sum(self.expected[name] for name in left)
        position = f"stage {len(self.done) + 1} of {max(len(self.expected), len(self.done) + 1)}"
        with atomic_file(PLAN) as part:
            part.write_text(
                json.dumps({"position": position, "this_s": self.expected.get(stage, 1.0), "after_s": after})
            )
        here = self.expected.get(stage, 1.0)
        self.console.print(
            f"[bold]{position}[/] {stage.rpartition(':')[2]}  "
            f"[dim]about {told(here)}, all stages about {told(here + after)}[/]"
        )

    def finish(self) -> None:
        """The current stage has ended."""
        if self.current:
            self.took[self.current] = time.monotonic() - self.start
            self.done.add(self.current)
            self.keep_time(self.current)
        self.current = ""

    def keep_time(self, stage: str) -> None:
        """Remember what a stage took, for the next estimate."""
        known = read_json(TIMES) if TIMES.exists() else {}
        seconds = self.trained.get(stage, self.took[stage])
        share = self.jobs if stage.startswith("pipeline/") else 1  # of the machine, which so many cells shared
        known.setdefault(self.scale, {})[stage] = round(seconds / share, 1)
        write_json(TIMES, known)

    def show_times(self, total: float) -> None:
        """The stages that took more than a second."""
        slow = {stage: seconds for stage, seconds in self.took.items() if seconds >= 1.0}
        if len(slow) > 3:
            table = Table("stage", "time", title="what each stage took", title_justify="left")
            table.columns[1].justify = "right"
            for stage, seconds in slow.items():
                table.add_row(stage.rpartition(":")[2], told(seconds))
            self.console.print(table)
        self.console.print(f"{len(self.took)} stages run, {self.skipped} unchanged, {told(total)} in all")


def told(seconds: float) -> str:
    """Seconds as people say them."""
    return f"{seconds:.0f} s" if seconds < 100 else f"{seconds / 60:.0f} min"


def follow(process: subprocess.Popen[str], params: dict[str, Any], jobs: int, environment: Mapping[str, str]) -> Reader:
    """Read along with DVC, which is running already, to its end; stop it where the estimate cannot be made."""
    trained: dict[str, float] = {}
    try:
        cells = cells_of_scale()
        reader = Reader(estimates(params, cells), params["scale"], jobs=jobs, trained=trained)
    except BaseException:
        process.terminate()
        raise
    assert process.stdout is not None
    ahead = Ahead(
        ahead_cells(cells, reader.expected),
        reader.done,
        lambda: reader.current,
        is_current,
        environment=environment,
        jobs=jobs - 1,
        took=trained,
        tell=lambda sentence: reader.console.print(f"[dim]{sentence}[/]"),
    )
    with ahead:
        reader.read(iter(process.stdout))
    return reader


def surroundings(jobs: int) -> dict[str, str]:
    """The environment of the stages; where cells share the processors, each has its part of them."""
    threads = {"OMP_NUM_THREADS": str(cores() // jobs)} if jobs > 1 else {}
    return KEEP_MEMORY | threads | os.environ | {"PYTHONUNBUFFERED": "1"}


@command
def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="make tables", description="Run the pipeline with a display of the whole.")
    parser.add_argument("--scale", default="", help="write this scale into params.yaml first")
    parser.add_argument("--jobs", type=int, default=default_jobs(), help="cells at once (default: %(default)s)")
    options = parser.parse_args(arguments)
    if not 1 <= options.jobs <= cores():
        raise InputError(f"JOBS is {options.jobs}; allowed: 1 to {cores()}, the processors of this machine.")
    if options.scale or not PARAMS.exists():
        from retable.experiments.params_file import write_scale

        write_scale(options.scale or "cpu")
    params = load_yaml(PARAMS)
    start, environment = time.monotonic(), surroundings(options.jobs)
    process = subprocess.Popen(
        [sys.executable, "-m", "dvc", "--wait-for-lock", "repro"],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        text=True,
        env=environment,
    )
    try:
        reader = follow(process, params, options.jobs, environment)
    finally:
        code = process.wait()
        PLAN.unlink(missing_ok=True)
    if code:
        fail("the pipeline stopped; what was finished is kept, and `make tables` goes on from there.", code)
    reader.show_times(time.monotonic() - start)
    print(
        f"tables: {CHECKOUT / 'results/tables'}; page: results/report/index.html; `make ui` shows the record",
        file=sys.stderr,
    )
