"""The ranges of a model's options: declared in a signature (`hidden: Count = 100`), checked by `check_ranges`."""

import inspect
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Annotated, Any, Literal, get_args, get_origin, get_type_hints


@dataclass(frozen=True)
class Range:
    """The values that an option may have: `holds` decides, `words` say it; in them, {} stands for the option's name."""

    words: str
    holds: Callable[[Any], bool]

    def check(self, option: str, value: Any) -> None:
        """Raise ValueError, which says what the value was and what is allowed, unless the option may have it."""
        if not self.holds(value):
            told = f'"{value}"' if isinstance(value, str) else list(value) if isinstance(value, Sequence) else value
            raise ValueError(f"{option} is {told}; allowed: {self.words.format(option)}")


class AtLeast(Range):
    """A number from `least`."""

    def __init__(self, least: float) -> None:
        super().__init__(f"{{}} >= {least}", lambda value: value >= least)


class Choice(Range):
    """One of these values."""

    def __init__(self, allowed: Collection[Any]) -> None:
        super().__init__(", ".join(map(str, allowed)), lambda value: value in allowed)


EVEN = Range("even numbers from 2 (half of it for each direction)", lambda value: value >= 2 and value % 2 == 0)
Count = Annotated[int, AtLeast(1)]
CountOrZero = Annotated[int, AtLeast(0)]
Counts = Annotated[Sequence[int], Range("one or more whole numbers >= 1", lambda values: min(values, default=0) >= 1)]
Odd = Annotated[int, Range("odd numbers from 1", lambda value: value >= 1 and value % 2 == 1)]
Even = Annotated[int, EVEN]
Share = Annotated[float, Range("0 <= {} < 1", lambda value: 0 <= value < 1)]
Positive = Annotated[float, Range("above 0", lambda value: value > 0)]
Positives = Annotated[Sequence[float], Range("one or more numbers above 0", lambda values: min(values, default=0) > 0)]
NonNegative = Annotated[float, AtLeast(0)]


def check_ranges(function: Callable[..., Any], options: Mapping[str, Any]) -> None:
    """Check options against the ranges and choices in the signature of a function, or of a class's constructor.

    Raises: ValueError for the first one that is not allowed.
    """
    for option, declared in _hints(function).items():
        if option in options:
            for allowed, value in _ranges(declared, options[option]):
                allowed.check(option, value)


@cache
def _hints(function: Callable[..., Any]) -> dict[str, Any]:
    return get_type_hints(function.__init__ if inspect.isclass(function) else function, include_extras=True)


def _ranges(declared: Any, value: Any) -> Iterator[tuple[Range, Any]]:
    """Yield the ranges that a type declares, each with the value, or the item of it, that must hold."""
    if get_origin(declared) is Annotated:
        yield from ((each, value) for each in declared.__metadata__ if isinstance(each, Range))
        yield from _ranges(get_args(declared)[0], value)
    elif get_origin(declared) is Literal:
        yield Choice(get_args(declared)), value
    elif get_origin(declared) is Sequence:
        for item in value:
            yield from _ranges(get_args(declared)[0], item)
