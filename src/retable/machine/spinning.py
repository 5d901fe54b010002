"""Limit how long a thread spins while it waits for others (GNU OpenMP, which torch uses on Linux).

By default it spins for milliseconds, which takes the processor from the threads it waits for if another program runs.
GOMP_SPINCOUNT  30,000 keeps full speed on an idle machine, and more of it on a busy one; fewer cost speed there
                (docs/timing.md). No number of a result depends on it.
"""

import os

SPINS = "30000"


def spin_briefly() -> None:
    """Make the threads of every OpenMP library loaded from now on sleep soon, unless the environment sets a policy."""
    if "OMP_WAIT_POLICY" not in os.environ:
        os.environ.setdefault("GOMP_SPINCOUNT", SPINS)
