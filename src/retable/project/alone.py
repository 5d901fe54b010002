"""Let only one process at a time do what two would corrupt."""

import fcntl
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def alone(lock: Path, what: str = "") -> Iterator[None]:
    """Hold a lock within the block; if another process has it, say so and wait. A killed process releases it.

    Args:
        lock: a file, which is created.
        what: what the other process does, for the message; without it there is no message.
    """
    lock.parent.mkdir(parents=True, exist_ok=True)
    with lock.open("w") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if what:
                print(f"another process {what}; waiting for it", file=sys.stderr, flush=True)
            fcntl.flock(file, fcntl.LOCK_EX)
        yield
