"""Judge the papers' claims about costs: that one row of a table needs less of something than others.

In     data/published/cost_claims.csv: a line per sentence and measure; `second` may name several rows.
Rule   Parameters and operations are counted, so every difference is one, told once. Times are an epoch's, of runs
       that had a machine to themselves, on the same machine and as many threads; two within a tenth are alike.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby, islice

from retable.errors import InputError
from retable.figures.measured import timed_alike
from retable.files import read_csv
from retable.papers import NAMES, result_table
from retable.papers.paper import ResultTable, Row
from retable.project.paths import PUBLISHED
from retable.results.resolving import Filled
from retable.runs.record import RunRecord
from retable.tables.costs import short
from retable.tables.markdown import markdown_table
from retable.tables.run_result import mean
from retable.wording import listed

CLAIMED = PUBLISHED / "cost_claims.csv"
SECONDS, PARAMETERS = "seconds_per_epoch", "parameters"
MEASURES = {
    SECONDS: "seconds of an epoch",
    "flops_per_word": "operations per word, forward pass",
    PARAMETERS: "parameters without word vectors",
}
ALIKE = 1.1  # ratio of two times up to which they are not told apart
AS_CLAIMED, OTHER_WAY, SAME = "as claimed", "the other way", "alike"
HEADER = ("rows", "on", "measure", "ours", "ratio", "verdict")


@dataclass(frozen=True)
class CostLine:
    """Hold a comparison of two rows on a column: their costs, or why they are not known (`why`)."""

    paper: str
    place: str
    sentence: str
    first: str
    second: str
    on: str
    measure: str
    ours: tuple[float, float] | None = None
    why: str = ""

    @property
    def verdict(self) -> str:
        """Return whether the first row costs less; "none" without costs."""
        if self.ours is None:
            return "none"
        ratio, alike = self.ours[0] / self.ours[1], ALIKE if self.measure == SECONDS else 1.0
        return SAME if 1 / alike <= ratio <= alike else AS_CLAIMED if ratio < 1 else OTHER_WAY

    @property
    def cells(self) -> list[str]:
        """Return the cells of HEADER but for the verdict's reason."""
        pair, ratio = ["", ""], ""
        if self.ours:
            pair, ratio = [short(each) for each in self.ours], f"{self.ours[0] / self.ours[1]:.2g}"
        shown = f"{pair[0]}, {pair[1]}" if self.ours else ""
        return [f"{self.first} < {self.second}", self.on, MEASURES[self.measure], shown, ratio, self.verdict]


def cost_claims(fill: Callable[[ResultTable], Filled]) -> list[CostLine]:
    """Return every comparison of the claims about costs, in the order of the file.

    Args:
        fill: maps a table to the runs that fill it.
    Raises: InputError for a claim that refers to something unknown.
    """
    found: list[CostLine] = []
    for number, cells in enumerate(read_csv(CLAIMED), start=2):
        if cells["measure"] not in MEASURES:
            raise InputError(
                f"{CLAIMED}, line {number}: measure is {cells['measure']!r}; allowed: {', '.join(MEASURES)}."
            )
        table = result_table(cells["table"])
        try:
            first, *others = (table.row(name) for name in (cells["first"], *cells["second"].split()))
        except InputError as error:
            raise InputError(f"{CLAIMED}, line {number}: {error}") from None
        head = (cells["paper"], cells["place"], cells["sentence"])
        for second in others:
            found += compared(head, table, (first, second), cells["measure"], fill(table))
    return found


def compared(
    head: tuple[str, str, str], table: ResultTable, rows: tuple[Row, Row], measure: str, filled: Filled
) -> Iterator[CostLine]:
    """Yield the comparisons of two rows: of times on each column that has runs of both, of counts on the first of them.

    If there is none, yield one without costs.
    """
    names = (rows[0].printed, rows[1].printed)
    known = {
        column: {row.id: [run for run in filled.shown((row.id, column.id)) if not run.is_unverified] for row in rows}
        for column in table.columns
    }
    both = {column: runs for column, runs in known.items() if all(runs.values())}
    if measure != SECONDS:  # counted costs hardly depend on the corpus: the first says it
        both = dict(islice(both.items(), 1))
    for column, runs in both.items():
        kept = timed_alike(runs) if measure == SECONDS else runs
        missing = [row.printed for row in rows if row.id not in kept]
        costs = [mean([cost_of(run, measure) for run in kept[row.id]]) for row in rows if not missing]
        ours = (costs[0], costs[1]) if costs else None
        yield CostLine(*head, *names, column.printed, measure, ours, f"not timed: {listed(missing)}" if missing else "")
    if not both:
        missing = [row.printed for row in rows if not any(runs[row.id] for runs in known.values())] or list(names)
        yield CostLine(*head, *names, "", measure, why=f"no run of {listed(missing)}")


def cost_of(run: RunRecord, measure: str) -> float:
    """Return what a run cost; of the parameters, those that are not word vectors."""
    return run.weights if measure == PARAMETERS else float(run.cost[measure])


def cost_claims_markdown(lines: Sequence[CostLine]) -> str:
    """Return a table for each sentence, with a count before them."""
    judged = [line.verdict for line in lines if line.ours]
    counts = ", ".join(f"{judged.count(verdict)} {verdict}" for verdict in (AS_CLAIMED, OTHER_WAY, SAME))
    parts = [f"Of {len(lines)} comparisons, {len(judged)} are measured: {counts}.\n"]
    for (paper, place, said), found in groupby(lines, key=lambda line: (line.paper, line.place, line.sentence)):
        body = [[*line.cells[:-1], f"**{line.verdict}**" if line.ours else f"none ({line.why})"] for line in found]
        parts.append(f"**{NAMES[paper]}, {place}**: “{said}”\n\n{markdown_table(HEADER, body)}")
    return "\n".join(parts)
