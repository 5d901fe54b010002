"""Save the state of a training to its file, and resume from it."""

from contextlib import AbstractContextManager, nullcontext
from typing import Any

from retable.project.stopping import Stopped
from retable.training.course import Course
from retable.training.state import StateFile


def noted_signals(file: StateFile | None) -> AbstractContextManager[Any]:
    """Note Ctrl-C and SIGTERM within the block, so that a step can end; without a file they act as usual."""
    return file.signals if file else nullcontext()


def standing(number: int, done: int, steps: int) -> str:
    """Return the position of a training after `done` steps of an epoch, in words."""
    return f"epoch {number}, step {done} of {steps}" if done else f"the end of epoch {number - 1}"


def stopped(where: str, saved: bool, signal: int) -> Stopped:
    """Return the exception that ends a training after a signal."""
    what = "its state is saved, and the same command goes on from there" if saved else "its state was not saved"
    return Stopped(f"stopped at {where}; {what}.", signal)


class Keeper:
    """Save a course at the end of a step, when a save is due or Ctrl-C or SIGTERM asks for it.

    Args:
        course: what to save.
        file: where to save it; None saves nothing.
    """

    def __init__(self, course: Course, file: StateFile | None) -> None:
        self.course, self.file = course, file

    def keep(self, steps: int) -> None:
        """Save the state at the end of a step, if a save is due or a signal asks for it.

        Args:
            steps: number of steps in the current epoch.
        Raises: Stopped after a signal.
        """
        if not self.file or not (self.file.signals.caught or self.file.due()):
            return
        signal = self.file.signals.caught
        where = standing(self.course.number, self.course.sums.done, steps)
        saved = self.file.write(self.course.state(), where, self.course.form)
        if signal:
            raise stopped(where, saved, signal)

    def leave(self) -> None:
        """End a pretraining, of which nothing is saved, if a signal asks for it. Raises: Stopped."""
        if self.file and (signal := self.file.signals.caught):
            raise stopped("the pretraining", False, signal)

    def go_on(self) -> None:
        """Restore the saved state, if there is one."""
        if self.file and (state := self.file.read(self.course.form)):
            self.course.restore(state)
