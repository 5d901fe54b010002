"""A run: one model on one corpus with one seed. It takes arrays and returns the contents of its folder."""

import resource
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import torch
from safetensors import SafetensorError, safe_open

from retable.errors import InputError, shortened
from retable.layers.options import check_ranges
from retable.machine.processor import processor_fact
from retable.models import TRAINERS, loader_of, trainer_of
from retable.models.candidate import Candidate
from retable.text.splits import Facts, Split, check_every_label
from retable.text.units import in_unit
from retable.training.network import choose_device, load_network, train_network
from retable.training.options import SILENT, Progress
from retable.vectors.store import WordVectors

Section = Mapping[str, Any]


class Classifier(Protocol):
    """Declare what `evaluate` needs from a trained model."""

    def probabilities(self, split: Split) -> np.ndarray: ...

    def save(self, folder: Path) -> None: ...

    def cost_facts(self, words_per_text: float) -> dict[str, float]: ...


@dataclass(frozen=True)
class Trained:
    """A classifier and the record of its training.

    `curve` has one line per epoch (a network) or candidate (a linear model); `epochs` is {run, chosen, turned};
    `chosen` holds what else was chosen on dev; `cost` is cost.json.
    """

    classifier: Classifier
    curve: list[dict[str, Any]]
    epochs: dict[str, Any]
    chosen: dict[str, Any]
    cost: dict[str, Any]


def train_classifier(
    parameters: Section,
    train: Split,
    dev: Split,
    vectors: WordVectors,
    progress: Progress = SILENT,
) -> Trained:
    """Train the model that the parameters describe; every choice is made on `dev`.

    Args:
        parameters: the sections corpus, model, embedding, training, seed, device, precision, already checked.
        train, dev: in words; the model reads them in the unit that `embedding` names, in which costs are also reported.
        progress: its state is used for networks only.
    """
    start = time.perf_counter()
    if torch.cuda.is_available():
        torch.cuda.reset_peak_memory_stats()
    model = parameters["model"]
    if model["name"] in TRAINERS:
        check_every_label(train)
        options = {key: value for key, value in model.items() if key != "name"}
        trainer = trainer_of(model["name"])
        check_ranges(trainer, options)

        def tell(candidate: Candidate, *, more: bool = False) -> bool:
            progress.on_line(candidate.line)
            return more and progress.enough()

        classifier, tried = trainer(
            train,
            dev,
            seed=parameters["seed"],
            lowercase=parameters["embedding"]["lowercase"],
            unit=parameters["embedding"]["unit"],
            on_candidate=tell,
            **options,
        )
        best = max(tried, key=lambda candidate: candidate.score)
        seconds_per_epoch = (time.perf_counter() - start) / len(tried)
        epochs: dict[str, Any] = {"run": None, "chosen": None, "turned": None}
        chosen, lines = best.settings, [candidate.line for candidate in tried]
        device = torch.device("cpu")
    else:
        classifier, history = train_network(
            train,
            dev,
            vectors,
            model=model,
            embedding=parameters["embedding"],
            training=parameters["training"],
            seed=parameters["seed"],
            device=parameters["device"],
            precision=parameters["precision"],
            progress=progress,
        )
        seconds_per_epoch, epochs = history.seconds_per_epoch, history.summary
        chosen, lines = {}, [epoch.line for epoch in history.epochs]
        device = choose_device(parameters["device"])
    seconds = time.perf_counter() - start + (progress.state.earlier_s if progress.state else 0.0)
    cost = cost_of(classifier, parameters, train, seconds_per_epoch, seconds, device)
    return Trained(classifier, lines, epochs, chosen, cost)


def cost_of(
    classifier: Classifier,
    parameters: Section,
    train: Split,
    seconds_per_epoch: float,
    seconds: float,
    device: torch.device,
) -> dict[str, Any]:
    """Return the contents of cost.json for a training that has just ended."""
    lengths = np.diff(in_unit(train, parameters["embedding"]["unit"]).tokens.offsets.to_numpy())
    max_words = parameters["training"].get("max_words", 0)
    words = int(np.minimum(lengths, max_words).sum() if max_words else lengths.sum())
    return {
        **classifier.cost_facts(words / len(lengths)),
        "seconds_per_epoch": seconds_per_epoch,
        "words_per_second": words / seconds_per_epoch,
        "seconds": seconds,
        **peak_memory(device),
        "device": device_name(device),
        "threads": torch.get_num_threads(),
    }


def load_classifier(parameters: Section, folder: Path, facts: Facts) -> Classifier:
    """Load a classifier that `Classifier.save` wrote and that was trained on a corpus with these facts.

    Raises: InputError if a file is missing or damaged, or belongs to another model.
    """
    try:
        if parameters["model"]["name"] in TRAINERS:
            found: Classifier = loader_of(parameters["model"]["name"])(folder)
            check_classes(folder, len(facts.labels))
            return found
        sections = {key: parameters[key] for key in ("model", "embedding", "training", "device", "precision")}
        return load_network(folder, facts, **sections)
    except InputError:
        raise
    except (SafetensorError, OSError, RuntimeError, ValueError, TypeError, LookupError) as error:
        raise InputError(
            f"the weights and vocabulary in {folder} are not those of {parameters['model']['name']} as it was trained "
            f"({shortened(str(error))}); make the model again."
        ) from None


def check_classes(folder: Path, labels: int) -> None:
    """Raise ValueError if a linear model was saved with another number of classes."""
    with safe_open(folder / "weights.safetensors", "np") as file:
        names = {"bias", "output.bias"}.intersection(file.keys())
        shapes = [file.get_slice(name).get_shape() for name in names]
    if shapes and shapes != [[labels]]:
        raise ValueError(f"it has {shapes[0][0]} classes, but the corpus {labels} labels")


def peak_memory(device: torch.device) -> dict[str, float]:
    """Return the peak memory so far in MB: the GPU allocator's, else the process's; they are not comparable."""
    if device.type == "cuda":
        return {"peak_gpu_memory_mb": torch.cuda.max_memory_allocated(device) / 1e6}
    unit = 1 if sys.platform == "darwin" else 1024
    return {"peak_memory_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit / 1e6}


def device_name(device: torch.device) -> str:
    """Return the GPU's name, else the processor's."""
    if device.type == "cuda":
        return torch.cuda.get_device_name(device)
    return processor_fact("model name") or "cpu"
