"""A run among those that are trained together, and their texts."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import torch
from torch import nn

from retable.layers.domains import PerDomain
from retable.text.vocabulary import Encoded
from retable.training.batches import BatchMaker
from retable.training.course import Course


@dataclass(eq=False)
class Run:
    """One of the runs: what it is, and where it stands in its epoch.

    Args:
        network: with its first weights, on the device.
        train, dev: its texts in row numbers.
        seed: of the order of its batches.
        generator: of its dropout.
        course: its epochs so far.
        dev_maker: batches of dev.
    """

    network: nn.Module
    train: Encoded
    dev: Encoded
    seed: int
    generator: torch.Generator
    course: Course
    dev_maker: BatchMaker
    batches: list[np.ndarray] = field(default_factory=list)  # of the current epoch; none before its first step
    done: int = 0  # steps of the current epoch
    rate: float = 0.0  # of the last step
    seconds: float = 0.0  # this run's share of those of the current epoch

    @classmethod
    def of(cls, network: nn.Module, train: Encoded, dev: Encoded, seed: int, generator: torch.Generator) -> "Run":
        """A run before its first step."""
        device = next(network.parameters()).device
        per_domain = isinstance(network, PerDomain)
        course, maker = Course(network, [], seed, device), BatchMaker(dev, device, per_domain=per_domain)
        return cls(network.train(), train, dev, seed, generator, course, maker)

    @property
    def lengths(self) -> np.ndarray:
        """Words in each training text."""
        return self.train.lengths

    def texts(self) -> np.ndarray:
        """The texts of its next step."""
        return self.batches[self.done]

    def longest(self) -> int:
        """Words of the longest text of its next step."""
        return int(self.lengths[self.texts()].max())

    def words_of_step(self) -> int:
        """How many words its last step had."""
        return int(self.lengths[self.batches[self.done - 1]].sum())


def equal_sizes(sizes: Sequence[int]) -> list[list[int]]:
    """The places of equal numbers, in order: [50, 7, 50] gives [[0, 2], [1]]."""
    return [[place for place, each in enumerate(sizes) if each == size] for size in dict.fromkeys(sizes)]


def one_behind_the_other(splits: Sequence[Encoded], words: Sequence[np.ndarray]) -> Encoded:
    """The texts of several splits as one; `words` replace their own."""
    begins = np.cumsum([0, *map(len, words)])
    offsets = [split.offsets[:-1] + begin for split, begin in zip(splits, begins[:-1], strict=True)]
    parts, domains = ([getattr(split, name) for split in splits] for name in ("parts", "domains"))
    return Encoded(
        np.concatenate(words).astype(np.int32),
        np.concatenate([*offsets, begins[-1:]]),
        np.concatenate([split.classes for split in splits]),
        None if any(each is None for each in parts) else np.concatenate(parts),
        None if any(each is None for each in domains) else np.concatenate(domains),
    )
