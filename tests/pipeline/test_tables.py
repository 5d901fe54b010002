import pytest

from retable.commands.check import is_regression
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
    assert not is_regression(line, None, 2)
    assert not is_regression(line, 83.7, 2)
    assert is_regression(line, 83.8, 2)
    exact = Line("tfidf-svm", "sst-2", "accuracy", measured="81.71", low="81.71", high="81.71")
    assert not is_regression(exact, 81.7133, 2)
    assert is_regression(exact, 81.73, 2)
