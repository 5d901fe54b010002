import numpy as np
import pytest

from retable.papers import paper_of_table
from retable.papers.claims import CLAIMS
from retable.tables.paired import Difference, paired_difference, together


def right(*counts):
    """Return whether a model is right: `counts` alternate, right ones first."""
    return np.concatenate([np.full(count, position % 2 == 0) for position, count in enumerate(counts)])


def test_a_difference_by_hand():
    first, second = right(80, 20), right(70, 10, 5, 15)  # 10 texts alone the first's, 5 alone the second's
    found = paired_difference(first, second)
    assert (found.texts, found.value) == (100, pytest.approx(0.05))
    half = 1.96 * ((15 - 25 / 100) / 100**2) ** 0.5
    assert (found.low, found.high) == (pytest.approx(0.05 - half), pytest.approx(0.05 + half))
    assert found.verdict == "undecided"


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        (right(3, 2), right(3, 2), (0.0, 0.0, 0.0, "undecided")),
        (right(30, 0), right(0, 30), (1.0, 1.0, 1.0, "holds")),  # every text: no variance left
        (right(0, 30), right(30, 0), (-1.0, -1.0, -1.0, "reversed")),
    ],
)
def test_differences_in_no_text_and_in_all(first, second, expected):
    found = paired_difference(first, second)
    assert (found.value, found.low, found.high, found.verdict) == expected


def test_the_spread_between_seeds_widens_it():
    first, second = right(80, 20), right(70, 10, 5, 15)
    plain, wide = paired_difference(first, second), paired_difference(first, second, 0.01)
    assert (wide.high - wide.value) ** 2 - (plain.high - plain.value) ** 2 == pytest.approx(1.96**2 * 2 * 0.01**2)


def test_the_mean_over_corpora():
    found = together([Difference(100, 0.04, 0.01, 0.07), Difference(300, 0.0, -0.04, 0.04)])
    assert (found.texts, found.value) == (400, pytest.approx(0.02))
    assert found.high - found.value == pytest.approx((0.03**2 + 0.04**2) ** 0.5 / 2)


@pytest.mark.parametrize("claim", CLAIMS, ids=lambda claim: f"{claim.table}.{claim.better}.{claim.worse}")
def test_a_claim_names_rows_and_columns_that_there_are(claim):
    table = paper_of_table(claim.table).result_table(claim.table)
    assert table.row(claim.better).model
    assert table.row(claim.worse).model
    for column in claim.columns:
        assert table.column(column)
