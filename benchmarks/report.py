"""Report paths with their peers and limits: rows, goals, a table, and one file per machine."""

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import median
from typing import Any, Literal

from retable.files import read_json, write_json
from retable.tables.markdown import markdown_table

HEADER = ("path", "ours: median ± spread", "peer (ratio)", "limit (share)", "goal", "")
SAME_MACHINE = ("cpu", "cores", "threads", "torch", "blas")
LEGEND = (
    "In brackets: how many times as fast as the peer, and which share of the limit's speed. "
    "Spread: half of the range of the repeats, as a share of their median."
)
GOAL = re.compile(r"(?P<sign>>=|<=) (?P<number>[\d.,]*\d)(?:(?P<unit>x|% of) the (?P<of>peer|limit)| (?![kMG] ).+)")
Verdict = Literal["met", "missed", "not measured", ""]


@dataclass(frozen=True)
class Row:
    """Hold the measurements of one path.

    Args:
        path: what is timed.
        unit: of the figures: "words/s", "s", "% of the epoch".
        ours, peer, limit: medians in that unit; None without a peer or limit.
        peer_name: "nn.LSTM alone".
        limit_name: "matrix products".
        goal: ">= 3x the peer", ">= 75% of the limit" (both compare speeds, even if the unit is a time), "<= 10 s",
            ">= 1,000,000 pairs/s"; "" for none.
        spread, peer_spread: half the range of the repeats divided by their median; None if not recorded.
    Raises: ValueError for a goal that cannot be parsed, so that none is silently ignored.
    """

    path: str
    unit: str
    ours: float
    peer: float | None = None
    peer_name: str = ""
    limit: float | None = None
    limit_name: str = ""
    goal: str = ""
    spread: float | None = None
    peer_spread: float | None = None

    def __post_init__(self) -> None:
        goal = GOAL.fullmatch(self.goal)
        if self.goal and (not goal or (goal["of"] and goal["sign"] == "<=")):
            raise ValueError(
                f'the goal of "{self.path}" is "{self.goal}"; it must read like ">= 3x the peer" or "<= 10 s"'
            )

    def times_as_fast(self, other: float | None) -> float | None:
        """Divide our speed by another; None without the other."""
        if not other or not self.ours:
            return None
        return other / self.ours if self.unit.split(" ")[0] == "s" else self.ours / other

    @property
    def verdict(self) -> Verdict:
        """Return whether the goal is met; "not measured" if it needs a peer or limit that is missing."""
        goal = GOAL.fullmatch(self.goal)
        if not goal:
            return ""
        value: float | None = self.ours
        bound = float(goal["number"].replace(",", ""))
        if goal["of"]:
            value = self.times_as_fast(self.peer if goal["of"] == "peer" else self.limit)
            bound = bound if goal["unit"] == "x" else bound / 100
        if value is None or not math.isfinite(value):
            return "not measured"
        return "met" if (value >= bound if goal["sign"] == ">=" else value <= bound) else "missed"


def timed_row(
    path: str,
    unit: str,
    times: Mapping[str, Sequence[float]],
    *,
    work: float = 0.0,
    peer: str = "",
    limit: str = "",
    limit_value: float | None = None,
    goal: str = "",
) -> Row:
    """Make a row from the seconds of "ours" and, if present, of "peer" and "limit".

    Args:
        work: done by one call; the figures are then work per second. 0: the figures are seconds.
        limit_value: the limit in the row's unit, if it is computed and not timed.
    """
    found = {way: median(each) for way, each in times.items()}
    value = {way: work / took if work else took for way, took in found.items()}
    spread = {way: (max(each) - min(each)) / 2 / found[way] if each[1:] else None for way, each in times.items()}
    return Row(
        path,
        unit,
        value["ours"],
        value["peer"] if peer else None,
        peer,
        (limit_value or value["limit"]) if limit else None,
        limit,
        goal,
        spread["ours"],
        spread["peer"] if peer else None,
    )


def figure(value: float) -> str:
    """Format a number with three significant digits; all digits above 100."""
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"


def cells(row: Row) -> list[str]:
    """Return a row as printed, one text per column."""

    def spread(share: float | None) -> str:
        return "" if share is None else f" ± {share:.0%}"

    peer = limit = ""
    if row.peer is not None:
        ratio = row.times_as_fast(row.peer)
        peer = f"{figure(row.peer)}{spread(row.peer_spread)}{f' ({ratio:.2f}x)' if ratio else ''}: {row.peer_name}"
    if row.limit is not None:
        share = row.times_as_fast(row.limit)
        limit = f"{figure(row.limit)}{f' ({share:.0%})' if share else ''}: {row.limit_name}"
    return [row.path, f"{figure(row.ours)} {row.unit}{spread(row.spread)}", peer, limit, row.goal, row.verdict]


def page(found: Mapping[str, Any]) -> str:
    """Write a machine's file as Markdown."""
    machine = found["machine"]
    parts = [
        f"{machine['cpu']}, threads {machine['threads']} of {machine['cores']} cores, torch {machine['torch']}, "
        f"{machine['blas']}, {machine['cpu_capability']}. {LEGEND}"
    ]
    for name, group in found["groups"].items():
        parts.append(f"### {name} ({group['date']})")
        if group["rows"]:
            body = [cells(Row(**values)) for values in group["rows"]]
            parts.append(
                markdown_table(
                    HEADER, [[*line[:-1], line[-1].replace("missed", "**missed**")] for line in body]
                ).rstrip()
            )
        if group["not_measured"]:
            parts.append(f"Not measured: {group['not_measured']}")
    return "\n\n".join(parts) + "\n"


def group_values(rows: Sequence[Row], date: str, not_measured: str = "") -> dict[str, Any]:
    """Return a group as stored in the file."""
    return {"date": date, "rows": [asdict(row) for row in rows], "not_measured": not_measured}


def machine_name(machine: Mapping[str, Any]) -> str:
    """Return the name of a machine's file: "amd-epyc-2-threads"."""
    cpu = re.sub(r"[^a-z0-9]+", "-", str(machine["cpu"]).lower()).strip("-")
    return f"{cpu}-{machine['threads']}-thread{'s' if machine['threads'] != 1 else ''}"


def write_results(folder: Path, machine: Mapping[str, Any], groups: Mapping[str, Any]) -> Path:
    """Put groups into the machine's file, replacing older results, and return its path.

    Earlier groups of this machine that were not measured now, or failed, stay; those of another torch version do not.
    """
    path = folder / f"{machine_name(machine)}.json"
    before = read_json(path) if path.exists() else {"machine": {}, "groups": {}}
    same = all(before["machine"].get(key) == machine[key] for key in SAME_MACHINE)
    kept: dict[str, Any] = before["groups"] if same else {}
    new = {name: group for name, group in groups.items() if group["rows"] or not kept.get(name, {}).get("rows")}
    write_json(path, {"machine": dict(machine), "groups": {**kept, **new}})
    return path
