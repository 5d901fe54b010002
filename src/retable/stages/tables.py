"""Build every table from the runs and the corpora's statistics.

In   results/runs/, data/clean/*/stats.json, data/published/, params.yaml
Out  results/tables/<table>.{csv,cost.csv,md}
"""

from retable.project.command import command
from retable.project.paths import CLEAN, RUNS, TABLES
from retable.results.tables import write_tables


@command
def main() -> None:
    write_tables(RUNS, CLEAN, TABLES)
