"""The rows of all groups as a table, and a machine's files: benchmarks/results/<machine>.json, and the same as .md."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from benchmarks.rows import Row
from retable.files import atomic_file, read_json, write_json
from retable.tables.markdown import markdown_table

HEADER = ("path", "ours", "peer", "limit", "goal", "")
SAME_MACHINE = ("cpu", "cores", "threads", "torch", "blas")
MARKS = {"met": "met", "missed": "**missed**", "not measured": "not measured", "": ""}


def machine_name(machine: Mapping[str, Any]) -> str:
    """The name of a machine's files: "amd-epyc-2-threads"."""
    cpu = re.sub(r"[^a-z0-9]+", "-", str(machine["cpu"]).lower()).strip("-")
    return f"{cpu}-{machine['threads']}-thread{'s' if machine['threads'] != 1 else ''}"


def figure(value: float) -> str:
    """A number with three digits that count; all of them above 100."""
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"


def cells(row: Row) -> list[str]:
    """A row as it is read: figures, and how ours stands to the peer's (speeds) and to the limit."""
    peer = limit = ""
    if row.peer is not None:
        times = row.times(row.peer)
        peer = f"{figure(row.peer)}{f' ({times:.2f}x)' if times and row.unit != '%' else ''}: {row.peer_name}"
    if row.limit is not None:
        share = row.times(row.limit)
        limit = f"{figure(row.limit)}{f' ({share:.0%})' if share else ''}: {row.limit_name}"
    return [row.path, f"{figure(row.ours)} {row.unit}", peer, limit, row.goal, row.verdict]


def page(found: Mapping[str, Any]) -> str:
    """What a machine's file holds, as Markdown."""
    machine = found["machine"]
    told = (
        f"{machine['cpu']}, threads {machine['threads']} of {machine['cores']} cores, torch {machine['torch']}, "
        f"{machine['blas']}, {machine['cpu_capability']}. In brackets: how many times as fast as the peer, and "
        "which share of the limit's speed."
    )
    parts = [told]
    for name, group in found["groups"].items():
        parts.append(f"### {name} ({group['date']})")
        if group["rows"]:
            body = [[*line[:-1], MARKS[line[-1]]] for line in (cells(row_of(values)) for values in group["rows"])]
            parts.append(markdown_table(HEADER, body).rstrip())
        if group["not_measured"]:
            parts.append(f"Not measured: {group['not_measured']}")
    return "\n\n".join(parts) + "\n"


def row_of(values: Mapping[str, Any]) -> Row:
    """A row from what a file holds of it."""
    return Row(**{name: value for name, value in values.items() if name != "verdict"})


def group_values(rows: Sequence[Row], date: str, not_measured: str = "") -> dict[str, Any]:
    """A group as a file holds it."""
    return {
        "date": date,
        "rows": [asdict(row) | {"verdict": row.verdict} for row in rows],
        "not_measured": not_measured,
    }


def write_results(folder: Path, machine: Mapping[str, Any], groups: Mapping[str, Any]) -> Path:
    """Put groups into the machine's file, in place of their older selves, and write its page; the path of the page.

    Groups that were measured on this machine before, and not or in vain now, stay; those under another torch do not.
    """
    path = folder / f"{machine_name(machine)}.json"
    before = read_json(path) if path.exists() else {"machine": {}, "groups": {}}
    same = all(before["machine"].get(key) == machine[key] for key in SAME_MACHINE)
    kept: dict[str, Any] = before["groups"] if same else {}
    new = {name: group for name, group in groups.items() if group["rows"] or not kept.get(name, {}).get("rows")}
    found = {"machine": dict(machine), "groups": {**kept, **new}}
    write_json(path, found)
    with atomic_file(path.with_suffix(".md")) as part:
        part.write_text(f"# Speed of {machine_name(machine)}\n\n{page(found)}", encoding="utf-8")
    return path.with_suffix(".md")
