"""Runs of folds as a table shows them: pooled or the best on dev, by hand."""

from dataclasses import replace
from statistics import stdev

import pytest

from retable.papers.paper import Column, ResultTable, Row
from retable.tables.published import Published
from retable.tables.results import Cells, result_lines
from retable.tables.run_result import RunResult, of_folds

TABLE = ResultTable(
    name="made-up-table-1", title="A table", published="table-1", metric="accuracy", unit="%",
    rows=(Row("net", "Net", model="net"),),
    columns=(Column("a", "A", corpus="a", folds="test", split_note="10% of the texts", note="no split is named"),),
)  # fmt: skip


def run(value, texts, fold, dev=0.5, clean=None, clean_texts=0):
    return RunResult(value, clean, texts, "", None, 8, True, fold=fold, dev=dev, clean_texts=clean_texts)


def runs_of(right, texts, clean=()):
    """Return test folds of these sizes, with this many correct answers."""
    return [
        run(ours / of, of, f"test {place + 1} of {len(texts)}", clean=cleans[0] / cleans[1] if cleans else None,
            clean_texts=cleans[1] if cleans else 0)
        for place, (ours, of, cleans) in enumerate(zip(right, texts, clean or [()] * len(texts), strict=True))
    ]  # fmt: skip


def test_test_folds_are_pooled_over_all_their_texts():
    (shown,) = [of_folds(runs_of([8, 3, 9], [10, 4, 11], [(7, 9), (0, 1), (9, 10)]))]
    assert shown.value == pytest.approx(20 / 25)  # not the mean of 0.8, 0.75 and 0.818
    assert shown.texts == 25
    assert shown.clean == pytest.approx(16 / 20)
    assert shown.values == (8 / 10, 3 / 4, 9 / 11)


def test_a_fold_without_a_clean_text_takes_no_part_in_the_clean_score():
    assert of_folds(runs_of([8, 3], [10, 4], [(7, 9), ()])).clean == pytest.approx(7 / 9)
    assert of_folds(runs_of([8, 3], [10, 4])).clean is None


@pytest.mark.parametrize(("dev", "shown"), [((0.90, 0.92, 0.5), 0.93), ((0.9, 0.9, 0.5), 0.95)])
def test_of_dev_folds_the_best_on_dev_is_shown_the_first_of_equal_ones_whatever_their_order(dev, shown):
    runs = [run(value, 50, f"dev {fold} of 3", dev=dev[fold - 1]) for fold, value in ((1, 0.95), (2, 0.93), (3, 0.97))]
    found = of_folds(runs[::-1])
    assert (found.value, found.texts, found.dev) == (shown, 50, max(dev))
    assert found.values == (0.95, 0.93, 0.97)  # by fold


@pytest.mark.parametrize("folds", [["dev 1 of 3", "dev 2 of 3"], ["dev 1 of 2", "dev 1 of 2"], ["", ""]])
def test_folds_that_are_not_whole_give_no_result(folds):
    with pytest.raises(ValueError, match="each fold exactly once"):
        of_folds([run(0.9, 10, fold) for fold in folds])


def line_of(results, table=TABLE):
    numbers = [Published("net", "a", "accuracy", "80.0", "%", "yes", "")]
    (line,) = result_lines(table, numbers, Cells({("net", "a"): results}, {}))
    return line


def test_a_line_of_test_folds_pools_and_tells_their_spread():
    runs = runs_of([82, 82, 85], [100, 100, 100])
    line = line_of([of_folds(runs)])
    assert (line.measured, line.runs, line.delta) == ("83.00", "3", "+3.00")
    spread = 100 * stdev([0.82, 0.82, 0.85])
    half = 4.30265 * spread * (1 + 1 / 3) ** 0.5  # one more fold: the paper's split is not known
    assert float(line.high) - 83 == pytest.approx(half, abs=0.01)
    assert (
        line.note
        == f"every text tested once in 3 folds, standard deviation between folds: {spread:.2f}; no split is named"
    )
    single = run(0.83, 100, "")
    assert of_folds([single]) is single
    assert line_of([single]).note.startswith("10% of the texts; no split is named; one run")


def test_a_line_of_dev_folds_tells_the_mean_of_the_folds():
    table = replace(TABLE, unit="fraction", columns=(replace(TABLE.columns[0], folds="dev", note=""),))
    runs = [run(0.95, 50, "dev 1 of 2", dev=0.90), run(0.93, 50, "dev 2 of 2", dev=0.92)]
    line = line_of([of_folds(runs)], table)
    assert line.measured == "0.9300"
    assert line.note.startswith(
        "best of 2 folds' models, each on its held-out texts, mean of all 0.9400, "
        "standard deviation between folds: 0.0141; one run"
    )


def test_seeds_are_averaged_over_what_each_of_them_pools():
    seeds = [of_folds(runs_of([8, 3], [10, 10])), of_folds(runs_of([9, 4], [10, 10]))]
    line = line_of(seeds)
    assert (line.measured, line.runs) == ("60.00", "4")
