"""`retable bank`: add the current local runs to the bank in docs/results/, and rewrite the pages.

In   results/runs/, results/trials/, data/clean/*/stats.json
Out  docs/results/, and what `retable results` writes
"""

import re
import subprocess
from pathlib import Path

from retable.errors import InputError
from retable.experiments.cells import plan_of_checkout
from retable.files import AGAIN, read_json, write_json
from retable.forms import check
from retable.papers.trials import bank_trials
from retable.project.alone import alone
from retable.project.command import command
from retable.project.parser import Parser
from retable.project.paths import BANK, CLEAN, LOCK_OF_BANK, ROOT, RUNS, TRIALS
from retable.results.pages import write_pages
from retable.results.resolving import Resolver
from retable.results.tables import read_statistics
from retable.results.whole import CLUSTERS, clusters_of_bank
from retable.runs.bank import add_to_bank
from retable.runs.record import read_runs
from retable.tables.statistics import read_corpora
from retable.wording import number_of


@command
def main(arguments: list[str] | None = None) -> None:
    parser = Parser(
        prog="retable bank",
        description="Add the current local runs to docs/results/.",
        epilog="example: retable bank --without-times",
    )
    parser.add_argument(
        "--without-times", action="store_true", help="leave out times: the machine was busy with other work"
    )
    parser.add_argument("--who", default="", help="who banks them (default: git's user.name)")
    options = parser.parse_args(arguments)
    with alone(LOCK_OF_BANK, "is writing the bank or its pages"):
        bank_runs(options.who or git_user(), times=not options.without_times)


def bank_runs(who: str, *, times: bool) -> None:
    """Bank the current local runs. Raises: InputError."""
    plan = plan_of_checkout()
    if plan["scale"] == "smoke":
        raise InputError(
            "scale smoke measures the project's own samples, which the bank does not keep; "
            "run `make tables SCALE=cpu` first."
        )
    runs = Resolver(plan, read_runs(RUNS), beyond=True).current()
    if not runs:
        raise InputError("there is no current run here; run `make tables` first.")
    added = add_to_bank(BANK, runs, who, times=times)
    bank_trials(BANK, TRIALS)
    write_json(BANK / "corpora.json", read_corpora(BANK) | read_statistics(CLEAN))
    write_json(BANK / "copies.json", clusters_of_bank(BANK) | copies_of_tests(CLEAN))
    shown = write_pages(ROOT, BANK)
    print(f"{number_of(added, 'runs')} added to {BANK}; the pages show {shown}")


def copies_of_tests(clean: Path) -> dict[str, list[list[str]]]:
    """Return corpus -> ids of near copies among its test texts, by cluster; among all texts, if we draw the splits."""
    found = {}
    for path in sorted(clean.glob("[!.]*/copies.json")):
        clusters: list[list[str]] = read_json(path, list)
        check(clusters, CLUSTERS, str(path), AGAIN, "copies")
        tests = ([text for text in texts if not re.search("/(train|dev)/", text)] for texts in clusters)
        found[path.parent.name] = [texts for texts in tests if len(texts) > 1]
    return found


def git_user() -> str:
    """Return git's user.name; "unknown" if it is not set."""
    asked = subprocess.run(["git", "config", "user.name"], cwd=ROOT, capture_output=True, text=True, check=False)
    return asked.stdout.strip() or "unknown"
