"""The precision of a forward pass: float32, or bfloat16 by autocast."""

from collections.abc import Iterator
from contextlib import contextmanager

import torch


@contextmanager
def forward_pass(device: str, precision: str) -> Iterator[None]:
    """Compute in a precision, float32 or bfloat16, within the `with`; weights stay float32.

    oneDNN's LSTM refuses bfloat16 on a processor without AVX-512: there torch's own takes its place, whose states are
    float32.

    Args:
        device: cpu or cuda.
    """
    narrow, onednn = precision == "bfloat16", torch._C._get_mkldnn_enabled()
    refused = narrow and device == "cpu" and not torch.ops.mkldnn._is_mkldnn_bf16_supported()
    torch._C._set_mkldnn_enabled(onednn and not refused)  # torch.backends.mkldnn.flags warns of another option
    try:
        with torch.autocast(device, torch.bfloat16, enabled=narrow):
            yield
    finally:
        torch._C._set_mkldnn_enabled(onednn)
