"""Times: repeated, taken in turns with the peer's so that another program on the machine slows both, and by their
median.

The machine's matrix product, in the same run, is the physical limit of most paths, and the scale for figures that were
taken on another machine.
"""

import os
import platform
import resource
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from datetime import date
from functools import cache
from statistics import median
from typing import Any

import torch
from torch import Tensor

from retable.layers import products
from retable.training.run import device_name

FACTS_RATE = 195e9  # multiply-adds times two a second in float32 of the machine whose figures are scaled
TEXTS_X_WORDS, SIZE = 1250, 300  # a batch of 50 texts of 25 words, at FCSR's width
MATRIX_REPEATS = 5


def seconds(function: Callable[[], object]) -> float:
    """Wall time of one call."""
    start = time.perf_counter()
    function()
    return time.perf_counter() - start


def in_turns(ways: Mapping[str, Callable[[], object]], repeats: int, *, warm: bool = True) -> dict[str, list[float]]:
    """Wall times of every way, called in turns: a, b, a, b, ...

    Args:
        ways: name -> what is timed.
        repeats: calls of each that count.
        warm: whether each is called once before, uncounted.
    """
    times: dict[str, list[float]] = {name: [] for name in ways}
    for turn in range(repeats + warm):
        for name, function in ways.items():
            took = seconds(function)
            if turn or not warm:
                times[name].append(took)
    return times


def rates(ways: Mapping[str, Callable[[], object]], work: float, repeats: int) -> dict[str, float]:
    """Work a second of every way, by the median of its times."""
    return {name: work / median(times) for name, times in in_turns(ways, repeats).items()}


def gate_product(dtype: torch.dtype) -> tuple[Callable[[], Tensor], float]:
    """The product of FCSR's gates, (1250, 900) by (900, 1200), and its floating-point operations."""
    left = torch.randn(TEXTS_X_WORDS, 3 * SIZE).to(dtype)
    right = torch.randn(3 * SIZE, 4 * SIZE).to(dtype)
    return lambda: left @ right, 2.0 * TEXTS_X_WORDS * 3 * SIZE * 4 * SIZE


def gate_product_by_onednn() -> Callable[[], Tensor]:
    """The same product by oneDNN, in float32."""
    left, right = torch.randn(TEXTS_X_WORDS, 3 * SIZE), torch.randn(4 * SIZE, 3 * SIZE)
    return lambda: products.product(left, right)


@cache  # one rate for all groups of a run
def matrix_rate(dtype: torch.dtype = torch.float32, repeats: int = MATRIX_REPEATS) -> float:
    """Floating-point operations a second of a large matrix product: the median of several."""
    product, operations = gate_product(dtype)
    times = in_turns({"product": lambda: [product() for _ in range(8)]}, repeats)["product"]
    return 8 * operations / median(times)


class RateBeside:
    """The rate of products, timed now and then while something else is measured; the median counts."""

    def __init__(self) -> None:
        self.product, self.operations = gate_product(torch.float32)
        self.product()
        self.times: list[float] = []

    def __call__(self) -> None:
        """Time four products."""
        self.times.append(seconds(lambda: [self.product() for _ in range(4)]))

    @property
    def rate(self) -> float:
        """Floating-point operations a second."""
        return 4 * self.operations / median(self.times)


def scaled_s(elsewhere_s: float, rate: float) -> float:
    """Seconds taken on the machine of FACTS_RATE, as this machine's matrix products let one expect them here."""
    return elsewhere_s * FACTS_RATE / rate


def child_seconds(command: Sequence[str], repeats: int, **environment: str) -> tuple[float, float]:
    """Wall and CPU seconds of a program, medians.

    Raises: subprocess.CalledProcessError if it fails.
    """
    walls, cpus = [], []
    for _ in range(repeats):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        start = time.perf_counter()
        subprocess.run(command, check=True, capture_output=True, env=os.environ | environment)
        walls.append(time.perf_counter() - start)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        cpus.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return median(walls), median(cpus)


def machine() -> dict[str, Any]:
    """What the figures depend on beside the code."""
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
