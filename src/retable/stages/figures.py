"""Redraw the papers' figures from the local runs; a figure without its runs says why.

In   results/runs/, data/clean/*/stats.json, data/tagged/ (if weights were kept), params.yaml
Out  results/figures/<figure>.{svg,csv}, results/figures/figures.json

See src/retable/results/figures.py.
"""

import sys

from retable.experiments.cells import plan_of_checkout
from retable.project.command import command
from retable.project.paths import CLEAN, FIGURES, RUNS
from retable.results.figures import write_figures
from retable.results.resolving import Resolver
from retable.results.tables import read_statistics
from retable.runs.record import read_runs


@command
def main() -> None:
    resolver = Resolver(plan_of_checkout(), read_runs(RUNS))
    entries = write_figures(FIGURES, resolver, read_statistics(CLEAN))
    for entry in entries:
        if entry["note"]:
            print(f"{entry['name']}: {entry['note']}", file=sys.stderr)
    drawn = ", ".join(entry["name"] for entry in entries if entry["drawn"]) or "none"
    print(f"figures: {drawn} in {FIGURES}", file=sys.stderr)
