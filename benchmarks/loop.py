"""Time the training loop as `fit` runs it, and find where its time goes.

Method     `fit` itself trains. The network's forward pass, `Tensor.backward` and the optimisers' steps are wrapped to
           measure the time inside them; the rest of the epoch is the loop's own: making batches, the
           cross-entropy, resetting gradients, clipping, sums, display. Wrapping costs about ten microseconds per step.
           The peer and the matrix product, whose rate at the model's FLOPs is the limit, are called between epochs, so
           that all are measured under the same load.
"""

import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from statistics import median
from typing import Any, NamedTuple
from unittest.mock import patch

import torch
from torch import Tensor, nn

from benchmarks.inputs import Prepared
from benchmarks.report import Row, timed_row
from benchmarks.timing import OPERATIONS, PRODUCTS, product, seconds
from retable.layers.network import Network
from retable.models.textcnn import TextCNN
from retable.training.fit import fit
from retable.training.network import training_of
from retable.training.optimisers import WithoutCompiler, unrecorded
from retable.training.options import Progress

PRODUCTS_AN_EPOCH = 4


class Epochs(NamedTuple):
    """Hold the seconds of each counted epoch, its forward, backward and step, the peer, and a matrix product."""

    whole: list[float]
    work: list[float]
    peer: list[float]
    products: list[float]


@contextmanager
def watched(network: nn.Module) -> Iterator[list[float]]:
    """Collect the seconds of every forward pass, backward pass and step while a network is in training mode."""
    spent: list[float] = []

    def timed(function: Callable[..., Any]) -> Callable[..., Any]:
        def call(*args: Any, **kwargs: Any) -> Any:
            start = time.perf_counter()
            result = function(*args, **kwargs)
            if network.training:
                spent.append(time.perf_counter() - start)
            return result

        return call

    with ExitStack() as patches:
        patches.enter_context(patch.object(Tensor, "backward", timed(Tensor.backward)))
        patches.enter_context(patch.object(network, "forward", timed(network.forward)))
        for kind in WithoutCompiler.__subclasses__():
            patches.enter_context(patch.object(kind, "step", unrecorded(timed(kind.step))))
        yield spent


def train_beside(given: Prepared, training: Mapping[str, Any], *, repeats: int, peer: Callable[[], object]) -> Epochs:
    """Train for `repeats` epochs after one warm-up epoch, and call the peer after each.

    Args:
        training: the section of a preset.
        peer: one epoch of the peer.
    """
    found, multiply = Epochs([], [], [], []), product()

    def on_line(line: Mapping[str, Any]) -> None:  # the network is in eval mode here: the peer's work is not counted
        found.whole.append(line["seconds"])
        found.work.append(sum(spent))
        spent.clear()
        found.products.extend(seconds(multiply) for _ in range(PRODUCTS_AN_EPOCH))
        found.peer.append(seconds(peer))

    longer = {"epochs": 1 + repeats, "epochs_max": max(1 + repeats, training["epochs_max"]), "patience": 1 + repeats}
    with watched(given.network) as spent:
        fit(
            given.network,
            given.texts,
            given.dev,
            training_of({**training, **longer}),
            seed=1,
            device=torch.device("cpu"),
            precision="float32",
            progress=Progress(on_line=on_line),
        )
    return Epochs(found.whole[1:], found.work[1:], found.peer[1:], found.products)


def training_rows(
    path: str,
    given: Prepared,
    training: Mapping[str, Any],
    *,
    repeats: int,
    peer: Callable[[], object],
    peer_name: str,
    share: float = 1.0,
    multiplies: bool = True,
    goal: str = "",
) -> list[Row]:
    """Return the training speed compared with the peer's, and the share of an epoch outside forward, backward and step.

    Args:
        share: the share of an epoch that one call of the peer trains.
        multiplies: whether the model's work is matrix products; other models gather rows.
    """
    found = train_beside(given, training, repeats=repeats, peer=peer)
    overhead = median(1.0 - work / whole for whole, work in zip(found.whole, found.work, strict=True))
    flops = training_flops(given.network, given.words / len(given.texts))
    return [
        timed_row(
            f"{path}, training",
            f"{given.vocabulary.unit}/s",
            {"ours": found.whole, "peer": [took / share for took in found.peer]},
            work=given.words,
            peer=peer_name,
            limit=PRODUCTS if multiplies else "",
            limit_value=OPERATIONS / median(found.products) / flops if multiplies else None,
            goal=goal,
        ),
        Row(f"{path}, around forward, backward, step", "% of the epoch", 100 * overhead, goal="<= 5 %"),
    ]


def training_flops(network: Network, words_per_text: float) -> float:
    """Return the floating-point operations per word, forward and backward, by formula.

    Backward counts as twice forward; for a convolution that keeps only the maximum, as twice one of its windows.
    """
    forward: float = network.flops_per_word(words_per_text)
    return forward * (1 + 2 / words_per_text if isinstance(network, TextCNN) else 3)
