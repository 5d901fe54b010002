"""`retable export`: export tables, or all predictions, for other programs; from the bank only, needs no data.

In   docs/results/, data/digests.json, data/published/
Out  --to FOLDER: one file per table; --bank FOLDER: two Parquet files with a data card, Croissant and RO-Crate metadata
"""

from pathlib import Path

from retable import __version__
from retable.files import refuse_other_files
from retable.project.command import command, given_path
from retable.project.parser import Parser
from retable.project.paths import BANK
from retable.project.progress import progress
from retable.results.export_bank import FILES, write_bank
from retable.results.export_tables import FORMATS, exported
from retable.results.tables import all_tables
from retable.results.whole import bank_resolver
from retable.runs.bank import read_bank
from retable.tables.statistics import read_corpora


@command
def main(arguments: list[str] | None = None) -> None:
    parser = Parser(
        prog="retable export",
        description="Write tables or all predictions for other programs, from the bank only.",
        epilog="example: retable export fcsr-table-3 --format latex --to tables",
    )
    parser.add_argument("tables", nargs="*", metavar="TABLE", help="(default: all that are measured)")
    parser.add_argument("--format", choices=FORMATS, default="csv", help="(default: csv)")
    parser.add_argument("--to", type=given_path, metavar="FOLDER", help="write one file per table there")
    parser.add_argument("--bank", type=given_path, metavar="FOLDER", help="write the bank's predictions and runs there")
    options = parser.parse_args(arguments)
    if not options.to and not options.bank:
        parser.error("give --to FOLDER for tables or --bank FOLDER for all predictions")
    if options.tables and not options.to:
        parser.error("tables need --to FOLDER")
    if options.to:
        write_tables(options.to, options.tables, options.format)
    if options.bank:
        own = {*(file.name for file in FILES), "croissant.json", "ro-crate-metadata.json"}
        refuse_other_files(options.bank, own, "a file of an exported bank")
        runs = read_bank(BANK)
        with progress("export", len(runs), "runs") as bar:
            write_bank(options.bank, bank_resolver(BANK), runs, __version__, bar.advance)
        print(f"{', '.join(sorted(path.name for path in options.bank.iterdir()))} in {options.bank}")


def write_tables(to: Path, tables: list[str], form: str) -> None:
    """Write one file per table and leave other files in the folder. Raises: InputError for an unknown table."""
    suffix, write = FORMATS[form]
    written = []
    with progress("export", len(tables) or len(all_tables()), "tables") as bar:
        for found in exported(tables, bank_resolver(BANK), read_corpora(BANK)):
            write(to / f"{found.table.name}.{suffix}", found)
            written.append(found.table.name)
            bar.advance(note=found.table.name)
        bar.finish()
    print(f"{', '.join(written)} in {to}")
