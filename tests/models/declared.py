"""Hold what a model's own test declares for the tests of every model, and what both share."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from torch import nn

from retable.layers.network import Network, Task

VOCABULARY, TUNED, DIM, CLASSES = 30, 24, 6, 3
PARTS = ("<unknown>", "NOUN", "DET", "VERB")
TASK = Task(labels=("one", "two", "three"), domains=("here", "there"), parts=PARTS)
OUTPUT = DIM * CLASSES + CLASSES


@dataclass(frozen=True)
class Case:
    """A network with its options and the number of its parameters, the embedding's left out, by formula."""

    model: str
    parameters: int
    options: dict[str, object] = field(default_factory=dict)

    def __str__(self) -> str:
        return " ".join([self.model, *(f"{name}={value}" for name, value in self.options.items())])


@dataclass(frozen=True)
class Declared:
    """A model's part in `test_every_model.py`: `EVERY_MODEL` in its own test.

    Args:
        cases: its networks, one at least.
        dropped: from a case's options: what each dropout of a training pass stands on, in order.
        multiply_adds: from a number of words and a case's options: for a text, by the sizes of the paper's layers.
        refused: options that are outside their range, with the sentence.
    """

    cases: list[Case]
    dropped: Callable[..., list[tuple[int, ...]]]
    multiply_adds: Callable[..., float]
    refused: list[tuple[dict[str, Any], str]]


def words(size: int) -> tuple[int, ...]:
    """The shape of vectors of the words of `eight_texts`, of which a dropout takes a share."""
    return 8, 9, size


def texts(size: int) -> tuple[int, ...]:
    """The same, of vectors of the texts."""
    return 8, size


def gates(count: int, inputs: int, states: int) -> int:
    """Multiply-adds for a word in one direction of a recurrent layer: every gate reads its inputs and its states."""
    return count * states * (inputs + states)


def with_random_weights(network: Network, std: float = 0.5) -> Network:
    """No weight or bias is zero by its first value, so that none can hide what it does; in evaluation mode."""
    for name, parameter in network.named_parameters():
        if not name.startswith("embedding"):
            nn.init.normal_(parameter, std=std)
    return network.eval()
