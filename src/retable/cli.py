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
from retable.project.parser import Parser
from retable.project.paths import ROOT
from retable.project.progress import QUIET

EXIT_CODES = """exit codes:
  0    done
  1    refused or failed, with a one-sentence message; `check`: a regression
  2    unknown command or option
  130  stopped with Ctrl-C (143: by SIGTERM); the message says whether the same command continues
  141  the output was closed by its reader (`| head`)"""


@command
def main() -> None:
    width = max(map(len, COMMANDS))
    listing = "\n".join(f"  {name:<{width}}  {what}" for name, (_, what) in COMMANDS.items())
    parser = Parser(
        prog="retable",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        usage="retable COMMAND [options]",
        description="Rebuild every table of papers on compact text classifiers.",
        epilog=f"commands:\n{listing}\n\n{EXIT_CODES}",
    )
    parser.add_argument("--version", action="version", version=f"retable {__version__}")
    parser.add_argument("-q", "--quiet", action="store_true", help="show no progress (also after COMMAND)")
    parser.add_argument("command", metavar="COMMAND", help="one of those below; see COMMAND --help")
    words = [word for word in sys.argv[1:] if word not in ("-q", "--quiet")]
    if len(words) < len(sys.argv) - 1:
        os.environ[QUIET] = "1"  # for the processes that train cells too
    chosen = parser.parse_args(words[:1]).command
    if chosen not in COMMANDS:
        parser.error(str(unknown_name("command", chosen, COMMANDS)))
    take_sources_of(Path.cwd())
    if chosen not in ANYWHERE and not (ROOT / "dvc.yaml").exists():
        raise InputError(f"{Path.cwd()} is not in a retable project; `retable init` creates one in an empty folder.")
    if chosen not in (*ANYWHERE, "run") and find_spec("dvc") is None:  # a bare GPU machine runs cells without DVC
        raise lacks("dvc", f"retable {chosen}")
    importlib.import_module(f"retable.commands.{COMMANDS[chosen][0]}").main(words[1:])


def take_sources_of(folder: Path) -> None:
    """Restart with the sources of a checkout, if they differ from the running ones.

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
