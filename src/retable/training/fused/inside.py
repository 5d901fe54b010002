"""What calls of torch are answered while a network runs under vmap, and what they told when it was probed."""

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor
from torch.overrides import TorchFunctionMode

from retable.training.fused.convolution import convolution
from retable.training.fused.over_runs import over_runs
from retable.training.fused.recurrence import gru_states, lstm_states


class InsideVmap(TorchFunctionMode):
    """Answers, for the network of one run, the calls that vmap cannot follow.

    - dropout: the next of the given masks.
    - `torch.lstm`, `torch.gru` of one direction of one layer: `recurrence.py`.
    - convolutions: `convolution.py`.
    - `is_cuda`: False, so that recurrent layers take the way over padded texts, which needs no packed ones; `is_cpu`:
      False, so that pooled convolutions are torch's, which is answered here.
    - the places of the real words (FCSR): all places. The vectors of padding are zero, and FCSR's sub-cells have no
      bias outside their gates: zero goes through them as zero, forth and back.

    Args:
        masks: of the dropout layers, in the order in which they are called.
    """

    def __init__(self, masks: Iterator[Tensor]) -> None:
        super().__init__()
        self.masks = masks

    def __torch_function__(
        self, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: Mapping[str, Any] | None = None
    ) -> Any:
        """The answer to a call of torch."""
        answer = ANSWERS.get(func)
        if answer is not None:
            return answer(self, *args, **(kwargs or {}))
        return func(*args, **(kwargs or {}))

    def dropout(self, x: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Tensor:
        """Components times 0 or 1 / (1 - p); as torch's, nothing is drawn where nothing can be dropped."""
        if not drops(p, training):
            return x
        return x * next(self.masks).to(x.dtype)

    def lstm(self, words: Tensor, start: Any, weights: Any, *_: Any) -> tuple[Tensor, None, None]:
        """As `layers.recurrent.one_direction` asks for it: from states of zero, batch first."""
        return over_runs(lstm_states, words, *weights), None, None

    def gru(self, words: Tensor, start: Any, weights: Any, *_: Any) -> tuple[Tensor, None]:
        """As `lstm`."""
        return over_runs(gru_states, words, *weights), None

    def convolve(
        self, words: Tensor, filters: Tensor, bias: Tensor, stride: Any, padding: tuple[int], *_: Any
    ) -> Tensor:
        """As nn.Conv1d asks for it: of stride 1."""
        return over_runs(partial(convolution, padding=padding[0]), words, filters, bias)

    def all_places(self, flat_mask: Tensor) -> Tensor:
        """As `nonzero` of a mask (place,) that is True everywhere."""
        return torch.arange(len(flat_mask), device=flat_mask.device).unsqueeze(1)

    def no_device(self, *_: Any) -> bool:
        """For what a layer asks of its device."""
        return False


ANSWERS: dict[Any, Callable[..., Any]] = {
    F.dropout: InsideVmap.dropout,
    torch.lstm: InsideVmap.lstm,
    torch.gru: InsideVmap.gru,
    F.conv1d: InsideVmap.convolve,
    torch.Tensor.nonzero: InsideVmap.all_places,
    torch.Tensor.is_cuda.__get__: InsideVmap.no_device,  # type: ignore[attr-defined]
    torch.Tensor.is_cpu.__get__: InsideVmap.no_device,  # type: ignore[attr-defined]
}


class Watching(TorchFunctionMode):
    """Notes the shape, the share and the order in memory of every dropout that a network asks for."""

    def __init__(self) -> None:
        super().__init__()
        self.seen: list[tuple[tuple[int, ...], float, tuple[int, ...]]] = []

    def __torch_function__(
        self, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: Mapping[str, Any] | None = None
    ) -> Any:
        """The call itself."""
        if func is F.dropout:
            self.note(*args, **(kwargs or {}))
        return func(*args, **(kwargs or {}))

    def note(self, x: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> None:
        """One dropout."""
        if drops(p, training):
            order = sorted(range(x.dim()), key=x.stride().__getitem__, reverse=True)
            self.seen.append((tuple(x.shape), p, tuple(order)))


def drops(p: float, training: bool) -> bool:
    """Whether a dropout draws numbers."""
    return training and p > 0
