"""Runs of one model as `retable.training.run` has them, trained fused."""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from typing import Any, NamedTuple

import numpy as np
import torch

from retable.errors import InputError
from retable.text.splits import Split
from retable.text.units import in_unit
from retable.text.vocabulary import encode
from retable.training.fused.fit import OnBatch, fit_fused
from retable.training.fused.masks import own_generator
from retable.training.fused.runs import Run
from retable.training.fused.ways import why_alone
from retable.training.history import History
from retable.training.keeper import StatePlace
from retable.training.network import NetworkClassifier, choose_device, untrained_network
from retable.training.run import Trained, device_name, peak_memory_mb
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
    training = {name: value for name, value in parameters["training"].items() if name not in ("heads", "max_words")}
    histories = fit_fused(
        [run for run, _ in prepared],
        device=device,
        precision=parameters["precision"],
        state=state,
        on_batch=on_batch,
        on_epoch=lambda run, epoch: on_line(run, asdict(epoch)) if on_line else None,
        **training,
    )
    seconds = (time.perf_counter() - start + (state.earlier_s if state else 0.0)) / len(asked)
    shared = {"seconds": seconds, "peak_memory_mb": peak_memory_mb(device), "fused": len(asked)}
    return [
        trained_of(each, classifier, history, device, shared)
        for each, (_, classifier), history in zip(asked, prepared, histories, strict=True)
    ]


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
    model, embedding, training = (parameters[section] for section in ("model", "embedding", "training"))
    network, vocabulary = untrained_network(
        train, vectors, model=model, embedding=embedding, heads=training["heads"], seed=parameters["seed"]
    )
    network.to(device)
    texts, held = (encode(split, vocabulary, max_words=training["max_words"]) for split in (train, dev))
    classifier = NetworkClassifier(network, vocabulary, device, parameters["precision"], training["max_words"])
    return Run.of(network, texts, held, parameters["seed"], own_generator(device)), classifier


def trained_of(
    asked: Asked, classifier: NetworkClassifier, history: History, device: torch.device, shared: Mapping[str, float]
) -> Trained:
    """A run's result; `shared` are the costs that all runs have alike."""
    lengths = np.diff(in_unit(asked.train, asked.parameters["embedding"]["unit"]).tokens.offsets.to_numpy())
    max_words = asked.parameters["training"]["max_words"]
    words = int(np.minimum(lengths, max_words).sum() if max_words else lengths.sum())
    seconds = float(np.median([epoch.seconds for epoch in history.epochs]))
    cost = {
        **classifier.cost_facts(words / len(lengths)),
        "seconds_per_epoch": seconds,
        "words_per_second": words / seconds,
        **shared,
        "device": device_name(device),
        "threads": torch.get_num_threads(),
    }
    epochs = {"run": len(history.epochs), "chosen": history.chosen, "turned": history.turned}
    return Trained(classifier, [asdict(epoch) for epoch in history.epochs], epochs, {}, cost)
