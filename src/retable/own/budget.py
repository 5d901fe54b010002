"""The time that a training may take, as a user writes it. Imports nothing heavy: the command checks it first."""

import re
from numbers import Real

from retable.errors import InputError, shown

MOST_SECONDS = 1e9
UNITS = {"": 1, "s": 1, "m": 60, "h": 3600}
NAMES = {"hour": 3600, "minute": 60, "second": 1}  # longest first


def seconds_of(budget: float | str) -> float:
    """Return the seconds of a budget: 90s, 10m, 2h, or a number of seconds. Raises: InputError."""
    found = re.fullmatch(r"(\d+(?:\.\d+)?)([smh]?)", budget) if isinstance(budget, str) else None
    seconds = float(found[1]) * UNITS[found[2]] if found else budget
    if not isinstance(seconds, Real) or isinstance(seconds, bool) or not 0 < seconds < MOST_SECONDS:
        raise InputError(f"the budget is {shown(budget)}; allowed: a time such as 90s, 10m or 2h, or seconds.")
    return float(seconds)


def sentence_of_budget(seconds: float) -> str:
    """Return the budget as it was understood: `--budget 10` is easily meant as minutes.

    Its unit is the largest in which one decimal tells it exactly: 1.5 hours, but 100 seconds.
    """
    counts = {unit: seconds / size for unit, size in NAMES.items() if seconds >= size}
    exact = (unit for unit, count in counts.items() if (10 * count).is_integer())
    unit = next(exact, "second")
    count = counts.get(unit, seconds)
    return f"Budget of the training: {count:,.12g} {unit}{'s' * (count != 1)}."
