"""A progress display for one stage: what runs, how far it is, and how long it still takes.

On a terminal a live bar; elsewhere (CI, a log file) an occasional line. `make tables` leaves a plan in the scratch
folder, from which the time left for the whole pipeline is shown too.
"""

import math
import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    SpinnerColumn,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)

from retable.errors import InputError
from retable.files import read_json
from retable.forms import Number, Section, Text
from retable.project.paths import SCRATCH
from retable.wording import number_of

QUIET = "RETABLE_QUIET"  # if set, no progress is shown
SECONDS_BETWEEN_LINES = 30.0
SECONDS_BETWEEN_PLANS = 1.0  # the plan is a file, and a small model advances hundreds of times a second
PLAN = Section({"position": Text(), "this_s": Number(0), "after_s": Number(0)})


class Bar:
    """A display that a stage advances; other modules only get plain callbacks."""

    def __init__(self, what: str, total: float, unit: str) -> None:
        self.what, self.total, self.unit, self.done = what, total, unit, 0.0
        self.note = self.rest = ""
        self.last_plan = -math.inf
        self.start = self.last_line = time.monotonic()
        self.console = Console(stderr=True)
        self.quiet = QUIET in os.environ
        self.live = self.console.is_terminal and not self.quiet
        if self.live:
            self.progress = Progress(
                SpinnerColumn(),
                TextColumn("{task.description}"),
                BarColumn(bar_width=24),
                MofNCompleteColumn(),
                TextColumn(unit),
                TextColumn("{task.fields[note]}"),
                TimeElapsedColumn(),
                TextColumn("left"),
                TimeRemainingColumn(),
                TextColumn("{task.fields[rest]}"),
                console=self.console,
                transient=True,
            )
            self.task = self.progress.add_task(what, total=total, note="", rest="")

    def advance(self, amount: float = 1, note: str | None = None) -> None:
        """Count `amount` more units as done; `note` replaces the text after the bar."""
        self.done += amount
        self.note = self.note if note is None else note
        if self.live:
            if time.monotonic() - self.last_plan > SECONDS_BETWEEN_PLANS:
                self.last_plan, self.rest = time.monotonic(), self.time_for_the_rest()
            self.progress.update(self.task, advance=amount, note=self.note, rest=self.rest)
        elif not self.quiet and time.monotonic() - self.last_line > SECONDS_BETWEEN_LINES:
            self.last_line = time.monotonic()
            print(
                f"  {self.what}: {self.done:,.0f} of {number_of(self.total, self.unit)} {self.note}"
                f"{self.time_for_the_rest()}",
                file=sys.stderr,
                flush=True,
            )

    def finish(self) -> None:
        """Fill the bar: the work ended before its maximum (early stopping)."""
        self.total = self.done
        if self.live:
            self.progress.update(self.task, total=self.done)

    def time_for_the_rest(self) -> str:
        """Return "· all stages: about 12 min left" if `make tables` has left a plan."""
        plan = read_plan()
        if plan is None:
            return ""
        elapsed = time.monotonic() - self.start
        here = elapsed * (self.total - self.done) / self.done if self.done else plan["this_s"]
        minutes = (here + plan["after_s"]) / 60
        return f" · {plan['position']} · all stages: about {minutes:.0f} min left"


def read_plan() -> dict[str, Any] | None:
    """Return the plan of `make tables`: position of the stage, its estimated seconds and those after it.

    None without a plan, or if it is damaged: it is only shown.
    """
    try:
        plan: dict[str, Any] = read_json(SCRATCH / "plan.json")
    except (OSError, InputError):
        return None
    return None if next(PLAN.misfits(plan, ""), None) else plan


@contextmanager
def progress(what: str, total: float, unit: str) -> Iterator[Bar]:
    """Show `what` from 0 to `total` units while the block runs.

    Args:
        what: stage and cell, as the user knows them ("clean mr", "fcsr-table-3 · fcsr · sst-2 · seed 1").
        total: total number of units.
        unit: their name ("texts", "epochs", "MB").
    """
    bar = Bar(what, total, unit)
    if bar.live:
        with bar.progress:
            yield bar
    elif bar.quiet:
        yield bar
        return
    else:
        print(f"{what} ...", file=sys.stderr, flush=True)
        yield bar
    seconds = time.monotonic() - bar.start
    print(f"{what}: {number_of(bar.done, unit)} in {seconds:.1f} s {bar.note}".rstrip(), file=sys.stderr, flush=True)
