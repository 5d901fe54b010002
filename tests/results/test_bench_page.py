"""docs/bench.md and its finding: networks against the linear model selected on dev, ranked and counted."""

from dataclasses import replace

import pytest

from retable.errors import InputError
from retable.experiments.scale import scale_preset
from retable.files import write_json
from retable.models import is_linear
from retable.papers import trials
from retable.results.bench import TABLE, bench_markdown, best_linear, read_bench
from retable.results.chances import equal_chances
from retable.results.judging import Judge
from retable.results.resolving import Resolver
from retable.results.seconds import FILE, Seconds, read_seconds, rounded
from retable.results.whole import BANK_SCALE
from tests.results.records import answers, run

SEEDS = (1, 2, 3, 4, 5)
RIGHT = {  # row, column -> dev, correct answers of 1,000
    ("tfidf-svm", "sst-2"): (0.9, 700),
    ("nb-svm", "sst-2"): (0.5, 800),  # better on test, but not selected on dev
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
            # Consecutive runs of a network differ by one text.
            good = right + (seed % 2 if row == "fasttext" else 0)
            path = answers(tmp_path / f"{row}-{column}-{seed}.parquet", good, 1000, prefix=f"{column}/test")
            asked = {"right": good / 1000, "seed": seed, "dev": dev, "texts": 1000, "predictions": path}
            runs.append(run(plan, TABLE.name, row, column, **asked))
    return Resolver(plan, runs, beyond=True)


@pytest.fixture
def bench(resolver):
    return read_bench(resolver, Judge({}, resolver.protocol))


def test_a_network_stands_beside_the_linear_model_that_is_best_on_dev(bench):
    assert best_linear(TABLE.column("sst-2"), bench.filled).id == "tfidf-svm"
    line = bench.standings["fasttext", "sst-2"].line
    assert (line.second.id, line.verdict) == ("tfidf-svm", "ahead")
    assert line.difference == pytest.approx(0.15 + 0.6 / 1000)
    assert bench.standings["fasttext", "r8"].line.verdict == "equal"
    assert ("nb-svm", "sst-2") not in bench.standings


def test_the_page_ranks_rows_over_the_columns_that_all_have_and_leaves_no_other_out(bench):
    page = bench_markdown(bench)
    rows = [line.split(" | ") for line in page.splitlines() if line.startswith("| ")][2:]
    # only NB-SVM has ag-news-5k, so it ranks nobody
    assert [row[:2] for row in rows] == [
        ["| fastText", "1.0"],
        ["| tf-idf + SVM", "2.5"],
        ["| NB-SVM", "2.5"],
    ]
    assert "Mean ranks of 3 systems over SST-2 and R8. At least 5 columns are needed to test them." in page
    assert ". No run yet of mean of word vectors; CNN; " in page
    assert rows[0][2].startswith("85.06\N{NO-BREAK SPACE}±\N{NO-BREAK SPACE}")
    assert rows[0][2].endswith(" **ahead**")
    assert rows[0][4] == "–"
    assert "seconds" not in page.lower()  # nothing was timed
    assert "SST-2: tf-idf + SVM; R8: tf-idf + SVM" in page


def test_a_training_takes_the_seconds_of_an_epoch_times_the_mean_number_of_epochs(bench):
    timed = Seconds("AMD EPYC", "AVX2", "2.13.0", "2026-11-28", {"fasttext": 0.6, "nb-svm": 85.4}, {"fasttext": 0.0234})
    runs = bench.filled.shown(("fasttext", "sst-2"))
    epochs = [run.metrics["epochs"]["run"] for run in runs]
    page = bench_markdown(bench, seconds=timed)
    rows = {line.split(" | ")[0]: line.split(" | ") for line in page.splitlines() if line.startswith("| ")}
    assert rows["| "][-2:] == ["seconds to train", "seconds for 1,000 answers |"]
    assert len(epochs) > 1
    assert rows["| fastText"][-2:] == [f"{0.6 * sum(epochs) / len(epochs):.2g}", "0.023 |"]
    assert rows["| NB-SVM"][-2:] == ["85", " |"]  # a linear model was timed whole
    assert rows["| tf-idf + SVM"][-2:] == ["", " |"]
    assert "in one run without other work (2026-11-28, AMD EPYC with AVX2, torch 2.13.0)" in page


def test_seconds_are_read_whole_or_not_at_all(tmp_path):
    assert read_seconds(tmp_path) is None
    found = Seconds("AMD EPYC", "AVX2", "2.13.0", "2026-11-28", {"cnn": 1.5}, {"cnn": 0.1})
    write_json(tmp_path / FILE, found._asdict())
    assert read_seconds(tmp_path) == found
    write_json(tmp_path / FILE, {**found._asdict(), "training": {"cnn": -1}})
    with pytest.raises(InputError, match=r"training\.cnn is -1 in .*seconds\.json; allowed: a finite number, 0"):
        read_seconds(tmp_path)


@pytest.mark.parametrize(
    ("seconds", "shown"),
    [(0.00236, "0.0024"), (0.35, "0.35"), (1.24, "1.2"), (20.0, "20"), (84.6, "85"), (1340.0, "1,300")],
)
def test_seconds_have_two_digits(seconds, shown):
    assert rounded(seconds) == shown


def test_rows_are_not_ranked_by_one_column(bench):
    scores = {key: score for key, score in bench.scores.items() if key != ("tfidf-svm", "r8")}
    page = bench_markdown(replace(bench, scores=scores))
    assert "mean rank" not in page.lower()
    assert [line.split(" | ")[0] for line in page.splitlines() if line.startswith("| ")][2:] == [
        "| tf-idf + SVM",
        "| NB-SVM",
        "| fastText",
    ]


def test_the_finding_counts_networks_that_are_ahead_on_complete_columns_alone(bench, monkeypatch):
    assert equal_chances(bench) is None  # fastText is no network
    monkeypatch.setattr("retable.results.chances.is_floor", is_linear)  # as if fastText were a network
    bench.filled.runs["fasttext", "r8"] = [
        [replace(run, cost=run.cost | {"flops_per_word": 10 * run.cost["flops_per_word"]}) for run in of_seed]
        for of_seed in bench.filled.runs["fasttext", "r8"]
    ]
    found = equal_chances(bench)
    assert found.headline == (
        "Under equal chances a network is ahead of the best linear model in 1 of 2 comparisons and behind in 0; after "
        "Holm's correction in 1 and 0"
    )
    assert found.body.startswith("1 network on SST-2 and R8; Holm's correction is for all 2 tests of the table. Every")
    lines = [line for line in found.body.splitlines() if line.startswith("| ")][2:]
    # ahead, behind, equal, undecided, ahead and behind after Holm, detectable; operations are those of the column
    shown = [f"{100 * bench.standings['fasttext', name].line.comparison.detectable:.1f}" for name in ("sst-2", "r8")]
    assert (
        lines[0] == f"| SST-2 | tf-idf + SVM, 70.00 | fastText, 85.06 | 1 | 0 | 0 | 0 | 1 | 0 | {shown[0]} | 1 times |"
    )
    assert lines[1] == f"| R8 | tf-idf + SVM, 70.00 | fastText, 70.26 | 0 | 0 | 1 | 0 | 0 | 0 | {shown[1]} | 10 times |"


def test_there_is_no_finding_without_a_complete_column(bench):
    scores = {key: score for key, score in bench.scores.items() if key[0] != "nb-svm" or key[1] == "ag-news-5k"}
    assert equal_chances(replace(bench, scores=scores)) is None


def test_ranks_are_tested_where_columns_are_enough(bench, monkeypatch):
    monkeypatch.setattr("retable.results.bench.FEWEST_TO_TEST", 2)
    (sentence,) = [line for line in bench_markdown(bench).splitlines() if line.startswith("Mean ranks")]
    # ranks 1, 2, 3 and 1, 3, 2 of three rows, so means 1, 2.5, 2.5; Friedman's chi-square is 3;
    # q(0.05, 3) / sqrt(2) = 2.344
    assert sentence.endswith(
        "Friedman test: p 0.223. Two systems differ at 5% if their mean ranks are 2.3 or more apart (Nemenyi); "
        "the first and the last are 1.5 apart."
    )
