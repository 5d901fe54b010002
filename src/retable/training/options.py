"""The options of a training, which are part of every result, and its progress, which is part of none."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from retable.layers.options import Count, NonNegative, Positive, check_ranges
from retable.training.optimisers import Optimiser
from retable.training.schedules import Schedule
from retable.training.state import StateFile


@dataclass(frozen=True, kw_only=True)
class Training:
    """The options of the training loop, from the section `training` of params.yaml.

    Args:
        epochs: maximum number of epochs.
        epochs_max: length of the schedule, in epochs.
        weight_decay: factor of the L2 term in the gradient.
        momentum: of sgd, in [0, 1); other optimisers take 0.
        patience: epochs without a better dev score before training stops.
        clip: maximum norm of all gradients together; 0 does not clip.
    Raises: ValueError with the option, its value and what is allowed.
    """

    optimiser: Optimiser = "adam"
    learning_rate: Positive = 1e-3
    schedule: Schedule = "constant"
    epochs: int = 10
    epochs_max: Count = 40
    batch_size: Count = 50
    weight_decay: NonNegative = 0.0
    momentum: float = 0.0
    patience: Count = 3
    clip: NonNegative = 0.0

    def __post_init__(self) -> None:
        check_ranges(Training, vars(self))
        if not 1 <= self.epochs <= self.epochs_max:
            raise ValueError(
                f"epochs is {self.epochs}; allowed: 1 to epochs_max, {self.epochs_max} (the length of the schedule)"
            )
        if not 0 <= self.momentum < 1 or (self.momentum and self.optimiser != "sgd"):
            raise ValueError(f"momentum is {self.momentum}; allowed: 0 <= momentum < 1, and 0 unless optimiser is sgd")


@dataclass(frozen=True, kw_only=True)
class Progress:
    """Hold where the state of a training is saved, and the callbacks for its progress.

    Args:
        state: where it is saved, and from where it resumes.
        on_batch: called with (epoch, words trained in the batch); when a training resumes, first with the earlier ones.
        on_pretraining: called after each batch of a pretraining with (pass over the texts, share of it that is done).
        on_line: called with each line of the curve, an epoch or a candidate; when a training resumes, with the earlier
            ones too.
        enough: called after each epoch, and after each setting of a linear model except the last; true ends the
            training there as if that had been the last one.
    """

    state: StateFile | None = None
    on_batch: Callable[[int, int], None] = lambda epoch, words: None
    on_pretraining: Callable[[int, float], None] = lambda number, share: None
    on_line: Callable[[dict[str, Any]], None] = lambda line: None
    enough: Callable[[], bool] = lambda: False


SILENT = Progress()
