"""`retable site`: the bank as a folder of static pages that opens from disk; no data and no training are needed.

In   docs/results/, docs/*.md, docs/findings/, docs/figures/, data/published/, data/digests.json
Out  site/ (--out)
"""

import argparse
from pathlib import Path

from retable.project.command import command
from retable.project.paths import BANK, ROOT
from retable.results.whole import read_whole
from retable.site.build import write_site


@command
def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        prog="retable site",
        description="Build the results site from the bank: tables, claims, cells, systems, corpora, docs.",
        epilog="example: retable site --out site",
    )
    parser.add_argument("--out", type=Path, default=ROOT / "site", metavar="DIR", help="the folder (default: site)")
    options = parser.parse_args(arguments)
    count = write_site(options.out, read_whole(BANK), ROOT / "docs")
    print(f"{count} pages; open {options.out / 'index.html'}")
