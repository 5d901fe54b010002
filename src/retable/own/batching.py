"""Answer waiting requests together in one batch, and bound the number of waiting texts."""

import asyncio
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress

import numpy as np

Probabilities = Callable[[Sequence[str]], np.ndarray]
Waiting = tuple[list[str], "asyncio.Future[np.ndarray]"]


class Overloaded(Exception):
    """Too many texts are waiting already."""


class Batcher:
    """Collect the texts of requests while the model is busy, and answer them together in one thread.

    No batch waits to be filled: whatever is queued when the model becomes free is the next batch.

    Args:
        answer: maps texts to probabilities, float (text, label).
        most: largest number of texts in a batch, unless a single request has more.
        waiting: largest number of waiting texts.
    """

    def __init__(self, answer: Probabilities, *, most: int = 256, waiting: int = 10_000) -> None:
        self.answer, self.most, self.waiting = answer, most, waiting
        self.queue: deque[Waiting] = deque()
        self.some = asyncio.Event()
        self.thread = ThreadPoolExecutor(max_workers=1)
        self.task: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Start answering; an event loop must be running."""
        self.task = asyncio.create_task(self.work())

    async def stop(self) -> None:
        """Stop answering."""
        if self.task:
            self.task.cancel()
            with suppress(asyncio.CancelledError):
                await self.task
        self.thread.shutdown(wait=True)

    async def ask(self, texts: list[str]) -> np.ndarray:
        """Return the probabilities of texts, float (text, label). Raises: Overloaded if too many are waiting."""
        if sum(len(asked) for asked, _ in self.queue) + len(texts) > self.waiting:
            raise Overloaded
        answered: asyncio.Future[np.ndarray] = asyncio.get_running_loop().create_future()
        self.queue.append((texts, answered))
        self.some.set()
        return await answered

    def next_batch(self) -> list[Waiting]:
        """Take the requests of the next batch, in order and without splitting any."""
        batch: list[Waiting] = []
        size = 0
        while self.queue and (not batch or size + len(self.queue[0][0]) <= self.most):
            batch.append(self.queue.popleft())
            size += len(batch[-1][0])
        return batch

    async def work(self) -> None:
        """Answer batch after batch."""
        loop = asyncio.get_running_loop()
        while True:
            await self.some.wait()
            batch = [waiting for waiting in self.next_batch() if not waiting[1].cancelled()]
            if not self.queue:
                self.some.clear()
            if not batch:
                continue
            texts = [text for asked, _ in batch for text in asked]
            try:
                found = await loop.run_in_executor(self.thread, self.answer, texts)
            except Exception as error:  # noqa: BLE001 - every waiting request gets the error; the server continues
                for _, answered in batch:
                    if not answered.done():
                        answered.set_exception(error)
                continue
            ends = np.cumsum([len(asked) for asked, _ in batch])
            for (_, answered), rows in zip(batch, np.split(found, ends[:-1]), strict=True):
                if not answered.done():
                    answered.set_result(rows)
