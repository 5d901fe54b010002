"""`retable docs`: update the figures in the pages about corpora, word vectors, parts of speech and times.

In   the registry; the scales; data/ as src/retable/results/facts.py reads it
Out  docs/{corpora,models,vectors,tagger,timing}.md, between the markers of src/retable/results/generated.py
"""

import argparse
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from retable.errors import InputError
from retable.experiments.cells import cells_of_paper
from retable.experiments.estimate import read_measured, table_seconds
from retable.experiments.scale import scale_preset
from retable.papers import PAPERS
from retable.project.command import command
from retable.project.params import read_params
from retable.project.paths import BANK, CLEAN, PARTS_TABLES, ROOT
from retable.project.progress import progress
from retable.results import facts
from retable.results.generated import renew
from retable.tables.markdown import markdown_table

LEAST_SHARED = 5  # texts; pairs of corpora that share fewer are counted, not listed


@command
def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        prog="retable docs", description="Update the numbers in docs/.", epilog="example: retable docs"
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


def scale_arithmetic(scale: str) -> str:
    """Return a scale's cells and their expected time on one core, one line per table."""
    preset = scale_preset(scale)
    seconds = table_seconds(preset, read_measured(BANK))
    cells = {table: len(of) for name in PAPERS for table, of in cells_of_paper(name, preset).items() if of}
    rows: facts.Rows = [{"table": name, "cells": cells[name], "minutes": seconds[name] / 60} for name in cells]
    return table([*rows, {"table": "all cells", "cells": sum(cells.values()), "minutes": sum(seconds.values()) / 60}])


def shared_texts() -> str:
    """Return pairs of corpora that share texts; pairs that share few are summarised in one sentence."""
    pairs = facts.overlaps()
    many = [pair for pair in pairs if pair["exactly"] + pair["nearly"] >= LEAST_SHARED]
    rest = len(pairs) - len(many)
    return table(many) + f"\n{rest} more pairs share fewer than {LEAST_SHARED} texts.\n"


def comparison_size() -> str:
    """Return the number of entries in the comparison table."""
    size = facts.json_at(PARTS_TABLES / "zh/agreement.json").get("table", {})
    return "".join(f"- {name.replace('_', ' ')}: {count:,}\n" for name, count in size.items()) + "\n"


def table(rows: Sequence[Mapping[str, Any]]) -> str:
    """Return rows as Markdown; a sentence if there are none."""
    if not rows:
        return "Not made at this scale.\n"
    names = facts.names_of(rows)
    return markdown_table(names, [[shown(row.get(name)) for name in names] for row in rows])


def shown(value: Any) -> str:
    """Return a value as a Markdown table cell."""
    if value is None:
        return ""
    if isinstance(value, int):
        return f"{value:,}"
    return f"{value:,.1f}" if isinstance(value, float) else str(value).replace("|", "\\|")


BLOCKS: dict[tuple[str, str], Callable[[], str]] = {  # (page, block) -> function that makes it
    ("corpora", "corpora"): lambda: table(facts.declared_corpora(at_hand=True)),
    ("corpora", "declared corpora"): lambda: table(facts.declared_corpora(at_hand=False)),
    ("corpora", "contents"): lambda: table(facts.corpora()),
    ("corpora", "leaks"): lambda: table(facts.leakage()),
    ("corpora", "overlaps"): shared_texts,
    ("vectors", "vectors"): lambda: table(facts.vectors()),
    ("vectors", "coverage"): lambda: table(facts.coverage()),
    ("models", "models"): lambda: table(facts.models()),
    **{("timing", scale): partial(scale_arithmetic, scale) for scale in ("cpu", "measure", "full", "paper")},
    ("tagger", "tagger"): lambda: table(facts.tagger()),
    ("tagger", "comparison table"): lambda: comparison_size() + table(facts.comparison_table()),
    ("tagger", "speeds"): lambda: table(facts.comparison_speeds()),
}
