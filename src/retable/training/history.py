"""The history of a training: one line per epoch, kept with its weights."""

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor

from retable.text.choosing import dev_score
from retable.text.grades import agreement, means_of
from retable.text.ranking import ranking_scores
from retable.text.vocabulary import Encoded

NONE_BEST = (-1.0, -math.inf)  # score on dev, and negative dev loss, before the first epoch ends


@dataclass(frozen=True)
class Epoch:
    """A line of curve.csv; accuracies are fractions, `seconds` covers training only, without dev.

    `learning_rate` is that of the epoch's last step; `train_loss` is the full training objective. `dev_map` is the mean
    average precision on a ranked corpus, `dev_pearson` the correlation on a graded one; None for other corpora.
    """

    epoch: int
    learning_rate: float
    train_loss: float
    train_accuracy: float
    dev_loss: float
    dev_accuracy: float
    seconds: float
    dev_map: float | None = None
    dev_pearson: float | None = None

    @property
    def score(self) -> float:
        """Return the score that chooses the best epoch."""
        return dev_score(self.line)

    @property
    def line(self) -> dict[str, Any]:
        """Return the epoch as a line of curve.csv."""
        return {name: value for name, value in asdict(self).items() if value is not None}

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
            sums: sum of the losses over its `texts` training texts, and number of correct ones.
            logits: of the dev texts, (text, class), on the CPU.
        """
        loss, correct = sums
        return cls(
            epoch,
            learning_rate,
            loss / texts,
            correct / texts,
            float(F.cross_entropy(logits, torch.from_numpy(dev.goal))),
            float((logits.argmax(1).numpy() == dev.classes).mean()),
            seconds,
            None if dev.questions is None else dev_map_of(logits, dev),
            None if dev.targets is None else dev_pearson_of(logits, dev.targets),
        )


def dev_map_of(logits: Tensor, dev: Encoded) -> float:
    """Return the mean average precision of the second class's probabilities."""
    assert dev.questions is not None
    return ranking_scores(logits.softmax(dim=1)[:, 1].numpy(), dev.classes == 1, dev.questions)["map"]


def dev_pearson_of(logits: Tensor, targets: np.ndarray) -> float:
    """Return the correlation of the mean grades with the true scores."""
    return agreement(means_of(logits.softmax(dim=1).numpy()), means_of(targets))["pearson"]


def best_of(epochs: Sequence[Epoch]) -> tuple[tuple[float, float], int, int]:
    """Return score and negative dev loss of the best epoch, its number, and the last that raised the score."""
    best, chosen, better = NONE_BEST, 0, 0
    for line in epochs:
        score = (line.score, -line.dev_loss)
        better = line.epoch if line.score > best[0] else better
        best, chosen = (score, line.epoch) if score > best else (best, chosen)
    return best, chosen, better


@dataclass(frozen=True)
class History:
    """All epochs; `chosen` is the number of the one whose weights the network has.

    Ties on the dev score are broken by the smallest dev loss.
    """

    epochs: list[Epoch]
    chosen: int

    @property
    def turned(self) -> bool:
        """Return whether the dev score had stopped rising before training ended."""
        scores = [epoch.score for epoch in self.epochs]
        return max(scores) in scores[:-1]

    @property
    def summary(self) -> dict[str, Any]:
        """Return the epoch counts for metrics.json."""
        return {"run": len(self.epochs), "chosen": self.chosen, "turned": self.turned}

    @property
    def seconds_per_epoch(self) -> float:
        """Return the median seconds per epoch."""
        return float(np.median([epoch.seconds for epoch in self.epochs]))
