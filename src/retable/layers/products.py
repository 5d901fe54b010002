"""Linear layer that multiplies with oneDNN where MKL is slow.

Why        torch multiplies float32 matrices with MKL, which falls back to AVX2 code on non-Intel processors: 98 GFLOP/s
           per core, where oneDNN with AVX-512 reaches 185 to 205 (benchmarks/NOTES.md). The operator is the one that
           torch's compiler emits for linear layers. The layer is torch's own on Intel processors, on a GPU, in ONNX
           export, where the processor's vendor is unknown, and where torch no longer has the operator.
Shapes     N rows, I inputs, O outputs.
"""

from functools import cache
from typing import Any

import torch
from torch import Tensor, nn

from retable.machine.processor import processor_fact


class Linear(nn.Linear):
    """torch's linear layer, with a faster product of float32 matrices on a CPU."""

    def forward(self, x: Tensor) -> Tensor:
        """Map (..., I) to (..., O)."""
        others = x.dim() < 2 or x.device.type != "cpu" or x.dtype != torch.float32 or torch.is_autocast_enabled("cpu")
        if others or torch.jit.is_tracing() or not onednn_is_faster():  # type: ignore[attr-defined]
            return super().forward(x)
        y: Tensor = _Linear.apply(x.flatten(0, -2), self.weight, self.bias)
        return y.unflatten(0, x.shape[:-1])


@cache
def onednn_is_faster() -> bool:
    """Return whether MKL takes its slow path on this processor and torch has oneDNN's operator."""
    wide = torch.backends.cpu.get_cpu_capability() == "AVX512"
    operator = torch.backends.mkldnn.is_available() and hasattr(torch.ops.mkldnn, "_linear_pointwise")
    return wide and operator and processor_fact("vendor_id") not in {"", "GenuineIntel"}


def product(x: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """Return x weight^T + bias: (N, I) and (O, I) to (N, O)."""
    if not (weight.is_contiguous() or weight.t().is_contiguous()):
        weight = weight.contiguous()  # the operator is a thousand times slower with gaps between rows
    y: Tensor = torch.ops.mkldnn._linear_pointwise(x, weight, bias, "none", [], "")
    return y


class _Linear(torch.autograd.Function):
    """Compute x weight^T + bias and its gradients."""

    @staticmethod
    def forward(x: Tensor, weight: Tensor, bias: Tensor | None) -> Tensor:
        return product(x, weight, bias)

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Tensor, Tensor, Tensor | None], output: Tensor) -> None:
        x, weight, bias = inputs
        ctx.save_for_backward(x, weight)
        ctx.has_bias = bias is not None

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor, Tensor, Tensor | None]:
        x, weight = ctx.saved_tensors
        (of_y,) = gradients
        of_bias = of_y.sum(dim=0) if ctx.has_bias else None
        return product(of_y, weight.t()), product(of_y.t(), x.t()), of_bias
