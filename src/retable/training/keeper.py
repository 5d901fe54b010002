"""Keeps the state of a training in its file, and goes on from it."""

from contextlib import AbstractContextManager, nullcontext
from typing import Any, Protocol

from retable.project.stopping import Signals, Stopped
from retable.training.course import Course
from retable.training.parallel import Ranks

NOTHING, SAVE = 0, 1  # what is asked for at the end of a step; a larger number is a signal: save and stop


class StatePlace(Protocol):
    """Where a state is kept: state.StateFile, which is not imported, because how a file is written changes no run."""

    signals: Signals
    earlier_s: float

    def due(self) -> bool: ...

    def write(self, state: dict[str, Any], where: str) -> bool: ...

    def read(self) -> bytes | None: ...

    def parse(self, body: bytes) -> dict[str, Any]: ...


def noted_signals(file: StatePlace | None) -> AbstractContextManager[Any]:
    """Within the block Ctrl-C and SIGTERM are noted, so that a step can end; without a file they act as ever."""
    return file.signals if file else nullcontext()


def standing(number: int, done: int, steps: int) -> str:
    """Where a training stands that has `done` so many of the steps of an epoch, in words."""
    return f"epoch {number}, step {done} of {steps}" if done else f"the end of epoch {number - 1}"


def stopped(where: str, saved: bool, signal: int) -> Stopped:
    """What ends a training that a signal has asked to stop, to be raised."""
    what = "its state is saved, and the same command goes on from there" if saved else "its state was not saved"
    return Stopped(f"stopped at {where}; {what}.", signal)


class Keeper:
    """Saves a course at the end of a step, when it is time or when Ctrl-C or SIGTERM asks for it.

    Args:
        course: what is saved.
        file: where; None keeps nothing.
        ranks: the processes of the training; the first of them reads and writes.
    """

    def __init__(self, course: Course, file: StatePlace | None, ranks: Ranks) -> None:
        self.course, self.file, self.ranks = course, file, ranks

    def asked(self) -> int:
        """What this process asks for at the end of the current step."""
        if not self.file:
            return NOTHING
        return self.file.signals.caught or (SAVE if self.ranks.first and self.file.due() else NOTHING)

    def keep(self, asked: int, steps: int) -> None:
        """Save what `asked` says, the same in all processes.

        Args:
            asked: the largest of what they asked for.
            steps: of the current epoch.
        Raises: Stopped after a signal.
        """
        if asked == NOTHING or not self.file:
            return
        own = self.ranks.gather(self.course.own_state())
        where = standing(self.course.number, self.course.sums.done, steps)
        saved = self.file.write(self.course.state() | {"own": own}, where) if self.ranks.first else True
        if asked > SAVE:
            raise stopped(where, saved, asked)

    def go_on(self, seed: int) -> None:
        """Take up the kept state, if there is one, in every process.

        Where there are other processes than then, each draws new numbers and the first has all sums.
        """
        if not self.file:
            return
        body = self.ranks.from_first(self.file.read() if self.ranks.first else None)
        if body is None:
            return
        state = self.file.parse(body)
        own = state.pop("own")
        self.course.restore(state)
        if len(own) == self.ranks.size:
            self.course.restore_own(own[self.ranks.rank])
            return
        self.ranks.own_numbers(seed, self.course.number, self.course.sums.done)
        if self.ranks.first:
            self.course.sums.loss += sum(each["loss"] for each in own)
            self.course.sums.correct += sum(each["correct"] for each in own)
