"""Define a case of the probe, and what it leaves: arrays by name."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

Arrays = dict[str, np.ndarray]


@dataclass(frozen=True)
class Case:
    """A small computation whose numbers are compared.

    Args:
        name: of what is watched.
        asked: parameters and data. Two sides are compared only where what both know is the same, so that another
            preset is no difference, and a new option is compared with its absence.
        recipe: unit -> version of all units that can change its numbers.
        run: gives its arrays; those of strings and whole numbers must be equal, floats may differ within rounding.
        rounding: largest difference that is rounding, beside that of the arrays' own type.
    """

    name: str
    asked: Mapping[str, Any]
    recipe: Mapping[str, str]
    run: Callable[[Path], Arrays] = field(repr=False)
    rounding: float = 0.0


def texts(values: "list[str]") -> np.ndarray:
    """Strings as an array that a file can hold without pickle."""
    return np.array(values, dtype=np.str_)
