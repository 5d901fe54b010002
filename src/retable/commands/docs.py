"""`retable docs`: update the figures in the pages about corpora, word vectors and parts of speech.

In   data/ as src/retable/results/facts.py reads it
Out  docs/{corpora,vectors,tagger}.md, between the markers of src/retable/results/generated.py
"""

from collections.abc import Callable

from retable.errors import InputError
from retable.project.command import command
from retable.project.params import read_params
from retable.project.parser import Parser
from retable.project.paths import CLEAN, PARTS_TABLES, ROOT
from retable.project.progress import progress
from retable.results import facts
from retable.results.declared import table
from retable.results.generated import renew

LEAST_SHARED = 5  # texts; pairs of corpora that share fewer are counted, not listed


@command
def main(arguments: list[str] | None = None) -> None:
    parser = Parser(
        prog="retable docs",
        description="Update the numbers in docs/ that are counted in data/.",
        epilog="example: retable docs",
    )
    parser.parse_args(arguments)
    if read_params("scale") == "smoke":
        raise InputError("scale smoke has only the project's own samples; run `make tables SCALE=cpu` first.")
    if not any(CLEAN.glob("*/stats.json")):
        raise InputError(f"{CLEAN} contains no corpus; run `make tables` first.")
    changed = set()
    with progress("docs", len(BLOCKS), "tables") as bar:
        for (page, block), body in BLOCKS.items():
            if renew(ROOT / f"docs/{page}.md", block, body()):
                changed.add(f"docs/{page}.md")
            bar.advance()
    print(f"updated: {', '.join(sorted(changed))}" if changed else "the numbers in docs/ already match data/")


def shared_texts() -> str:
    """Return pairs of corpora that share texts; pairs that share few are summarised in one sentence."""
    pairs = facts.overlaps()
    many = [pair for pair in pairs if pair["exactly"] + pair["nearly"] >= LEAST_SHARED]
    rest = len(pairs) - len(many)
    return table(many) + f"\n{rest} more pairs share fewer than {LEAST_SHARED} texts.\n"


def comparison_size() -> str:
    """Return the number of entries in the comparison table."""
    size = facts.json_at(PARTS_TABLES / "zh/agreement.json", facts.AGREEMENT).get("table", {})
    return "".join(f"- {name.replace('_', ' ')}: {count:,}\n" for name, count in size.items()) + "\n"


BLOCKS: dict[tuple[str, str], Callable[[], str]] = {  # (page, block) -> function that makes it
    ("corpora", "contents"): lambda: table(facts.corpora()),
    ("corpora", "leaks"): lambda: table(facts.leakage()),
    ("corpora", "overlaps"): shared_texts,
    ("vectors", "vectors"): lambda: table(facts.vectors()),
    ("vectors", "coverage"): lambda: table(facts.coverage()),
    ("tagger", "tagger"): lambda: table(facts.tagger()),
    ("tagger", "comparison table"): lambda: comparison_size() + table(facts.comparison_table()),
}
