"""A linear model beside the best number that a paper prints in a column, and the best network trained here."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from retable.corpora import FAMILIES
from retable.models import is_floor
from retable.papers import NAMES, paper_of_table
from retable.papers.paper import ResultTable
from retable.results.judging import PERCENT
from retable.tables.lines import Line

FLOOR = "nb-svm"  # one linear model for all columns: taking the better of two would be a choice by test scores


class Lead(NamedTuple):
    """Hold a linear model beside the best printed number of a column, all in percent."""

    paper: str
    row: str
    column: str
    measured: float
    clean: float
    printed: float
    network: float  # the best whole training of a network in the table; 0 if there is none
    is_domain: bool  # one of the sixteen review domains
    is_own_split: bool  # the paper names no split, or another one

    @property
    def points(self) -> float:
        """Return the linear model's lead in points."""
        return self.measured - self.printed


def leads_of(table: ResultTable, scores: Sequence[Line]) -> Iterator[Lead]:
    """Yield the linear model beside the best printed number, for each column that has both."""
    scale = PERCENT if table.unit == "fraction" else 1
    paper = NAMES[paper_of_table(table.name).name]
    for score in scores:
        row, column = table.row(score.row), table.column(score.column)
        printed = [float(each.published) for each in scores if each.column == score.column and each.published]
        is_known = score.measured and not score.is_unverified
        if row.id == FLOOR and is_known and printed and score.metric == "accuracy" and not column.mean_of:
            ours, clean = (scale * float(number or 0) for number in (score.measured, score.clean))
            alone = column.corpus in FAMILIES["fdu"]
            trained = ", trained on all domains" if column.domain else " (review domain)" if alone else ""
            networks = [
                scale * float(each.measured)
                for each in scores
                if (each.column, each.is_cut, each.is_unverified) == (score.column, False, False)
                and each.measured
                and not is_floor(table.row(each.row).model)
            ]
            yield Lead(
                paper=paper,
                row=row.printed,
                column=column.printed + trained,
                measured=ours,
                clean=clean,
                printed=scale * max(printed),
                network=max(networks, default=0.0),
                is_domain=bool(column.domain) or alone,
                is_own_split=column.split != "paper",
            )
