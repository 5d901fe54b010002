"""A table of scores: every cell that the paper prints, measured or with the reason why not, and our extra rows."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from retable.papers.paper import Column, ResultTable, Row
from retable.tables.intervals import prediction_interval, verdict
from retable.tables.lines import Line
from retable.tables.published import Published

LINEAR_ROWS = ("tfidf-svm", "nb-svm", "fasttext")
FACTOR, DIGITS = {"%": 100.0, "fraction": 1.0}, {"%": 2, "fraction": 4}


@dataclass(frozen=True)
class RunResult:
    """What a table needs of one run: scores as fractions, and what a reader must know of it."""

    value: float
    clean: float | None
    texts: int
    vectors: str
    tokens_covered: float | None
    epochs: int | None
    turned: bool | None

    @classmethod
    def from_metrics(cls, metrics: Mapping[str, Any], metric: str) -> "RunResult":
        """From metrics.json."""
        vectors, clean = metrics["vectors"], metrics["test_clean"]
        return cls(
            metrics["test"][metric],
            clean[metric] if clean else None,
            metrics["test"]["texts"],
            vectors["name"] if vectors else "",
            vectors["tokens_covered"] if vectors else None,
            metrics["epochs"]["run"],
            metrics["epochs"]["turned"],
        )


@dataclass(frozen=True)
class Cells:
    """The runs at hand for each (row, column), and why others are not there: not in this scale, refused."""

    runs: Mapping[tuple[str, str], Sequence[RunResult]]
    missing: Mapping[tuple[str, str], str]
    scale: str


def result_lines(
    table: ResultTable, published: Sequence[Published], cells: Cells, seed_spreads: Mapping[str, float | None]
) -> list[Line]:
    """All lines of a table.

    Args:
        table: its rows and columns.
        published: the printed numbers of this table.
        cells: what was measured.
        seed_spreads: corpus -> standard deviation between seeds, a fraction.
    """
    printed = {
        (number.row, column.id): number
        for number in published
        for column in table.columns
        if (number.column, number.metric) == (column.runs_of or column.id, table.metric_of(column))
    }
    lines = []
    for row in table.rows:
        for column in table.columns:
            key = (row.id, column.id)
            if key in cells.runs:
                lines.append(_measured(table, row, column, printed, cells.runs, seed_spreads))
            elif key in printed or (row.extra and not column.extra):
                lines.append(_not_run(table, row, column, printed.get(key), cells))
    return lines


def floor_of(
    table: ResultTable, column: str, runs: Mapping[tuple[str, str], Sequence[RunResult]]
) -> tuple[str, float] | None:
    """The best of the linear rows on a column: its row and mean score, a fraction."""
    found = [(row, _mean([run.value for run in runs[row, column]])) for row in LINEAR_ROWS if (row, column) in runs]
    return max(found, key=lambda pair: pair[1]) if found else None


def _measured(
    table: ResultTable,
    row: Row,
    column: Column,
    printed: Mapping[tuple[str, str], Published],
    runs: Mapping[tuple[str, str], Sequence[RunResult]],
    seed_spreads: Mapping[str, float | None],
) -> Line:
    mine, number = runs[row.id, column.id], printed.get((row.id, column.id))
    values = [run.value for run in mine]
    factor, digits = FACTOR[table.unit], DIGITS[table.unit]
    spread = seed_spreads.get(column.corpus or "")
    low, high = prediction_interval(values, mine[0].texts, same_texts=column.split == "paper", seed_spread=spread)
    cleans = [run.clean for run in mine if run.clean is not None]
    notes = _notes(row, column, mine, number, floor_of(table, column.id, runs), factor)
    if len(mine) == 1 and spread is None:
        notes.append("seed spread of this corpus not known, not in the interval")
    judged, delta, match = "", "", ""
    if number:
        column_values = [float(other.value) for (_, name), other in printed.items() if name == column.id]
        judged = verdict(low * factor, high * factor, float(number.value), max(column_values) - min(column_values))
        delta = f"{_mean(values) * factor - float(number.value):+.{digits}f}"
        match = _match(table, column, mine, number)
    return Line(
        row.id,
        column.id,
        table.metric_of(column),
        f"{_mean(values) * factor:.{digits}f}",
        f"{low * factor:.{digits}f}",
        f"{high * factor:.{digits}f}",
        str(len(mine)),
        f"{_mean(cleans) * factor:.{digits}f}" if cleans else "",
        number.value if number else "",
        delta,
        table.unit,
        match,
        judged,
        "; ".join(notes),
    )


def _not_run(table: ResultTable, row: Row, column: Column, number: Published | None, cells: Cells) -> Line:
    reason = column.reason or row.reason or cells.missing.get((row.id, column.id), f"not in {cells.scale}")
    notes = [reason, number.remark] if number else [reason]
    return Line(
        row.id,
        column.id,
        table.metric_of(column),
        published=number.value if number else "",
        unit=table.unit,
        match="quoted" if number and number.own == "cited" else "",
        verdict="not-run",
        note="; ".join(note for note in notes if note),
    )


def _match(table: ResultTable, column: Column, runs: Sequence[RunResult], number: Published) -> str:
    if number.own == "cited":
        return "quoted"
    same_vectors = all(is_papers_own(table.vectors, run.vectors, column.corpus) for run in runs)
    return "exact" if same_vectors and column.split == "paper" else "proxy"


def is_papers_own(wanted: str, vectors: str, corpus: str | None) -> bool:
    """Whether word vectors are of the kind that a paper used.

    Args:
        wanted: ResultTable.vectors: "" any, "glove" a published release, "corpus.word2vec" those of the corpus alone.
        vectors: name of ours, source.method-size ("glove.6b-300", "pool-en.glove-300", "r8.word2vec-100").
        corpus: of the cell.
    """
    source, _, method = wanted.partition(".")
    of_source, _, made = vectors.partition(".")
    if source == "corpus":
        source = corpus or ""
    return not wanted or (of_source == source and (not method or made.startswith(f"{method}-")))


def _notes(
    row: Row,
    column: Column,
    runs: Sequence[RunResult],
    number: Published | None,
    floor: tuple[str, float] | None,
    factor: float,
) -> list[str]:
    first = runs[0]
    notes = []
    if first.vectors:
        notes.append(
            f"vectors {first.vectors} cover {100 * (first.tokens_covered or 0):.1f}% of the training words' occurrences"
        )
    if any(run.turned is False for run in runs):
        notes.append(f"the dev curve had not turned after {first.epochs} epochs")
    if number and floor and float(number.value) < floor[1] * factor:
        notes.append(f"printed below {floor[0]} ({floor[1] * factor:.1f})")
    if column.note:
        notes.append(column.note)
    if number and number.remark:
        notes.append(number.remark)
    return notes


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)
