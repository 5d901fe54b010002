"""A table of facts about corpora, counted here beside the printed ones."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from retable.declaration import UNLABELLED
from retable.errors import InputError
from retable.files import AGAIN, read_json
from retable.forms import ANY_TEXT, DIGEST, NAME, Distinct, Form, Named, Number, OneOf, Section, When, check
from retable.papers.paper import StatisticsTable
from retable.tables.lines import Line, joined, judged
from retable.tables.published import Published
from retable.text.splits import SPLITS

UNIT_FACTOR = {"thousand": 1000.0, "million": 1e6}
DIGITS = {"count": 0, "words": 1, "tokens": 1, "sentences": 1, **dict.fromkeys(UNIT_FACTOR, 1)}

Stats = Mapping[str, Mapping[str, Any]]

COUNT, MEAN = Number(0, 1e12, whole=True), Number(0, 1e12)  # of texts, words or characters
LENGTHS = {"average-length": MEAN, "average-length-characters": MEAN, "vocabulary": COUNT}
LEAK = Section({"exact": COUNT, "near": COUNT}, closed=True)
OF_SPLIT = Section(
    {"texts": COUNT, "labels": Named(COUNT, ANY_TEXT), **LENGTHS, "copies": COUNT, "contradicting-labels": COUNT},
    closed=True,
)
OF_ALL: Mapping[str, Form] = {  # what `clean` writes of every corpus
    "language": NAME, "labels": Distinct(2), "classes": Number(2, 1e6, whole=True),
    "split": OneOf(("published", "own")), "removed": Named(COUNT), "instances": COUNT, "instances-published": COUNT,
    **LENGTHS, "vocabulary-train": COUNT,
    **{f"published-average-{unit}": MEAN for unit in ("words", "words-and-marks", "characters", "sentences")},
    **{f"published-max-{unit}": COUNT for unit in ("words", "words-and-marks", "characters", "sentences")},
    **{f"published-vocabulary-{unit}": COUNT for unit in ("words", "characters")},
    "near-duplicates": Section({"texts": COUNT, "clusters": COUNT, "largest": COUNT}, closed=True),
    **dict.fromkeys(SPLITS, COUNT),
}  # fmt: skip
PUBLISHED = {f"published-{split}": COUNT for split in (*SPLITS, UNLABELLED, "all")}
WITH_UNLABELLED = {
    UNLABELLED: COUNT,
    **{f"with-unlabelled-average-{unit}": MEAN for unit in ("tokens", "words")},
    **{f"with-unlabelled-{vocabulary}": COUNT for vocabulary in ("vocabulary", "vocabulary-untokenised")},
}


def statistics_lines(table: StatisticsTable, published: Sequence[Published], stats: Stats) -> list[Line]:
    """Return all lines of a table: the paper's, then our rows for the available corpora.

    Args:
        stats: corpus -> stats.json of the available ones.
    """
    printed = [
        _compared(table, number, _statistic(table, number, corpus, stats[corpus]))
        if (corpus := table.corpora[number.row]) in stats
        else _not_counted(table, number)
        for number in published
    ]
    columns: dict[str, Published] = {}
    for number in published:
        columns.setdefault(number.column, number)
    rows = {number.row for number in published}
    ours = [
        _counted(table, row, number, stats[corpus][key])
        for row, corpus in table.corpora.items()
        for column, number in columns.items()
        if row not in rows and corpus in stats and (key := table.statistic(row, column)) in stats[corpus]
    ]
    return printed + ours


def statistics_form(name: str) -> When:
    """Return the form of a corpus's statistics (stats.json), which name the corpus itself."""

    def form(splits: Sequence[str], more: Mapping[str, Form]) -> Section:
        leaks = Section({f"{late}-in-{early}": LEAK for place, late in enumerate(splits) for early in splits[:place]})
        return Section(
            {
                "corpus": OneOf((name,)),
                **OF_ALL,
                **more,
                "leakage": leaks,
                "splits": Section(dict.fromkeys(splits, OF_SPLIT), closed=True),
                "sha256": Section(dict.fromkeys(splits, DIGEST), closed=True),
            },
            PUBLISHED,
            closed=True,
        )

    return When(UNLABELLED, form((*SPLITS, UNLABELLED), WITH_UNLABELLED), form(SPLITS, {}))


def read_stats(path: Path) -> dict[str, Any]:
    """Read data/clean/<corpus>/stats.json. Raises: InputError."""
    facts: dict[str, Any] = read_json(path)
    check(facts, statistics_form(path.parent.name), str(path), AGAIN)
    return facts


def read_corpora(bank: Path) -> dict[str, Any]:
    """Return corpus -> its statistics, from the bank. Raises: InputError."""
    path, advice = bank / "corpora.json", f"`git checkout {bank / 'corpora.json'}`"
    found: dict[str, Any] = read_json(path, advice=advice)
    for name, facts in found.items():
        check(facts, statistics_form(name), str(path), advice, name)
    return found


def _statistic(table: StatisticsTable, number: Published, corpus: str, facts: Mapping[str, Any]) -> float:
    """Return what the corpus has of a printed figure. Raises: InputError if its statistics lack it."""
    name = table.statistic(number.row, number.column)
    if name not in facts:
        raise InputError(f"stats.json of {corpus} lacks {name}, which the table {table.name} shows; {AGAIN}.")
    found: float = facts[name]
    return found


def _compared(table: StatisticsTable, number: Published, counted: float) -> Line:
    cell = number.row, number.column
    measured = _in_unit(counted + table.added.get(cell, 0), number.unit)
    is_clear, difference = number.unit in DIGITS, measured - float(number.value)
    return Line(
        *cell,
        number.metric,
        f"{measured:.{_digits(counted, number.unit)}f}",
        published=number.value,
        delta=f"{difference:+.{_digits(counted, number.unit)}f}" if is_clear else "",
        unit=number.unit,
        match="quoted" if number.own == "cited" else "exact",
        verdict=judged(difference, _half_of_last_digit(number.value)) if is_clear else "uninformative",
        note=table.note(*cell) or number.remark,
    )


def _not_counted(table: StatisticsTable, number: Published) -> Line:
    return Line(
        number.row,
        number.column,
        number.metric,
        published=number.value,
        unit=number.unit,
        verdict="not-run",
        note=joined((table.reasons.get(number.row, "not in this scale"), number.remark)),
    )


def _counted(table: StatisticsTable, row: str, column: Published, counted: float) -> Line:
    """Return a cell of a row that the paper does not print, in the unit of the column's first printed cell."""
    unit = column.unit if column.unit in DIGITS else "count"
    measured = _in_unit(counted + table.added.get((row, column.column), 0), unit)
    return Line(
        row,
        column.column,
        column.metric,
        f"{measured:.{_digits(counted, unit)}f}",
        unit=unit,
        note=table.note(row, column.column),
    )


def _in_unit(value: float, unit: str) -> float:
    return value / UNIT_FACTOR.get(unit, 1.0)


def _digits(counted: float, unit: str) -> int:
    """Return the digits after the point: one for means and thousands, none for counts."""
    return 0 if isinstance(counted, int) and unit not in UNIT_FACTOR else DIGITS.get(unit, 0)


def _half_of_last_digit(printed: str) -> float:
    """Return half a unit of the last printed digit, so that only the exact number agrees with a whole count."""
    return 0.5 * 10.0 ** -len(printed.partition(".")[2])
