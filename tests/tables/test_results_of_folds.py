"""Runs of folds as a table shows them: pooled or the best on dev, by hand; and in the bank, a line a fold."""

from dataclasses import replace
from statistics import stdev

import pytest

from retable.papers.paper import Column, ResultTable, Row
from retable.runs.bank import Entry, read_bank, results_by_cell, results_of, shown_runs, write_bank
from retable.tables.published import Published
from retable.tables.results import Cells, OfFolds, RunResult, of_folds, result_lines
from retable.text.folds import Fold

TABLE = ResultTable(
    name="made-up-table-1", title="A table", published="table-1", metric="accuracy", unit="%",
    rows=(Row("net", "Net", model="net"),),
    columns=(Column("a", "A", corpus="a", folds="test", split_note="10% of the texts", note="no split is named"),),
)  # fmt: skip


def run(value, texts, fold, dev=0.5, clean=None, clean_texts=0):
    return RunResult(value, clean, texts, "", None, 8, True, fold=fold, dev=dev, clean_texts=clean_texts)


def runs_of(right, texts, clean=()):
    """Test folds of so many texts, so many of them answered rightly."""
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


def test_of_dev_folds_the_best_on_dev_is_shown_and_not_the_best_on_test():
    runs = [run(0.95, 50, "dev 1 of 3", dev=0.90), run(0.93, 50, "dev 2 of 3", dev=0.92), run(0.97, 50, "dev 3 of 3")]
    shown = of_folds(runs[::-1])
    assert (shown.value, shown.texts, shown.dev) == (0.93, 50, 0.92)
    assert shown.values == (0.95, 0.93, 0.97)  # by fold, whatever their order


def test_of_two_that_are_equal_on_dev_the_first_fold_is_shown():
    runs = [run(0.97, 50, "dev 2 of 2", dev=0.9), run(0.95, 50, "dev 1 of 2", dev=0.9)]
    assert of_folds(runs).value == 0.95


def test_a_run_without_folds_is_shown_as_it_is():
    single = run(0.9, 10, "")
    assert of_folds([single]) is single


@pytest.mark.parametrize("folds", [["dev 1 of 3", "dev 2 of 3"], ["dev 1 of 2", "dev 1 of 2"], ["", ""]])
def test_folds_that_are_not_whole_give_no_result(folds):
    with pytest.raises(ValueError, match="each once"):
        of_folds([run(0.9, 10, fold) for fold in folds])


def line_of(results, table=TABLE):
    numbers = [Published("net", "a", "accuracy", "80.0", "%", "yes", "")]
    (line,) = result_lines(table, numbers, Cells({("net", "a"): results}, {}), {"a": 0.004})
    return line


def test_a_line_of_test_folds_pools_and_tells_their_spread():
    runs = runs_of([80, 82, 87], [100, 100, 100])
    line = line_of([of_folds(runs)])
    assert (line.measured, line.runs, line.delta) == ("83.00", "3", "+3.00")
    half = 196 * (0.83 * 0.17 / 300 + 2 * 0.004**2) ** 0.5  # of 300 texts, not of 100
    assert float(line.high) - 83 == pytest.approx(half, abs=0.01)
    spread = 100 * stdev([0.80, 0.82, 0.87])
    assert (
        line.note
        == f"every text tested once in 3 folds, standard deviation between folds {spread:.2f}; no split is named"
    )
    assert line_of([run(0.83, 100, "")]).note == "10% of the texts; no split is named"


def test_a_line_of_dev_folds_tells_the_mean_of_the_folds():
    table = replace(TABLE, unit="fraction", columns=(replace(TABLE.columns[0], folds="dev", note=""),))
    runs = [run(0.95, 50, "dev 1 of 2", dev=0.90), run(0.93, 50, "dev 2 of 2", dev=0.92)]
    line = line_of([of_folds(runs)], table)
    assert line.measured == "0.9300"
    assert line.note == (
        "of 2 folds the model that is best on what its fold held out, mean over them 0.9400, "
        "standard deviation between folds 0.0141"
    )


def test_seeds_are_averaged_over_what_each_of_them_pools():
    seeds = [of_folds(runs_of([8, 3], [10, 10])), of_folds(runs_of([9, 4], [10, 10]))]
    line = line_of(seeds)
    assert (line.measured, line.runs) == ("60.00", "4")


METRICS = {
    "seed": 1, "scale": "paper", "git_commit": "abc", "device": "a processor", "threads": 2, "date": "2026-11-21",
    "hashes": {"parameters": "p", "data": "d", "recipe": "c 1.0"}, "vectors": None,
    "epochs": {"run": 7, "turned": True},
}  # fmt: skip


def entry(fold, value, dev, seed=1):
    corpus = {"name": "a"} | (fold.parameters if fold else {})
    metrics = METRICS | {
        "seed": seed, "parameters": {"training": {"max_words": 0}, "corpus": corpus}, "dev": {"accuracy": dev},
        "test": {"accuracy": value, "texts": 10}, "test_clean": {"accuracy": 0.5, "texts": 4},
    }  # fmt: skip
    return Entry.from_metrics(metrics, {}, "accuracy", "net", Column("a", "A"))


def test_the_bank_keeps_a_line_a_fold(tmp_path):
    runs = [entry(Fold("test", 12, number), number / 20, 0.5) for number in range(12, 0, -1)]
    write_bank(tmp_path / "t.csv", [*runs, entry(None, 0.8, 0.5)])
    again = read_bank(tmp_path / "t.csv")
    assert [each.run for each in again] == ["1", *(f"1-fold-{number}" for number in range(1, 13))]
    assert {each.cut_as for each in again[1:]} == {("test", 12)}
    (single, pooled) = results_of(again)
    assert (single.value, pooled.texts, pooled.clean) == (0.8, 120, 0.5)
    assert pooled.value == pytest.approx(sum(range(1, 13)) / 20 / 12)
    assert isinstance(pooled, OfFolds)
    assert results_by_cell(again) == {("net", "a"): [single, pooled]}


def test_a_seed_without_all_its_folds_is_left_out():
    whole = [entry(Fold("test", 2, number), 0.6, 0.5, seed=2) for number in (1, 2)]
    part = [entry(Fold("test", 2, 1), 0.9, 0.5)]
    assert [result.value for result in results_of(part + whole)] == [0.6]
    assert results_of(part) == []


def test_a_run_that_two_tables_have_made_is_pooled_once():
    runs = [entry(Fold("test", 2, number), number / 10, 0.5) for number in (1, 2)]
    assert [result.texts for result in results_of(runs + runs)] == [20]


def test_the_predictions_behind_a_cell_are_those_of_what_is_shown():
    of_test = [entry(Fold("test", 2, number), 0.6, 0.5, seed) for seed in (1, 2) for number in (2, 1)]
    assert [each.run for each in shown_runs(of_test)] == ["1-fold-1", "1-fold-2"]
    of_dev = [entry(Fold("dev", 2, number), 0.6, number / 10) for number in (1, 2)]
    assert [each.run for each in shown_runs(of_dev)] == ["1-fold-2"]
    assert [each.run for each in shown_runs([entry(None, 0.8, 0.5, 3), entry(None, 0.8, 0.5, 4)])] == ["3"]
    assert shown_runs(of_test[:1]) == []


def test_the_bank_of_before_has_no_folds(tmp_path):
    write_bank(tmp_path / "t.csv", [entry(None, 0.8, 0.5)])
    lines = (tmp_path / "t.csv").read_text().splitlines()
    cut = [line.rsplit(",", 4)[0] for line in lines]  # without fold, dev, clean_texts and curve
    assert lines[0].removeprefix(cut[0]) == ",fold,dev,clean_texts,curve"
    (tmp_path / "t.csv").write_text("\n".join(cut) + "\n")
    (again,) = read_bank(tmp_path / "t.csv")
    assert (again.fold, again.run, again.cut_as, again.result().dev) == ("", "1", ("", 0), None)
