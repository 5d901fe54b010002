"""The command `retable`."""

import argparse
import importlib
import os
import sys
from importlib.util import find_spec
from pathlib import Path

from retable import __version__
from retable.commands import ANYWHERE, COMMANDS
from retable.errors import InputError, lacks, unknown_name
from retable.project.command import command
from retable.project.paths import ROOT


@command
def main() -> None:
    width = max(map(len, COMMANDS))
    listing = "\n".join(f"  {name:<{width}}  {what}" for name, (_, what) in COMMANDS.items())
    parser = argparse.ArgumentParser(
        prog="retable",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        usage="retable COMMAND [options]",
        description="Rebuild every table of papers on compact sentence encoders.",
        epilog=f"commands:\n{listing}",
    )
    parser.add_argument("--version", action="version", version=f"retable {__version__}")
    parser.add_argument("command", metavar="COMMAND", help="one of those below; COMMAND --help tells more")
    chosen = parser.parse_args(sys.argv[1:2]).command
    if chosen not in COMMANDS:
        parser.error(str(unknown_name("the command", chosen, COMMANDS)))
    take_sources_of(Path.cwd())
    if chosen not in ANYWHERE and not (ROOT / "dvc.yaml").exists():
        raise InputError(f"{Path.cwd()} lies in no project of retable; `retable init` makes one in an empty folder.")
    if chosen not in (*ANYWHERE, "run") and find_spec("dvc") is None:  # a bare GPU machine runs cells without it
        raise lacks("dvc", f"retable {chosen}")
    importlib.import_module(f"retable.commands.{COMMANDS[chosen][0]}").main(sys.argv[2:])


def take_sources_of(folder: Path) -> None:
    """Start anew with the sources of a checkout, if they are others than those that run.

    DVC runs an experiment in a copy of the tree: it must use the copy's own code, whatever is installed.
    """
    sources = folder / "src"
    if (
        (sources / "retable").is_dir()
        and not Path(__file__).is_relative_to(sources)
        and "RETABLE_SOURCES" not in os.environ
    ):
        path = os.pathsep.join([str(sources), *filter(None, [os.environ.get("PYTHONPATH")])])
        environment = os.environ | {"PYTHONPATH": path, "RETABLE_SOURCES": str(sources)}
        os.execve(sys.executable, [sys.executable, "-m", "retable", *sys.argv[1:]], environment)
