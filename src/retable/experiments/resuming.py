"""Keep the files that a run needs to resume while it is trained: its state and its lock.

They are in .retable/states/<key>/, neither input nor output of a stage, so that DVC ignores them. The key covers
parameters, data and recipe, so a run never resumes from a state with other ones.
"""

import fcntl
import os
import shutil
import sys
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import Any, BinaryIO

from retable.errors import InputError
from retable.experiments.display import show_pass
from retable.project.paths import STATES
from retable.project.progress import Bar
from retable.training.options import Progress
from retable.training.state import StateFile


class Kept:
    """A run's state and lock.

    Args:
        key: the run's key.
    """

    def __init__(self, key: str) -> None:
        self.key = key
        self.folder = STATES / key

    def progress(self, bar: Bar, on_line: Callable[[dict[str, Any]], None]) -> Progress:
        """Return the training's progress: its state is saved here and shown by a bar, with messages above the bar."""

        def tell(sentence: str) -> None:
            bar.console.print(sentence, soft_wrap=True, markup=False, highlight=False)

        return Progress(
            state=StateFile(self.folder / "state", self.key, tell),
            on_batch=lambda epoch, words: bar.advance(words, f"epoch {epoch}"),
            on_pretraining=partial(show_pass, bar),
            on_line=on_line,
        )

    def lock_others_out(self) -> bool:
        """Hold the run's lock until this process ends; return whether another process had it, and may have a result."""
        others = False
        while True:
            with suppress(FileNotFoundError):  # another process has removed its folder, and this file with it
                self.lock = self._open_lock()
                try:
                    fcntl.flock(self.lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                except BlockingIOError:
                    print("another process is already training this run: waiting for it", file=sys.stderr, flush=True)
                    fcntl.flock(self.lock, fcntl.LOCK_EX)
                    others = True
                if os.path.samestat(os.fstat(self.lock.fileno()), os.stat(self.lock.name)):
                    return others
            others = True

    def _open_lock(self) -> BinaryIO:
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            return (self.folder / "lock").open("wb")
        except (FileExistsError, IsADirectoryError, NotADirectoryError) as error:
            raise InputError(
                f"{error.filename} is {'a folder' if isinstance(error, IsADirectoryError) else 'not a folder'}; remove "
                f"{self.folder} to start the training again."
            ) from None

    def forget(self) -> None:
        """Remove the state: the result is written."""
        shutil.rmtree(self.folder, ignore_errors=True)
