"""Define a table of counts: a cell is a network that is only built, or called once, and never trained."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class ParameterCount:
    """Ask for the number of parameters of a model.

    Attributes:
        model: the model's id in the registry.
        dim: dimension of a word vector.
        classes: number of classes.
        options: options of the model; the others have their defaults.
        parts: names of the counted modules; () counts all but the word vectors.
    """

    model: str
    dim: int
    classes: int = 2
    options: Mapping[str, Any] = field(default_factory=dict)
    parts: tuple[str, ...] = ()


@dataclass(frozen=True)
class Exponent:
    """Ask for the exponent with which the forward FLOPs of a model's modules grow in a size, when that size is large.

    Attributes:
        model: the model's id in the registry.
        vary: the size that is doubled: words (of a text), dim (of a word vector), or an option of the model.
        sizes: the values of words, dim and the options; that of `vary` is ignored.
        parts: names of the counted modules; () counts the whole network.
        without: modules inside of them that are excluded.
    """

    model: str
    vary: str
    sizes: Mapping[str, Any]
    parts: tuple[str, ...] = ()
    without: tuple[str, ...] = ()


@dataclass(frozen=True)
class CountTable:
    """A table of counts: one row per system or reading of what is counted, one column per setting.

    `cells` maps (row, column) to what is counted, `printed` a row to its printed name; rows in `extra` are ours. `unit`
    is the printed one (million, power). `notes` explains a difference, keyed by (row, column) or by row.
    """

    name: str
    title: str
    published: str
    metric: str
    unit: str
    printed: Mapping[str, str]
    cells: Mapping[tuple[str, str], ParameterCount | Exponent]
    extra: frozenset[str] = frozenset()
    notes: Mapping[str | tuple[str, str], str] = field(default_factory=dict)

    def note(self, row: str, column: str) -> str:
        """Return the note on a cell."""
        return self.notes.get((row, column)) or self.notes.get(row) or ""
