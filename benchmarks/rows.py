"""What a benchmark reports: a row is one path beside its peer and beside the limit, with its goal."""

import math
import re
from dataclasses import dataclass
from typing import Literal

Verdict = Literal["met", "missed", "not measured", ""]
GOAL = re.compile(r"(?P<sign>>=|<=)\s*(?P<number>[\d.,]*\d)\s*(?P<unit>[x%]|[kMG]\b)?\s*(?P<rest>.*)")
MAGNITUDES = {"k": 1e3, "M": 1e6, "G": 1e9, "%": 0.01}


@dataclass(frozen=True)
class Row:
    """One path.

    Args:
        path: what is timed.
        unit: of the figures: "words/s", "s", "% of the step".
        ours, peer, limit: figures in that unit; None where there is no peer or no limit.
        peer_name: "nn.LSTM, same run", "fastText in C++: 4.6 s, scaled".
        limit_name: "matrix products of this run".
        goal: ">= 75% of the limit", ">= 3x the peer", "<= 2x the peer", ">= 5 M pairs/s", "<= 10 s"; "" without one. A
            goal ">=" of a peer or limit compares speeds, also where the unit is a time.
    Raises: ValueError for a goal that cannot be read, so that none is passed over in silence.
    """

    path: str
    unit: str
    ours: float
    peer: float | None
    peer_name: str
    limit: float | None
    limit_name: str
    goal: str

    def __post_init__(self) -> None:
        if self.goal and not GOAL.fullmatch(self.goal):
            raise ValueError(
                f'the goal of "{self.path}" is "{self.goal}"; it must read like ">= 3x the peer" or "<= 10 s"'
            )

    @property
    def is_time(self) -> bool:
        """Whether less is faster."""
        return self.unit.split(" ", 1)[0] in ("s", "ms", "us", "min", "seconds")

    def times(self, other: float | None) -> float | None:
        """How many times as fast as a peer or limit; of other units the quotient. None without the other."""
        if not other or not self.ours:
            return None
        return other / self.ours if self.is_time else self.ours / other

    @property
    def verdict(self) -> Verdict:
        """Whether the goal is met; "not measured" where it is about a peer or limit that is not there."""
        goal = GOAL.fullmatch(self.goal)
        if not goal:
            return ""
        sign, rest = goal["sign"], goal["rest"]
        bound = float(goal["number"].replace(",", ""))
        if "peer" not in rest and "limit" not in rest:
            # "<= 5 %" of a row whose unit is % is five, not a twentieth of something
            return _verdict(
                sign, self.ours, bound * (1.0 if goal["unit"] == "%" else MAGNITUDES.get(goal["unit"], 1.0))
            )
        quotient = self.times(self.peer if "peer" in rest else self.limit)
        if quotient is None:
            return "not measured"
        if sign == "<=" and self.is_time:
            quotient = 1.0 / quotient
        return _verdict(sign, quotient, bound * MAGNITUDES.get(goal["unit"], 1.0))


def _verdict(sign: str, value: float, bound: float) -> Verdict:
    if not math.isfinite(value):
        return "not measured"
    return "met" if (value >= bound if sign == ">=" else value <= bound) else "missed"
