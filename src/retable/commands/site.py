"""`retable site`: the bank as a folder of static pages that opens from disk; needs neither data nor training.

In   docs/results/, README.md, docs/*.md, docs/findings/, docs/readings/, docs/figures/, data/published/,
     data/digests.json
Out  site/ (--out)
"""

import os
from collections.abc import Iterator
from contextlib import redirect_stdout, suppress
from importlib import import_module
from io import StringIO

from retable.commands import COMMANDS
from retable.project.command import command, given_path
from retable.project.parser import Parser
from retable.project.paths import BANK, ROOT
from retable.results.whole import read_whole
from retable.site.build import check_out, write_site

WIDTH = "96"  # of help texts, in characters


@command
def main(arguments: list[str] | None = None) -> None:
    parser = Parser(
        prog="retable site",
        description="Build the results site from the bank: tables, claims, cells, systems, corpora, docs.",
        epilog="example: retable site --out site",
    )
    parser.add_argument(
        "--out", type=given_path, default=ROOT / "site", metavar="DIR", help="output folder (default: site)"
    )
    options = parser.parse_args(arguments)
    check_out(options.out)  # reading the bank takes a minute
    count = write_site(options.out, read_whole(BANK), ROOT / "docs", list(helps()))
    print(f"{count} pages; open {options.out / 'index.html'}")


def helps() -> Iterator[tuple[str, str, str]]:
    """Yield name, summary and help text of each command."""
    os.environ["COLUMNS"] = WIDTH
    for name, (module, what) in COMMANDS.items():
        with redirect_stdout(StringIO()) as text, suppress(SystemExit):
            import_module(f"retable.commands.{module}").main(["--help"])
        yield name, what, text.getvalue().replace(f"{ROOT}/", "")
