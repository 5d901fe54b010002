"""What a run keeps while its cell is not complete: its state, and then its finished folder.

It lies in .retable/states/<run key>/, neither input nor output of a stage, so that DVC does not look at it. The key is
the hash of parameters, data and code: what has changed since never goes on from what was kept.
"""

import fcntl
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from retable.files import atomic_folder
from retable.project.paths import STATES
from retable.project.progress import Bar
from retable.training.parallel import Ranks
from retable.training.state import StateFile


class Kept:
    """What is kept of one run; of several processes the first reads and writes it.

    Args:
        key: of the run.
        ranks: its processes.
    """

    def __init__(self, key: str, ranks: Ranks) -> None:
        self.key, self.ranks = key, ranks
        self.folder = STATES / key

    def state(self, bar: Bar) -> StateFile:
        """Where the training keeps its state; what it says stands above its bar."""

        def tell(sentence: str) -> None:
            bar.console.print(sentence, soft_wrap=True, markup=False, highlight=False)

        return StateFile(self.folder / "state", self.key, tell)

    def take_finished(self, folder: Path) -> bool:
        """Fill the folder of a run that was finished before its cell was stopped; whether there was one."""
        finished = self.folder / "run"
        if self.ranks.first:
            self.lock_others_out()
        if not self.ranks.from_first(finished.exists()):
            return False
        if self.ranks.first:
            shutil.copytree(finished, folder)
            print(f"a run that was finished before is taken from {finished}", file=sys.stderr)
        return True

    def lock_others_out(self) -> None:
        """Hold the run's lock until it is finished, or until this process ends: then the kernel lets go of it."""
        self.folder.mkdir(parents=True, exist_ok=True)
        self.lock = (self.folder / "lock").open("wb")
        try:
            fcntl.flock(self.lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            print("another process trains this run already: waiting for it", file=sys.stderr, flush=True)
            fcntl.flock(self.lock, fcntl.LOCK_EX)

    def keep_finished(self, folder: Path) -> None:
        """Keep a run's folder until its cell is complete, in the place of its state."""
        if self.ranks.first:
            with atomic_folder(self.folder / "run") as kept:
                shutil.copytree(folder, kept, dirs_exist_ok=True)
            (self.folder / "state").unlink(missing_ok=True)
            self.lock.close()

    def forget(self) -> None:
        """The results are where they belong."""
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
