"""Runs trained fused beside the same runs one after the other: words trained a second.

    python -m benchmarks.fused textcnn sst-2 --runs 1 2 4 8
    python -m benchmarks.fused fcsr mr --runs 4 --texts 2000 --epochs 3 --device cpu

Method     seeds of one model on one corpus, by the model's preset. For every k one run alone and k runs fused are
           trained in turns; the first epoch of either warms up. Seconds are those of training, without dev.
           Places: what is computed for a word, padding to the longest text of a step included; alone it is 1.0x.
"""

import argparse
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any

import numpy as np
import torch

from benchmarks.inputs import first, split_of, vectors_of
from benchmarks.timing import machine
from pipeline.command import command
from pipeline.scale import model_preset
from retable.errors import InputError
from retable.text.splits import Split
from retable.training.batches import shuffled_batches
from retable.training.fused.run import Asked, train_classifiers
from retable.training.fused.ways import why_alone
from retable.training.run import train_classifier
from retable.vectors.store import WordVectors

DEV_TEXTS = 100


@dataclass(frozen=True)
class Speed:
    """Words a second of one run alone and of k fused, and places computed for a word."""

    runs: int
    alone: float
    fused: float
    places: float


def parameters_of(model: str, corpus: str, device: str, epochs: int, vectors: str | None) -> dict[str, Any]:
    """The sections of a run of a preset, for so many epochs whatever dev says."""
    preset = model_preset(model)
    training = preset["training"] | {
        "epochs": epochs, "epochs_max": max(epochs, preset["training"]["epochs_max"]), "patience": epochs,
    }  # fmt: skip
    embedding = preset["embedding"] | ({"vectors": vectors} if vectors else {})
    sections = {"corpus": {"name": corpus}, "model": preset["model"], "embedding": embedding, "training": training}
    return sections | {"seed": 1, "device": device, "precision": "float32"}


def measured(
    parameters: dict[str, Any], train: Split, dev: Split, vectors: WordVectors, runs: int, repeats: int
) -> Speed:
    """k runs fused beside one alone.

    Args:
        repeats: times that both are trained, in turns.
    """
    asked = [Asked(parameters | {"seed": seed}, train, dev, vectors) for seed in range(1, runs + 1)]
    alone, fused = [], []
    for _ in range(repeats):
        single = train_classifier(*asked[0])
        together = train_classifiers(asked)
        alone += [line["seconds"] for line in single.curve[1:]]
        fused += [line["seconds"] for line in together[0].curve[1:]]  # a run's share
    lengths = np.diff(train.tokens.offsets.to_numpy())
    words, batch_size = int(lengths.sum()), parameters["training"]["batch_size"]
    return Speed(runs, words / median(alone), words / median(fused), places_of_a_word(lengths, batch_size, runs))


def places_of_a_word(lengths: np.ndarray, batch_size: int, runs: int) -> float:
    """Places that k runs compute in an epoch for each word, as a share of those that they compute alone."""
    orders = [shuffled_batches(lengths, batch_size, np.random.default_rng(seed)) for seed in range(1, runs + 1)]
    alone = together = 0
    for batches in zip(*orders, strict=True):
        longest = max(int(lengths[texts].max()) for texts in batches)
        alone += sum(len(texts) * int(lengths[texts].max()) for texts in batches)
        together += sum(len(texts) * longest for texts in batches)
    return together / alone


def told(speed: Speed) -> str:
    """A line of the table."""
    ratio = speed.fused / speed.alone
    return f"{speed.runs:4}  {speed.alone:12,.0f}  {speed.fused:12,.0f}  {ratio:6.2f}x  {speed.places:6.2f}x"


@command
def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description="Runs trained fused beside the same runs one after the other.")
    parser.add_argument("model")
    parser.add_argument("corpus")
    parser.add_argument("--runs", type=int, nargs="+", default=[1, 2, 4, 8], help="how many are trained together")
    parser.add_argument("--texts", type=int, default=0, help="the first training texts alone; 0: all")
    parser.add_argument("--epochs", type=int, default=3, help="the first warms up")
    parser.add_argument("--repeats", type=int, default=1)
    parser.add_argument("--vectors", help="word vectors; none: random ones (default: the preset's)")
    parser.add_argument("--device", default="auto")
    parser.add_argument("--quick", action="store_true", help="does it run? On sample texts")
    options = parser.parse_args(arguments)
    if options.epochs < 2 or min(options.runs) < 1:
        raise InputError("--epochs is at least 2, the first of which warms up, and --runs are 1 or more.")
    parameters = parameters_of(options.model, options.corpus, options.device, options.epochs, options.vectors)
    reason = why_alone(parameters["model"])
    if reason:
        raise InputError(f"{options.model} is not trained fused: {reason}.")
    train, dev = (split_of(options.corpus, part, quick=options.quick) for part in ("train", "dev"))
    train, dev = first(train, options.texts or len(train.ids)), first(dev, DEV_TEXTS)
    vectors = vectors_of(parameters["embedding"]["vectors"], quick=options.quick)
    here = machine() | {"device": torch.cuda.get_device_name() if torch.cuda.is_available() else "cpu"}
    print(", ".join(f"{name} {value}" for name, value in here.items()))
    print(f"{options.model} on {options.corpus}, {len(train.ids)} texts, words/s")
    print("runs         alone         fused   ratio   places")
    for runs in options.runs:
        print(told(measured(parameters, train, dev, vectors, runs, options.repeats)), flush=True)


if __name__ == "__main__":
    main()
