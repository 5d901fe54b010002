"""A table of facts about corpora, counted here beside the printed ones."""

from collections.abc import Mapping, Sequence
from typing import Any

from retable.papers.paper import StatisticsTable
from retable.tables.lines import Line
from retable.tables.published import Published

UNIT_FACTOR = {"thousand": 1000.0, "million": 1e6}


def statistics_lines(
    table: StatisticsTable, published: Sequence[Published], stats: Mapping[str, Mapping[str, Any]]
) -> list[Line]:
    """All lines of a table.

    Args:
        stats: corpus -> stats.json of those that are at hand.
    """
    lines = []
    for number in published:
        corpus = table.corpora.get(number.row)
        if corpus is None or corpus not in stats:
            reason = table.reasons.get(number.row, "not in this scale")
            lines.append(
                Line(
                    number.row,
                    number.column,
                    number.metric,
                    published=number.value,
                    unit=number.unit,
                    verdict="not-run",
                    note=_joined(reason, number.remark),
                )
            )
            continue
        measured = float(stats[corpus][table.statistics.get(number.column, number.column)]) / UNIT_FACTOR.get(
            number.unit, 1.0
        )
        digits = 1 if number.unit in (*UNIT_FACTOR, "words") else 0
        printed = float(number.value)
        tolerance = _half_of_last_digit(number.value)
        if number.unit not in (*UNIT_FACTOR, "words", "count"):  # the printed unit is unclear: no verdict
            judged, delta = "uninformative", ""
        else:
            judged = "agrees" if abs(measured - printed) <= tolerance else ("higher" if measured > printed else "lower")
            delta = f"{measured - printed:+.{digits}f}"
        note = table.notes.get((number.row, number.column), "") if judged != "agrees" else ""
        lines.append(
            Line(
                number.row,
                number.column,
                number.metric,
                f"{measured:.{digits}f}",
                published=number.value,
                delta=delta,
                unit=number.unit,
                match="quoted" if number.own == "cited" else "exact",
                verdict=judged,
                note=_joined(note, "" if note else number.remark),
            )
        )
    return lines


def _half_of_last_digit(printed: str) -> float:
    """Half a unit of the last printed digit; nothing for a whole count."""
    return 0.5 * 10.0 ** -len(printed.partition(".")[2])


def _joined(*notes: str) -> str:
    return "; ".join(note for note in notes if note)
