"""A table of counts: parameters and exponents of FLOPs, from the networks that are trained, beside the printed numbers.

Method     the networks are built on torch's meta device, whose tensors have shapes but no numbers: exact at any size,
           and free. FLOPs are those of the matrix products of one forward pass over one text, as counted by torch.
"""

import math
from collections.abc import Mapping, Sequence
from typing import Any

import torch
from torch import nn
from torch.utils.flop_counter import FlopCounterMode

from retable.layers.embedding import WordEmbedding
from retable.layers.network import Network, Task
from retable.models import network_class
from retable.papers.counts import CountTable, Exponent, ParameterCount
from retable.tables.lines import Line, joined, judged
from retable.tables.published import Published

FACTOR = {"million": 1e6, "count": 1.0, "power": 1.0}
DIGITS = {"million": 3, "count": 0, "power": 2}
LARGE = 2**20  # where an exponent is measured: here the highest power dominates the rest by a factor of thousands


def count_lines(table: CountTable, published: Sequence[Published]) -> list[Line]:
    """Return all lines of a table, in the order of its cells; printed cells that are not counted come last."""
    printed = {(number.row, number.column): number for number in published if number.metric == table.metric}
    lines = [_counted(table, cell, count, printed.get(cell)) for cell, count in table.cells.items()]
    missing = [number for cell, number in printed.items() if cell not in table.cells]
    return lines + [
        Line(number.row, number.column, number.metric, published=number.value, unit=number.unit, verdict="not-run")
        for number in missing
    ]


def measure(count: ParameterCount | Exponent) -> float:
    """Return the number of parameters, or the exponent."""
    return float(parameters(count)) if isinstance(count, ParameterCount) else exponent(count)


def parameters(count: ParameterCount) -> int:
    """Return the number of parameters in parts of a network.

    Raises: ValueError if no network of this model has one of the parts.
    """
    network = _network(count.model, count.dim, count.classes, count.options)
    found = {part: _numbers(network, part) for part in count.parts}
    absent = [part for part, numbers in found.items() if not numbers]
    if absent:
        raise ValueError(f"parts is {list(count.parts)}, but {count.model} has no parameters in {', '.join(absent)}")
    return sum(found.values()) if count.parts else _numbers(network)


def exponent(count: Exponent) -> float:
    """Return log2 of the factor by which doubling a large size multiplies the FLOPs."""
    small, large = (flops(count, size) for size in (LARGE, 2 * LARGE))
    return math.log2(large / small)


def flops(count: Exponent, varied: int) -> int:
    """Return the forward FLOPs of the counted modules on one text, at one value of the varied size."""
    sizes = {**count.sizes, count.vary: varied}
    words, dim = sizes.pop("words"), sizes.pop("dim")
    network = _network(count.model, dim, 2, sizes).eval()
    with torch.device("meta"), torch.no_grad(), FlopCounterMode(display=False) as counter:
        network(torch.zeros(1, words, dtype=torch.int64), torch.ones(1, words, dtype=torch.bool))
    of_modules = {name: sum(by_kind.values()) for name, by_kind in counter.get_flop_counts().items()}
    root = type(network).__name__
    counted = sum(of_modules[f"{root}.{name}"] for name in count.parts) if count.parts else of_modules[root]
    return counted - sum(of_modules[f"{root}.{name}"] for name in count.without)


def _network(model: str, dim: int, classes: int, options: Mapping[str, Any]) -> Network:
    task = Task(labels=("",) * classes)
    with torch.device("meta"):
        return network_class(model).build(WordEmbedding(torch.empty(2, dim), tuned=0), task, options)


def _numbers(network: nn.Module, part: str = "") -> int:
    """Return the number of parameters in a named part, or in the whole network without a name.

    The word vectors of these networks are not parameters, because nothing is tuned.
    """
    prefix = f"{part}." if part else ""
    return sum(weight.numel() for name, weight in network.named_parameters() if f"{name}.".startswith(prefix))


def _counted(
    table: CountTable, cell: tuple[str, str], count: ParameterCount | Exponent, number: Published | None
) -> Line:
    digits = DIGITS[table.unit]
    measured = f"{measure(count) / FACTOR[table.unit]:.{digits}f}"
    difference = float(measured) - float(number.value) if number else 0.0
    return Line(
        *cell,
        table.metric,
        measured,
        published=number.value if number else "",
        delta=f"{difference:+.{digits}f}" if number else "",
        unit=table.unit,
        match="exact" if number else "",
        verdict=judged(difference) if number else "",
        note=joined((table.note(*cell), number.remark if number else "")),
    )
