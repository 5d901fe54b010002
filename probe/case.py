"""Define a case of the probe and its result: arrays by name."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

Arrays = dict[str, np.ndarray]


@dataclass(frozen=True)
class Case:
    """Describe a small computation whose numbers are compared.

    Args:
        name: what is watched.
        asked: parameters and data. Two sides are compared only if they agree on what both know, so that a changed
            preset is no difference, and a new option is compared with its absence.
        recipe: unit -> version of all units that can change its numbers.
        run: returns its arrays; strings and integers must be equal, floats may differ within rounding.
        rounding: largest difference that counts as rounding, in addition to that of the arrays' own type.
    """

    name: str
    asked: Mapping[str, Any]
    recipe: Mapping[str, str]
    run: Callable[[Path], Arrays] = field(repr=False)
    rounding: float = 0.0


def texts(values: "list[str]") -> np.ndarray:
    """Return strings as an array that can be saved without pickle."""
    return np.array(values, dtype=np.str_)
