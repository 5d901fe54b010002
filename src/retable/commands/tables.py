"""`retable tables`: build every table from files, or from the MLflow record, into any folder."""

import tempfile
from pathlib import Path

from retable.project.command import command, given_path
from retable.project.parser import Parser
from retable.project.paths import CLEAN, RUNS, TABLES
from retable.results.tables import write_tables
from retable.tracking.checkout import fetch


@command
def main(arguments: list[str] | None = None) -> None:
    parser = Parser(
        prog="retable tables",
        description="Build every table.",
        epilog="example: retable tables --from mlflow --to tables-of-the-record",
    )
    parser.add_argument(
        "--from", dest="origin", choices=("files", "mlflow"), default="files", help="where to read the runs"
    )
    parser.add_argument("--to", type=given_path, default=TABLES, help="folder for the tables (default: results/tables)")
    options = parser.parse_args(arguments)
    if options.origin == "files":
        write_tables(RUNS, CLEAN, options.to)
        return
    with tempfile.TemporaryDirectory(prefix="retable-") as scratch:
        runs, clean = fetch(Path(scratch))
        write_tables(runs, clean, options.to)
