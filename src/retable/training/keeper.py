"""Keeps the state of a training in its file, and goes on from it."""

from contextlib import AbstractContextManager, nullcontext
from typing import Any

from retable.project.stopping import Stopped
from retable.training.course import Course
from retable.training.state import StateFile


def noted_signals(file: StateFile | None) -> AbstractContextManager[Any]:
    """Within the block Ctrl-C and SIGTERM are noted, so that a step can end; without a file they act as ever."""
    return file.signals if file else nullcontext()


def standing(number: int, done: int, steps: int) -> str:
    """Return where a training stands that has `done` so many of the steps of an epoch, in words."""
    return f"epoch {number}, step {done} of {steps}" if done else f"the end of epoch {number - 1}"


def stopped(where: str, saved: bool, signal: int) -> Stopped:
    """Return what ends a training that a signal has asked to stop, to be raised."""
    what = "its state is saved, and the same command goes on from there" if saved else "its state was not saved"
    return Stopped(f"stopped at {where}; {what}.", signal)


class Keeper:
    """Saves a course at the end of a step, when it is time or when Ctrl-C or SIGTERM asks for it.

    Args:
        course: what is saved.
        file: where; None keeps nothing.
    """

    def __init__(self, course: Course, file: StateFile | None) -> None:
        self.course, self.file = course, file

    def keep(self, steps: int) -> None:
        """Save the state where that is due, or where a signal asks for it, at the end of a step.

        Args:
            steps: of the current epoch.
        Raises: Stopped after a signal.
        """
        if not self.file or not (self.file.signals.caught or self.file.due()):
            return
        signal = self.file.signals.caught
        where = standing(self.course.number, self.course.sums.done, steps)
        saved = self.file.write(self.course.state(), where)
        if signal:
            raise stopped(where, saved, signal)

    def leave(self) -> None:
        """Leave a pretraining, of which nothing is kept, where a signal asks for it. Raises: Stopped."""
        if self.file and (signal := self.file.signals.caught):
            raise stopped("the pretraining", False, signal)

    def go_on(self) -> None:
        """Take up the kept state, if there is one."""
        if self.file and (state := self.file.read(self.course.fits)):
            self.course.restore(state)
