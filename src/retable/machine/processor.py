"""The processor that this machine has, as Linux tells it."""

from pathlib import Path

CPU_INFO = Path("/proc/cpuinfo")


def processor_fact(name: str) -> str:
    """Return what /proc/cpuinfo says of the first processor, say its "model name"; empty if nothing."""
    try:
        lines = CPU_INFO.read_text(encoding="utf-8").splitlines()
    except OSError:
        return ""
    return next((line.partition(":")[2].strip() for line in lines if line.partition(":")[0].strip() == name), "")
