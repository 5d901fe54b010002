import math

import pytest

from retable.commands.check import Banked, is_regression
from retable.errors import InputError
from retable.results.tables import refuse_other_files
from retable.tables.lines import Line


def test_tables_never_replace_a_folder_of_something_else(tmp_path):
    refuse_other_files(tmp_path / "new")
    (tmp_path / "t.csv").write_text("")
    refuse_other_files(tmp_path)
    (tmp_path / "thesis.tex").write_text("")
    with pytest.raises(InputError, match="holds other files"):
        refuse_other_files(tmp_path)
    with pytest.raises(InputError, match="holds other files"):
        refuse_other_files(tmp_path / "thesis.tex")


def test_a_regression_is_a_fall_by_more_than_one_more_run_may_bring():
    line = Line("fcsr", "sst-2", "accuracy", measured="81.71", low="79.71", high="83.71")
    assert not is_regression(line, None, 100, 2)
    assert not is_regression(line, Banked(math.nan, 0), 100, 2)
    assert not is_regression(line, Banked(0.837, 1821), 100, 2)
    assert is_regression(line, Banked(0.838, 1821), 100, 2)
    exact = Line("tfidf-svm", "sst-2", "accuracy", measured="81.71", low="81.71", high="81.71")
    assert not is_regression(exact, Banked(0.817133, 1821), 100, 2)
    assert is_regression(exact, Banked(0.8173, 1821), 100, 2)


def test_without_an_interval_a_fall_is_measured_by_two_draws_of_the_test_texts():
    line = Line("fcsr", "sst-2", "accuracy", measured="81.71")
    limit = 1.96 * math.sqrt(2 * 0.84 * 0.16 / 1821)  # 2.38 points
    assert not is_regression(line, Banked(0.8171 + limit - 0.001, 1821), 100, 2)
    assert is_regression(line, Banked(0.8171 + limit + 0.001, 1821), 100, 2)
