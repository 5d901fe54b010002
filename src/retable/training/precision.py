"""The precision of a training step: float32, or bfloat16 by autocast."""

from contextlib import AbstractContextManager, nullcontext
from typing import Any

import torch
from torch import Tensor
from torch.utils._python_dispatch import TorchDispatchMode

aten = torch.ops.aten
PRODUCTS = {
    aten.mm.default,
    aten.bmm.default,
    aten.addmm.default,
    aten.baddbmm.default,
    aten.convolution.default,
    aten.convolution_backward.default,
    aten.mkldnn_rnn_layer.default,
    aten.mkldnn_rnn_layer_backward.default,
}


def forward_pass(device: str, precision: str) -> torch.autocast:
    """Compute a forward pass in a precision, float32 or bfloat16, within the `with`; weights stay float32.

    Args:
        device: cpu or cuda.
    """
    return torch.autocast(device, torch.bfloat16, enabled=precision == "bfloat16")


def wide_products(device: str, precision: str) -> AbstractContextManager[Any]:
    """Multiply as fast as the processor can within the `with`: around forward passes, and gradients of such passes.

    Torch's inference_mode hides products from it; no_grad does not.
    """
    return WideProducts() if lacks_bfloat16(device, precision) else nullcontext()


def lacks_bfloat16(device: str, precision: str) -> bool:
    """Return whether this is bfloat16 on a processor that has no instructions for it."""
    return precision == "bfloat16" and device == "cpu" and not torch.ops.mkldnn._is_mkldnn_bf16_supported()


class WideProducts(TorchDispatchMode):
    """Within the `with`, multiply bfloat16 matrices in float32 and round the result.

    Without bfloat16 instructions, torch multiplies them number by number, some twenty times slower than float32
    (docs/speed.md), and oneDNN's LSTM refuses them. Products of matrices are equal bit for bit; a convolution's
    gradients, which torch does not sum in float32, are more exact.
    """

    def __torch_dispatch__(self, operation: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        """Compute an operation."""
        if operation not in PRODUCTS or not all_bfloat16(args):
            return operation(*args, **(kwargs or {}))
        found = operation(*map(widened, args), **(kwargs or {}))
        return tuple(map(narrowed, found)) if isinstance(found, tuple) else narrowed(found)


def all_bfloat16(args: Any) -> bool:
    """Return whether all tensors of numbers among the arguments are bfloat16; torch itself refuses a mixture."""
    return {each.dtype for each in args if isinstance(each, Tensor) and each.is_floating_point()} == {torch.bfloat16}


def widened(given: Any) -> Any:
    """Return a bfloat16 tensor in float32, and anything else as it is."""
    return given.float() if isinstance(given, Tensor) and given.dtype == torch.bfloat16 else given


def narrowed(given: Any) -> Any:
    """Return a float32 tensor in bfloat16, and anything else as it is."""
    return given.bfloat16() if isinstance(given, Tensor) and given.dtype == torch.float32 else given
