"""One training in several processes: each takes its share of every batch, and they sum their gradients.

Method     the batch is that of one process. A loss is a mean over texts; each process weighs that of its texts by their
           share of the batch, so that the sum of all gradients is the gradient of the whole batch, also where the
           shares differ and where a process has no text. Every process then takes the same step: the results are those
           of one process within rounding.
Dropout    each process draws numbers of its own (from the run's seed and its rank), so that with dropout the results
           are those of one process in distribution, and no more.
Messages   a step has two: a small one on the CPU (which gradients there are, and whether somebody asks for a save), so
           that a lost process is found on every device, and one with all dense gradients in one piece. A table with
           sparse gradients sends the rows that its texts touched.
"""

import datetime
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
import torch
import torch.distributed as dist
from torch import Tensor, nn

from retable.errors import InputError
from retable.project.launch import place
from retable.project.stopping import LostProcess, Stopped
from retable.text.vocabulary import Encoded

SECONDS_TO_WAIT = 300.0  # for another process; the longest silence is a save of the state to a slow disk
NONE, DENSE = -2, -1  # what a process has of a weight's gradient; from 0: a sparse one of so many rows

Value = TypeVar("Value")


@dataclass(frozen=True)
class Ranks:
    """The processes of one training, seen from one of them.

    Args:
        rank: of this process, from 0.
        size: number of processes; with 1 nothing here does anything.
        local: rank among the processes of this machine.
    """

    rank: int = 0
    size: int = 1
    local: int = 0

    @property
    def first(self) -> bool:
        """Whether this is the process that writes and prints."""
        return self.rank == 0

    def share(self, texts: np.ndarray) -> np.ndarray:
        """Those of a batch's texts that are this process's; neighbours, which are of about equal length, are shared."""
        return texts if self.size == 1 else texts[self.rank :: self.size]

    def check_device(self, device: torch.device) -> None:
        """Raises: InputError if the processes of this machine are more than its GPUs."""
        if self.size > 1 and device.type == "cuda" and self.local >= torch.cuda.device_count():
            raise InputError(
                f"the launcher starts more processes here than torch sees GPUs ({torch.cuda.device_count()}); "
                "start as many, or set device to cpu in params.yaml."
            )

    def start_alike(self, network: nn.Module, seed: int) -> None:
        """Give all processes the first one's weights, and each random numbers of its own."""
        if self.size > 1:
            with _together():
                for tensor in (*network.parameters(), *network.buffers()):
                    dist.broadcast(tensor.data, src=0)
            self.own_numbers(seed)

    def own_numbers(self, seed: int, *place: int) -> None:
        """Seed torch for this process, from the run's seed and, for a run that goes on, from where it stands."""
        entropy = np.random.SeedSequence([seed, self.rank, *place]).generate_state(1, np.uint64)
        torch.manual_seed(int(entropy[0]))

    def sum_gradients(self, weights: Sequence[nn.Parameter], asked: int) -> int:
        """Put the sum of all processes' gradients into each; a weight that none has a gradient of keeps none.

        Args:
            weights: the same in every process, all of one type.
            asked: a number of this process's.
        Returns: the largest number that a process gave for `asked`.
        """
        for weight in weights:
            if weight.grad is not None and weight.grad.is_sparse:
                weight.grad = weight.grad.coalesce()
        told = torch.tensor([asked, *map(_kind_of_gradient, weights)])
        of_all = told.new_empty(self.size, len(told))
        with _together():
            dist.all_gather(list(of_all), told)
            counts = {weight: column.tolist() for weight, column in zip(weights, of_all.T[1:], strict=True)}
            self._sum_dense([weight for weight in weights if DENSE in counts[weight]])
            for weight in weights:
                if max(counts[weight]) >= 0:
                    self._sum_sparse(weight, [max(count, 0) for count in counts[weight]])
        return int(of_all[:, 0].max())

    def _sum_dense(self, weights: list[nn.Parameter]) -> None:
        """All of them in one message; a process without a gradient adds zeros."""
        if not weights:
            return
        flat = torch.cat([(torch.zeros_like(w) if w.grad is None else w.grad).flatten() for w in weights])
        dist.all_reduce(flat)
        for weight, summed in zip(weights, flat.split([weight.numel() for weight in weights]), strict=True):
            weight.grad = summed.view_as(weight)

    def _sum_sparse(self, weight: nn.Parameter, counts: list[int]) -> None:
        """The rows of all processes, `counts` of them, behind each other; who sums up equal rows is the optimiser."""
        own, longest = counts[self.rank], max(counts)
        rows = torch.zeros(longest, dtype=torch.int64, device=weight.device)
        values = weight.new_zeros(longest, *weight.shape[1:])
        if own:
            assert weight.grad is not None
            rows[:own], values[:own] = weight.grad.indices()[0], weight.grad.values()
        all_rows, all_values = _of_all(rows, self.size), _of_all(values, self.size)
        weight.grad = torch.sparse_coo_tensor(
            torch.cat([each[:count] for each, count in zip(all_rows, counts, strict=True)]).unsqueeze(0),
            torch.cat([each[:count] for each, count in zip(all_values, counts, strict=True)]),
            weight.shape,
        )

    def agreed(self, asked: int) -> int:
        """The largest of the numbers that the processes ask for."""
        if self.size == 1:
            return asked
        told = torch.tensor(asked)
        with _together():
            dist.all_reduce(told, dist.ReduceOp.MAX)
        return int(told)

    def total(self, number: Tensor) -> Tensor:
        """The sum of one number of every process."""
        if self.size == 1:
            return number
        summed = number.clone()
        with _together():
            dist.all_reduce(summed)
        return summed

    def gather(self, value: Value) -> list[Value]:
        """What every process has, in the order of their ranks."""
        if self.size == 1:
            return [value]
        values: list[Any] = [None] * self.size
        with _together():
            dist.all_gather_object(values, value)
        return values

    def from_first(self, value: Value) -> Value:
        """What the first process has."""
        if self.size == 1:
            return value
        box = [value]
        with _together():
            dist.broadcast_object_list(box, src=0)
        return box[0]

    def part(self, encoded: Encoded) -> Encoded:
        """The texts of a split that this process answers; where none is left, the first, which does not count."""
        if self.size == 1:
            return encoded
        return texts_of(encoded, self._texts(len(encoded)) if self.rank < len(encoded) else np.zeros(1, np.int64))

    def whole(self, logits: Tensor, texts: int) -> Tensor:
        """The answers to all texts, (text, class), from those of every process to its part."""
        if self.size == 1:
            return logits
        own = torch.from_numpy(self._texts(texts))
        answers = logits.new_zeros(texts, logits.shape[1])
        answers[own] = logits[: len(own)]
        return self.total(answers)

    def _texts(self, texts: int) -> np.ndarray:
        return np.arange(self.rank, texts, self.size)


ALONE = Ranks()


def _kind_of_gradient(weight: nn.Parameter) -> int:
    if weight.grad is None:
        return NONE
    return weight.grad._nnz() if weight.grad.is_sparse else DENSE


def _of_all(tensor: Tensor, size: int) -> list[Tensor]:
    if not len(tensor):
        return [tensor] * size
    everybody = [torch.empty_like(tensor) for _ in range(size)]
    dist.all_gather(everybody, tensor)
    return everybody


def texts_of(encoded: Encoded, texts: np.ndarray) -> Encoded:
    """Some of the texts of a split, in the order of their numbers in `texts`."""
    lengths = encoded.lengths[texts]
    offsets = np.concatenate([[0], np.cumsum(lengths)])
    where = np.arange(offsets[-1]) + np.repeat(encoded.offsets[:-1][texts] - offsets[:-1], lengths)
    parts = None if encoded.parts is None else encoded.parts[where]
    domains = None if encoded.domains is None else encoded.domains[texts]
    sentences = None if encoded.sentences is None else encoded.sentences[where]
    return Encoded(encoded.words[where], offsets, encoded.classes[texts], parts, domains, sentences)


@contextmanager
def joined(rank: int, size: int, local: int, address: str, *, timeout_s: float = SECONDS_TO_WAIT) -> Iterator[Ranks]:
    """Meet the other processes of a training; a process alone meets nobody.

    Args:
        address: where the first process waits: tcp://host:port, or env:// (as torchrun says).
        timeout_s: how long another process may be silent before it counts as lost.
    Raises: LostProcess.
    """
    if size == 1:
        yield ALONE
        return
    on_gpu = torch.cuda.is_available()
    if on_gpu and local < torch.cuda.device_count():
        torch.cuda.set_device(local)
    with _together():
        dist.init_process_group(
            "cpu:gloo,cuda:nccl" if on_gpu else "gloo",
            init_method=address,
            rank=rank,
            world_size=size,
            timeout=datetime.timedelta(seconds=timeout_s),
        )
    try:
        yield Ranks(rank, size, local)
    except Stopped:
        dist.destroy_process_group()
        raise
    dist.destroy_process_group()  # not after another error: a lost process could not answer


@contextmanager
def _together() -> Iterator[None]:
    """torch tells of a lost process in many ways, all of them RuntimeErrors."""
    try:
        yield
    except RuntimeError as error:
        reason = str(error).strip().splitlines()[-1]
        raise LostProcess(
            "another process of this training has ended or does not answer; what was saved is kept, and the same "
            f"command goes on from there (torch: {reason})."
        ) from error


@contextmanager
def joined_ranks() -> Iterator[Ranks]:
    """The processes of this run, met."""
    here = place()
    with joined(here.rank, here.size, here.local, here.address) as ranks:
        yield ranks
