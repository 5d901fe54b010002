import math

import pytest

from retable.commands.check import Banked, is_regression, own_spread
from retable.errors import InputError
from retable.papers import paper
from retable.results.tables import check_to
from retable.runs.sampling import sampling_of_correlation
from retable.tables.intervals import NO_SPREAD, Spread


def test_tables_never_replace_a_folder_of_something_else(tmp_path):
    check_to(tmp_path / "new")
    (tmp_path / "fcsr-table-3.csv").write_text("")
    check_to(tmp_path)
    (tmp_path / "survey-answers.csv").write_text("")
    with pytest.raises(InputError, match=r"contains survey-answers\.csv, which is not a table of papers"):
        check_to(tmp_path)
    (tmp_path / "survey-answers.csv").unlink()
    (tmp_path / "thesis.tex").write_text("")
    with pytest.raises(InputError, match=r"contains thesis\.tex"):
        check_to(tmp_path)
    with pytest.raises(InputError, match=r"thesis\.tex is a file"):
        check_to(tmp_path / "thesis.tex")


@pytest.mark.parametrize(
    ("values", "spread", "limit"),
    [
        # Three seeds: t with two degrees of freedom, for one more run compared with their mean.
        ([0.83, 0.84, 0.85], Spread(0.0001, 2), 4.3027 * math.sqrt(0.0001 * 4 / 3)),
        ([0.84], Spread(0.0001, 20), 2.0860 * math.sqrt(0.0001 * 2)),  # pooled over a column
        ([0.84], NO_SPREAD, 0.0001),  # a linear model: rounding only
        ([0.84], None, 1.96 * math.sqrt(2 * 0.84 * 0.16 / 1821)),  # two draws of the test texts
    ],
)
def test_a_regression_is_a_fall_by_more_than_another_seed_may_bring(values, spread, limit):
    banked = Banked(values, 1821, spread)
    assert not is_regression(0.84 - limit + 1e-5, banked, 4)
    assert is_regression(0.84 - limit - 1e-5, banked, 4)


def test_without_banked_runs_nothing_falls():
    assert not is_regression(0.1, None, 4)
    assert not is_regression(0.1, Banked([], 0), 4)


def test_the_spread_is_the_cells_own_and_none_of_a_linear_model():
    """One or two runs of a cell have none: that of its column's rows would let an encoder fall to chance unseen, and
    that of two runs alone anything."""
    rows = paper("fcsr").result_table("fcsr-table-3").row
    assert own_spread(rows("cnn"), Banked([0.80, 0.82, 0.81], 900)).variance == pytest.approx(0.0001)
    of_two = Banked([0.629, 0.534], 68)
    assert own_spread(rows("cnn"), of_two) is None
    assert is_regression(0.3, of_two, 4)
    assert own_spread(rows("tfidf-svm"), Banked([0.7, 0.7], 900)) == NO_SPREAD
    assert own_spread(rows("fcsr"), Banked([0.85], 900)) is None


def test_a_correlation_below_0_falls_only_by_more_than_two_draws_of_its_texts_differ():
    banked = Banked([-0.1], 400, sampling=sampling_of_correlation(-0.1, 400))  # a draw varies by 0.05
    assert not is_regression(-0.2, banked, 4)
    assert is_regression(-0.3, banked, 4)
    with_spread = banked._replace(values=[-0.1, -0.11, -0.12], spread=Spread(1e-4, 2))
    assert not is_regression(-0.15, with_spread, 4)
    assert is_regression(-0.2, with_spread, 4)
