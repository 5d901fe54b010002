"""The command `retable`: what is no stage of the pipeline."""

import argparse
import importlib
import sys

from pipeline.command import command

# name -> (module whose main(arguments) is called, what it does)
COMMANDS = {
    "use": ("pipeline.use", "make a model on a corpus the focus run: retable use textcnn mr"),
    "params": ("pipeline.use", "write a scale into params.yaml and the cells: retable params cpu"),
    "tables": ("pipeline.tables", "build every table from files, or from MLflow: retable tables --from mlflow"),
    "check": ("pipeline.check", "measured against published, and against the bank; exit code 1 on a regression"),
    "bank": ("pipeline.bank", "put the measured cells of this scale into docs/results/ and renew the generated docs"),
    "docs": ("pipeline.docs", "renew the figures in docs/ about corpora, word vectors and parts of speech"),
    "import": ("pipeline.importing", "take runs that were made on another machine: retable import DIR"),
    "spread": ("pipeline.spread", "run a table's cells on SLURM or in a local pool: retable spread fcsr-table-4"),
    "record": ("pipeline.record", "make the MLflow record complete"),
}


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
    arguments = sys.argv[2:]
    if chosen in ("use", "params"):
        arguments = [chosen, *arguments]
    importlib.import_module(COMMANDS[chosen][0]).main(arguments)


if __name__ == "__main__":
    main()
