"""Time paths in turns with their peers, so that other load on the machine affects both.

The limit of most paths is the machine's matrix-product rate, measured in the same run.
"""

import os
import platform
import time
from collections.abc import Callable, Iterable, Mapping
from datetime import date
from functools import cache
from statistics import median
from typing import Any

import torch
from torch import Tensor
from torch.optim import Optimizer

from retable.training.run import device_name

ROWS, INNER, COLUMNS = 1250, 900, 1200  # FCSR's gates at n = 300 on 50 texts of 25 words
OPERATIONS = 2.0 * ROWS * INNER * COLUMNS
PRODUCTS = "matrix products"


def seconds(function: Callable[[], object]) -> float:
    """Return the wall time of one call."""
    start = time.perf_counter()
    function()
    return time.perf_counter() - start


def in_turns(ways: Mapping[str, Callable[[], object]], repeats: int, *, warm: bool = True) -> dict[str, list[float]]:
    """Time all functions, called in turns: a, b, a, b, ...

    Args:
        ways: name -> function to time.
        repeats: counted calls of each.
        warm: whether each is first called once uncounted.
    """
    times: dict[str, list[float]] = {name: [] for name in ways}
    for turn in range(repeats + warm):
        for name, function in ways.items():
            took = seconds(function)
            if turn or not warm:
                times[name].append(took)
    return times


def product(dtype: torch.dtype = torch.float32) -> Callable[[], Tensor]:
    """Return a torch product of the size of FCSR's gates, of OPERATIONS operations."""
    left, right = torch.randn(ROWS, INNER).to(dtype), torch.randn(INNER, COLUMNS).to(dtype)
    return lambda: left @ right


@cache  # one rate for all groups of a run
def matrix_rate(repeats: int = 20) -> float:
    """Return the median rate of matrix products, in floating-point operations per second."""
    return OPERATIONS / median(in_turns({"product": product()}, repeats)["product"])


def training_epoch(
    loss: Callable[..., Tensor], optimiser: Optimizer, batches: Iterable[tuple[Tensor, ...]]
) -> Callable[[], None]:
    """Return an epoch in plain torch: forward, backward and step on every batch."""

    def epoch() -> None:
        for batch in batches:
            optimiser.zero_grad()
            loss(*batch).backward()  # type: ignore[no-untyped-call]
            optimiser.step()

    return epoch


def machine() -> dict[str, Any]:
    """Return what the figures depend on besides the code."""
    return {
        "cpu": device_name(torch.device("cpu")),
        "cores": os.cpu_count(),
        "threads": torch.get_num_threads(),
        "torch": torch.__version__,
        "blas": "MKL" if torch.backends.mkl.is_available() else "other",  # type: ignore[no-untyped-call]
        "cpu_capability": torch.backends.cpu.get_cpu_capability(),
        "python": platform.python_version(),
        "date": date.today().isoformat(),
    }
