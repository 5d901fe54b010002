"""How long a thread spins, waiting for the others, before it sleeps (OpenMP of GNU, which torch brings on Linux).

It spins for milliseconds by default, and takes the processor from those that it waits for where another program runs.
GOMP_SPINCOUNT  30,000 keeps the speed of a machine that is free, and more of it beside busy programs; fewer cost it
                there (docs/timing.md). No number of a result depends on it.
"""

import os

SPINS = "30000"


def spin_briefly() -> None:
    """Let threads of all OpenMP that is loaded from now on sleep soon, unless the environment says how they wait."""
    if "OMP_WAIT_POLICY" not in os.environ:
        os.environ.setdefault("GOMP_SPINCOUNT", SPINS)
