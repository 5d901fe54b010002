"""docs/bench.md: networks beside the linear model that dev would have chosen, ranked."""

import pytest

from retable.experiments.scale import scale_preset
from retable.papers import trials
from retable.results.bench import TABLE, bench_markdown, best_linear, read_bench
from retable.results.claims import Judge
from retable.results.resolving import Resolver
from retable.results.whole import BANK_SCALE
from tests.results.records import answers, run

SEEDS = (1, 2, 3, 4, 5)
RIGHT = {  # row, column -> dev, right answers of 1,000
    ("tfidf-svm", "sst-2"): (0.9, 700),
    ("nb-svm", "sst-2"): (0.5, 800),  # better on test, but dev did not say so
    ("fasttext", "sst-2"): (0.5, 850),
    ("tfidf-svm", "r8"): (0.9, 700),
    ("nb-svm", "r8"): (0.5, 690),
    ("fasttext", "r8"): (0.5, 702),
    ("nb-svm", "ag-news-5k"): (0.5, 690),
}


@pytest.fixture
def resolver(tmp_path, monkeypatch):
    searched = {number: {"dev": 0.5, "options": {}} for number in range(1, trials.COUNT + 1)}
    monkeypatch.setattr(trials, "trials_of", lambda table: dict.fromkeys(RIGHT, searched))
    plan, runs = scale_preset(BANK_SCALE), []
    for (row, column), (dev, right) in RIGHT.items():
        for seed in SEEDS:
            # The runs of a network differ by one text from one to the next.
            good = right + (seed % 2 if row == "fasttext" else 0)
            path = answers(tmp_path / f"{row}-{column}-{seed}.parquet", good, 1000, prefix=f"{column}/test")
            asked = {"right": good / 1000, "seed": seed, "dev": dev, "texts": 1000, "predictions": path}
            runs.append(run(plan, TABLE.name, row, column, **asked))
    return Resolver(plan, runs, beyond=True)


def test_a_network_stands_beside_the_linear_model_that_is_best_on_dev(resolver):
    bench = read_bench(resolver, Judge({}, resolver.protocol))
    assert best_linear(TABLE.column("sst-2"), bench.filled).id == "tfidf-svm"
    line = bench.standings["fasttext", "sst-2"].line
    assert (line.second.id, line.verdict) == ("tfidf-svm", "ahead")
    assert line.difference == pytest.approx(0.15 + 0.6 / 1000)
    assert bench.standings["fasttext", "r8"].line.verdict == "equal"
    assert ("nb-svm", "sst-2") not in bench.standings


def test_the_page_ranks_the_rows_that_have_every_column_and_leaves_no_other_out(resolver):
    page = bench_markdown(resolver, Judge({}, resolver.protocol))
    rows = [line.split(" | ") for line in page.splitlines() if line.startswith("| ")][2:]
    assert [row[0] for row in rows] == ["| tf-idf + SVM", "| NB-SVM", "| fastText"]
    assert "mean rank" not in page  # no three rows share all columns
    assert "85.06" in rows[2][1]
    assert "**▲**" in rows[2][1]
    assert rows[0][3] == "–"
    assert "SST-2: tf-idf + SVM, R8: tf-idf + SVM" in page


def test_three_rows_on_all_columns_are_ranked(resolver):
    shared = Resolver(
        resolver.plan, [run for run in resolver.by_key.values() if run.place[2] != "ag-news-5k"], beyond=True
    )
    page = bench_markdown(shared, Judge({}, shared.protocol))
    rows = [line.split(" | ") for line in page.splitlines() if line.startswith("| ")][2:]
    assert [row[:2] for row in rows] == [["| fastText", "1.0"], ["| tf-idf + SVM", "2.5"], ["| NB-SVM", "2.5"]]
    assert "Mean ranks of 3 systems" in page
