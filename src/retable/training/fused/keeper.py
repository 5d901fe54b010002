"""Keeps the state of runs that are trained together, in one file, and goes on from it."""

from types import TracebackType
from typing import Self

from retable.training.fused.group import Group
from retable.training.keeper import StatePlace
from retable.training.stopping import Stopped


class GroupKeeper:
    """Saves a group at the end of a step, when it is time or when Ctrl-C or SIGTERM asks for it.

    Args:
        group: what is saved.
        file: where; None keeps nothing, and leaves the signals alone.
    """

    def __init__(self, group: Group, file: StatePlace | None) -> None:
        self.group, self.file = group, file

    def __enter__(self) -> Self:
        if self.file:
            self.file.signals.__enter__()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self.file:
            self.file.signals.__exit__(kind, error, trace)

    def keep(self) -> None:
        """Save, if it is time. Raises: Stopped after a signal."""
        if not self.file or not (self.file.signals.caught or self.file.due()):
            return
        where = self.group.where()
        saved = self.file.write(self.group.state(), where)
        if self.file.signals.caught:
            what = "its state is saved, and the same command goes on from there" if saved else "its state was not saved"
            raise Stopped(f"stopped at {where}; {what}.", self.file.signals.caught)

    def go_on(self) -> None:
        """Take up the kept state, if there is one."""
        body = self.file.read() if self.file else None
        if self.file and body is not None:
            self.group.restore(self.file.parse(body))
