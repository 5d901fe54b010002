"""The form of a training's saved state, for the course that is to resume from it: equal shapes, types and options."""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.optim import Optimizer

from retable.forms import COUNT, Form, ListOf, Maybe, Misfit, Number, OneOf, Section
from retable.training.history import Epoch

NONE_BEST = (-1.0, -math.inf)  # score on dev, and negative dev loss, before the first epoch ends
OF_WEIGHT = {  # optimiser -> what its state holds of each weight
    "Adam": ("step", "exp_avg", "exp_avg_sq"),
    "SparseAdam": ("step", "exp_avg", "exp_avg_sq"),
    "SGD": ("momentum_buffer",),
    "Adagrad": ("sum",),
}
EPOCH = Section(
    dict.fromkeys((each.name for each in fields(Epoch) if each.name != "dev_pearson"), Number())
    | {"epoch": COUNT, "dev_map": Maybe(Number(0, 1))},
    {"dev_pearson": Maybe(Number(-1, 1))},  # states of earlier versions have none
    closed=True,
)


@dataclass(frozen=True)
class Like:
    """A finite tensor of the shape and type of another."""

    other: Tensor

    def misfits(self, value: Any, place: str) -> Iterator[Misfit]:
        """Yield the error, if there is one."""
        is_like = isinstance(value, Tensor) and (value.shape, value.dtype) == (self.other.shape, self.other.dtype)
        if not is_like or not value.isfinite().all():
            yield Misfit(place, type(value), f"a finite tensor of {self.other.dtype} {tuple(self.other.shape)}")


@dataclass(frozen=True)
class Each:
    """A list of one value for each form."""

    forms: Sequence[Form]

    def misfits(self, value: Any, place: str) -> Iterator[Misfit]:
        """Yield the errors of all values."""
        if not isinstance(value, list) or len(value) != len(self.forms):
            yield Misfit(place, value, f"a list of {len(self.forms)}")
            return
        for form, each in zip(self.forms, value, strict=True):
            yield from form.misfits(each, place)


@dataclass(frozen=True)
class OfGenerator:
    """The state of a random generator, which a spare one takes."""

    take: Callable[[Any], object]

    def misfits(self, value: Any, place: str) -> Iterator[Misfit]:
        """Yield the error, if there is one."""
        try:
            self.take(value)
        except (TypeError, ValueError, LookupError, RuntimeError, OverflowError, AttributeError):
            yield Misfit(place, type(value), "the state of a random generator")


@dataclass(frozen=True)
class OfOptimiser:
    """The state of an optimiser with these weights and options; the learning rate is set at every step."""

    optimiser: Optimizer

    def misfits(self, value: Any, place: str) -> Iterator[Misfit]:
        """Yield the errors."""
        own = self.optimiser.state_dict()["param_groups"]
        weights = [weight for group in self.optimiser.param_groups for weight in group["params"]]
        names = OF_WEIGHT[type(self.optimiser).__name__]
        try:
            options = [group | {"lr": 0} for group in value["param_groups"]]
            fits = options == [group | {"lr": 0} for group in own] and all(
                set(found) in (set(), set(names)) and all(map(fits_weight(weights[number]), found.items()))
                for number, found in value["state"].items()
            )
        except (TypeError, LookupError, AttributeError, RuntimeError):
            fits = False
        if not fits:
            yield Misfit(place, type(value), f"the state of {type(self.optimiser).__name__} for {len(weights)} weights")


def fits_weight(weight: Tensor) -> Callable[[tuple[str, Any]], bool]:
    """Return whether an optimiser's named value belongs to a weight: a number of steps, else as large as the weight."""

    def holds(named: tuple[str, Any]) -> bool:
        name, value = named
        if name == "step":
            return Number(0).holds(value.item() if isinstance(value, Tensor) and value.numel() == 1 else value)
        return (name == "momentum_buffer" and value is None) or not any(Like(weight).misfits(value, name))

    return holds


def take_order(state: Any) -> None:
    """Give a spare generator of numpy this state."""
    np.random.default_rng(0).bit_generator.state = state


def state_form(
    epochs: Any, weights: Sequence[Tensor], optimisers: Sequence[Optimizer], device: torch.device, real: torch.dtype
) -> Form:
    """Return the form of the state of a training.

    Args:
        epochs: those of the state to check, from which its best epoch follows.
        weights: what the network learns.
        real: the type of the sum of losses.
    """
    if not isinstance(epochs, list) or next(ListOf(EPOCH).misfits(epochs, ""), None):
        return Section({"epochs": ListOf(EPOCH)})
    best, chosen, better = best_of([Epoch(**line) for line in epochs])
    numbered = [line | {"epoch": number} for number, line in enumerate(epochs, start=1)]
    every, on_gpu = Each([Like(weight) for weight in weights]), device.type == "cuda"
    of_gpu: Form = OfGenerator(torch.Generator(device).set_state) if on_gpu else Maybe(OfGenerator(Tensor.numel))
    return Section(
        {
            "weights": every,
            "optimisers": Each([OfOptimiser(optimiser) for optimiser in optimisers]),
            "order": OfGenerator(take_order),
            "epochs": OneOf((numbered,)),
            "best": OneOf((list(best),)),
            "best_weights": every if epochs else Each([]),
            "chosen": OneOf((chosen,)),
            "better": OneOf((better,)),
            "done": COUNT,
            "epoch_s": Number(0),
            "loss": Like(torch.zeros((), dtype=real)),
            "correct": Like(torch.zeros((), dtype=torch.int64)),
            "random": OfGenerator(torch.Generator().set_state),
            "random_gpu": of_gpu,
        },
        closed=True,
    )


def best_of(epochs: Sequence[Epoch]) -> tuple[tuple[float, float], int, int]:
    """Return score and negative dev loss of the best epoch, its number, and the last that raised the score."""
    best, chosen, better = NONE_BEST, 0, 0
    for line in epochs:
        score = (line.score, -line.dev_loss)
        better = line.epoch if line.score > best[0] else better
        best, chosen = (score, line.epoch) if score > best else (best, chosen)
    return best, chosen, better
