"""The training loop as `fit` runs it, and where its time goes.

Method     `fit` itself trains. A watch wraps the network's forward pass, `Tensor.backward` and the optimisers' steps,
           and counts the time inside them; what is left of the epoch is the loop's own: making the batch, the
           cross-entropy, letting go of gradients, clipping, sums, the display. The watch costs some ten microseconds
           a step. Dev is two texts, outside the epoch's seconds.
           What is to be measured beside it is called between two epochs, so that both see the same machine.
"""

import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from statistics import median
from typing import Any, Literal

import numpy as np
import torch
from torch import Tensor, nn

from benchmarks.timing import RateBeside, seconds
from retable.layers.network import Network
from retable.models.textcnn import TextCNN
from retable.text.vocabulary import Encoded
from retable.training.fit import fit
from retable.training.network import training_of
from retable.training.optimisers import WithoutCompiler, unrecorded
from retable.training.options import Progress

DEV_TEXTS = 2


@dataclass(frozen=True)
class Epochs:
    """Seconds of each epoch that counts, of forward, backward and step in it, and of what was called beside it.

    `rate` is that of matrix products between the epochs, in floating-point operations a second.
    """

    whole: list[float]
    work: list[float]
    beside: list[float]
    rate: float

    @property
    def seconds(self) -> float:
        """The median epoch."""
        return median(self.whole)

    @property
    def overhead(self) -> float:
        """Share of an epoch outside forward, backward and step, in [0, 1]; the median of the epochs' shares."""
        return median(1.0 - work / whole for whole, work in zip(self.whole, self.work, strict=True))


class Watch:
    """Adds up the time inside forward, backward and step of a network in training."""

    def __init__(self, network: nn.Module) -> None:
        self.network, self.total, self.started = network, 0.0, 0.0

    def start(self, *_: object) -> None:
        """Begin to count, in training; what is done for dev is not counted."""
        self.started = time.perf_counter() if self.network.training else 0.0

    def stop(self, *_: object) -> None:
        """Add what passed since `start`."""
        if self.started:
            self.total += time.perf_counter() - self.started
        self.started = 0.0

    def timed(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """The function, counted."""

        def call(*args: Any, **kwargs: Any) -> Any:
            self.start()
            result = function(*args, **kwargs)
            self.stop()
            return result

        return call

    @contextmanager
    def watching(self) -> Iterator["Watch"]:
        """Count while the block runs."""
        backward = Tensor.backward
        steps = {kind: kind.step for kind in WithoutCompiler.__subclasses__()}
        Tensor.backward = self.timed(backward)  # type: ignore[method-assign]
        self.network.forward = self.timed(self.network.forward)
        for kind, step in steps.items():
            kind.step = unrecorded(self.timed(step))  # type: ignore[method-assign]
        try:
            yield self
        finally:
            Tensor.backward = backward  # type: ignore[method-assign]
            del self.network.forward
            for kind, step in steps.items():
                kind.step = step  # type: ignore[method-assign]


def train_beside(
    network: Network,
    texts: Encoded,
    training: Mapping[str, Any],
    *,
    repeats: int,
    beside: Callable[[], object] | None = None,
    precision: Literal["float32", "bfloat16"] = "float32",
) -> Epochs:
    """Train for `repeats` epochs after one to warm up, and call `beside` after each.

    Args:
        training: the section of a preset.
        beside: what is timed between the epochs, a peer's epoch.
    """
    whole, work, others = [], [], []
    watch, before, products = Watch(network), 0.0, RateBeside()

    def on_line(line: Mapping[str, Any]) -> None:
        nonlocal before
        whole.append(line["seconds"])
        work.append(watch.total - before)
        before = watch.total
        products()
        if beside:  # the network stands in eval mode here, so that the watch does not count what a peer does
            others.append(seconds(beside))

    longer = {"epochs": 1 + repeats, "epochs_max": max(1 + repeats, training["epochs_max"]), "patience": 1 + repeats}
    with watch.watching():
        fit(
            network,
            texts,
            first_texts(texts, DEV_TEXTS),
            training_of({**training, **longer}),
            seed=1,
            device=torch.device("cpu"),
            precision=precision,
            progress=Progress(on_line=on_line),
        )
    return Epochs(whole[1:], work[1:], others[1:], products.rate)


def first_texts(texts: Encoded, count: int) -> Encoded:
    """The first texts in row numbers."""
    offsets = texts.offsets[: count + 1]
    stop = int(offsets[-1])
    parts = None if texts.parts is None else texts.parts[:stop]
    domains = None if texts.domains is None else texts.domains[:count]
    sentences = None if texts.sentences is None else texts.sentences[:stop]
    return Encoded(texts.words[:stop], offsets, texts.classes[:count], parts, domains, sentences)


def training_flops(network: Network, words_per_text: float) -> float:
    """Floating-point operations a word, forward and backward, by formula; exact zeros are not multiplied.

    Backward is twice forward; of a convolution whose maximum alone is kept, twice one of its windows.
    """
    forward: float = network.flops_per_word(words_per_text)
    return forward * (1 + 2 / words_per_text if isinstance(network, TextCNN) else 3)


def real_words(texts: Encoded) -> int:
    """Words of all texts, without padding."""
    return int(np.sum(texts.lengths))
