"""A cell of a table in a project made up in a folder, ended by a signal at a step: see test_resume.py."""

import functools
import math
import os
import sys
from pathlib import Path

import retable.project.paths as paths

FOLDER = Path(os.environ["CELL_FOLDER"])
for name, place in {
    "ROOT": "", "PARAMS": "params.yaml", "CODE": "code", "TAGGED": "tagged", "VECTORS": "vectors", "RUNS": "runs",
    "STATES": "states",
}.items():  # fmt: skip
    setattr(paths, name, FOLDER / place)

from retable.experiments import identity as running  # noqa: E402
from retable.experiments import resuming, run  # noqa: E402
from retable.project.command import command  # noqa: E402
from retable.training import state  # noqa: E402

state.LARGEST_SHARE = math.inf
resuming.StateFile = functools.partial(state.StateFile, every_s=0.0)
begin = run.start_under_launcher
run.start_under_launcher = lambda module, arguments: begin("tests.pipeline.cell", arguments[1:])


def ended(advance, number, step, rank):
    """Send a signal to this process, if it has this rank, in the given step of all seeds together."""
    steps = 0

    def of_step(self, amount=1, note=None):
        nonlocal steps
        steps += note is not None and "done" not in note
        if steps == step and os.environ.get("RANK", "0") == rank:
            os.kill(os.getpid(), number)
        advance(self, amount, note)

    return of_step


if "CELL_SIGNAL" in os.environ:
    number, step, rank = os.environ["CELL_SIGNAL"].split()
    for bar in (running.Bar, running.NoBar):
        bar.advance = ended(bar.advance, int(number), int(step), rank)

if __name__ == "__main__":
    command(run.train_cell)(*sys.argv[1:])
