"""Hold what a training leaves behind beside its weights: a line for each epoch."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor

from retable.text.vocabulary import Encoded


@dataclass(frozen=True)
class Epoch:
    """A line of curve.csv; accuracies are fractions, `seconds` is training alone, without dev.

    `learning_rate` is that of the epoch's last step; `train_loss` is of all that is minimised.
    """

    epoch: int
    learning_rate: float
    train_loss: float
    train_accuracy: float
    dev_loss: float
    dev_accuracy: float
    seconds: float

    @classmethod
    def of(
        cls,
        epoch: int,
        learning_rate: float,
        sums: tuple[float, int],
        texts: int,
        logits: Tensor,
        dev: Encoded,
        seconds: float,
    ) -> "Epoch":
        """Return the line of an epoch.

        Args:
            sums: of the losses of its `texts` training texts, and how many of them were right.
            logits: of the dev texts, (text, class), on the CPU.
        """
        loss, correct = sums
        return cls(
            epoch,
            learning_rate,
            loss / texts,
            correct / texts,
            float(F.cross_entropy(logits, torch.from_numpy(dev.classes))),
            float((logits.argmax(1).numpy() == dev.classes).mean()),
            seconds,
        )


@dataclass(frozen=True)
class History:
    """All epochs; `chosen` is the number of the one whose weights the network has now.

    Of epochs with equal dev accuracy the one with the smallest dev loss is chosen.
    """

    epochs: list[Epoch]
    chosen: int

    @property
    def turned(self) -> bool:
        """Return whether the dev accuracy had stopped rising before training ended."""
        accuracies = [epoch.dev_accuracy for epoch in self.epochs]
        return max(accuracies) in accuracies[:-1]

    @property
    def summary(self) -> dict[str, Any]:
        """Return what metrics.json says of the epochs."""
        return {"run": len(self.epochs), "chosen": self.chosen, "turned": self.turned}

    @property
    def seconds_per_epoch(self) -> float:
        """Return the median."""
        return float(np.median([epoch.seconds for epoch in self.epochs]))
