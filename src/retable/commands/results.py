"""`retable results`: write every table, figure, claim and page from the bank; needs neither data nor training.

In   docs/results/, data/digests.json, data/published/
Out  docs/results.md, docs/tables/, docs/findings/, docs/figures/; blocks of README.md and of
     docs/{bench,claims,corpora,models,timing}.md
"""

from retable.project.alone import alone
from retable.project.command import command
from retable.project.parser import Parser
from retable.project.paths import BANK, LOCK_OF_BANK, ROOT
from retable.results.pages import write_pages


@command
def main(arguments: list[str] | None = None) -> None:
    parser = Parser(
        prog="retable results", description="Write every page from the bank.", epilog="example: retable results"
    )
    parser.parse_args(arguments)
    with alone(LOCK_OF_BANK, "is writing the bank or its pages"):
        shown = write_pages(ROOT, BANK)
    print(f"docs/results.md, docs/claims.md, docs/findings/, docs/figures/ and README.md show {shown} runs of {BANK}")
