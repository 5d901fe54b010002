"""Let one process at a time do what two would spoil."""

import fcntl
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def alone(lock: Path, what: str = "") -> Iterator[None]:
    """Hold a lock within the block; where another process has it, say so and wait. A killed process lets go of it.

    Args:
        lock: a file, which is made.
        what: the other process does; nothing is said without it.
    """
    lock.parent.mkdir(parents=True, exist_ok=True)
    with lock.open("w") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if what:
                print(f"another process {what}: waiting for it", file=sys.stderr, flush=True)
            fcntl.flock(file, fcntl.LOCK_EX)
        yield
