"""`retable bank`: put the measured cells of this scale into docs/results/, and renew what is generated from them."""

import argparse

from retable.errors import InputError
from retable.papers import PAPERS, paper
from retable.project.command import command
from retable.project.params import read_params
from retable.project.paths import BANK
from retable.results.bank import bank_table, write_docs
from retable.results.bank_attention import Banked


@command
def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="retable bank", description="Put the measured cells into docs/results/.")
    parser.add_argument(
        "--without-times", action="store_true", help="of new runs, made while the machine had other work, keep no times"
    )
    options = parser.parse_args(arguments)
    if read_params("scale") == "smoke":
        raise InputError(
            "scale smoke measures the project's own samples, which the bank does not keep; "
            "`make tables SCALE=cpu` first."
        )
    banked: Banked = {
        (source.name, table.name): bank_table(source, table, times=not options.without_times)
        for source in map(paper, PAPERS)
        for table in source.results
    }
    if not any(banked.values()):
        raise InputError("no current run is at hand; `make tables` first.")
    write_docs(banked)
    runs = sum(len(entries) for entries in banked.values())
    print(f"{runs} runs in {BANK}; docs/results.md and README.md renewed")
