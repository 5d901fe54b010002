"""Judge the papers' claims by the available runs: every comparison of two rows that a claim makes, and its verdict.

Source: docs/protocol.md, rules 1 to 3. Here a cell is the runs that fill a row and column, seed by seed.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from retable.models import is_seedless
from retable.papers import paper_of_table, result_table
from retable.papers.claims import Claim, claims
from retable.papers.paper import Column, ResultTable, Row
from retable.results.pairing import (
    Cell,
    Pair,
    answers,
    clusters_of,
    units_of,
)
from retable.results.tables import epochs_of, had_its_end, published_numbers
from retable.runs.predictions import read_right
from retable.tables.comparison import (
    FEWEST_RUNS,
    FEWEST_UNITS,
    LEVEL,
    Comparison,
    compare,
    compare_units,
    holm,
    holm_adjusted,
)
from retable.tables.markdown import signed
from retable.text.folds import held_out_ratio

PERCENT = 100
Shown = Mapping[tuple[str, str], Cell]  # row, column -> its cell
Printed = Mapping[tuple[str, str, str], float]  # row, column, metric -> the published number
Copies = Mapping[str, Mapping[str, int]]  # corpus -> text id -> its cluster of near copies
Protocols = Callable[[ResultTable], Mapping[str, Any]]  # how the cells of a table are run
NOT_BEHIND = "not behind"  # of a claim "at least equal" (>=): neither ahead nor equal, but not behind by the margin
AT_LEAST = {"ahead", "equal", NOT_BEHIND}  # the verdicts that support such a claim
NONE = "none"


def in_points(interval: tuple[float, float]) -> str:
    """Return an interval of fractions as "-1.6 to +0.5" points."""
    return " to ".join(signed(PERCENT * end) for end in interval)


@dataclass(frozen=True)
class Judged:
    """Hold one comparison of a claim: the result, or why there is no verdict.

    `claim` is None for a comparison that no claim makes; `difference` is a fraction; `printed` is in points, None if
    not printed.
    """

    claim: Claim | None
    first: Row
    second: Row
    on: str
    texts: int
    runs: tuple[int, int]
    difference: float
    printed: float | None
    comparison: Comparison | None
    why: str = ""
    at_least: bool = False  # whether the claim says "at least equal" (>=)
    columns: tuple[str, ...] = ()  # ids of the columns compared

    @property
    def verdict(self) -> str:
        """Return the verdict of this comparison alone."""
        if self.comparison is None:
            return NONE
        is_shown = self.at_least and self.comparison.p_of_behind < LEVEL
        return NOT_BEHIND if is_shown and self.comparison.verdict == "undecided" else self.comparison.verdict


def claim_of(line: Judged) -> Claim:
    """Return the claim that makes a comparison."""
    assert line.claim, "a table of our own makes this comparison, no claim"
    return line.claim


@dataclass(frozen=True)
class Judge:
    """Hold the inputs of comparisons; `read` caches the answers of the files read so far."""

    copies: Copies
    protocol_of: Protocols
    read: dict[Path, dict[str, bool]] = field(default_factory=dict)

    def lines(self, claim: Claim, shown: Shown, numbers: Printed) -> Iterator[Judged]:
        """Yield a claim's comparisons, under each of its readings, where both rows were measured."""
        table = result_table(claim.table)
        wanted = [table.column(name) for name in claim.columns] or [
            column for column in table.columns if not column.runs_of and not column.mean_of
        ]
        for first, second in claim.pairs(table):
            both = [column for column in wanted if all(shown.get((row.id, column.id)) for row in (first, second))]
            for columns in [both] if claim.together and both else [[column] for column in both]:
                part = f"{len(columns)} of its {len(wanted)} columns are measured" if claim.together else ""
                cells = [[shown[row.id, column.id] for column in columns] for row in (first, second)]
                value = printed_difference(table, numbers, first, second, columns)
                on = f"mean of {len(columns)}" if claim.together else columns[0].printed
                line = self.line((claim, first, second, on, value), table, columns, cells)
                is_whole_mean = not claim.together or len(columns) == len(wanted)
                line = replace(line, at_least=claim.sign == ">=", columns=tuple(column.id for column in columns))
                yield line if is_whole_mean else replace(line, comparison=None, why=part)

    def line(
        self,
        head: tuple[Claim | None, Row, Row, str, float | None],
        table: ResultTable,
        columns: Sequence[Column],
        cells: Sequence[Sequence[Cell]],
    ) -> Judged:
        """Compare two rows on one column, or on the mean of several."""
        claim, first, second, on, value = head
        rows, joint = (first, second), bool(columns[0].domain)
        if joint:  # one network for all domains: each run answers the texts of all of them
            columns, cells = columns[:1], [of_row[:1] for of_row in cells]
        pairs = [answers(one, other, self.right_of) for one, other in zip(cells[0], cells[1], strict=True)]
        runs = (min(len(pair.first) for pair in pairs), min(len(pair.second) for pair in pairs))
        units = [
            units_of([(pair.first, pair.folds) for pair in pairs], runs[0]),
            units_of([(pair.second, pair.folds) for pair in pairs], runs[1]),
        ]
        seedless = (is_seedless(first.model), is_seedless(second.model))
        few = why_too_few([row.id for row in rows], seedless, runs, pairs, units[0].shape[1])
        why = self.why_none(table, rows, columns, cells) or few
        comparison = None if why else self.compared(seedless, columns[0], pairs, units)
        texts = sum(len(pair.ids) for pair in pairs)
        difference = float((units[0].mean(axis=0) - units[1].mean(axis=0)).mean()) if texts else float("nan")
        shown = comparison.runs if comparison else runs
        return Judged(claim, first, second, on, texts, shown, difference, value, comparison, why)

    def compared(
        self,
        seedless: tuple[bool, bool],
        column: Column,
        pairs: Sequence["Pair"],
        units: Sequence[npt.NDArray[np.float64]],
    ) -> Comparison:
        """Compare over units if there are several, otherwise over the texts of one pair."""
        if units[0].shape[1] > 1:
            texts = sum(len(pair.ids) for pair in pairs)
            if len(pairs) > 1:  # corpora
                return compare_units(units[0], units[1], texts)
            shared = held_out_ratio(units[0].shape[1])
            return compare_units(units[0], units[1], texts, shared=shared, same_split=column.split == "paper")
        (pair,) = pairs
        return compare(
            pair.first,
            pair.second,
            seedless=seedless,
            copies=clusters_of(pair.ids, self.copies.get(column.corpus or "", {})),
            same_texts=column.split == "paper",
        )

    def right_of(self, predictions: Path) -> dict[str, bool]:
        """Return test text id -> whether a run answered it correctly; each file is read once."""
        if predictions not in self.read:
            self.read[predictions] = read_right(predictions)
        return self.read[predictions]

    def why_none(
        self, table: ResultTable, rows: Sequence[Row], columns: Sequence[Column], cells: Sequence[Sequence[Cell]]
    ) -> str:
        """Return why two rows cannot be compared: cut training, unverified answers, different words or vectors."""
        cut, words, vectors, unverified = [], [], [], []
        for row, of_row in zip(rows, cells, strict=True):
            limits = set()
            runs = [run for cell in of_row for seed in cell for run in seed]
            vectors.append({run.vectors for run in runs})
            unverified += [row.id for run in runs if run.is_unverified]
            for column, cell in zip(columns, of_row, strict=True):
                of_epochs = epochs_of(row, column, self.protocol_of(table))
                for run in (run for seed in cell for run in seed):
                    limits.add(run.metrics["parameters"]["training"].get("max_words", 0))
                    cut += [] if had_its_end(run, of_epochs) else [row.id]
            words.append(limits)
        if cut:
            return f"cut: {', '.join(dict.fromkeys(cut))}"
        if unverified:
            return f"unverified: {', '.join(dict.fromkeys(unverified))}"
        if words[0] != words[1]:
            return "one row reads whole texts, the other parts"
        given = all("none" not in names for names in vectors)  # rows without given vectors compare with any
        return "their word vectors differ" if given and vectors[0] != vectors[1] else ""


def why_too_few(
    names: Sequence[str], seedless: Sequence[bool], runs: Sequence[int], pairs: Sequence[Pair], units: int
) -> str:
    """Return why the answers of two rows cannot be compared; empty if they can."""
    if any(pair.is_partial for pair in pairs):
        return "they answered different test texts"
    if 1 < units < FEWEST_UNITS:
        return f"{units} corpora or folds are too few"
    if units > 1:
        return ""
    of_rows = zip(names, seedless, runs, strict=True)
    few = {name: count for name, fixed, count in of_rows if count < FEWEST_RUNS and not fixed}
    counts = [f"{'one run' if count == 1 else f'{count} runs'} of {row}" for row, count in few.items()]
    return " and ".join(counts)


def printed_in(name: str) -> Printed:
    """Return the published numbers of a table."""
    numbers = published_numbers(paper_of_table(name), result_table(name).published)
    return {(number.row, number.column, number.metric): float(number.value) for number in numbers}


def printed_difference(
    table: ResultTable, numbers: Printed, first: Row, second: Row, columns: Sequence[Column]
) -> float | None:
    """Return the printed difference of two rows in points; for several columns, that of the printed means.

    Another reading of a row uses that row's printed number. None if a number is not printed.
    """
    column = columns[0]
    if len(columns) > 1:
        names = tuple(each.id for each in columns)
        column = next((each for each in table.columns if each.mean_of == names), column)
    names_of = [row.reading_of or row.id for row in (first, second)]
    pair = [numbers.get((row, *table.printed_as(column))) for row in names_of]
    if pair[0] is None or pair[1] is None or (len(columns) > 1 and not column.mean_of):
        return None
    return (pair[0] - pair[1]) * (PERCENT if table.unit == "fraction" else 1)


def judged_claims(
    shown_in: Callable[[str], Shown], judge: Judge, advance: Callable[[], None] = lambda: None
) -> list[Judged]:
    """Return every comparison that the available runs allow, in the order of the claims.

    Args:
        shown_in: maps a table to its runs.
        judge: makes the comparisons.
        advance: called after each claim.
    """
    given = {name: (shown_in(name), printed_in(name)) for name in dict.fromkeys(claim.table for claim in claims())}
    found: list[Judged] = []
    for claim in claims():
        found += judge.lines(claim, *given[claim.table])
        advance()
    return found


def after_holm(lines: Sequence[Judged]) -> dict[int, str]:
    """Return id of a comparison -> its verdict after Holm's correction, for the lines of one paper with a verdict."""
    judged = [(line, line.comparison) for line in lines if line.comparison]
    adjusted: dict[int, str] = {
        id(line): verdict
        for (line, _), verdict in zip(judged, holm([comparison for _, comparison in judged]), strict=True)
    }
    at_least = [(id(line), comparison) for line, comparison in judged if line.at_least]
    behind = {id(line) for line, _ in judged if line.verdict == "behind"}  # these do not turn into their opposite
    p_values = holm_adjusted([comparison.p_of_behind for _, comparison in at_least])
    for (name, _), p in zip(at_least, p_values, strict=True):
        if p < LEVEL and adjusted[name] == "undecided" and name not in behind:
            adjusted[name] = NOT_BEHIND
    return adjusted
