"""Compare two sides of a probe: how far each case differs, and whether the recipes say so."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from retable.errors import InputError

EQUAL, MINOR, MAJOR = 0, 1, 2
WORDS = {EQUAL: "equal", MINOR: "within rounding", MAJOR: "beyond rounding"}
ROUNDING = {"float64": 1e-9, "float32": 1e-4}  # absolute, or relative for numbers above 1


@dataclass(frozen=True)
class Outcome:
    """Hold one side's result for a case."""

    asked: Mapping[str, Any]
    recipe: Mapping[str, str]
    arrays: Mapping[str, np.ndarray]
    rounding: float = 0.0


@dataclass(frozen=True)
class Difference:
    """Hold how far a case differs: its level, the array that differs most, and by how much (0 if it is no number)."""

    level: int
    array: str = ""
    largest: float = 0.0

    @property
    def sentence(self) -> str:
        """Describe the difference."""
        by = f" by {self.largest:.2g}" if self.largest else ""
        return f"{WORDS[self.level]}, {self.array} differs{by}" if self.level else WORDS[EQUAL]


def compare(before: Outcome, now: Outcome) -> Difference | None:
    """Return how far two sides of a case differ; None if they were given different inputs."""
    if not alike(before.asked, now.asked):
        return None
    names = [name for name in now.arrays if name in before.arrays]
    found = [of_array(name, before.arrays[name], now.arrays[name], now.rounding) for name in names]
    return max(found, key=lambda each: (each.level, each.largest), default=Difference(EQUAL))


def alike(before: Any, now: Any) -> bool:
    """Return whether two inputs agree in everything that both name: an option that one of them lacks is no
    difference.
    """
    if isinstance(before, Mapping) and isinstance(now, Mapping):
        return all(alike(before[name], now[name]) for name in before.keys() & now.keys())
    return bool(before == now)


def of_array(name: str, before: np.ndarray, now: np.ndarray, rounding: float) -> Difference:
    """Return how far two arrays differ."""
    if before.shape == now.shape and before.dtype == now.dtype and before.tobytes() == now.tobytes():
        return Difference(EQUAL)
    if before.shape != now.shape or now.dtype.kind != "f" or before.dtype.kind != "f":
        return Difference(MAJOR, name)
    gaps = np.abs(now.astype(np.float64) - before) / np.maximum(1.0, np.abs(before))
    largest = float(np.nanmax(gaps)) if np.isfinite(gaps).all() else float("inf")
    allowed = max(rounding, ROUNDING.get(now.dtype.name, 0.0))
    return Difference(MINOR if largest <= allowed else MAJOR, name, largest)


def raised(before: str, now: str) -> int:
    """Return which part of a version was raised. Raises: InputError if it was lowered."""
    then, here = (tuple(int(part) for part in version.split(".")) for version in (before, now))
    if here < then:
        raise InputError(f"a version went back, from {before} to {now}; take a higher one.")
    return EQUAL if here == then else MAJOR if here[0] > then[0] else MINOR


def demands(before: Mapping[str, Outcome], now: Mapping[str, Outcome]) -> list[str]:
    """Return a sentence for each difference without a raised recipe, and for each raised recipe without a difference.

    The version of at least one unit that a differing case uses must have been raised as far as the case differs; a unit
    that it did not use before counts as raised, because its runs of today have another recipe.
    """
    differences = {
        name: found for name in now if name in before and (found := compare(before[name], now[name])) is not None
    }
    bumps = bumps_of(before.values(), now.values())
    sentences = []
    for name, difference in differences.items():
        raised = max((bumps.get(unit, EQUAL) for unit in now[name].recipe), default=EQUAL)
        if difference.level > raised and not now[name].recipe.keys() - before[name].recipe.keys():
            part = "major" if difference.level == MAJOR else "minor"
            sentences.append(f"{name}: {difference.sentence}; raise the {part} version of one of {units_of(now[name])}")
    for unit, bump in bumps.items():
        levels = [each.level for name, each in differences.items() if unit in now[name].recipe]
        if bump > max(levels, default=EQUAL):
            seen = WORDS[max(levels, default=EQUAL)]
            sentences.append(
                f"{unit}: its version was raised, and its cases are {seen}; take it back, or add a case first"
            )
    return sentences


def twins(outcomes: Mapping[str, Outcome]) -> list[str]:
    """Return a sentence for each case that gives the numbers of another one although its inputs differ."""
    first: dict[tuple[Any, ...], str] = {}
    sentences = []
    for name, outcome in outcomes.items():
        bits = tuple((array, outcome.arrays[array].tobytes()) for array in sorted(outcome.arrays))
        other = first.setdefault(bits, name)
        if other != name and outcome.asked != outcomes[other].asked:
            sentences.append(f"{name} gives the numbers of {other}: what it asks for does nothing; change or drop it")
    return sentences


def bumps_of(before: Iterable[Outcome], now: Iterable[Outcome]) -> dict[str, int]:
    """Return unit -> which part of its version was raised; nothing for a unit that one side lacks."""
    then: dict[str, str] = {}
    for outcome in before:
        then |= outcome.recipe
    here = {unit: version for outcome in now for unit, version in outcome.recipe.items() if unit in then}
    found = {unit: raised(then[unit], version) for unit, version in here.items()}
    return {unit: bump for unit, bump in found.items() if bump}


def units_of(outcome: Outcome) -> str:
    """List a case's units with their versions."""
    return ", ".join(f"{unit} {version}" for unit, version in outcome.recipe.items())
