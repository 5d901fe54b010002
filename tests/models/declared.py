"""Declarations by a model's own test for the tests of every model, and shared helpers."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import nn

from retable.experiments.scale import model_preset
from retable.layers.network import Network, Task
from retable.text.splits import Split
from retable.text.trees import BEGINS, ENDS, WORD
from retable.training.run import train_classifier
from retable.vectors.store import NO_VECTORS

VOCABULARY, TUNED, DIM, CLASSES = 30, 24, 6, 3
PARTS = ("<unknown>", "NOUN", "DET", "VERB")
TASK = Task(labels=("one", "two", "three"), domains=("here", "there"), parts=PARTS)
OUTPUT = DIM * CLASSES + CLASSES


@dataclass(frozen=True)
class Case:
    """Hold a network, its options and its number of parameters without the embedding, by formula."""

    model: str
    parameters: int
    options: dict[str, object] = field(default_factory=dict)

    def __str__(self) -> str:
        return " ".join([self.model, *(f"{name}={value}" for name, value in self.options.items())])


@dataclass(frozen=True)
class Declared:
    """Declare a model's part in `test_every_model.py`, as `EVERY_MODEL` in its own test.

    Args:
        cases: its networks, at least one.
        dropped: maps a case's options to the shapes that each dropout of a training pass acts on, in order.
        multiply_adds: maps a number of words and a case's options to those of a text, by the paper's layer sizes.
        refused: options that are out of range, with the error message.
    """

    cases: list[Case]
    dropped: Callable[..., list[tuple[int, ...]]]
    multiply_adds: Callable[..., float]
    refused: list[tuple[dict[str, Any], str]]


def words(size: int) -> tuple[int, ...]:
    """Return the shape of per-word vectors of `eight_texts`, for a dropout."""
    return 8, 9, size


def texts(size: int) -> tuple[int, ...]:
    """Return the shape of per-text vectors, for a dropout."""
    return 8, size


def gates(count: int, inputs: int, states: int) -> int:
    """Count multiply-adds per word in one direction of a recurrent layer: every gate reads inputs and states."""
    return count * states * (inputs + states)


def train_as_a_run(model: str, train: Split, dev: Split, **options: object) -> None:
    """Train a model by its own training function, as a run does: with its preset, but for these options."""
    preset = model_preset(model)
    run = {"model": preset["model"] | options, "seed": 1, "device": "cpu", "precision": "float32"}
    train_classifier(preset | run, train, dev, NO_VECTORS)


def random_tree(words: int) -> list[int]:
    """Return the kinds of the tokens of a random binary tree over this many words."""
    if words == 1:
        return [WORD]
    left = int(torch.randint(1, words, ()))
    return [BEGINS, *random_tree(left), *random_tree(words - left), ENDS]


def with_random_weights(network: Network, std: float = 0.5) -> Network:
    """Initialise all weights and biases away from zero, so that none can hide its effect; in evaluation mode."""
    for name, parameter in network.named_parameters():
        if not name.startswith("embedding"):
            nn.init.normal_(parameter, std=std)
    return network.eval()
