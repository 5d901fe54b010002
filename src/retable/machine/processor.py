"""The machine's processor, as reported by Linux."""

from pathlib import Path

CPU_INFO = Path("/proc/cpuinfo")


def processor_fact(name: str) -> str:
    """Return a field of the first processor in /proc/cpuinfo, e.g. its "model name"; "" if it is missing."""
    try:
        lines = CPU_INFO.read_text(encoding="utf-8").splitlines()
    except OSError:
        return ""
    return next((line.partition(":")[2].strip() for line in lines if line.partition(":")[0].strip() == name), "")
