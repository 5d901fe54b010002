"""Train a network until the last epoch or early stopping on dev, and keep the weights of the best epoch."""

import math
from collections.abc import Iterator
from functools import partial
from itertools import count

import numpy as np
import torch
from torch import Tensor

from retable.errors import InputError
from retable.layers.network import Network, Pass
from retable.text.vocabulary import Encoded
from retable.training.batches import BatchMaker, shuffled_batches
from retable.training.course import Course
from retable.training.determinism import float32_layers
from retable.training.history import Epoch, History
from retable.training.keeper import Keeper, noted_signals
from retable.training.loop import Precision, train_epoch
from retable.training.optimisers import build_optimisers
from retable.training.options import SILENT, Progress, Training
from retable.training.predict import predict_logits
from retable.training.schedules import learning_rates


@float32_layers()
def fit(
    network: Network,
    train: Encoded,
    dev: Encoded,
    training: Training,
    *,
    seed: int,
    device: torch.device,
    precision: Precision = "float32",
    progress: Progress = SILENT,
) -> History:
    """Train a network; it ends with the weights of the epoch that is best on dev.

    Args:
        seed: for the order of the batches (weights and dropout follow torch's generator, which the caller seeds).
        device: the network's device.
        precision: bfloat16 runs the forward pass under autocast; weights stay float32.
    Raises: InputError if the loss is not finite, or an answer to a dev text is not a number; Stopped after Ctrl-C or
        SIGTERM, if a state is kept.
    """
    optimisers = build_optimisers(
        network, training.optimiser, training.learning_rate, training.weight_decay, training.momentum
    )
    maker, dev_maker = (BatchMaker(split, device, reads=network.reads) for split in (train, dev))
    domains = train.domains if network.domain_a_batch else None
    course = Course(network, optimisers, seed, device)
    keeper = Keeper(course, progress.state)
    with noted_signals(progress.state):
        keeper.go_on()
        tell_of_earlier(course, len(train.words), progress)
        if not course.begun:
            network.train().pretrain(passes(maker, training.batch_size, seed, keeper, progress))
        while not (course.finished(training.epochs, training.patience) or (course.epochs and progress.enough())):
            batches = course.draw_batches(maker.lengths, training.batch_size, domains)
            if course.sums.done:
                progress.on_batch(course.number, sum(map(maker.words_of, batches[: course.sums.done])))
            sums = train_epoch(
                network,
                maker,
                batches,
                optimisers,
                learning_rates(training.schedule, training.learning_rate, training.epochs_max, len(batches)),
                epoch=course.number,
                precision=precision,
                clip=training.clip,
                sums=course.sums,
                keeper=keeper,
                on_batch=progress.on_batch,
            )
            seconds = course.seconds()
            check_loss(sums[0], course.number, training.learning_rate)
            logits = predict_logits(network, dev_maker, precision, partial(keeper.keep, len(batches)))
            check_answers(logits, course.number)
            rate = optimisers[0].param_groups[0]["lr"]
            course.end_epoch(Epoch.of(course.number, rate, sums, len(train), logits, dev, seconds))
            progress.on_line(course.epochs[-1].line)
            keeper.keep(len(batches))
    course.take_best()
    return History(course.epochs, course.chosen)


def passes(maker: BatchMaker, batch_size: int, seed: int, keeper: Keeper, progress: Progress) -> Pass:
    """Return the batches of a pretraining; they leave the order of the epochs' batches unchanged."""
    order = np.random.default_rng([seed, 1])
    numbers = count(1)

    def texts() -> Iterator[tuple[Tensor, ...]]:
        number, batches = next(numbers), shuffled_batches(maker.lengths, batch_size, order)
        for done, batch in enumerate(maker.batches(batches), 1):
            yield batch.inputs
            progress.on_pretraining(number, done / len(batches))
            keeper.leave()

    return texts


def tell_of_earlier(course: Course, words: int, progress: Progress) -> None:
    """Report the epochs that a resumed training had finished, with the given number of words each."""
    for epoch in course.epochs:
        progress.on_batch(epoch.epoch, words)
        progress.on_line(epoch.line)


def check_loss(loss_sum: float, epoch: int, learning_rate: float) -> None:
    """Raises: InputError if the loss of an epoch is not finite."""
    if not math.isfinite(loss_sum):
        raise InputError(
            f"the training loss is {loss_sum} in epoch {epoch}; "
            f"lower training.learning_rate (now {learning_rate:g}) or set training.clip."
        )


def check_answers(logits: Tensor, epoch: int) -> None:
    """Raises: InputError if an answer to a dev text is not a number."""
    wrong = int(logits.isnan().any(dim=1).sum())
    if wrong:
        raise InputError(
            f"after epoch {epoch} the network's logits of {wrong} of {len(logits)} dev texts are nan, though the "
            "training loss is a number; its forward pass may divide by zero on some texts, or without dropout."
        )
