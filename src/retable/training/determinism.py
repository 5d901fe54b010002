"""Training that is bit-for-bit repeatable, on a GPU too, and in the precision that it names."""

import os
from collections.abc import Iterator
from contextlib import contextmanager

import torch

WORKSPACE = "CUBLAS_WORKSPACE_CONFIG"  # cuBLAS reads it when a process first multiplies


@contextmanager
def deterministic(asked: bool) -> Iterator[None]:
    """Make torch use only deterministic algorithms within the block, and refuse operations without one.

    On a CPU this holds anyway, for a fixed number of threads. On a GPU, gradients of word vectors, for example, are
    summed in arbitrary order, and cuDNN may choose another algorithm each time.

    Args:
        asked: False leaves torch unchanged.
    """
    if not asked:
        yield
        return
    cudnn = torch.backends.cudnn
    before = torch.are_deterministic_algorithms_enabled(), cudnn.deterministic, cudnn.benchmark
    os.environ.setdefault(WORKSPACE, ":4096:8")
    torch.use_deterministic_algorithms(True)
    cudnn.deterministic, cudnn.benchmark = True, False
    try:
        yield
    finally:
        torch.use_deterministic_algorithms(before[0])
        cudnn.deterministic, cudnn.benchmark = before[1:]


@contextmanager
def float32_layers() -> Iterator[None]:
    """Keep cuDNN's convolutions and recurrent layers in float32 within the block; torch lets them round to TF32.

    Other products are in float32 unless the caller asked torch for less.
    """
    cudnn = torch.backends.cudnn
    before, cudnn.allow_tf32 = cudnn.allow_tf32, False
    try:
        yield
    finally:
        cudnn.allow_tf32 = before
