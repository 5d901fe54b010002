"""The training of several runs at once: as `retable.training.fit.fit`, for all of them."""

from collections.abc import Callable, Sequence
from functools import partial

import torch

from retable.training.fit import check_training, tell_of_earlier
from retable.training.fused.checking import check_group
from retable.training.fused.group import Group
from retable.training.fused.keeper import GroupKeeper
from retable.training.fused.optimisers import StackedOptimiser
from retable.training.fused.runs import Run
from retable.training.history import Epoch, History
from retable.training.keeper import StatePlace, noted_signals
from retable.training.loop import Precision
from retable.training.optimisers import Optimiser
from retable.training.schedules import Schedule, learning_rates

OnBatch = Callable[[int, int, int], None]
OnEpoch = Callable[[int, Epoch], None]


def fit_fused(
    runs: Sequence[Run],
    *,
    device: torch.device,
    precision: Precision = "float32",
    optimiser: Optimiser = "adam",
    learning_rate: float = 1e-3,
    schedule: Schedule = "constant",
    epochs: int = 10,
    epochs_max: int = 40,
    batch_size: int = 50,
    weight_decay: float = 0.0,
    momentum: float = 0.0,
    patience: int = 3,
    clip: float = 0.0,
    state: StatePlace | None = None,
    on_batch: OnBatch | None = None,
    on_epoch: OnEpoch | None = None,
) -> list[History]:
    """Train networks together; at the end each has the weights of its epoch with the best dev accuracy.

    Args:
        runs: one network each, of one model with equally many classes.
        state: where the training of all is kept while it runs, and from where it goes on.
        on_batch: called with (run, epoch, words trained), the run by its place.
        on_epoch: called with (run, its finished epoch).
        others: as `fit` has them.
    Returns: a history for each run, in their order. `Epoch.seconds` is the run's share of the time of all.
    Raises: InputError if the networks cannot be stacked, or if a loss is no longer a number; Stopped after Ctrl-C or
        SIGTERM, where there is a state.
    """
    check_training(optimiser, learning_rate, epochs, epochs_max, batch_size, weight_decay, momentum, patience, clip)
    group = Group(
        runs,
        learning_rates(schedule, learning_rate, epochs_max),
        partial(StackedOptimiser, optimiser=optimiser, weight_decay=weight_decay, momentum=momentum),
        device=device,
        precision=precision,
        epochs=epochs,
        patience=patience,
        batch_size=batch_size,
        clip=clip,
    )
    check_group(group)
    keeper = GroupKeeper(group, state)
    with noted_signals(state):
        keeper.go_on()
        for place, run in enumerate(runs):  # of a broken epoch nothing is told
            tell_of_earlier(
                run.course,
                len(run.train.words),
                partial(on_batch, place) if on_batch else None,
                partial(on_epoch, place) if on_epoch else None,
            )
        while group.running:
            group.step()
            if on_batch:
                for run in group.running:
                    on_batch(runs.index(run), run.course.number, run.words_of_step())
            for run in group.end_epochs():
                if on_epoch:
                    on_epoch(runs.index(run), run.course.epochs[-1])
            keeper.keep()
    return [History(run.course.epochs, run.course.chosen) for run in runs]
