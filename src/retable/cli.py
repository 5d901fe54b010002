"""The command `retable`."""

import argparse
import importlib
import os
import sys
from pathlib import Path

from retable.errors import InputError
from retable.project.command import command
from retable.project.paths import ROOT

# name -> (module of retable.commands whose main(arguments) is called, what it does)
COMMANDS = {
    "fit": ("fit", "learn from your own texts: retable fit reviews.csv --text review --label stars"),
    "predict": ("predict", "answer texts with a model folder: retable predict reviews-model new.csv"),
    "serve": ("serve", "answer texts over HTTP with a model folder: retable serve reviews-model"),
    "init": ("init", "make a project in an empty folder, with an installed wheel: retable init project"),
    "make": ("make", "run the whole pipeline, as `make tables` does: retable make --scale smoke"),
    "run": ("run", "train the cells of a table that have no current runs: retable run fcsr-table-3 fcsr sst-2"),
    "use": ("use", "make a model on a corpus the focus run: retable use textcnn mr"),
    "params": ("params", "write a scale into params.yaml: retable params cpu"),
    "tables": ("tables", "build every table from files, or from MLflow: retable tables --from mlflow"),
    "check": ("check", "compare measured with published, and with the bank; exit code 1 on a regression"),
    "bank": ("bank", "add the runs at hand to the bank in docs/results/, and write its pages anew"),
    "results": ("results", "write every table, figure, claim and page from the bank; no data are needed"),
    "docs": ("docs", "renew the figures in docs/ about corpora, word vectors and parts of speech"),
    "import": ("import_", "take runs that were made on another machine: retable import DIR"),
    "record": ("record", "make the MLflow record complete"),
    "ui": ("ui", "show the MLflow record"),
    "stage": ("stage", "run one stage of dvc.yaml: retable stage clean sst-2"),
}
ANYWHERE = ("fit", "predict", "serve", "init")  # commands that need no project


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
    parser.add_argument(
        "command", choices=COMMANDS, metavar="COMMAND", help="one of those below; COMMAND --help tells more"
    )
    chosen = parser.parse_args(sys.argv[1:2]).command
    take_sources_of(Path.cwd())
    if chosen not in ANYWHERE and not (ROOT / "dvc.yaml").exists():
        raise InputError(f"{Path.cwd()} lies in no project of retable; `retable init` makes one in an empty folder.")
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
