"""Training that gives equal bits from run to run on a GPU too."""

import os
from collections.abc import Iterator
from contextlib import contextmanager

import torch

WORKSPACE = "CUBLAS_WORKSPACE_CONFIG"  # cuBLAS reads it when a process first multiplies


@contextmanager
def deterministic(asked: bool) -> Iterator[None]:
    """While the block runs, torch takes algorithms alone that repeat their bits, and refuses what has none.

    On a CPU they do so anyway, with as many threads. On a GPU sums of gradients of word vectors, for one, are added
    in whatever order comes, and cuDNN may choose another algorithm each time.

    Args:
        asked: False leaves torch as it is.
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
