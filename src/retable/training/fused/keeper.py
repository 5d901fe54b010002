"""Keeps the state of runs that are trained together, in one file, and goes on from it."""

from retable.training.fused.group import Group
from retable.training.keeper import StatePlace, stopped


class GroupKeeper:
    """Saves a group at the end of a step, when it is time or when Ctrl-C or SIGTERM asks for it.

    Args:
        group: what is saved.
        file: where; None keeps nothing.
    """

    def __init__(self, group: Group, file: StatePlace | None) -> None:
        self.group, self.file = group, file

    def keep(self) -> None:
        """Save, if it is time. Raises: Stopped after a signal."""
        if not self.file or not (self.file.signals.caught or self.file.due()):
            return
        where = self.group.where()
        saved = self.file.write(self.group.state(), where)
        if self.file.signals.caught:
            raise stopped(where, saved, self.file.signals.caught)

    def go_on(self) -> None:
        """Take up the kept state, if there is one."""
        body = self.file.read() if self.file else None
        if self.file and body is not None:
            self.group.restore(self.file.parse(body))
