"""Redraw the papers' figures from the runs at hand; a figure whose runs are not there says why.

In   results/runs/, data/clean/*/stats.json, data/tagged/ (where weights were kept), data/code/, the cells of the scale
Out  results/figures/<figure>.{svg,png,csv}, results/figures/figures.json (name, title, caption, files, note of each)

Beside the papers' figures there is one of our own for each table of accuracies, cost-<table>: accuracy against cost.
"""

import sys

from retable.files import atomic_folder
from retable.project.command import command
from retable.project.paths import CLEAN, RUNS
from retable.project.paths import FIGURES as OUT
from retable.results.figures import write_all


@command
def main() -> None:
    with atomic_folder(OUT) as folder:
        entries = write_all(folder, RUNS, CLEAN)
    for entry in entries:
        if entry["note"]:
            print(f"{entry['name']}: {entry['note']}", file=sys.stderr)
    print(
        f"figures: {', '.join(entry['name'] for entry in entries if entry['drawn']) or 'none'} in {OUT}",
        file=sys.stderr,
    )
