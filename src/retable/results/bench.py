"""The equal-chances table for docs/bench.md: which networks beat the linear models, where, and at what cost."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import NamedTuple

import numpy as np

from retable.models import is_linear
from retable.papers.bench import TABLE_1 as TABLE
from retable.papers.paper import Column, ResultTable, Row
from retable.papers.trials import COUNT, trials_of
from retable.results.judging import Judge, Judged
from retable.results.pairing import Cell
from retable.results.resolving import Filled, Resolver
from retable.results.seconds import Seconds
from retable.results.tables import lines_and_costs
from retable.runs.record import RunRecord
from retable.tables.comparison import holm
from retable.tables.lines import UNVERIFIED, Line
from retable.tables.markdown import half_interval, markdown_table
from retable.tables.ranks import Ranks, rank_rows
from retable.tables.run_result import mean
from retable.wording import listed

BYTES = 4  # per weight
NO_BREAK = "\N{NO-BREAK SPACE}"
MEGA = 1e6
SAID = ("ahead", "behind", "equal")  # the verdicts that a cell says
FOLDED = " (on columns of test folds, {}: the mean of ten more folds)"
LEGEND = (
    "Accuracy in %. ± is half of the interval in which one more run falls{}. In brackets, where it differs, accuracy "
    "on *clean* test texts. *Ahead*, *behind* or *equal*: the network against the linear model of its column that "
    "was best on dev, **bold** where it holds after Holm's correction; no word: undecided, no verdict (fewer than "
    "three runs, or a cut training), or a linear model.\n"
)
FEWEST_ROWS, FEWEST_COLUMNS = 3, 2
FEWEST_TO_TEST = 5  # columns: with two, no two of 19 mean ranks can be far enough apart


class Standing(NamedTuple):
    """Hold a row's comparison with the linear model that is best on dev, and its verdict after Holm's correction."""

    line: Judged
    adjusted: str


@dataclass(frozen=True)
class Bench:
    """Hold the table's runs and scores, and how each network compares with the best linear model of a column."""

    filled: Filled
    scores: Mapping[tuple[str, str], Line]
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
        """Return the columns on which every row has a score; ranks over partial columns would favour fast models.

        A score that was imported without its answers being checked does not count.
        """
        rows, known = self.rows, {key for key, score in self.scores.items() if not score.is_unverified}
        return [column for column in self.columns if all((row.id, column.id) in known for row in rows)]

    def runs(self, row: str) -> list[RunRecord]:
        """Return all runs of a row."""
        return [run for column in TABLE.columns for run in self.filled.shown((row, column.id))]


def read_bench(resolver: Resolver, judge: Judge) -> Bench:
    """Return the table filled with the available runs."""
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
    adjusted = {id(line): verdict for line, verdict in zip(decided, family, strict=True)}
    standings = {key: Standing(line, adjusted.get(id(line), "")) for key, line in compared.items()}
    return Bench(filled, scores, standings)


def beside_linear(row: Row, column: Column, filled: Filled, judge: Judge) -> Judged | None:
    """Compare a network with the linear model that is best on a column's dev texts; return None for a linear row."""
    floor = best_linear(column, filled)
    if floor is None or is_linear(row.model):
        return None
    return beside(row, floor, TABLE, column, filled, judge)


def beside(first: Row, second: Row, table: ResultTable, column: Column, filled: Filled, judge: Judge) -> Judged:
    """Compare two rows of a table of our own on a column."""
    cells: list[list[Cell]] = [[filled.runs[each.id, column.id]] for each in (first, second)]
    return judge.line((None, first, second, column.printed, None), table, [column], cells)


def best_linear(column: Column, filled: Filled) -> Row | None:
    """Return the linear row that is best on dev; choosing it on test would favour it."""
    return best_on_dev([row for row in TABLE.rows if is_linear(row.model)], column, filled)


def best_on_dev(rows: Iterable[Row], column: Column, filled: Filled) -> Row | None:
    """Return the row with the best dev accuracy among those measured on a column; one without dev texts is left out."""
    of_rows = [(row, filled.shown((row.id, column.id))) for row in rows if (row.id, column.id) in filled.runs]
    scored = [
        (row, mean([run.dev for run in runs])) for row, runs in of_rows if all(run.metrics["dev"] for run in runs)
    ]
    return max(scored, key=lambda each: each[1], default=(None, 0.0))[0]


def ranked(bench: Bench) -> tuple[list[str], Ranks] | None:
    """Return the rows and their ranks over the complete columns; None if there are too few rows or columns."""
    rows, columns = [row.id for row in bench.rows], [column.id for column in bench.complete]
    if len(rows) < FEWEST_ROWS or len(columns) < FEWEST_COLUMNS:
        return None
    return rows, rank_rows(np.array([[float(bench.scores[row, name].measured) for name in columns] for row in rows]))


def bench_markdown(bench: Bench, picture: str = "", seconds: Seconds | None = None) -> str:
    """Return the body of docs/bench.md: the table, ordered by mean rank, and how certain the ranks are.

    Args:
        picture: path of the plot of accuracy against cost; empty if it was not drawn.
        seconds: what the systems take; None if they were not timed.
    """
    found = ranked(bench)
    rank_of = dict(zip(found[0], found[1].mean, strict=True)) if found else {}
    rows = sorted(bench.rows, key=lambda row: rank_of.get(row.id, float("inf")))
    costs = {row.id: costs_of(bench.runs(row.id)) | times_of(row.id, bench, seconds) for row in rows}
    known = list(dict.fromkeys(name for of_row in costs.values() for name in of_row))
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
    timed = [seconds.sentence] if seconds else []
    sentences = [*rank_sentences(bench, found), *linear_sentence(bench), *timed, trials_sentence(bench)]
    folded = listed([column.printed for column in bench.columns if column.folds == "test"])
    parts = [*shown, LEGEND.format(FOLDED.format(folded) if folded else ""), markdown_table(header, body), *sentences]
    return "\n".join(parts)


def cell_text(row: str, column: str, bench: Bench) -> str:
    """Return "79.81 ± 0.6 (79.72) ahead": accuracy, interval, clean accuracy, verdict against the best linear model."""
    score = bench.scores.get((row, column))
    if score is None:
        return "–"
    half = f"{NO_BREAK}±{NO_BREAK}{half_interval(score)}" if score.high != score.low else ""
    clean = f" ({score.clean})" if score.clean not in ("", score.measured) else ""
    standing = bench.standings.get((row, column))
    sign = UNVERIFIED if score.is_unverified else sign_of(standing) if standing else ""
    return f"{score.measured}{half}{clean} {sign}".rstrip()


def sign_of(standing: Standing) -> str:
    """Return a verdict in a word, bold if it holds after Holm; empty if it is undecided or there is none."""
    verdict = standing.line.verdict
    if verdict not in SAID:
        return ""
    return f"**{verdict}**" if standing.adjusted == verdict else verdict


def costs_of(runs: Sequence[RunRecord]) -> dict[str, str]:
    """Return the medians over runs of FLOPs per word and of weights in MB without word vectors."""
    flops = median(run.cost["flops_per_word"] for run in runs)
    weights = median(run.weights for run in runs)
    return {"FLOPs per word": f"{flops:,.0f}", "weights, MB": f"{weights * BYTES / MEGA:.2f}"}


def times_of(row: str, bench: Bench, seconds: Seconds | None) -> dict[str, str]:
    """Return the seconds of a training and of answers; nothing if they were not timed."""
    if seconds is None:
        return {}
    return {
        "seconds to train": seconds.of_training(row, bench.filled),
        "seconds for 1,000 answers": seconds.of_answers(row),
    }


def rank_sentences(bench: Bench, found: tuple[list[str], Ranks] | None) -> list[str]:
    """Return sentences on what can be concluded from the ranks."""
    if not found:
        return []
    rows, ranks = found
    over = f"Mean ranks of {len(rows)} systems over {listed([column.printed for column in bench.complete])}"
    if len(bench.complete) < FEWEST_TO_TEST:
        return [f"{over}. At least {FEWEST_TO_TEST} columns are needed to test them.\n"]
    p = "below 0.001" if ranks.p_of_no_difference < 0.001 else f"{ranks.p_of_no_difference:.3f}"
    return [
        f"{over}. Friedman test: p {p}. "
        f"Two systems differ at 5% if their mean ranks are {ranks.critical:.1f} or more apart (Nemenyi); "
        f"the first and the last are {np.ptp(ranks.mean):.1f} apart.\n"
    ]


def linear_sentence(bench: Bench) -> list[str]:
    """Return a sentence naming the linear model that each column is compared with."""
    named = [(column, best_linear(column, bench.filled)) for column in bench.columns]
    names = "; ".join(f"{column.printed}: {row.printed}" for column, row in named if row)
    return [f"Best linear model on dev. {names}.\n"] if names else []


def trials_sentence(bench: Bench) -> str:
    """Return a sentence on how many of the networks' cells were searched."""
    columns = {column.corpus for column in TABLE.columns}  # table 2 (our recipe) is searched by the same rules
    searched = sum(len(found) == COUNT for (_, corpus), found in trials_of(TABLE.name).items() if corpus in columns)
    of = len(TABLE.columns) * sum(bool(row.trials) for row in TABLE.rows)
    measured = {row.id for row in bench.rows}
    left = listed([row.printed for row in TABLE.rows if row.model and row.id not in measured])
    done = f"{searched} of {of} searches are done, with {COUNT} trials each (docs/results/trials/{TABLE.name}.jsonl)"
    return f"{done}. No run yet of {left}.\n" if left else f"{done}.\n"
