"""`make bench`: compare every hot path with its peer and with the physical limit, in one table.

    make bench                             # all groups
    make bench ONLY="fcsr headlines"       # some groups
    python -m benchmarks.bench --quick     # check that everything runs: sample data, a minute, meaningless figures

A group without its data names the stage that makes them, and the others go on. The results go to
benchmarks/results/<machine>.json and docs/speed.md, which explains what is measured and how to read it.
"""

import argparse
import importlib
import os
import sys
from typing import Any

from rich.console import Console
from rich.table import Table

from benchmarks.report import HEADER, Row, cells, group_values, page, write_results
from benchmarks.timing import machine
from retable.commands.make import KEEP_MEMORY
from retable.errors import InputError, unknown_name
from retable.files import read_json
from retable.project.command import command
from retable.project.paths import ROOT
from retable.results.generated import renew

# Each is a module with measure(quick) -> list[Row], imported on demand.
GROUPS = ("fcsr", "models", "headlines", "recurrent", "evaluate", "text", "glove")
RESULTS, PAGE = ROOT / "benchmarks/results", ROOT / "docs/speed.md"
WIDTH = 180  # for the table in a file


def measured(group: str, *, quick: bool, date: str) -> dict[str, Any]:
    """Measure a group and return its entry for the file."""
    try:
        return group_values(importlib.import_module(f"benchmarks.{group}").measure(quick), date)
    except InputError as error:
        return group_values([], date, str(error))


def show(console: Console, group: str, found: dict[str, Any]) -> None:
    """Print a group to the terminal."""
    if found["not_measured"]:
        console.print(f"[bold]{group}[/] [yellow]not measured:[/] {found['not_measured']}")
        return
    table = Table(*HEADER, title=group, title_justify="left", title_style="bold")
    for row in (Row(**values) for values in found["rows"]):
        table.add_row(*cells(row), style="red" if row.verdict == "missed" else None)
    console.print(table)


def chosen(names: list[str]) -> list[str]:
    """Return the requested groups, or all if none is named. Raises: InputError for an unknown one."""
    for name in names:
        if name not in GROUPS:
            raise unknown_name("group of --only", name, GROUPS)
    return [group for group in GROUPS if group in names or not names]


def keep_memory() -> None:
    """Restart with the memory settings that `make tables` uses for its runs, unless they are already set."""
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
    for group in groups:
        print(f"bench: {group} ...", file=sys.stderr)
        found = measured(group, quick=options.quick, date=here["date"])
        show(console, group, found)
        if not options.quick:  # after each group, so that an interruption does not lose the finished ones
            written = write_results(RESULTS, here, {group: found})
    if options.quick:
        print("quick: nothing was written, and the figures are of no use", file=sys.stderr)
        return
    renew(PAGE, "speed", page(read_json(written)))
    print(f"benchmarks: {written}; docs/speed.md was renewed", file=sys.stderr)


if __name__ == "__main__":
    main()
