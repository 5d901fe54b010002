import json

import pytest

from pipeline.check import is_regression
from pipeline.tables import refuse_other_files, why_not
from retable.errors import InputError
from retable.tables.lines import Line

CURRENT = {"hashes": {"parameters": "p", "data": "d", "code": "c"}}


def run_folder(folder, **changes):
    (folder / "metrics.json").write_text(json.dumps({"hashes": CURRENT["hashes"] | changes}))
    return folder


def test_a_current_run_is_shown_and_a_stale_one_refused(tmp_path):
    assert why_not(tmp_path, CURRENT) == "not run yet"
    assert why_not(run_folder(tmp_path), CURRENT) == ""
    assert why_not(run_folder(tmp_path, data="old"), CURRENT).startswith("refused: its data are not")
    assert "parameters and code" in why_not(run_folder(tmp_path, parameters="old", code="old"), CURRENT)


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
