"""Sum up the cost of a row's runs over all measured columns: parameters, FLOPs per word, speed and time."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from statistics import median
from typing import Any

from retable.files import read_csv
from retable.tables.lines import UNVERIFIED, check_numbers

Costs = Iterable[Mapping[str, Any]]  # one mapping per run: row, and the fields of cost.json, as numbers or text
NOT_KEPT = "–"
BESIDE = f" ({UNVERIFIED})"  # a name of a row with such a run
OF_RUN = {  # field of cost.json -> its title and format
    "parameters": ("trained parameters", "{:,.0f}"), "parameters_tuned_words": ("of which in word vectors", "{:,.0f}"),
    "flops_per_word": ("FLOPs per word, forward", "{:,.0f}"), "words_per_second": ("words/s, training", "{:,.0f}"),
    "seconds_per_epoch": ("seconds per epoch", "{:,.1f}"), "seconds": ("seconds in total", "{:,.1f}"),
    "peak_memory_mb": ("peak memory, MB", "{:,.0f}"), "peak_gpu_memory_mb": ("peak memory of the GPU, MB", "{:,.0f}"),
    "device": ("device", "{}"), "threads": ("threads", "{}"),
}  # fmt: skip
NUMBERS = (
    "parameters", "parameters_tuned_words", "flops_per_word", "words_per_second", "seconds_per_epoch", "peak_memory_mb",
)  # fmt: skip
HEADER = ("", "parameters", "FLOPs per word", "words/s", "seconds per epoch", "peak MB", "threads")
NOTE = (
    "Parameters are the trained ones, without word vectors; FLOPs are of the forward pass, per character "
    "where texts are read as characters; words/s is the median of "
    "the columns. For a linear row an epoch is one candidate. Times are this machine's (docs/timing.md), comparable "
    "between rows with equal threads, and so is the process's memory; a dash: not kept, because the machine had other "
    "work, or trained on a GPU."
)


def read_cost_lines(path: Path) -> list[dict[str, str]]:
    """Read a table's cost.csv. Raises: InputError if it is damaged, or a number in it is not one."""
    found = read_csv(path, columns=("row", "threads", *NUMBERS))
    for number, cost in enumerate(found, start=2):
        check_numbers(f"{path}, line {number}", cost, NUMBERS)
    return found


def cost_table(costs: Costs, printed: Mapping[str, str]) -> list[list[str]]:
    """Return the cells of a table under HEADER, one line per measured row, in the order of `printed`.

    Args:
        printed: row -> its printed name.
    """
    of_row: dict[str, list[Mapping[str, Any]]] = {}
    for cost in costs:
        of_row.setdefault(str(cost["row"]), []).append(cost)
    return [
        [
            name + (BESIDE if any(cost.get(UNVERIFIED) for cost in of_row[row]) else ""),
            span([_number(cost, "parameters") - _number(cost, "parameters_tuned_words") for cost in of_row[row]]),
            span([_number(cost, "flops_per_word") for cost in of_row[row]]),
            short(median(speeds)) if (speeds := _known(of_row[row], "words_per_second")) else NOT_KEPT,
            span(times) if (times := _known(of_row[row], "seconds_per_epoch")) else NOT_KEPT,
            span(memory) if (memory := _known(of_row[row], "peak_memory_mb")) else NOT_KEPT,
            ", ".join(sorted({str(cost["threads"]) for cost in of_row[row]})),
        ]
        for row, name in printed.items()
        if row in of_row
    ]


def cost_of_run(cost: Mapping[str, Any]) -> dict[str, str]:
    """Return title -> value, for the fields of a run's cost that are known."""
    return {title: form.format(cost[name]) for name, (title, form) in OF_RUN.items() if cost.get(name) is not None}


def span(values: list[float]) -> str:
    """Return the smallest and the largest value, "1.2 K to 3.4 M"; only one if both read alike."""
    least, most = short(min(values)), short(max(values))
    return least if least == most else f"{least} to {most}"


def short(value: float) -> str:
    """Format a number with two or three digits: 0.35, 12, 845, 1.2 K, 34 M."""
    for unit, name in ((1e9, " G"), (1e6, " M"), (1e3, " K")):
        if abs(value) >= 0.9995 * unit:
            return _digits(value / unit) + name
    return _digits(value)


def _digits(value: float) -> str:
    return (
        f"{value:.0f}" if abs(value) >= 9.95 or value == 0 else f"{value:.1f}" if abs(value) >= 0.95 else f"{value:.2f}"
    )


def _known(costs: list[Mapping[str, Any]], name: str) -> list[float]:
    """Return the known values of the runs: times taken on a busy machine are not kept."""
    return [_number(cost, name) for cost in costs if cost.get(name) not in (None, "")]


def _number(cost: Mapping[str, Any], name: str) -> float:
    value = cost.get(name)
    return 0.0 if value in (None, "") else float(value)
