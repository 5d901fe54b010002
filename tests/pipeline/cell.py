"""A cell of a table in a made-up project in a folder, ended by a signal at a step: see test_resume.py."""

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

from retable.experiments import display, folds, resuming, run  # noqa: E402
from retable.project.command import command  # noqa: E402
from retable.training import state  # noqa: E402

state.LARGEST_SHARE = math.inf
folds.check_texts = lambda folder, clean: None  # the digests are made up, so that different ones mean different data
resuming.StateFile = functools.partial(state.StateFile, every_s=0.0)


def ended(advance, number, step):
    """Send a signal to this process at the given step, counted over all seeds."""
    steps = 0

    def of_step(self, amount=1, note=None):
        nonlocal steps
        steps += note is not None and "done" not in note
        if steps == step:
            os.kill(os.getpid(), number)
        advance(self, amount, note)

    return of_step


if "CELL_SIGNAL" in os.environ:
    number, step = map(int, os.environ["CELL_SIGNAL"].split())
    display.Bar.advance = ended(display.Bar.advance, number, step)

if __name__ == "__main__":
    command(run.train_cell)(*sys.argv[1:])
