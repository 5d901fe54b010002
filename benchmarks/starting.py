"""What is waited for before anything is trained: the start of a run, and `make tables` where nothing has changed.

The second is timed in this checkout, at the scale of its params.yaml, and only where `dvc repro --dry` says that
nothing but the record would be run: a benchmark must not begin to train. DVC's part is that dry run; what is left is
our own code: the display, the estimate and the record.
"""

import os
import re
import subprocess
import sys
from statistics import median

from benchmarks.rows import Row
from benchmarks.timing import child_seconds, in_turns, matrix_rate, scaled_s
from retable.errors import InputError
from retable.project.params import read_params
from retable.project.paths import PARAMS, ROOT

DVC = [sys.executable, "-m", "dvc", "repro", "--dry"]
MAKE = [sys.executable, "-m", "retable.commands.make"]
DVC_200_STAGES_S = 4.6  # unchanged, in one dvc.yaml, on the machine whose figures are scaled
ALWAYS_RUN = "record"
# torch's own first optimiser of a process would import torch's compiler.
START = (
    "import retable.experiments.run, torch; from retable.training.optimisers import build_optimisers; "
    "build_optimisers(torch.nn.Linear(1, 1), 'adam', 0.1, 0.0)"
)
REPEATS = 3
MAKE_REPEATS = 2


def measure(quick: bool) -> list[Row]:
    """A row of imports; unless it is to be quick, two of `make tables`.

    Raises: InputError if a stage would be run.
    """
    rows = [start_row(1 if quick else REPEATS)]
    return rows if quick else rows + make_rows()


def start_row(repeats: int) -> Row:
    """What the stage `run` does before its first batch with any model: imports, and the first optimiser."""
    ways = {"ours": START, "limit": "import torch, pyarrow.parquet"}
    times = {name: child_seconds([sys.executable, "-c", code], repeats)[0] for name, code in ways.items()}
    return Row(
        "start of a run: imports, first optimiser",
        "s",
        times["ours"],
        None,
        "",
        times["limit"],
        "torch and pyarrow alone",
        "<= 2.5 s",
    )


def make_rows() -> list[Row]:
    """`make tables` with nothing changed: in all, and without DVC."""
    stages = unchanged_stages(dry_run())
    ways = {"make": lambda: child_seconds(MAKE, 1), "dvc": lambda: child_seconds(DVC, 1)}
    times = {name: median(seconds) for name, seconds in in_turns(ways, MAKE_REPEATS, warm=False).items()}
    path = f"make tables, nothing changed, scale {read_params('scale')}, {stages} stages"
    return [
        Row(
            path,
            "s",
            times["make"],
            scaled_s(DVC_200_STAGES_S, matrix_rate()),
            f"DVC alone, 200 stages: {DVC_200_STAGES_S} s elsewhere, scaled",
            times["dvc"],
            "dvc repro --dry, same run",
            "<= 10 s",
        ),
        Row(f"{path}, our own code", "s", times["make"] - times["dvc"], None, "", None, "", "<= 3 s"),
    ]


def dry_run() -> str:
    """What DVC says that it would do.

    Raises: InputError if it cannot say.
    """
    if not PARAMS.exists():
        raise InputError("params.yaml is missing; `make tables` writes and runs it.")
    told = subprocess.run(DVC, cwd=ROOT, capture_output=True, text=True, env=os.environ | {"DVC_NO_ANALYTICS": "1"})
    if told.returncode:
        last = [line for line in told.stderr.splitlines() if line.startswith("ERROR")] or ["no reason given"]
        raise InputError(f"`dvc repro --dry` stopped ({last[-1]}); run `make tables` to its end first.")
    return told.stdout


def unchanged_stages(told: str) -> int:
    """How many stages a dry run passes over.

    Raises: InputError if a stage other than the record would be run.
    """
    changed = [stage for stage in re.findall(r"Running stage '(.+)':", told) if stage != ALWAYS_RUN]
    if changed:
        more = f" and {len(changed) - 1} more" if len(changed) > 1 else ""
        raise InputError(f"the stage {changed[0]}{more} would be run; `make tables` first, then nothing is changed.")
    return len(re.findall(r"Stage '(.+)' didn't change", told))
