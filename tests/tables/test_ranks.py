"""Mean ranks, Friedman's test and Nemenyi's critical difference, against Demšar's own example and by simulation."""

import numpy as np
import pytest

from retable.tables.ranks import rank_rows

DEMSAR = np.array(  # table 6 of Demšar (2006): AUC of C4.5, +m, +cf, +m+cf on 14 data sets
    [
        [0.763, 0.768, 0.771, 0.798],
        [0.599, 0.591, 0.590, 0.569],
        [0.954, 0.971, 0.968, 0.967],
        [0.628, 0.661, 0.654, 0.657],
        [0.882, 0.888, 0.886, 0.898],
        [0.936, 0.931, 0.916, 0.931],
        [0.661, 0.668, 0.609, 0.685],
        [0.583, 0.583, 0.563, 0.625],
        [0.775, 0.838, 0.866, 0.875],
        [1.000, 1.000, 1.000, 1.000],
        [0.940, 0.962, 0.965, 0.962],
        [0.619, 0.666, 0.614, 0.669],
        [0.972, 0.981, 0.9751, 0.975],
        [0.957, 0.978, 0.946, 0.970],
    ]
)


def test_demsars_example():
    found = rank_rows(DEMSAR.T)
    assert found.mean == pytest.approx([3.143, 2.000, 2.893, 1.964], abs=1e-3)  # his figures
    assert found.critical == pytest.approx(1.25, abs=5e-3)
    assert found.p_of_no_difference < 0.05  # F_F = 3.69 > 2.85


def test_ranks_by_hand_with_two_equal():
    found = rank_rows(np.array([[3.0, 5.0], [3.0, 6.0], [1.0, 4.0]]))
    assert found.mean.tolist() == [1.75, 1.25, 3.0]


def test_rows_that_do_not_differ_are_told_apart_in_five_of_a_hundred_sets():
    chance, decided = np.random.default_rng(1), 0
    for _ in range(2000):
        ranks = rank_rows(chance.normal(size=(6, 10)))
        decided += float(np.ptp(ranks.mean)) > ranks.critical
    assert 0.02 < decided / 2000 < 0.06


@pytest.mark.parametrize("shape", [(2, 5), (4, 1)])
def test_too_few_are_refused(shape):
    with pytest.raises(ValueError, match="at least 3 rows"):
        rank_rows(np.zeros(shape))
