"""The papers' claims beside what our runs say: docs/claims.md, generated from the bank alone."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from retable.papers import paper_of_table, result_table
from retable.papers.claims import CLAIMS, Claim
from retable.papers.paper import Column, ResultTable
from retable.results.resolving import OfSeed, shown_of_seed
from retable.results.tables import published_numbers
from retable.runs.predictions import read_right
from retable.tables.markdown import markdown_table
from retable.tables.paired import Difference, paired_difference, together

Shown = Mapping[tuple[str, str], Sequence[OfSeed]]  # row, column -> its runs, seed by seed
Printed = Mapping[tuple[str, str, str], float]  # row, column, metric -> the published number
HEADER = ("paper", "place", "claim", "on", "texts", "ours, points", "printed", "verdict")
PERCENT = 100


def claims_markdown(shown_in: Callable[[str], Shown], spreads: Mapping[str, float | None]) -> str:
    """Return every claim that runs at hand can test, a line for each corpus.

    Args:
        shown_in: table -> its runs.
        spreads: corpus -> standard deviation between seeds, a fraction.
    """
    tables = dict.fromkeys(claim.table for claim in CLAIMS)
    given = {name: (shown_in(name), printed_in(name)) for name in tables}
    return markdown_table(HEADER, [line for claim in CLAIMS for line in lines_of(claim, *given[claim.table], spreads)])


def printed_in(name: str) -> Printed:
    """Return the published numbers of a table."""
    numbers = published_numbers(paper_of_table(name), result_table(name).published)
    return {(number.row, number.column, number.metric): float(number.value) for number in numbers}


def lines_of(claim: Claim, shown: Shown, numbers: Printed, spreads: Mapping[str, float | None]) -> list[list[str]]:
    """Return the lines of a claim; none where its rows were not both measured on a corpus."""
    table = result_table(claim.table)
    wanted = [table.column(name) for name in claim.columns] or [
        column for column in table.columns if not column.runs_of and not column.mean_of
    ]
    found, epochs = {}, {}
    for column in wanted:
        better, worse = (shown.get((row, column.id), ()) for row in (claim.better, claim.worse))
        if better and worse:
            epochs[column] = epochs_of_unturned(better, worse)
            rights = [right_of_cell(runs, column) for runs in (better, worse)]
            spread = spreads.get(column.domain or column.corpus or "")
            found[column] = paired_difference(*aligned(*rights), seed_deviation=spread)
    if claim.together and found:
        whole = "" if len(found) == len(wanted) else f", {len(found)} of {len(wanted)}"
        of_all = {row: number for each in epochs.values() for row, number in each.items()}
        of_mean = "" if whole else printed_mean(table, numbers, claim)
        return [line_of(claim, f"the mean{whole}", together(list(found.values())), of_mean, of_all)]
    return [
        line_of(claim, column.printed, difference, printed(table, numbers, claim, column), epochs[column])
        for column, difference in found.items()
    ]


def epochs_of_unturned(*cells: Sequence[OfSeed]) -> dict[str, str]:
    """Return row -> epochs of a run whose accuracy on dev had not turned at their end: more might change it."""
    runs = [run for seeds in cells for of_seed in seeds for run in of_seed]
    unturned = [run for run in runs if run.metrics["epochs"]["turned"] is False]
    return {run.metrics["row"]: str(run.metrics["epochs"]["run"]) for run in unturned}


def right_of_cell(seeds: Sequence[OfSeed], column: Column) -> dict[str, bool]:
    """Return id of a test text -> whether it was answered rightly, of the first seed of a cell.

    Of test folds all runs count, each with its texts; of a joint corpus the texts of the column's domain.
    """
    answers = {text: right for run in shown_of_seed(seeds[0]) for text, right in read_right(run.predictions).items()}
    own = f"{column.domain}/" if column.domain else ""
    return {text: right for text, right in answers.items() if text.startswith(own)}


def aligned(first: Mapping[str, bool], second: Mapping[str, bool]) -> tuple[Any, Any]:
    """Return two models' answers on the texts that both have, in one order."""
    texts = [text for text in first if text in second]
    return tuple(np.array([answers[text] for text in texts], dtype=bool) for answers in (first, second))  # type: ignore[return-value]


def printed(table: ResultTable, numbers: Printed, claim: Claim, column: Column, digits: int = 1) -> str:
    """Return the printed difference of the two rows, in points; empty where one of them is not printed."""
    pair = [numbers.get((row, *table.printed_as(column))) for row in (claim.better, claim.worse)]
    if pair[0] is None or pair[1] is None:
        return ""
    return f"{(pair[0] - pair[1]) * (PERCENT if table.unit == 'fraction' else 1):+.{digits}f}"


def printed_mean(table: ResultTable, numbers: Printed, claim: Claim) -> str:
    """Return the difference of the two rows' printed means; empty where the table prints no mean of the claim's
    columns.
    """
    means = [column for column in table.columns if column.mean_of == claim.columns]
    return printed(table, numbers, claim, means[0], digits=2) if means else ""


def line_of(claim: Claim, where: str, difference: Difference, print_: str, unturned: Mapping[str, str]) -> list[str]:
    """Return a line of the page; `unturned` holds the epochs of each row that could have gone on."""
    value, low, high = (PERCENT * number for number in (difference.value, difference.low, difference.high))
    ours = f"{value:+.1f} ({low:+.1f} to {high:+.1f})"
    short = ", ".join(f"{row} {epochs}" for row, epochs in unturned.items())
    return [
        claim.paper,
        claim.place,
        claim.says,
        where,
        f"{difference.texts:,}",
        ours,
        print_,
        f"**{difference.verdict}**" + (f", short: {short}" if short else ""),
    ]
