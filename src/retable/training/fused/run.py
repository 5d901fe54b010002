"""Runs of one model as `retable.training.run` has them, trained fused."""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from typing import Any, NamedTuple

import torch

from retable.errors import InputError
from retable.text.splits import Split
from retable.training.fused.fit import OnBatch, fit_fused
from retable.training.fused.masks import own_generator
from retable.training.fused.runs import Run
from retable.training.fused.ways import why_alone
from retable.training.keeper import StatePlace
from retable.training.network import NetworkClassifier, choose_device, fitting_options, untrained_classifier
from retable.training.run import Trained, cost_of, peak_memory_mb
from retable.vectors.store import WordVectors

OF_ONE_RUN = ("seed", "corpus")  # sections in which runs that are trained together may differ


class Asked(NamedTuple):
    """A run: what `train_classifier` is called with."""

    parameters: Mapping[str, Any]
    train: Split
    dev: Split
    vectors: WordVectors


def train_classifiers(
    asked: Sequence[Asked],
    *,
    state: StatePlace | None = None,
    on_batch: OnBatch | None = None,
    on_line: Callable[[int, dict[str, Any]], None] | None = None,
) -> list[Trained]:
    """Train the models that the parameters describe, together; each as `train_classifier` does it alone.

    Args:
        asked: the runs; they differ in seed, texts, vocabulary and word vectors, in nothing else.
        state: where the training of all is kept while it runs, and from where it goes on.
        on_batch: called with (run, epoch, words trained), the run by its place.
        on_line: called with (run, line of its curve).
    Returns: one a run. Seconds are the run's share of those of all; memory is that of all.
    Raises: InputError if the runs cannot be trained together.
    """
    check_alike(asked)
    start = time.perf_counter()
    parameters = asked[0].parameters
    device = choose_device(parameters["device"])
    if device.type == "cuda":
        torch.cuda.reset_peak_memory_stats()
    prepared = [prepare(each, device) for each in asked]
    histories = fit_fused(
        [run for run, _ in prepared],
        device=device,
        precision=parameters["precision"],
        state=state,
        on_batch=on_batch,
        on_epoch=lambda run, epoch: on_line(run, asdict(epoch)) if on_line else None,
        **fitting_options(parameters["training"]),
    )
    seconds = (time.perf_counter() - start + (state.earlier_s if state else 0.0)) / len(asked)
    of_all = {"peak_memory_mb": peak_memory_mb(device), "fused": len(asked)}
    found = []
    for each, (_, classifier), history in zip(asked, prepared, histories, strict=True):
        cost = cost_of(classifier, each.parameters, each.train, history.seconds_per_epoch, seconds, device) | of_all
        found.append(Trained(classifier, [asdict(epoch) for epoch in history.epochs], history.told, {}, cost))
    return found


def check_alike(asked: Sequence[Asked]) -> None:
    """Refuse runs that are not of one model with one set of options and equally many classes.

    Raises: InputError.
    """
    first = asked[0]
    reason = why_alone(first.parameters["model"])
    if reason:
        raise InputError(f"{first.parameters['model']['name']} is not trained fused: {reason}.")
    for other in asked[1:]:
        for section in first.parameters.keys() | other.parameters.keys():
            if section not in OF_ONE_RUN and first.parameters.get(section) != other.parameters.get(section):
                raise InputError(
                    f"runs that are trained fused differ in {section}; give them one, or train them alone."
                )
        counts = [len(each.train.facts.labels) for each in (first, other)]
        if counts[0] != counts[1]:
            raise InputError(f"runs that are trained fused have {counts[0]} and {counts[1]} classes; train them alone.")


def prepare(asked: Asked, device: torch.device) -> tuple[Run, NetworkClassifier]:
    """A run's network and texts before the first step."""
    parameters, train, dev, vectors = asked
    sections = {name: parameters[name] for name in ("model", "embedding", "training", "seed", "precision")}
    classifier = untrained_classifier(train, vectors, device=device, **sections)
    generator = own_generator(device)  # before another run seeds torch's
    texts, held = classifier.encoded(train), classifier.encoded(dev)
    return Run.of(classifier.network, texts, held, parameters["seed"], generator), classifier
