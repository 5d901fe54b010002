"""Judge the papers' claims by the available runs, and render docs/claims.md from the bank alone.

Source: docs/protocol.md, rules 1 to 3. Here a cell is the runs that fill a row and column, seed by seed.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby, repeat
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from retable.models import is_seedless
from retable.papers import NAMES, paper_of_table, result_table
from retable.papers.claims import OURS, Claim, claims
from retable.papers.paper import Column, ResultTable, Row
from retable.results.resolving import OfSeed, shown_of_seed
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
from retable.tables.markdown import markdown_table
from retable.text.folds import held_out_ratio

Cell = Sequence[OfSeed]
Shown = Mapping[tuple[str, str], Cell]  # row, column -> its cell
Printed = Mapping[tuple[str, str, str], float]  # row, column, metric -> the published number
Answered = Mapping[str, tuple[bool, int]]  # test text id -> whether it was answered correctly, and its test fold
Copies = Mapping[str, Mapping[str, int]]  # corpus -> text id -> its cluster of near copies
Protocols = Callable[[ResultTable], Mapping[str, Any]]  # how the cells of a table are run
HEADER = ("rows", "on", "runs", "texts", "ours, points", "detectable", "printed", "size", "verdict", "Holm")
NOT_BEHIND = "not behind"  # of a claim "at least equal" (>=): neither ahead nor equal, but not behind by the margin
VERDICTS = ("ahead", "behind", "equal", NOT_BEHIND, "undecided", "none")
WHO = {
    "own": "both measured by the authors",
    "cited": "one of them quoted",
    "both-cited": "both quoted",
    "unknown": "not stated who measured",
}
PERCENT, ROUNDING = 100, 0.05
NONE = "none"
CONTRADICT, NOT_EVERY = "readings contradict", "not under every reading"


@dataclass(frozen=True)
class Line:
    """Hold one comparison of a claim: the result, or why there is no verdict.

    `claim` is the claim's index in the file; `difference` is a fraction; `printed` is in points, None if not printed.
    """

    claim: int
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

    @property
    def verdict(self) -> str:
        """Return the verdict of this comparison alone."""
        if self.comparison is None:
            return NONE
        is_shown = self.at_least and self.comparison.p_of_behind < LEVEL
        return NOT_BEHIND if is_shown and self.comparison.verdict == "undecided" else self.comparison.verdict


@dataclass(frozen=True)
class Judge:
    """Hold the inputs of comparisons; `read` caches the answers of the files read so far."""

    copies: Copies
    protocol_of: Protocols
    read: dict[Path, dict[str, bool]] = field(default_factory=dict)

    def lines(self, number: int, claim: Claim, shown: Shown, numbers: Printed) -> Iterator[Line]:
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
                line = self.line((number, first, second, on, value), table, columns, cells)
                is_whole_mean = not claim.together or len(columns) == len(wanted)
                line = replace(line, at_least=claim.sign == ">=")
                yield line if is_whole_mean else replace(line, comparison=None, why=part)

    def line(
        self,
        head: tuple[int, Row, Row, str, float | None],
        table: ResultTable,
        columns: Sequence[Column],
        cells: Sequence[Sequence[Cell]],
    ) -> Line:
        """Compare two rows on one column, or on the mean of several."""
        number, first, second, on, value = head
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
        return Line(number, first, second, on, texts, shown, difference, value, comparison, why)

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
            shared = held_out_ratio(units[0].shape[1]) if len(pairs) == 1 else 0.0
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


@dataclass(frozen=True)
class Pair:
    """Hold which shared texts two rows answered correctly, (run, text), with the id and fold of each text."""

    ids: list[str]
    first: npt.NDArray[np.float64]
    second: npt.NDArray[np.float64]
    folds: npt.NDArray[np.int64]
    is_partial: bool  # whether some run answered texts that another did not


def answers(first: Cell, second: Cell, right_of: Callable[[Path], dict[str, bool]] = read_right) -> Pair:
    """Pair the correct answers of two cells: with dev folds the best run of each seed, with test folds all runs."""
    one, other = ([answers_of_seed(seed, right_of) for seed in cell] for cell in (first, second))
    return paired(one, other)


def paired(first: Sequence[Answered], second: Sequence[Answered]) -> Pair:
    """Pair two rows' answers, one mapping per run, on the texts that all runs share; folds come from the first row."""
    of_both = (first, second)
    fold_of = {text: fold for text, (_, fold) in of_both[0][0].items()}
    shared = set(fold_of).intersection(*(seed for cell in of_both for seed in cell))
    ids = [text for text in fold_of if text in shared]
    one, other = (np.array([[seed[text][0] for text in ids] for seed in cell], dtype=np.float64) for cell in of_both)
    partial = any(len(seed) != len(ids) for cell in of_both for seed in cell)
    return Pair(ids, one, other, np.array([fold_of[text] for text in ids], dtype=np.int64), partial)


def answers_of_seed(runs: OfSeed, right_of: Callable[[Path], dict[str, bool]]) -> dict[str, tuple[bool, int]]:
    """Return test text id -> whether it was answered correctly, and its test fold (0 without folds)."""
    found: dict[str, tuple[bool, int]] = {}
    for run in shown_of_seed(runs):
        right, fold = right_of(run.predictions), run.fold.number if run.fold and run.fold.kind == "test" else 0
        found.update(zip(right, zip(right.values(), repeat(fold)), strict=False))
    return found


def units_of(
    pairs: Sequence[tuple[npt.NDArray[np.float64], npt.NDArray[np.int64]]], runs: int
) -> npt.NDArray[np.float64]:
    """Return the accuracy of each of the first `runs` runs on the folds of all columns, (run, unit)."""
    return np.concatenate([accuracies_of_units(right[:runs], folds) for right, folds in pairs], axis=1)


def accuracies_of_units(right: npt.NDArray[np.float64], folds: npt.NDArray[np.int64]) -> npt.NDArray[np.float64]:
    """Return the accuracy of each run on each test fold, (run, unit); without folds there is one unit."""
    return np.stack([right[:, folds == fold].mean(axis=1) for fold in np.unique(folds)] or [right[:, 0]], axis=1)


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


def clusters_of(ids: Sequence[str], copies: Mapping[str, int]) -> npt.NDArray[np.int64]:
    """Return the cluster of near copies of each text, (text,); a text without copies has its own."""
    first_free = max(copies.values(), default=-1) + 1
    return np.array([copies.get(text, first_free + place) for place, text in enumerate(ids)], dtype=np.int64)


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
) -> list[Line]:
    """Return every comparison that the available runs allow, in the order of the claims.

    Args:
        shown_in: maps a table to its runs.
        judge: makes the comparisons.
        advance: called after each claim.
    """
    given = {name: (shown_in(name), printed_in(name)) for name in dict.fromkeys(claim.table for claim in claims())}
    found: list[Line] = []
    for number, claim in enumerate(claims()):
        found += judge.lines(number, claim, *given[claim.table])
        advance()
    return found


def after_holm(lines: Sequence[Line]) -> dict[int, str]:
    """Return id of a comparison -> its verdict after Holm's correction, for the lines of one paper with a verdict."""
    judged = [(line, line.comparison) for line in lines if line.comparison]
    adjusted: dict[int, str] = {
        id(line): verdict
        for (line, _), verdict in zip(judged, holm([comparison for _, comparison in judged]), strict=True)
    }
    at_least = [(id(line), comparison) for line, comparison in judged if line.at_least]
    p_values = holm_adjusted([comparison.p_of_behind for _, comparison in at_least])
    for (name, _), p in zip(at_least, p_values, strict=True):
        if p < LEVEL and adjusted[name] == "undecided":
            adjusted[name] = NOT_BEHIND
    return adjusted


def claims_markdown(lines: Sequence[Line]) -> str:
    """Return the page's body: a table of counts, then each paper's claims with their comparisons."""
    parts, counts = [], []
    for name, of_paper in groupby(lines, key=lambda line: claims()[line.claim].paper):
        found = list(of_paper)
        adjusted = after_holm(found)
        parts.append(paper_markdown(name, found, adjusted))
        counts.append(counts_of(name, found, list(adjusted.values())))
    header = ("paper", "comparisons", *VERDICTS, "not undecided after Holm")
    return "\n".join([markdown_table(header, counts), *parts, unmeasured(lines)])


def counts_of(name: str, lines: Sequence[Line], adjusted: Sequence[str]) -> list[str]:
    """Return a paper's row of the table of counts."""
    verdicts = Counter(line.verdict for line in lines)
    kept = sum(verdict != "undecided" for verdict in adjusted)
    return [NAMES[name], str(len(lines)), *(str(verdicts[verdict]) for verdict in VERDICTS), str(kept)]


def paper_markdown(name: str, lines: Sequence[Line], adjusted: Mapping[int, str]) -> str:
    """Return a paper's claims: each sentence, then its comparisons."""
    parts = [f"## {NAMES[name]}\n", *notes_on_columns(lines)]
    for (place, sentence, measured), of_sentence in groupby(lines, key=lambda line: said(claims()[line.claim])):
        found = list(of_sentence)
        where = "Ours; no paper makes these comparisons" if measured == OURS else place[0].upper() + place[1:]
        quoted = f": “{sentence}”" if sentence else ""
        who = f" ({WHO[measured]})" if measured != OURS else ""
        body = [cells_of(line, adjusted.get(id(line), ""), beside_readings(line, found)) for line in found]
        parts.append(f"**{where}**{quoted}{who}\n\n{markdown_table(HEADER, body)}")
    return "\n".join(parts)


def notes_on_columns(lines: Sequence[Line]) -> list[str]:
    """Return a list of what must be known about the columns of a paper's comparisons; empty if there is nothing."""
    notes = dict[tuple[str, str], None]()
    for line in (line for line in lines if line.comparison):
        claim = claims()[line.claim]
        for column in result_table(claim.table).columns:
            if column.note and (column.id in claim.columns if claim.together else column.printed == line.on):
                notes[line.on, column.note] = None
    return ["\n".join(f"- {on}: {note}" for on, note in notes) + "\n"] if notes else []


def said(claim: Claim) -> tuple[str, str, str]:
    """Return where a claim appears, its sentence, and who measured it."""
    return claim.place, claim.sentence, claim.measured


def beside_readings(line: Line, others: Sequence[Line]) -> str:
    """Return how the verdicts under all readings of a claim differ on the same texts; empty if they are the same.

    An undecided reading contradicts nothing: that one interval holds zero and another does not is no evidence that the
    two readings differ.
    """
    verdicts = {other.verdict for other in others if (other.claim, other.on) == (line.claim, line.on)} - {NONE}
    if line.comparison is None or len(verdicts) < 2:
        return ""
    return CONTRADICT if len(verdicts - {NOT_BEHIND, "undecided"}) > 1 else NOT_EVERY


def cells_of(line: Line, adjusted: str, readings: str = "") -> list[str]:
    """Return a comparison as the cells of a table row.

    Args:
        line: the comparison.
        adjusted: its verdict after Holm's correction; empty if it has none.
        readings: how the verdicts under all readings differ.
    """
    claim, found = claims()[line.claim], line.comparison
    sign = {">": ">", ">=": "≥", "=": "="}[claim.sign]
    names = [f"*{row.printed}*" if row.reading_of else row.printed for row in (line.first, line.second)]
    ours, shows, size = f"{PERCENT * line.difference:+.1f}", "", ""
    if found:
        low, high = (PERCENT * end for end in found.interval())
        ours, shows = f"{ours} ({low:+.1f} to {high:+.1f})", f"{PERCENT * found.detectable:.1f}"
        size = "" if line.printed is None else size_of(line.printed, found)
    printed = "" if line.printed is None else f"{line.printed:+.1f}"
    if claim.size and (line.printed is None or abs(line.printed - float(claim.size)) >= ROUNDING):
        printed = f"{printed}; in words {claim.size}".removeprefix("; ")
    verdict = f"**{line.verdict}**" if line.comparison else f"none ({line.why})"
    return [
        f" {sign} ".join(names),
        line.on,
        "{} / {}".format(*line.runs),
        f"{line.texts:,}",
        ours,
        shows,
        printed,
        size,
        f"{verdict}; {readings}" if readings else verdict,
        adjusted,
    ]


def size_of(printed: float, found: Comparison) -> str:
    """Return how the printed difference compares with our interval, in points."""
    low, high = (PERCENT * end for end in found.expected)
    return "printed is larger" if printed > high else "printed is smaller" if printed < low else "as printed"


def unmeasured(lines: Sequence[Line]) -> str:
    """List the claims for which no comparison could be made."""
    measured = {line.claim for line in lines}
    left = [
        f"- {NAMES[claim.paper]}, {claim.place}: {claim.first} {claim.sign} {claim.second}"
        for number, claim in enumerate(claims())
        if number not in measured
    ]
    return "## Not measured yet\n\n" + "\n".join(left) + "\n" if left else ""
