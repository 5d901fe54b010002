"""Runs on their way together: which step each of them takes next, in which epoch, and what it has so far.

Shapes     k runs, B texts, T words (padded on the right), C classes.
"""

import copy
import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor

from retable.evaluation.predict import predict_logits
from retable.layers.domains import PerDomain
from retable.training.batches import BatchMaker
from retable.training.fit import check_loss
from retable.training.fused.masks import draw_masks
from retable.training.fused.optimisers import StackedOptimiser, clip
from retable.training.fused.probing import dropouts_of, shortest_texts
from retable.training.fused.runs import Run, equal_sizes, one_behind_the_other
from retable.training.fused.stack import Stack
from retable.training.history import Epoch
from retable.training.keeper import standing
from retable.training.loop import Precision


class Group:
    """Runs that take every step together, until each has stopped.

    Args:
        runs: all of them, with the same options.
        rate_at: learning rate at a time in epochs.
        new_optimiser: makes the optimiser of stacked weights.
        device, precision, epochs, patience, batch_size, clip: as `fit` has them.
    Raises: InputError if the networks are not of one form.
    """

    def __init__(
        self,
        runs: Sequence[Run],
        rate_at: Callable[[float], float],
        new_optimiser: Callable[[Tensor, Sequence[int]], StackedOptimiser],
        *,
        device: torch.device,
        precision: Precision,
        epochs: int,
        patience: int,
        batch_size: int,
        clip: float,
    ) -> None:
        self.runs, self.rate_at, self.new_optimiser = list(runs), rate_at, new_optimiser
        self.device, self.precision, self.dtype = device, precision, next(runs[0].network.parameters()).dtype
        self.epochs, self.patience, self.batch_size, self.clip = epochs, patience, batch_size, clip
        probed, reads_parts = copy.deepcopy(runs[0].network), runs[0].train.parts is not None
        longest = max(int(run.lengths.max()) for run in runs)
        self.dropouts = dropouts_of(probed, reads_parts=reads_parts)
        self.shortest = shortest_texts(probed, longest, reads_parts=reads_parts)
        self.gather(self.runs)

    def gather(self, running: list[Run]) -> None:
        """Stack these runs, as they stand."""
        self.running = running
        self.loss = torch.zeros(len(running), dtype=torch.float64, device=self.device)
        self.correct = torch.zeros(len(running), dtype=torch.int64, device=self.device)
        self.clock = time.perf_counter()
        if running:
            self.stack = Stack([run.network for run in running])
            idles = max(self.shortest.values()) > 1
            self.optimiser = self.new_optimiser(self.stack.flat, self.stack.sizes if idles else [sum(self.stack.sizes)])
            self.maker, self.first_text = self.texts_of_all()

    def texts_of_all(self) -> tuple[BatchMaker, np.ndarray]:
        """The training texts of all running runs behind each other, and where each run's begin."""
        per_domain = isinstance(self.running[0].network, PerDomain)
        words = [self.stack.renumber(run.train.words, run.network) for run in self.running]
        together = one_behind_the_other([run.train for run in self.running], words)
        first = np.cumsum([0, *(len(run.train) for run in self.running[:-1])])
        return BatchMaker(together, self.device, per_domain=per_domain), first

    def has_stopped(self, run: Run) -> bool:
        """Whether a run has all its epochs."""
        return run.course.finished(self.epochs, self.patience)

    def step(self) -> None:
        """Every running run takes a step."""
        for run in self.running:
            run.batches = run.batches or run.course.draw_batches(run.lengths, self.batch_size)
            run.rate = self.rate_at(run.course.number - 1 + (run.done + 0.5) / len(run.batches))  # the step's middle
        self.stack.flat.grad = None
        for rows in equal_sizes([len(run.texts()) for run in self.running]):
            self.learn(rows)
        gradient = self.stack.gradient()
        if self.clip:
            clip(gradient, self.clip)
        rates = np.array([[run.rate] for run in self.running])
        self.optimiser.step(self.stack.flat, gradient, rates, self.moves())
        for run in self.running:
            run.done += 1

    def learn(self, rows: list[int]) -> None:
        """The gradients of runs whose batches have equally many texts.

        Args:
            rows: their places in the stack.
        """
        runs = [self.running[row] for row in rows]
        texts = np.stack([run.texts() for run in runs])  # (k, B)
        size = texts.shape[1]
        batch = self.maker((texts + self.first_text[rows, None]).ravel())
        inputs = [given.unflatten(0, texts.shape) for given in batch.inputs]
        classes = batch.classes.view(texts.shape)
        sizes = [(size, run.longest()) for run in runs]
        masks = draw_masks(self.dropouts, sizes, [run.generator for run in runs], self.dtype)
        places = torch.tensor(rows, device=self.device)
        chosen = places if len(rows) < self.stack.size else None
        with torch.autocast(self.device.type, torch.bfloat16, enabled=self.precision == "bfloat16"):
            logits, auxiliary = self.stack.forward(inputs, classes, masks, chosen)
        losses = cross_entropies(logits, classes)
        losses = losses if auxiliary is None else losses + auxiliary
        losses.sum().backward()
        self.loss.index_add_(0, places, losses.detach().double() * size)
        self.correct.index_add_(0, places, (logits.detach().argmax(2) == classes).sum(1))

    def moves(self) -> np.ndarray:
        """1 where a weight takes part in a run's step, else 0, which its longest text decides; (k, W)."""
        longest = np.array([[run.longest()] for run in self.running])
        needs = np.array([[self.shortest[name] for name in self.stack.shapes]])
        return (longest >= needs)[:, : self.optimiser.steps.shape[1]].astype(np.float64)

    def end_epochs(self) -> list[Run]:
        """The runs whose epoch has ended with this step, its line written; those that have stopped leave the stack.

        Raises: InputError if a loss is no longer a number.
        """
        ended = [row for row, run in enumerate(self.running) if run.done == len(run.batches)]
        if ended:
            losses, correct = self.loss.tolist(), self.correct.tolist()  # waits for the device
        self.share_time()
        for row in ended:
            run = self.running[row]
            check_loss(losses[row], run.course.number, run.rate)
            self.stack.take(row, run.network)
            self.end_epoch(run, (losses[row], correct[row]))
            self.loss[row], self.correct[row] = 0.0, 0
            if self.has_stopped(run):
                run.course.take_best()
        found = [self.running[row] for row in ended]
        if any(map(self.has_stopped, found)):
            self.let_go()
        self.clock = time.perf_counter()
        return found

    def end_epoch(self, run: Run, sums: tuple[float, int]) -> None:
        """Score a run on dev and keep the epoch's line."""
        logits = predict_logits(run.network, run.dev_maker, self.precision)
        run.network.train()
        run.course.end_epoch(Epoch.of(run.course.number, run.rate, sums, len(run.train), logits, run.dev, run.seconds))
        run.batches, run.done, run.seconds = [], 0, 0.0

    def share_time(self) -> None:
        """Each running run has its share of the time since the last step."""
        now = time.perf_counter()
        for run in self.running:
            run.seconds += (now - self.clock) / len(self.running)
        self.clock = now

    def let_go(self) -> None:
        """The stack without the runs that have stopped."""
        left = [row for row, run in enumerate(self.running) if not self.has_stopped(run)]
        self.running = [self.running[row] for row in left]
        rows = torch.tensor(left, dtype=torch.int64, device=self.device)
        self.stack.keep(rows)
        self.optimiser.keep(rows)
        self.loss, self.correct, self.first_text = self.loss[rows], self.correct[rows], self.first_text[left]

    def where(self) -> str:
        """Where the runs stand, in words."""
        if not self.running:
            return f"the end of all {len(self.runs)} runs"
        run = self.running[0]
        more = f", of the first of {len(self.running)} runs" if len(self.running) > 1 else ""
        return standing(run.course.number, run.done, len(run.batches)) + more

    def state(self) -> dict[str, Any]:
        """All that changes while the runs are on their way, as tensors and plain values."""
        for row, run in enumerate(self.running):
            self.stack.take(row, run.network)
        of_runs = [
            {
                "course": run.course.state(),
                "generator": run.generator.get_state(),
                "done": run.done,
                "rate": run.rate,
                "seconds": run.seconds,
            }
            for run in self.runs
        ]
        kept = self.optimiser.state() if self.running else {}
        return {"runs": of_runs, "optimiser": kept, "loss": self.loss.tolist(), "correct": self.correct.tolist()}

    def restore(self, state: dict[str, Any]) -> None:
        """Take up what `state` gave."""
        for run, saved in zip(self.runs, state["runs"], strict=True):
            run.course.restore(saved["course"])
            run.generator.set_state(saved["generator"])
            run.done, run.rate, run.seconds = saved["done"], saved["rate"], saved["seconds"]
        self.gather([run for run in self.runs if not self.has_stopped(run)])
        self.loss.copy_(torch.tensor(state["loss"], dtype=torch.float64))
        self.correct.copy_(torch.tensor(state["correct"]))
        if self.running:
            self.optimiser.restore(state["optimiser"])


def cross_entropies(logits: Tensor, classes: Tensor) -> Tensor:
    """The mean over the texts of every run, (k, B, C) to (k,), in float32 or wider."""
    wide = logits.to(torch.promote_types(logits.dtype, torch.float32))
    return F.cross_entropy(wide.flatten(0, 1), classes.flatten(), reduction="none").view_as(classes).mean(1)
