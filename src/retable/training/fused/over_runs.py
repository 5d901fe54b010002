"""A way past vmap's rules: under vmap, compute a function at the level where the runs' dimension is plain."""

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor


class _OverRuns(torch.autograd.Function):
    """A function of tensors with a first dimension of runs, called under vmap, where each is one run's."""

    @staticmethod
    def forward(*_: Any) -> Tensor:
        raise AssertionError("only under vmap")

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: Any) -> None:
        """Nothing is kept: torch differentiates what `vmap` computes."""

    @staticmethod
    def vmap(
        info: Any, in_dims: tuple[int | None, ...], function: Callable[..., Tensor], *tensors: Tensor
    ) -> tuple[Tensor, int]:
        """All runs at once."""
        of_runs = [
            tensor.expand(info.batch_size, *tensor.shape) if dim is None else tensor.movedim(dim, 0)
            for tensor, dim in zip(tensors, in_dims[1:], strict=True)
        ]
        return function(*of_runs), 0


def over_runs(function: Callable[..., Tensor], *tensors: Tensor) -> Tensor:
    """Under vmap: what `function` makes of the tensors of all runs, each (k, ...), for the run that asks.

    torch differentiates `function`, and neither vmap nor a mode that answers calls costs anything within it.
    """
    found: Tensor = _OverRuns.apply(function, *tensors)
    return found
