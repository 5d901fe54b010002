"""Check a value from outside against its form: type, range, finite numbers, plain text; errors are one sentence.

The forms of stored JSON are defined next to the code that reads it, as values of these classes.
"""

import datetime
import json
import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

from retable.errors import InputError, shown
from retable.files import HALF, PLAIN_NAME

DEEPEST = 20  # levels of nesting
LONGEST_TEXT = 300  # characters
TOO_LARGE = 1e308  # float() of a larger integer fails


class Misfit(NamedTuple):
    """An error in a value: where it is, what was found, what is allowed."""

    place: str
    value: Any
    allowed: str


class Form(Protocol):
    """The form that a value must have."""

    def misfits(self, value: Any, place: str) -> Iterator[Misfit]:
        """Yield the errors in a value at a place."""


@dataclass(frozen=True)
class Number:
    """A finite number from `least` to `most`, both included unless `above` excludes `least`; not a boolean."""

    least: float = -math.inf
    most: float = math.inf
    above: bool = False
    whole: bool = False

    def holds(self, value: object) -> bool:
        """Return whether a value is such a number; infinity and NaN are not."""
        if isinstance(value, bool) or not isinstance(value, int if self.whole else int | float):
            return False
        within = -TOO_LARGE <= value <= TOO_LARGE and self.least <= value <= self.most
        return within and not (self.above and value == self.least)

    def __str__(self) -> str:
        least = "" if self.least == -math.inf else f"above {self.least}" if self.above else f"{self.least} or more"
        most = "" if self.most == math.inf else f"{self.most} or less"
        return ", ".join(filter(None, [least, most])) or "a finite number"

    def misfits(self, value: Any, place: str) -> Iterator[Misfit]:
        if not self.holds(value):
            yield Misfit(
                place,
                value,
                f"a {'whole' if self.whole else 'finite'} number, {self}".removesuffix(", a finite number"),
            )


@dataclass(frozen=True)
class Text:
    """One line of text without control characters or markup; matches `pattern`, which `told` describes in words."""

    pattern: str = r"[^<>\x00-\x1f\x7f]*"
    told: str = "one line of text without < and >"
    longest: int = LONGEST_TEXT

    def misfits(self, value: Any, place: str) -> Iterator[Misfit]:
        if not isinstance(value, str) or not re.fullmatch(self.pattern, value):
            yield Misfit(place, value, self.told)
        elif len(value) > self.longest:
            yield Misfit(place, value, f"{self.longest} characters or fewer")
        elif HALF.search(value):
            yield Misfit(place, value, "whole characters, no half of one")


@dataclass(frozen=True)
class OneOf:
    """One of these values, with the same type."""

    values: tuple[Any, ...]

    def misfits(self, value: Any, place: str) -> Iterator[Misfit]:
        if not any(value == each and type(value) is type(each) for each in self.values):
            yield Misfit(place, value, ", ".join(map(str, self.values)))


@dataclass(frozen=True)
class Maybe:
    """Null, or another form."""

    form: Form

    def misfits(self, value: Any, place: str) -> Iterator[Misfit]:
        if value is not None:
            yield from self.form.misfits(value, place)


@dataclass(frozen=True)
class ListOf:
    """A list whose elements all have a form."""

    form: Form

    def misfits(self, value: Any, place: str) -> Iterator[Misfit]:
        if not isinstance(value, list | tuple):
            yield Misfit(place, value, "a list")
            return
        for number, each in enumerate(value, start=1):
            yield from self.form.misfits(each, f"{place}[{number}]")


@dataclass(frozen=True)
class Distinct:
    """A list of different texts, at least `least`, each of any length and not empty; fast for a whole vocabulary."""

    least: int = 1

    def misfits(self, value: Any, place: str) -> Iterator[Misfit]:
        if not isinstance(value, list) or not all(isinstance(each, str) and each for each in value):
            yield Misfit(place, value, "a list of texts that are not empty")
        elif len(set(value)) < len(value):
            seen = set[str]()
            twice = next(each for each in value if each in seen or seen.add(each))  # type: ignore[func-returns-value]
            yield Misfit(place, twice, "each text once")
        elif len(value) < self.least:
            yield Misfit(place, value, f"{self.least} texts or more")


@dataclass(frozen=True)
class Named:
    """An object whose names match `name` and whose values match `form`."""

    form: Form
    name: Form = Text()

    def misfits(self, value: Any, place: str) -> Iterator[Misfit]:
        if not isinstance(value, Mapping):
            yield Misfit(place, value, "an object")
            return
        for name, each in value.items():
            yield from self.name.misfits(name, f"a name in {place}")
            yield from self.form.misfits(each, f"{place}.{name}")


@dataclass(frozen=True)
class Section:
    """An object with these names and values; those in `more` may be missing. Others are ignored, if not `closed`."""

    fields: Mapping[str, Form]
    more: Mapping[str, Form] | None = None
    closed: bool = False

    def misfits(self, value: Any, place: str) -> Iterator[Misfit]:
        if not isinstance(value, Mapping):
            yield Misfit(place, value, f"an object with {', '.join(self.fields)}" if self.fields else "an object")
            return
        before = f"{place}." if place else ""
        for name, form in self.fields.items():
            if name not in value:
                yield Misfit(f"{before}{name}", None, "it must be there")
            else:
                yield from form.misfits(value[name], f"{before}{name}")
        for name, form in (self.more or {}).items():
            if name in value:
                yield from form.misfits(value[name], f"{before}{name}")
        if self.closed:
            known = {**self.fields, **(self.more or {})}
            for name in value:
                if name not in known:
                    yield Misfit(f"a name in {place}" if place else "a name", name, ", ".join(known))


@dataclass(frozen=True)
class When:
    """One form for an object that has a name, another for one that lacks it."""

    name: str
    form: Form
    otherwise: Form

    def misfits(self, value: Any, place: str) -> Iterator[Misfit]:
        has = isinstance(value, Mapping) and self.name in value
        yield from (self.form if has else self.otherwise).misfits(value, place)


@dataclass(frozen=True)
class Day:
    """A day of this century, such as 2026-11-20."""

    def misfits(self, value: Any, place: str) -> Iterator[Misfit]:
        try:
            fits = isinstance(value, str) and re.fullmatch(r"20\d\d-\d\d-\d\d", value, re.ASCII)
            if fits and datetime.date.fromisoformat(value):
                return
        except ValueError:  # as 2026-02-30
            pass
        yield Misfit(place, value, "a date such as 2026-11-20")


@dataclass(frozen=True)
class Plain:
    """Anything that JSON can hold, with bounded depth and length, without NaN, infinity and control characters."""

    text: Form = Text(r"[^\x00-\x08\x0b-\x1f\x7f]*", "text without control characters", longest=10_000)

    def misfits(self, value: Any, place: str) -> Iterator[Misfit]:
        if not self.is_small(value):
            yield from self.inside(value, place)

    def is_small(self, value: Any) -> bool:
        """Return whether a value is trivially valid, as nearly all are."""
        try:
            text = json.dumps(value, allow_nan=False, ensure_ascii=False)
        except (ValueError, TypeError, RecursionError):
            return False
        return (
            len(text) <= 10_000
            and text.count("{") + text.count("[") <= DEEPEST
            and "\\" not in text
            and "\x7f" not in text
            and not HALF.search(text)
        )

    def inside(self, value: Any, place: str, depth: int = 0) -> Iterator[Misfit]:
        """Yield the errors in a value and everything it contains."""
        if depth > DEEPEST:
            yield Misfit(place[:LONGEST_TEXT], "...", f"objects nested at most {DEEPEST} deep")
        elif isinstance(value, Mapping):
            for name, each in value.items():
                yield from self.text.misfits(name, f"a name in {place}")
                yield from self.inside(each, f"{place}.{name}", depth + 1)
        elif isinstance(value, list | tuple):
            for each in value:
                yield from self.inside(each, place, depth + 1)
        elif isinstance(value, str):
            yield from self.text.misfits(value, place)
        elif value is not None and not isinstance(value, bool):
            yield from Number().misfits(value, place)


NAME = Text(PLAIN_NAME.pattern, "a name of letters, digits and . - + _")
DIGEST = Text(r"[0-9a-f]{64}", "64 hexadecimal digits")
COUNT = Number(0, whole=True)
FLAG = OneOf((True, False))
ANY_TEXT = Text(r"(?s:.*)", "text", longest=10_000)


def check(value: Any, form: Form, where: str, advice: str, place: str = "") -> None:
    """Refuse a value that does not match a form.

    Args:
        where: the file, for the error message.
        advice: what a user can do.
        place: the name of the value; empty for a whole file.
    Raises: InputError with the first error.
    """
    found = next(form.misfits(value, place), None)
    if found is None:
        return
    if not found.place:
        raise InputError(f"{where} contains {shown(found.value)}; allowed: {found.allowed}; {advice}.")
    if found.allowed == "it must be there":
        raise InputError(f"{where} lacks {found.place}; {advice}.")
    raise InputError(f"{found.place} is {shown(found.value)} in {where}; allowed: {found.allowed}; {advice}.")
