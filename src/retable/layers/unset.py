"""Layers without first weights, for a network that is only asked whether its options fit together."""

from collections.abc import Mapping, Sequence
from typing import Any

import torch
from torch.overrides import TorchFunctionMode

DRAWS = (torch.Tensor.normal_, torch.Tensor.uniform_)


class UnsetWeights(TorchFunctionMode):
    """Leave out the functions of torch.nn.init, and what fills a tensor with random numbers, within the block.

    On the meta device, where a tensor has no numbers, torch would import its compiler to draw them: 1.3 seconds.
    """

    def __torch_function__(
        self, func: Any, types: Sequence[type], args: Sequence[Any] = (), kwargs: Mapping[str, Any] | None = None
    ) -> Any:
        """Return the tensor that was to be filled, or the result of a function that draws nothing."""
        options = dict(kwargs or {})
        if func in DRAWS or getattr(func, "__module__", None) == "torch.nn.init":
            return options["tensor"] if "tensor" in options else args[0]
        return func(*args, **options)
