"""What a training leaves behind beside its weights: a line for each epoch."""

from dataclasses import dataclass


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


@dataclass(frozen=True)
class History:
    """All epochs; `chosen` is the number of the one whose weights the network has now.

    Of epochs with equal dev accuracy the one with the smallest dev loss is chosen.
    """

    epochs: list[Epoch]
    chosen: int

    @property
    def turned(self) -> bool:
        """Whether the dev accuracy had stopped rising before training ended."""
        accuracies = [epoch.dev_accuracy for epoch in self.epochs]
        return max(accuracies) in accuracies[:-1]
