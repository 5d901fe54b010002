"""`make bench`: every hot path beside its peer and beside the physical limit, in one table.

    make bench                             # all groups
    make bench ONLY="fcsr headlines"       # some
    python -m benchmarks.bench --quick     # does all of it run? On sample data, in a minute; figures are of no use

A group that lacks its data says which stage makes them, and the others go on. Results:
benchmarks/results/<machine>.json and .md, and docs/speed.md. What is measured and how to read it stands there.
"""

import argparse
import importlib
import os
import sys
from collections.abc import Iterable
from types import ModuleType
from typing import Any

from rich.console import Console
from rich.table import Table

from benchmarks.report import HEADER, cells, group_values, page, write_results
from benchmarks.rows import Row
from benchmarks.timing import machine
from retable.commands.make import KEEP_MEMORY
from retable.errors import InputError, unknown_name
from retable.files import read_json
from retable.project.command import command
from retable.project.paths import ROOT
from retable.project.progress import progress
from retable.results.generated import renew

# Group -> module with measure(quick) -> list[Row]
GROUPS = {
    "fcsr": "fcsr_training",
    "models": "models",
    "headlines": "headlines",
    "fasttext": "fasttext_row",
    "recurrent": "recurrent",
    "evaluate": "evaluating",
    "text": "text",
    "glove": "glove",
    "start": "starting",
}
RESULTS, PAGE = ROOT / "benchmarks/results", ROOT / "docs/speed.md"
WIDTH = 180  # of the table in a file
COLOURS = {"met": "green", "missed": "red", "not measured": "yellow", "": ""}


def module_of(group: str) -> ModuleType:
    """The module of a group, imported when it is asked for."""
    return importlib.import_module(f"benchmarks.{GROUPS[group]}")


def measured(group: str, *, quick: bool, date: str) -> tuple[list[Row], dict[str, Any]]:
    """The rows of a group, none where it cannot be measured, and what a file holds of it."""
    try:
        rows = module_of(group).measure(quick)
    except InputError as error:
        return [], group_values([], date, str(error))
    return rows, group_values(rows, date)


def show(console: Console, group: str, rows: Iterable[Row], not_measured: str) -> None:
    """A group on the terminal."""
    if not_measured:
        console.print(f"[bold]{group}[/] [yellow]not measured:[/] {not_measured}")
        return
    table = Table(*HEADER, title=group, title_justify="left", title_style="bold")
    for row in rows:
        line = cells(row)
        table.add_row(*line[:-1], line[-1], style=COLOURS[line[-1]] if line[-1] == "missed" else None)
    console.print(table)


def chosen(names: list[str]) -> list[str]:
    """The groups that are asked for, all where none is named. Raises: InputError for an unknown one."""
    for name in names:
        if name not in GROUPS:
            raise unknown_name("--only", name, GROUPS)
    return [group for group in GROUPS if group in names or not names]


def keep_memory() -> None:
    """Start anew under the settings of memory that `make tables` gives its runs, unless they are there already."""
    if any(name not in os.environ for name in KEEP_MEMORY):
        os.execve(sys.executable, [sys.executable, "-m", "benchmarks.bench", *sys.argv[1:]], KEEP_MEMORY | os.environ)


@command
def main() -> None:
    parser = argparse.ArgumentParser(
        prog="make bench", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--only", nargs="+", default=[], metavar="GROUP", help=f"of {', '.join(GROUPS)}")
    parser.add_argument("--quick", action="store_true", help="on sample data, once; nothing is written")
    options = parser.parse_args()
    groups = chosen(options.only)
    keep_memory()
    here, console = machine(), Console(highlight=False, width=None if sys.stdout.isatty() else WIDTH)
    with progress("bench", len(groups), "groups") as bar:
        for group in groups:
            bar.advance(0, group)
            rows, found = measured(group, quick=options.quick, date=here["date"])
            show(console, group, rows, found["not_measured"])
            if not options.quick:  # after each group, so that one that is stopped costs no other
                written = write_results(RESULTS, here, {group: found})
            bar.advance(1)
    if options.quick:
        print("quick: nothing was written, and the figures are of no use", file=sys.stderr)
        return
    renew(PAGE, "speed", page(read_json(written.with_suffix(".json"))))
    print(f"benchmarks: {written}; docs/speed.md was renewed", file=sys.stderr)


if __name__ == "__main__":
    main()
