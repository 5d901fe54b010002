"""What a run keeps while it is trained: its state and its lock.

They lie in .retable/states/<key>/, neither input nor output of a stage, so that DVC does not look at them. The key is
of parameters, data and recipe: what has changed since never goes on from what was kept.
"""

import fcntl
import shutil
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from retable.files import atomic_folder
from retable.project.paths import STATES
from retable.project.progress import Bar
from retable.training.options import Progress
from retable.training.parallel import Ranks
from retable.training.state import StateFile


class Kept:
    """What is kept of a run; of several processes the first reads and writes it.

    Args:
        key: of the run.
        ranks: its processes.
    """

    def __init__(self, key: str, ranks: Ranks) -> None:
        self.key, self.ranks = key, ranks
        self.folder = STATES / key

    def progress(self, bar: Bar, on_line: Callable[[dict[str, Any]], None]) -> Progress:
        """Return the progress of the training: kept here, shown by a bar; what the state says stands above it."""

        def tell(sentence: str) -> None:
            bar.console.print(sentence, soft_wrap=True, markup=False, highlight=False)

        return Progress(
            state=StateFile(self.folder / "state", self.key, tell),
            ranks=self.ranks,
            on_batch=lambda epoch, words: bar.advance(words, f"epoch {epoch}"),
            on_line=on_line,
        )

    def lock_others_out(self) -> None:
        """Hold the run's lock until this process ends: then the kernel lets go of it."""
        if not self.ranks.first:
            return
        self.folder.mkdir(parents=True, exist_ok=True)
        self.lock = (self.folder / "lock").open("wb")
        try:
            fcntl.flock(self.lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            print("another process trains this run already: waiting for it", file=sys.stderr, flush=True)
            fcntl.flock(self.lock, fcntl.LOCK_EX)

    def forget(self) -> None:
        """Remove it: the run's folder stands where it belongs."""
        if self.ranks.first:
            shutil.rmtree(self.folder, ignore_errors=True)


@contextmanager
def results_folder(path: Path, ranks: Ranks) -> Iterator[Path]:
    """The folder that takes the place of `path` at the end; for all processes but the first one that is thrown away."""
    if ranks.first:
        with atomic_folder(path) as folder:
            yield folder
    else:
        with TemporaryDirectory() as scratch:
            yield Path(scratch)
