"""The progress of a training: all that changes while it runs, and therefore all that its saved state holds.

A training resumed from a state gives the same bits as an uninterrupted one (on one machine, with the same number of
threads): weights, optimisers, random generators and sums are restored, and the batches of the interrupted epoch are
drawn again from the state that the generator had before them.
"""

import time
from dataclasses import asdict, dataclass, field, fields
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.optim import Optimizer

from retable.files import sha256_of_value
from retable.layers.embedding import WordEmbedding
from retable.training.batches import shuffled_batches
from retable.training.history import NONE_BEST, Epoch, best_of


@dataclass
class Sums:
    """Hold an epoch's sums so far: `done` steps, the sum of the texts' losses, and the number of correct texts.

    A step does no arithmetic here: its values wait on the device, so that a GPU never waits for the host, until
    `settle` at the epoch's end, or before a save.
    """

    done: int
    loss: Tensor  # float32; float64 where that is torch's default
    correct: Tensor  # int64
    waiting: list[tuple[Tensor, int, Tensor, Tensor]] = field(default_factory=list)

    def add(self, loss: Tensor, texts: int, logits: Tensor, classes: Tensor) -> None:
        """Queue the results of a step.

        Args:
            loss: the mean over the batch.
            texts: how many are in the batch.
            logits, classes: of its texts.
        """
        self.waiting.append((loss.detach(), texts, logits.detach(), classes))

    def settle(self) -> None:
        """Add the queued values in the order of the steps, so that saves in between change no bit."""
        if not self.waiting:
            return
        losses, texts, logits, classes = zip(*self.waiting, strict=True)
        self.waiting = []
        real = np.float64 if self.loss.dtype == torch.float64 else np.float32
        total = real(self.loss.item())
        for loss, count in zip(torch.stack(losses).tolist(), texts, strict=True):
            total += real(loss) * real(count)
        self.loss.fill_(float(total))
        self.correct += (torch.cat(logits).argmax(1) == torch.cat(classes)).sum()


def no_sums(device: torch.device) -> Sums:
    """Return the sums of an epoch before its first step."""
    return Sums(0, torch.zeros((), device=device), torch.zeros((), device=device, dtype=torch.int64))


class Course:
    """A training in progress.

    Args:
        network, optimisers: in their state before the first step.
        seed: of the order of the batches.
        device: the network's device.
    """

    def __init__(self, network: nn.Module, optimisers: list[Optimizer], seed: int, device: torch.device) -> None:
        self.network, self.optimisers, self.device = network, optimisers, device
        self.order = np.random.default_rng(seed)
        self.order_before = self.order.bit_generator.state  # before the batches of the current epoch were drawn
        self.epochs: list[Epoch] = []
        self.best = NONE_BEST
        self.best_weights: list[Tensor] = []  # none before the first epoch's end
        self.chosen = self.better = 0  # the epoch of `best`, and the last one that raised the score
        self.sums = no_sums(device)
        self.epoch_s = 0.0  # seconds of the current epoch, before `clock`
        self.clock = time.perf_counter()

    @property
    def number(self) -> int:
        """Return the current epoch, from 1."""
        return len(self.epochs) + 1

    @property
    def begun(self) -> bool:
        """Return whether a step has been made."""
        return bool(self.epochs or self.sums.done)

    def finished(self, epochs: int, patience: int) -> bool:
        """Return whether all epochs have run, or `patience` epochs brought no better score."""
        return len(self.epochs) >= epochs or len(self.epochs) - self.better >= patience

    def draw_batches(self, lengths: np.ndarray, batch_size: int, domains: np.ndarray | None = None) -> list[np.ndarray]:
        """Return the batches of the current epoch, each of one domain if these are given, and restart its clock."""
        self.clock = time.perf_counter()
        self.order_before = self.order.bit_generator.state
        return shuffled_batches(lengths, batch_size, self.order, domains)

    def seconds(self) -> float:
        """Return the training seconds of the current epoch."""
        return self.epoch_s + time.perf_counter() - self.clock

    def end_epoch(self, line: Epoch) -> None:
        """Append the epoch's line, and keep its weights if they are the best so far."""
        self.epochs.append(line)
        self.best, self.chosen, self.better = best_of(self.epochs)
        if self.chosen == line.epoch:
            self.best_weights = copy_weights(self.network, self.best_weights)
        self.sums = no_sums(self.device)
        self.order_before = self.order.bit_generator.state
        self.epoch_s, self.clock = 0.0, time.perf_counter()

    def take_best(self) -> None:
        """Give the network the weights of the chosen epoch."""
        put_weights(self.network, self.best_weights)

    def state(self) -> dict[str, Any]:
        """Return the whole state as tensors and plain values."""
        self.sums.settle()
        on_gpu = self.device.type == "cuda"
        return {
            "weights": [weight.detach() for weight in learned(self.network)],
            "optimisers": [optimiser.state_dict() for optimiser in self.optimisers],
            "order": self.order_before,
            "epochs": [asdict(line) for line in self.epochs],
            "best": list(self.best),
            "best_weights": self.best_weights,
            "chosen": self.chosen,
            "better": self.better,
            "done": self.sums.done,
            "epoch_s": self.seconds(),
            "loss": self.sums.loss.cpu(),
            "correct": self.sums.correct.cpu(),
            "random": torch.get_rng_state(),
            "random_gpu": torch.cuda.get_rng_state(self.device) if on_gpu else None,
        }

    @property
    def form(self) -> str:
        """Return the digest of what a state must have to be restored here, as code may change without a new recipe.

        It covers its parts, the shapes and types of what is learned, the optimisers' options, an epoch's fields, and
        the kind of device, since each has a generator of its own.
        """
        optimisers = [
            [type(each).__name__, [group | {"lr": 0} for group in each.state_dict()["param_groups"]]]
            for each in self.optimisers
        ]
        weights = [[*weight.shape, str(weight.dtype)] for weight in learned(self.network)]
        names = [each.name for each in fields(Epoch)]
        return sha256_of_value(
            [[*self.state()], weights, optimisers, names, str(self.sums.loss.dtype), self.device.type]
        )

    def restore(self, state: dict[str, Any]) -> None:
        """Restore what `state` returned."""
        put_weights(self.network, state["weights"])
        for optimiser, saved in zip(self.optimisers, state["optimisers"], strict=True):
            optimiser.load_state_dict(saved)
        self.order.bit_generator.state = self.order_before = state["order"]
        self.epochs = [Epoch(**line) for line in state["epochs"]]
        self.best = (state["best"][0], state["best"][1])
        self.best_weights = [weight.to(self.device) for weight in state["best_weights"]]
        self.chosen, self.better = state["chosen"], state["better"]
        self.sums.done, self.epoch_s = state["done"], state["epoch_s"]
        self.sums.loss, self.sums.correct = state["loss"].to(self.device), state["correct"].to(self.device)
        torch.set_rng_state(state["random"])
        if state["random_gpu"] is not None and self.device.type == "cuda":
            torch.cuda.set_rng_state(state["random_gpu"], self.device)


def learned(network: nn.Module) -> list[Tensor]:
    """Return the parameters, then the trained buffers: means and variances of batch normalisation, and the results of a
    pretraining. Fixed word vectors are excluded.
    """
    given = {id(module.fixed) for module in network.modules() if isinstance(module, WordEmbedding)}
    saved = network.state_dict().keys()
    buffers = [buffer for name, buffer in network.named_buffers() if name in saved and id(buffer) not in given]
    return [*network.parameters(), *buffers]


def copy_weights(network: nn.Module, into: list[Tensor]) -> list[Tensor]:
    """Return a copy of what is learned.

    Args:
        into: an earlier copy to overwrite, because allocating memory costs more than copying; empty for a new one.
    """
    if not into:
        return [weight.detach().clone() for weight in learned(network)]
    for kept, weight in zip(into, learned(network), strict=True):
        kept.copy_(weight.detach())
    return into


def put_weights(network: nn.Module, weights: list[Tensor]) -> None:
    """Write a copy from `copy_weights` back into the network."""
    for weight, kept in zip(learned(network), weights, strict=True):
        weight.data.copy_(kept)
