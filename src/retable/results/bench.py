"""The equal-chances table as people read it: who beats the linear models, where, and at what cost. docs/bench.md."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import NamedTuple

import numpy as np

from retable.models import LINEAR_MODELS
from retable.papers.bench import TABLE_1 as TABLE
from retable.papers.paper import Column, Row
from retable.papers.trials import COUNT, trials_of
from retable.results.claims import Cell, Judge, Line
from retable.results.resolving import Filled, Resolver
from retable.results.tables import lines_and_costs
from retable.runs.record import RunRecord
from retable.tables.comparison import holm
from retable.tables.lines import Line as Score
from retable.tables.markdown import half_interval, markdown_table
from retable.tables.ranks import Ranks, rank_rows
from retable.tables.results import mean

BYTES = 4  # of a weight
MEGA = 1e6
SIGN = {"ahead": "▲", "behind": "▼", "equal": "=", "undecided": "~"}
FEWEST_ROWS, FEWEST_COLUMNS = 3, 2


class Standing(NamedTuple):
    """A row beside the linear model that was best on dev: the comparison, and whether it stays decided after Holm."""

    line: Line
    adjusted: str


@dataclass(frozen=True)
class Bench:
    """Hold the table's runs and scores, and how each network stands beside the best linear model of a column."""

    filled: Filled
    scores: Mapping[tuple[str, str], Score]
    standings: Mapping[tuple[str, str], Standing]

    @property
    def rows(self) -> list[Row]:
        """Return the rows with a score."""
        measured = {row for row, _ in self.scores}
        return [row for row in TABLE.rows if row.id in measured]

    @property
    def columns(self) -> list[Column]:
        """Return the columns with a score."""
        measured = {column for _, column in self.scores}
        return [column for column in TABLE.columns if column.id in measured]

    @property
    def complete(self) -> list[Column]:
        """Return the columns on which every row has a score: ranks and counts over others would favour the quick."""
        rows = self.rows
        return [column for column in self.columns if all((row.id, column.id) in self.scores for row in rows)]

    def runs(self, row: str) -> list[RunRecord]:
        """Return all runs of a row."""
        return [run for column in TABLE.columns for run in self.filled.shown((row, column.id))]


def read_bench(resolver: Resolver, judge: Judge) -> Bench:
    """Return the table as the runs at hand fill it."""
    filled, (lines, _) = resolver.fill(TABLE), lines_and_costs(TABLE, resolver)
    scores = {(line.row, line.column): line for line in lines if line.measured}
    compared = {
        (row.id, column.id): line
        for column in TABLE.columns
        for row in TABLE.rows
        if (row.id, column.id) in scores and (line := beside_linear(row, column, filled, judge))
    }
    decided = [line for line in compared.values() if line.comparison]
    family = holm([line.comparison for line in decided if line.comparison])
    adjusted = {id(line): told for line, told in zip(decided, family, strict=True)}
    standings = {key: Standing(line, adjusted.get(id(line), "")) for key, line in compared.items()}
    return Bench(filled, scores, standings)


def beside_linear(row: Row, column: Column, filled: Filled, judge: Judge) -> Line | None:
    """Return a network beside the linear model that is best on a column's dev texts; None of a linear one."""
    floor = best_linear(column, filled)
    if floor is None or row.model in LINEAR_MODELS:
        return None
    cells: list[list[Cell]] = [[filled.runs[each.id, column.id]] for each in (row, floor)]
    return judge.line((0, row, floor, column.printed, None), TABLE, [column], cells)


def best_linear(column: Column, filled: Filled) -> Row | None:
    """Return the linear row that is best on dev: a choice by test would favour it."""
    return best_on_dev([row for row in TABLE.rows if row.model in LINEAR_MODELS], column, filled)


def best_on_dev(rows: Iterable[Row], column: Column, filled: Filled) -> Row | None:
    """Return the row that is best on a column's dev texts, of those that were measured there."""
    measured = [row for row in rows if (row.id, column.id) in filled.runs]
    return max(measured, key=lambda row: mean([run.dev for run in filled.shown((row.id, column.id))]), default=None)


def ranked(bench: Bench) -> tuple[list[str], Ranks] | None:
    """Return the rows and their ranks over the complete columns; None with too few rows or columns."""
    rows, columns = [row.id for row in bench.rows], [column.id for column in bench.complete]
    if len(rows) < FEWEST_ROWS or len(columns) < FEWEST_COLUMNS:
        return None
    return rows, rank_rows(np.array([[float(bench.scores[row, name].measured) for name in columns] for row in rows]))


def bench_markdown(bench: Bench, picture: str = "") -> str:
    """Return the body of docs/bench.md: the table, best mean rank first, and how sure the ranks are.

    Args:
        picture: of accuracy against cost, where it is drawn.
    """
    found = ranked(bench)
    rank_of = dict(zip(found[0], found[1].mean, strict=True)) if found else {}
    rows = sorted(bench.rows, key=lambda row: rank_of.get(row.id, float("inf")))
    costs = {row.id: costs_of(bench.runs(row.id)) for row in rows}
    known = [name for name in COSTS if any(of_row[name] for of_row in costs.values())]
    header = ["", *([] if not rank_of else ["mean rank"]), *(column.printed for column in bench.columns), *known]
    body = [
        [
            row.printed,
            *([] if not rank_of else [f"{rank_of[row.id]:.1f}"]),
            *(cell_text(row.id, column.id, bench) for column in bench.columns),
            *(costs[row.id][name] for name in known),
        ]
        for row in rows
    ]
    shown = [f"![Accuracy against cost, means over corpora]({picture})\n"] if picture else []
    sentences = [*rank_sentences(bench, found), *linear_sentence(bench), trials_sentence()]
    parts = [*shown, markdown_table(header, body), *sentences]
    return "\n".join(parts)


def cell_text(row: str, column: str, bench: Bench) -> str:
    """Return "79.8 ± 0.6 (79.7) ▲": accuracy, interval, clean accuracy, verdict beside the best linear model."""
    score = bench.scores.get((row, column))
    if score is None:
        return "–"
    half = f" ± {half_interval(score)}" if score.high != score.low else ""
    measured, clean = (f"{float(number or score.measured):.1f}" for number in (score.measured, score.clean))
    clean = f" ({clean})" if clean != measured else ""
    standing = bench.standings.get((row, column))
    return f"{measured}{half}{clean} {sign_of(standing) if standing else ''}".rstrip()


def sign_of(standing: Standing) -> str:
    """Return a verdict's sign: bold if it holds after Holm, in brackets if not with the wider variance of folds."""
    found, sign = standing.line, SIGN.get(standing.line.verdict, "")
    if sign and found.comparison and found.comparison.verdict_if_corrected != found.verdict:
        sign = f"[{sign}]"
    is_firm = found.verdict != "undecided" and standing.adjusted == found.verdict
    return f"**{sign}**" if sign and is_firm else sign


COSTS = ("FLOPs a word", "seconds a training", "weights, MB")


def costs_of(runs: Sequence[RunRecord]) -> dict[str, str]:
    """Return the middle of the runs' FLOPs of a word and seconds, and of their weights in MB, word vectors apart.

    Seconds are empty where no run was timed.
    """
    flops = median(run.cost["flops_per_word"] for run in runs)
    seconds = [run.cost["seconds"] for run in runs if "seconds" in run.cost]
    weights = median(run.cost["parameters"] - run.cost.get("parameters_tuned_words", 0) for run in runs)
    cells = (f"{flops:,.0f}", f"{median(seconds):.0f}" if seconds else "", f"{weights * BYTES / MEGA:.2f}")
    return dict(zip(COSTS, cells, strict=True))


def rank_sentences(bench: Bench, found: tuple[list[str], Ranks] | None) -> list[str]:
    """Return what the ranks allow to conclude."""
    if not found:
        return []
    rows, ranks = found
    p = "below 0.001" if ranks.p_of_no_difference < 0.001 else f"{ranks.p_of_no_difference:.3f}"
    return [
        f"Mean ranks of {len(rows)} systems over {listed(bench.complete)}; Friedman's test that none differs: p {p}. "
        f"Two of them differ at 5% if their mean ranks are {ranks.critical:.1f} or more apart (Nemenyi).\n"
    ]


def listed(columns: Sequence[Column]) -> str:
    """Return "MR, SST-2 and R8"."""
    names = [column.printed for column in columns]
    return " and ".join([*([", ".join(names[:-1])] if names[1:] else []), names[-1]])


def linear_sentence(bench: Bench) -> list[str]:
    """Return which linear model each column is compared with."""
    named = [(column, best_linear(column, bench.filled)) for column in bench.columns]
    told = ", ".join(f"{column.printed}: {row.printed}" for column, row in named if row)
    return [f"The linear model that was best on dev: {told}.\n"] if told else []


def trials_sentence() -> str:
    """Return how many of the networks' cells were searched."""
    columns = {column.corpus for column in TABLE.columns}  # our recipe of table 2 is searched by the same rules
    searched = sum(len(found) == COUNT for (_, corpus), found in trials_of(TABLE.name).items() if corpus in columns)
    of = len(TABLE.columns) * sum(bool(row.search) for row in TABLE.rows)
    return f"{searched} of {of} searches are done, of {COUNT} trials each (docs/results/trials/{TABLE.name}.jsonl).\n"
