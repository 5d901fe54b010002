"""A training: epochs until the last, or until dev grows no better; the weights of the best one stay."""

import math
from collections.abc import Callable

import torch

from retable.errors import InputError
from retable.layers.network import Network
from retable.text.vocabulary import Encoded
from retable.training.batches import BatchMaker
from retable.training.course import Course
from retable.training.history import Epoch, History
from retable.training.keeper import Keeper, StatePlace, noted_signals
from retable.training.loop import Precision, train_epoch
from retable.training.optimisers import Optimiser, build_optimisers
from retable.training.parallel import ALONE, Ranks
from retable.training.predict import predict_logits
from retable.training.schedules import Schedule, learning_rates


def fit(
    network: Network,
    train: Encoded,
    dev: Encoded,
    *,
    seed: int,
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
    ranks: Ranks = ALONE,
    on_batch: Callable[[int, int], None] | None = None,
    on_epoch: Callable[[Epoch], None] | None = None,
) -> History:
    """Train a network; at the end it has the weights of the epoch with the best dev accuracy.

    Args:
        seed: order of the batches (weights and dropout follow torch's generator, which the caller has seeded).
        device: where the network lies.
        precision: bfloat16 runs the forward pass under autocast; weights stay float32.
        epochs: how many epochs are run at most.
        epochs_max: length of the schedule, in epochs.
        weight_decay: factor of the L2 term in the gradient.
        momentum: of sgd, in [0, 1); other optimisers take 0.
        patience: epochs without a better dev accuracy before training stops.
        clip: largest norm of all gradients together; 0 does not clip.
        state: where the training is kept while it runs, and from where it goes on.
        ranks: the processes that train together; each calls this with the same arguments.
        on_batch: called with (epoch, words trained in the batch); where a training goes on, at first with all before.
        on_epoch: called with each finished epoch; where a training goes on, with those before as well.
    Raises: InputError when the loss is no longer a number; Stopped after Ctrl-C or SIGTERM, where there is a state;
        LostProcess.
    """
    check_training(optimiser, learning_rate, epochs, epochs_max, batch_size, weight_decay, momentum, patience, clip)
    optimisers = build_optimisers(network, optimiser, learning_rate, weight_decay, momentum)
    rate_at = learning_rates(schedule, learning_rate, epochs_max)
    maker, dev_maker = (BatchMaker(split, device, reads=network.reads) for split in (train, ranks.part(dev)))
    ranks.start_alike(network, seed)
    course = Course(network, optimisers, seed, device)
    keeper = Keeper(course, state, ranks)
    with noted_signals(state):
        keeper.go_on(seed)
        tell_of_earlier(course, len(train.words), on_batch, on_epoch)
        while not course.finished(epochs, patience):
            batches = course.draw_batches(maker.lengths, batch_size)
            if on_batch and course.sums.done:
                on_batch(course.number, sum(map(maker.words_of, batches[: course.sums.done])))
            sums = train_epoch(
                network,
                maker,
                batches,
                optimisers,
                rate_at,
                epoch=course.number,
                precision=precision,
                clip=clip,
                sums=course.sums,
                ranks=ranks,
                keeper=keeper,
                on_batch=on_batch,
            )
            seconds = course.seconds()
            check_loss(sums[0], course.number, learning_rate)
            logits = ranks.whole(predict_logits(network, dev_maker, precision), len(dev))
            rate = optimisers[0].param_groups[0]["lr"]
            course.end_epoch(Epoch.of(course.number, rate, sums, len(train), logits, dev, seconds))
            if on_epoch:
                on_epoch(course.epochs[-1])
            keeper.keep(ranks.agreed(keeper.asked()), len(batches))
    course.take_best()
    return History(course.epochs, course.chosen)


def tell_of_earlier(
    course: Course,
    words: int,
    on_batch: Callable[[int, int], None] | None,
    on_epoch: Callable[[Epoch], None] | None,
) -> None:
    """The epochs that a training which goes on had finished, of so many words each."""
    for epoch in course.epochs:
        if on_batch:
            on_batch(epoch.epoch, words)
        if on_epoch:
            on_epoch(epoch)


def check_loss(loss_sum: float, epoch: int, learning_rate: float) -> None:
    """Raises: InputError if the loss of an epoch is no longer a number."""
    if not math.isfinite(loss_sum):
        raise InputError(
            f"the training loss is {loss_sum} in epoch {epoch}; "
            f"lower training.learning_rate (now {learning_rate:g}) or set training.clip."
        )


def check_training(
    optimiser: Optimiser,
    learning_rate: float,
    epochs: int,
    epochs_max: int,
    batch_size: int,
    weight_decay: float,
    momentum: float,
    patience: int,
    clip: float,
) -> None:
    """Raises: ValueError with the option, its value and what is allowed."""
    if not learning_rate > 0:
        raise ValueError(f"learning_rate is {learning_rate}; allowed: above 0")
    if not 1 <= epochs <= epochs_max:
        raise ValueError(f"epochs is {epochs}; allowed: 1 to epochs_max, {epochs_max} (the length of the schedule)")
    for name, value in (("batch_size", batch_size), ("patience", patience)):
        if value < 1:
            raise ValueError(f"{name} is {value}; allowed: 1 or more")
    for name, number in (("weight_decay", weight_decay), ("clip", clip)):
        if number < 0:
            raise ValueError(f"{name} is {number}; allowed: 0 or more")
    if not 0 <= momentum < 1 or (momentum and optimiser != "sgd"):
        raise ValueError(f"momentum is {momentum}; allowed: 0 <= momentum < 1, and 0 unless optimiser is sgd")
