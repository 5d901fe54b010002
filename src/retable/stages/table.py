"""Train the cells of a table that have no current runs, several at once; a stopped one resumes where it was.

In   data/tagged/<corpus>/, data/vectors/<name>/, params.yaml (cells, papers.<paper>), data/code/<table>
Out  results/runs/<table>/<key>/{metrics.json,cost.json,curve.csv,predictions.parquet}, and model/ for rows whose
     weights are kept; a run that another table has trained is not trained again
"""

import sys

from retable.papers import paper_of_table
from retable.project.command import command, fail
from retable.project.paths import RUNS
from retable.results.running import chosen_cells, jobs_asked, run_cells, waiting_cells
from retable.wording import number_of


@command
def main(name: str) -> None:
    table = paper_of_table(name).result_table(name)
    cells = chosen_cells(table)
    places = waiting_cells(table, cells)
    (RUNS / name).mkdir(parents=True, exist_ok=True)  # DVC requires it, even if other tables have all runs
    print(f"{name}: {len(places)} of {number_of(len(cells), 'cells')} to train", file=sys.stderr)
    if failed := run_cells(places, jobs=jobs_asked()):
        print(failed[0].log.read_text(encoding="utf-8", errors="replace")[-2000:] if failed[0].log.exists() else "")
        fail(
            f"{name}: {len(failed)} of {number_of(len(places), 'cells')} failed, the others are kept; "
            f"see {failed[0].log}."
        )
    if left := waiting_cells(table, cells):  # DVC would take this for a finished table
        fail(
            f"{name} still lacks runs in {len(left)} of {number_of(len(cells), 'cells')}, "
            f"such as {' · '.join(left[0])}; run it again."
        )
