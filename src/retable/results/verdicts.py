"""Compare anyone's predictions with every banked row of a corpus, by the project's own test.

Source: docs/protocol.md, rule 1. Only their answers are used; how they were trained is unknown.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from retable.errors import InputError, unknown_name
from retable.models import is_seedless
from retable.papers import result_tables
from retable.papers.paper import Column, ResultTable, Row
from retable.project.progress import progress
from retable.results.judging import NONE, PERCENT, Judge, why_too_few
from retable.results.pairing import Answered, Cell, answers_of_seed, paired, units_of
from retable.results.resolving import Resolver, shown_of_seed
from retable.runs.predictions import read_predictions
from retable.tables.comparison import Comparison, holm

Answers = Mapping[str, str]  # test text id -> the label that a run gave it
YOURS = "yours"


@dataclass(frozen=True)
class Banked:
    """Hold a row of the bank on a corpus: where it is shown, and its runs, seed by seed."""

    table: ResultTable
    row: Row
    column: Column
    cell: Cell

    @property
    def name(self) -> str:
        """Return its name among all rows of the corpus."""
        return f"{self.table.name}/{self.row.id}"

    @property
    def folds(self) -> int:
        """Return the number of test folds; 0 if the corpus's own test texts are answered."""
        run = shown_of_seed(self.cell[0])[0]
        return run.fold.folds if run.fold and run.fold.kind == "test" else 0


@dataclass(frozen=True)
class ComparedRow:
    """Hold a comparison of user predictions with a row of the bank; differences and accuracies are fractions."""

    banked: Banked
    runs: tuple[int, int]
    texts: int
    yours: float
    theirs: float
    comparison: Comparison | None
    why: str
    adjusted: str = ""

    @property
    def verdict(self) -> str:
        """Return the verdict of this comparison alone."""
        return self.comparison.verdict if self.comparison else NONE

    def as_json(self) -> dict[str, Any]:
        """Return the comparison as JSON values: numbers in points, null if there is no verdict."""
        found = self.comparison
        low, high = (PERCENT * end for end in found.interval()) if found else (None, None)
        return {
            "table": self.banked.table.name, "row": self.banked.row.id, "column": self.banked.column.id,
            "printed": self.banked.row.printed, "folds": self.banked.folds, "your_runs": self.runs[0],
            "their_runs": self.runs[1], "texts": self.texts, "yours": PERCENT * self.yours,
            "theirs": PERCENT * self.theirs, "difference": PERCENT * (self.yours - self.theirs), "low": low,
            "high": high, "detectable": PERCENT * found.detectable if found else None, "verdict": self.verdict,
            "holm": self.adjusted or NONE, "why": self.why,
        }  # fmt: skip


def banked_rows(corpus: str, resolver: Resolver) -> list[Banked]:
    """Return every row of the bank on a corpus; runs shown in several tables are listed once.

    Raises: InputError if the bank has nothing on the corpus.
    """
    found: dict[tuple[str, ...], Banked] = {}
    known = set()
    for table in result_tables():
        columns = [column for column in table.columns if column.corpus and not column.runs_of]
        known |= {str(column.corpus) for column in columns}
        if corpus not in {column.corpus for column in columns}:
            continue
        for (row, name), cell in resolver.fill(table).runs.items():
            column = table.column(name)
            if column.corpus == corpus and not column.runs_of:
                keys = tuple(run.key for of_seed in cell for run in of_seed)
                found.setdefault(keys, Banked(table, table.row(row), column, cell))
    if not found and corpus not in known:
        raise unknown_name("corpus", corpus, known)
    if not found:
        raise InputError(f"the bank has no run on {corpus}; `retable list corpora` names the corpora.")
    return list(found.values())


def verdicts(runs: Mapping[str, Answers], rows: Sequence[Banked], judge: Judge, *, seedless: bool) -> list[ComparedRow]:
    """Compare user predictions with every row whose test texts they answer.

    Args:
        runs: run name -> its answers.
        rows: of one corpus.
        judge: makes the comparisons.
        seedless: whether the user's model does not depend on a seed, so that one run is enough.
    Raises: InputError if the ids match no row's test texts, or a label is not one of the corpus.
    """
    truths = [truth_of(row) for row in rows]
    check(runs, truths, rows[0].column.corpus or "")
    first = next(iter(runs.values()))
    fitting = [(row, truth) for row, truth in zip(rows, truths, strict=True) if truth.keys() == first.keys()]
    found = []
    with progress("verdicts", len(fitting), "rows") as bar:
        for row, truth in fitting:
            found.append(compared(runs, row, truth, judge, seedless=seedless))
            bar.advance()
    family = iter(holm([each.comparison for each in found if each.comparison]))
    return [replace(each, adjusted=next(family)) if each.comparison else each for each in found]


def truth_of(row: Banked) -> dict[str, str]:
    """Return test text id -> its label, for a row."""
    found: dict[str, str] = {}
    for run in shown_of_seed(row.cell[0]):
        facts, ids, classes, _, _ = read_predictions(run.predictions)
        found |= {text: facts.labels[number] for text, number in zip(ids, classes, strict=True)}
    return found


def check(runs: Mapping[str, Answers], truths: Sequence[Mapping[str, str]], corpus: str) -> None:
    """Check ids and labels against the rows. Raises: InputError if they match none."""
    labels = sorted({label for truth in truths for label in truth.values()})
    for name, run in runs.items():
        nearest = max(truths, key=lambda truth: len(truth.keys() & run.keys()) - len(truth.keys() - run.keys()))
        foreign, missing = list(run.keys() - nearest.keys()), list(nearest.keys() - run.keys())
        if foreign:
            raise InputError(
                f'run {name}: {len(foreign):,} of its {len(run):,} ids, such as "{min(foreign)}", are not test texts '
                f'of {corpus}, whose ids look like "{min(nearest)}"; `retable export --bank FOLDER` writes all of them.'
            )
        if missing:
            raise InputError(
                f"run {name}: {len(missing):,} of the {len(nearest):,} test texts of {corpus} have no answer, such as "
                f'"{min(missing)}"; give every text a label.'
            )
        if other := sorted(set(run.values()) - set(labels)):
            raise unknown_name(f"label of run {name}", other[0], labels)
    if len(runs) > 1 and len({tuple(sorted(run.items())) for run in runs.values()}) == 1:
        raise InputError(
            f"all {len(runs)} runs give the same answers: copies of one run say nothing about chance; give runs with "
            "different seeds, or one run with --seedless."
        )
    if len({frozenset(run) for run in runs.values()}) > 1:
        raise InputError(f"the runs answer different test texts of {corpus}; give all of them the same ids.")


def copied(runs: Mapping[str, Answers]) -> tuple[str, str] | None:
    """Return the names of two runs that give the same answers; None if there are none."""
    names: dict[tuple[tuple[str, str], ...], str] = {}
    for name, run in runs.items():
        if (first := names.setdefault(tuple(sorted(run.items())), name)) != name:
            return first, name
    return None


def compared(
    runs: Mapping[str, Answers], row: Banked, truth: Mapping[str, str], judge: Judge, *, seedless: bool
) -> ComparedRow:
    """Compare with one row, before Holm's correction."""
    theirs = [answers_of_seed(of_seed, judge.right_of) for of_seed in row.cell]
    yours: list[Answered] = [
        {text: (answers[text] == label, theirs[0][text][1]) for text, label in truth.items()}
        for answers in runs.values()
    ]
    pair = paired(yours, theirs)
    fixed, counts = (seedless, is_seedless(row.row.model)), (len(yours), len(theirs))
    units = [units_of([(right, pair.folds)], len(right)) for right in (pair.first, pair.second)]
    few = why_too_few([YOURS, row.row.id], fixed, counts, [pair], units[0].shape[1])
    why = judge.why_none(row.table, [row.row] * 2, [row.column], [[row.cell]] * 2) or few
    comparison = None if why else judge.compared(fixed, row.column, [pair], units)
    one, other = (float(of_row.mean()) for of_row in units)
    return ComparedRow(row, counts, len(pair.ids), one, other, comparison, why)
