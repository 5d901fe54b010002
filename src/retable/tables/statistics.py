"""A table of facts about corpora, counted here beside the printed ones."""

from collections.abc import Mapping, Sequence
from typing import Any

from retable.papers.paper import StatisticsTable
from retable.tables.lines import Line, joined, judged
from retable.tables.published import Published

UNIT_FACTOR = {"thousand": 1000.0, "million": 1e6}
DIGITS = {"count": 0, "words": 1, "tokens": 1, "sentences": 1, **dict.fromkeys(UNIT_FACTOR, 1)}

Stats = Mapping[str, Mapping[str, Any]]


def statistics_lines(table: StatisticsTable, published: Sequence[Published], stats: Stats) -> list[Line]:
    """Return all lines of a table: the paper's, then our rows for the available corpora.

    Args:
        stats: corpus -> stats.json of the available ones.
    """
    printed = [
        _compared(table, number, stats[corpus][table.statistic(number.row, number.column)])
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
