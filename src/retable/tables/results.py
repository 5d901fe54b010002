"""A table of scores: every printed cell, measured or with the reason why not, and our extra rows."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from statistics import stdev
from typing import NamedTuple

from retable.papers.paper import Column, ResultTable, Row
from retable.papers.shared import FLOORS
from retable.tables.cell_intervals import interval_of_cell
from retable.tables.intervals import verdict
from retable.tables.lines import CUT, UNVERIFIED, Line, Verdict, joined
from retable.tables.published import Published
from retable.tables.run_result import COST_UNITS, RunResult, mean, of_all, turned

FACTOR, DIGITS = {"%": 100.0, "fraction": 1.0, "MB": 1.0, "s": 1.0}, {"%": 2, "fraction": 4, "MB": 0, "s": 1}
OTHER_MACHINE = "not the paper's machine: compare order and slope, not values"
IN_NO_SCALE = "not planned at any scale"
NOT_COMPARED = f"{UNVERIFIED}: imported, answers not compared with the test texts"


class Part(NamedTuple):
    """Hold a score on some test folds, a fraction, how many these are, and of how many."""

    value: float
    folds: int
    of_folds: int


@dataclass(frozen=True)
class Cells:
    """Hold the runs of each (row, column), and why others are missing; one without a reason is in no scale.

    `parts` has the scores of missing cells of which some folds are there.
    """

    runs: Mapping[tuple[str, str], Sequence[RunResult]]
    missing: Mapping[tuple[str, str], str]
    parts: Mapping[tuple[str, str], Part] = field(default_factory=dict)


def result_lines(table: ResultTable, published: Sequence[Published], cells: Cells) -> list[Line]:
    """Return all lines of a table.

    Args:
        table: the table, with its rows and columns.
        published: the printed numbers of this table.
        cells: the measured cells.
    """
    printed = {
        (number.row, column.id): number
        for number in published
        for column in table.columns
        if (number.column, number.metric) == table.printed_as(column)
    }
    cells = with_means(table, cells)
    lines = []
    for row in table.rows:
        for column in table.columns:
            key = (row.id, column.id)
            if key in cells.runs:
                line = _measured(table, row, column, printed, cells.runs)
                unverified = any(run.is_unverified for run in cells.runs[key])
                lines.append(replace(line, verdict=UNVERIFIED) if unverified else line)
            elif key in printed or key in cells.missing or (row.extra and not column.extra):
                lines.append(_not_run(table, row, column, printed.get(key), cells))
    return lines


def with_means(table: ResultTable, cells: Cells) -> Cells:
    """Add the columns that are means of others, computed run by run, or the reason why one is missing.

    If no column is measured, and all for one reason, the mean has that reason.
    """
    runs, missing = dict(cells.runs), dict(cells.missing)
    for column in table.columns:
        for row in table.rows if column.mean_of else ():
            members = [runs[row.id, name] for name in column.mean_of if (row.id, name) in runs]
            reasons = {missing.get((row.id, name), "") for name in column.mean_of}
            if len(members) == len(column.mean_of):
                runs[row.id, column.id] = [_mean_run(group) for group in zip(*members, strict=False)]
            elif members or len(reasons) > 1:
                missing[row.id, column.id] = f"{len(members)} of its {len(column.mean_of)} columns are measured"
            elif reason := reasons.pop():
                missing[row.id, column.id] = reason
    return replace(cells, runs=runs, missing=missing)


def _mean_run(runs: Sequence[RunResult]) -> RunResult:
    cleans = [run.clean for run in runs if run.clean is not None]
    return replace(
        of_all(runs),
        value=mean([run.value for run in runs]),
        clean=mean(cleans) if len(cleans) == len(runs) else None,
        turned=turned(runs),
        sampling=sum(run.of_texts for run in runs) / len(runs) ** 2,
        of_epochs=max(run.of_epochs for run in runs),
        values=(),
        kind="",
    )


def floor_of(
    table: ResultTable, column: str, runs: Mapping[tuple[str, str], Sequence[RunResult]]
) -> tuple[str, float] | None:
    """Return the best floor on a column and its mean score, a fraction."""
    rows = [row.id for row in FLOORS]
    found = [(row, mean([run.value for run in runs[row, column]])) for row in rows if (row, column) in runs]
    return max(found, key=lambda pair: pair[1]) if found else None


def _line(table: ResultTable, row: Row, column: Column, number: Published | None) -> Line:
    """Return the line of a cell without its measurement."""
    metric, published = table.metric_of(column), number.value if number else ""
    return Line(row.id, column.id, metric, published=published, unit=COST_UNITS.get(metric, table.unit))


def _measured(
    table: ResultTable,
    row: Row,
    column: Column,
    printed: Mapping[tuple[str, str], Published],
    runs: Mapping[tuple[str, str], Sequence[RunResult]],
) -> Line:
    mine, number = runs[row.id, column.id], printed.get((row.id, column.id))
    line, values = _line(table, row, column, number), [run.value for run in mine]
    factor, digits = FACTOR[line.unit], DIGITS[line.unit]
    cleans = [run.clean for run in mine if run.clean is not None]
    line = replace(
        line,
        measured=f"{mean(values) * factor:.{digits}f}",
        runs=str(sum(len(run.values) or 1 for run in mine)),
        clean=f"{mean(cleans) * factor:.{digits}f}" if cleans else "",
    )
    if number:
        delta = f"{mean(values) * factor - float(number.value):+.{digits}f}"
        line = replace(line, delta=delta, match=_match(table, column, mine, number))
    if line.unit != table.unit:
        notes = [OTHER_MACHINE, *_notes(column, mine, number, None, line.unit)]
        return replace(line, verdict="uninformative" if number else "", note=joined(notes))
    notes = _notes(column, mine, number, floor_of(table, column.id, runs), line.unit)
    interval = interval_of_cell(table, row, column, runs)
    if interval:
        low, high = (end * factor for end in interval)
        line = replace(line, low=f"{low:.{digits}f}", high=f"{high:.{digits}f}")
    else:
        notes.append("one run, and fewer than three other rows of the column have two: no interval")
    if number:
        line = replace(line, verdict=_judged(column, mine, number, interval, printed, factor))
    return replace(line, note=joined(notes))


def _judged(
    column: Column,
    mine: Sequence[RunResult],
    number: Published,
    interval: tuple[float, float] | None,
    printed: Mapping[tuple[str, str], Published],
    factor: float,
) -> Verdict:
    """Return the verdict on the printed number: "cut" if a training was cut, "one-run" if no spread is known."""
    if any(run.of_epochs for run in mine):
        return "cut"
    if not interval:
        return "one-run"
    column_values = [float(other.value) for (_, name), other in printed.items() if name == column.id]
    low, high = (end * factor for end in interval)
    rounded = 0.5 * 10.0 ** -len(number.value.partition(".")[2])  # rounding error of the printed number
    return verdict(low - rounded, high + rounded, float(number.value), max(column_values) - min(column_values))


def _not_run(table: ResultTable, row: Row, column: Column, number: Published | None, cells: Cells) -> Line:
    line, part = _line(table, row, column, number), cells.parts.get((row.id, column.id))
    reason = column.reason or row.reason or cells.missing.get((row.id, column.id), IN_NO_SCALE)
    if part:
        score = f"{part.value * FACTOR[line.unit]:.{DIGITS[line.unit]}f}"
        reason = f"{score} on {part.folds} of {part.of_folds} folds, the rest is {reason}"  # `Line.part` reads it
    match = "quoted" if number and number.own == "cited" else ""
    note = joined((reason, number.remark if number else ""))
    return replace(line, match=match, verdict="not-run", note=note)


def _match(table: ResultTable, column: Column, runs: Sequence[RunResult], number: Published) -> str:
    if number.own == "cited":
        return "quoted"
    same_vectors = all(is_papers_kind(table.vectors, run.vectors, column.corpus, table.vector_size) for run in runs)
    whole = not any(run.max_words or run.cut or run.of_epochs for run in runs)
    same_texts = column.split == "paper" and column.training == "paper"
    return "exact" if same_vectors and whole and same_texts else "proxy"


def is_papers_kind(wanted: str, vectors: str, corpus: str | None, size: int = 0) -> bool:
    """Return whether word vectors are of the kind that a paper used.

    Args:
        wanted: ResultTable.vectors: "" any, "glove" a published release, "corpus.word2vec" those of the corpus alone.
        vectors: name of our vectors, source.method-size ("glove.6b-300", "pool-en.glove-300", "r8.word2vec-100").
        corpus: corpus of the cell.
        size: dimension of the paper's vectors; 0: any.
    """
    source, _, method = wanted.partition(".")
    of_source, _, made = vectors.partition(".")
    if source == "corpus":
        source = corpus or ""
    is_size = not size or made.endswith(f"-{size}")
    return not wanted or (of_source == source and is_size and (not method or made.startswith(f"{method}-")))


def _notes(
    column: Column,
    runs: Sequence[RunResult],
    number: Published | None,
    floor: tuple[str, float] | None,
    unit: str,
) -> list[str]:
    """Return the notes on a measured cell; a note that does not apply is empty."""
    factor, digits, first = FACTOR[unit], DIGITS[unit], runs[0]
    covered = f"{100 * (first.tokens_covered or 0):.1f}%"
    earlier = ", ".join(dict.fromkeys(run.earlier for run in runs if run.earlier))
    below = floor if number and floor and float(number.value) < floor[1] * factor else None
    folded = [run for run in runs if run.values]
    cut_short = max(run.of_epochs for run in runs)
    return [
        f"{first.vectors}, share of the training tokens with a vector: {covered}" if first.vectors else "",
        f"texts cut after {first.max_words} words" if first.max_words else "",
        f"the schedule of {first.cut} epochs was stopped after {first.epochs}" if first.cut else "",
        f"{CUT} {first.epochs} of {cut_short} epochs, the limit of the scale or row" if cut_short else "",
        NOT_COMPARED if any(run.is_unverified for run in runs) else "",
        f"trained in {first.precision}" if first.precision != "float32" else "",
        f"trained with {earlier}, equal within rounding" if earlier else "",
        f"best dev score in the last epoch ({first.epochs})" if any(run.turned is False for run in runs) else "",
        f"printed number below the best floor: {below[0]} {below[1] * factor:.{digits - 1}f}" if below else "",
        _note_of_folds(folded, unit) if folded else column.split_note,
        column.note,
        number.remark if number else "",
    ]


def _note_of_folds(runs: Sequence[RunResult], unit: str) -> str:
    """Return how the folds were combined, and how far they are apart."""
    factor, digits = FACTOR[unit], DIGITS[unit]
    count = len(runs[0].values)
    spread = f"standard deviation between folds: {mean([stdev(run.values) for run in runs]) * factor:.{digits}f}"
    if runs[0].kind == "test":
        return f"every text tested once in {count} folds, {spread}"
    middle = mean([mean(run.values) for run in runs]) * factor
    best = f"best of {count} folds' models, each on its held-out texts"
    return f"{best}, mean of all {middle:.{digits}f}, {spread}"
