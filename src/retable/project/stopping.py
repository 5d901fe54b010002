"""Stop a training early. Imports nothing heavy, because every command imports this module."""

import math
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType, TracebackType
from typing import Any, Self

SIGNALS = (signal.SIGINT, signal.SIGTERM)
KEPT = "stopped; finished work is kept, and the same command continues from there."
AGAIN = "stopped; nothing is left half-written, and the same command starts again."
ONE_REQUEST_S = 1.0  # signals within this time are one request: DVC and make forward what the terminal already sent


class Stopped(KeyboardInterrupt):
    """Ctrl-C or SIGTERM ended a command, or a training at the end of a step.

    Args:
        sentence: what is saved, and how to continue.
        number: the signal's number.
    """

    def __init__(self, sentence: str, number: int) -> None:
        super().__init__(sentence)
        self.code = 128 + number  # the exit status, as in shells


@contextmanager
def stoppable(sentence: str = AGAIN) -> Iterator[None]:
    """Raise Stopped on Ctrl-C or SIGTERM within the block, so that cleanup runs; no effect outside the main thread.

    Another signal within a second is the same request.

    Args:
        sentence: what is saved, and how to continue.
    """
    last = -math.inf

    def stop(number: int, frame: FrameType | None) -> None:
        nonlocal last
        before, last = last, time.monotonic()
        if last - before > ONE_REQUEST_S:
            raise Stopped(sentence, number)

    if threading.current_thread() is not threading.main_thread():
        yield
        return
    handlers = {number: signal.signal(number, stop) for number in SIGNALS}
    try:
        yield
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler)


class Signals:
    """Note the first Ctrl-C or SIGTERM within the block, so that a step can end; the second acts at once.

    `caught` is the number of the noted signal, 0 before. Outside the main thread Python delivers no signals.
    """

    def __init__(self) -> None:
        self.caught = 0
        self.at = 0.0
        self.before: dict[int, Any] = {}

    def __enter__(self) -> Self:
        if threading.current_thread() is threading.main_thread():
            self.before = {number: signal.signal(number, self.note) for number in SIGNALS}
        return self

    def note(self, number: int, frame: FrameType | None) -> None:
        """Handle both signals."""
        if not self.caught:
            self.caught, self.at = number, time.monotonic()
        elif time.monotonic() - self.at > ONE_REQUEST_S:
            self.restore()
            signal.raise_signal(number)

    def restore(self) -> None:
        """Restore the previous handlers."""
        for number, handler in self.before.items():
            signal.signal(number, handler)
        self.before = {}

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.restore()
        if self.caught and kind is None:  # it came too late for any step to see it
            signal.raise_signal(self.caught)
