"""Write a single self-contained report page.

In   results/{tables,figures,runs,focus}/; data/ as results/facts.py reads it
Out  results/report/index.html
"""

from retable.project.command import command
from retable.site.report import write_report


@command
def main() -> None:
    write_report()
