"""Joules that the machine counted while something ran: the processor's packages and memory, and one GPU.

Processor  Linux's powercap: /sys/class/powercap/intel-rapl:*/energy_uj (AMD's too), which only root may read unless
           an administrator allows it. A counter begins at zero again after max_energy_range_uj, on a busy server within
           a quarter of an hour: it is read every `INTERVAL_S`, and the steps are added.
GPU        nvmlDeviceGetTotalEnergyConsumption of the driver's libnvidia-ml: millijoules since the driver was loaded,
           Volta and later. It is a counter, so that nothing is lost between two readings.

Both count the whole package or board, whatever else runs on it beside: joules compare on a machine of one's own.
"""

import ctypes
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import torch

POWERCAP = Path("/sys/class/powercap")
INTERVAL_S = 30.0
MICRO, MILLI = 1e-6, 1e-3


@dataclass
class Counter:
    """A zone of powercap: its folder, and what it has counted since it was opened.

    A package's number has its cores in it and, on servers, not its memory; the zone `psys` has all of them again.
    """

    folder: Path
    range_uj: int
    last_uj: int
    microjoules: int = 0

    @classmethod
    def opened(cls, folder: Path) -> "Counter":
        """Begin to count. Raises: OSError where it may not be read, ValueError where it holds no number."""
        return cls(folder, read_number(folder / "max_energy_range_uj"), read_number(folder / "energy_uj"))

    def step(self) -> None:
        """Add what was counted since the last reading, once round included. Raises: OSError, ValueError."""
        now = read_number(self.folder / "energy_uj")
        self.microjoules += now - self.last_uj + (self.range_uj if now < self.last_uj else 0)
        self.last_uj = now


def read_number(path: Path) -> int:
    """The whole number that a file of sysfs holds."""
    return int(path.read_text(encoding="ascii"))


def opened_zones(powercap: Path) -> list[Counter]:
    """The packages and their memory; none where the machine has no such counter or keeps it to itself."""
    try:
        names = {
            folder: (folder / "name").read_text(encoding="ascii").strip() for folder in powercap.glob("intel-rapl:*")
        }
        counted = [folder for folder, name in names.items() if name.startswith("package") or name == "dram"]
        return [Counter.opened(folder) for folder in sorted(counted)]
    except (OSError, ValueError):
        return []  # a part of the packages would be told as the whole


@dataclass
class Meter:
    """What was counted; None where the machine does not tell."""

    zones: list[Counter]
    gpu: "Gpu | None"
    processor_joules: float | None = None
    gpu_joules: float | None = None
    lock: threading.Lock = field(default_factory=threading.Lock)

    def step(self) -> None:
        """Read the processor's counters; one that fails once is not told at all."""
        with self.lock:
            try:
                for zone in self.zones:
                    zone.step()
            except (OSError, ValueError):
                self.zones = []

    def finish(self, gpu_start: float | None) -> None:
        """The last reading."""
        self.step()
        if self.zones:
            self.processor_joules = MICRO * sum(zone.microjoules for zone in self.zones)
        end = self.gpu.joules() if self.gpu else None
        if end is not None and gpu_start is not None:
            self.gpu_joules = end - gpu_start

    def cost(self) -> dict[str, float | None]:
        """As cost.json has it."""
        return {"joules_processor": self.processor_joules, "joules_gpu": self.gpu_joules}


@contextmanager
def metered(gpu: "Gpu | None" = None, *, powercap: Path = POWERCAP, interval_s: float = INTERVAL_S) -> Iterator[Meter]:
    """Count while the block runs; the meter has its numbers once the block has ended.

    Args:
        gpu: `gpu_of` the device that the block computes on; None: no GPU is counted.
        powercap: where the processor's counters lie.
        interval_s: seconds between two readings, less than a counter takes for one round.
    """
    meter, ended = Meter(opened_zones(powercap), gpu), threading.Event()
    start = gpu.joules() if gpu else None

    def keep_reading() -> None:
        while not ended.wait(interval_s):
            meter.step()

    reader = threading.Thread(target=keep_reading, name="energy", daemon=True)
    if meter.zones:
        reader.start()
    try:
        yield meter
    finally:
        ended.set()
        if reader.ident is not None:
            reader.join()
        meter.finish(start)


@dataclass(frozen=True)
class Gpu:
    """A GPU as the driver's library knows it."""

    library: ctypes.CDLL
    handle: ctypes.c_void_p

    def joules(self) -> float | None:
        """Counted since the driver was loaded; None where this GPU does not count."""
        millijoules = ctypes.c_ulonglong()
        status = self.library.nvmlDeviceGetTotalEnergyConsumption(self.handle, ctypes.byref(millijoules))
        return MILLI * millijoules.value if status == 0 else None


def gpu_of(device: "torch.device", library: str = "libnvidia-ml.so.1") -> Gpu | None:
    """The GPU of a device of torch; None for another device, or without the driver's library.

    The GPU is found by its UUID: CUDA_VISIBLE_DEVICES changes torch's numbers and not the driver's.
    """
    if device.type != "cuda":
        return None
    import torch  # not at the top: a reader of counters needs no torch

    return gpu_of_uuid(str(torch.cuda.get_device_properties(device).uuid), library)


def gpu_of_uuid(uuid: str, library: str) -> Gpu | None:
    """The GPU of a UUID, with or without the driver's prefix "GPU-"."""
    try:
        driver = ctypes.CDLL(library)
        handle = ctypes.c_void_p()
        name = f"GPU-{uuid.removeprefix('GPU-')}".encode("ascii")
        if driver.nvmlInit_v2() or driver.nvmlDeviceGetHandleByUUID(name, ctypes.byref(handle)):
            return None
        return Gpu(driver, handle)
    except (OSError, AttributeError):  # no such library, or one that lacks a function
        return None
