"""The arithmetic of a scale: words x epochs / words per second, all from the bank."""

import pytest

from retable.experiments.estimate import BEST_EPOCH, RUN_S, Speeds, cell_seconds, read_measured
from retable.papers import trials
from retable.papers.paper import Column, Row
from retable.papers.trials import COUNT
from retable.project.paths import BANK

TRAIN = {"texts": 4, "average-length": 100.0, "average-length-characters": 600.0}
MEASURED = Speeds(
    {"lama": 2.0, "cspan": 4.0, "bigru": 100.0, "bilstm": 5.0},
    {"cspan": 30.0, "lama": 20.0, "bilstm": 80.0, "s-lstm": 60.0, "dan": 0.1, "char-cnn": 60.0},
    {"r8": {"language": "en", "splits": {"train": TRAIN}}, "ced": {"language": "zh", "splits": {"train": TRAIN}}},
)
PROTOCOL = {"seeds": [1], "folds": {}, "epochs": 0, "device": "auto", "precision": "float32"}


@pytest.mark.parametrize(
    ("model", "training", "corpus", "limits", "expected"),
    [
        ("lama", {"epochs": 20, "patience": 3}, "r8", {}, 400 * (BEST_EPOCH + 3) / 2),
        ("lama", {"epochs": 3, "patience": 3}, "r8", {}, 400 * 3 / 2),  # none of its epochs can be saved
        ("lama", {"epochs": 20, "patience": 20}, "r8", {}, 400 * 20 / 2),
        ("lama", {"epochs": 20, "patience": 3, "max_words": 50}, "r8", {}, 200 * (BEST_EPOCH + 3) / 2),
        ("lama", {"epochs": 20, "patience": 3, "max_words": 500}, "r8", {}, 400 * (BEST_EPOCH + 3) / 2),
        ("lama", {"epochs": 20}, "r8", {"epochs": 2}, 400 * 2 / 2),  # a scale limits them
        ("lama", {"epochs": 20}, "ced", {"epochs": {"ced": 3}}, 2400 * 3 / 2),  # characters
        ("dpcnn", {"epochs": 20}, "r8", {"epochs": 1}, 400 / 4.5),  # never run
        ("s-lstm", {"epochs": 20}, "r8", {"epochs": 1}, 400 / 2),  # never timed; the others do 40, 120 and 400 FLOPs/s
        ("dan", {"epochs": 20}, "r8", {"epochs": 1}, 400 / 4.5),  # small networks do not reach these FLOPs
        ("char-cnn", {"epochs": 20}, "r8", {"epochs": 1}, 2400 / 2),  # reads characters
        ("lama", {"epochs": 20}, "mr", {}, 0.0),
    ],
)
def test_words_times_epochs_over_words_a_second(model, training, corpus, limits, expected):
    row = Row("of-ours", "ours", model=model, overrides={"training": training})
    column = Column(corpus, corpus, corpus)
    assert cell_seconds(row, column, PROTOCOL | limits, MEASURED) == pytest.approx(RUN_S + expected)


@pytest.mark.parametrize(("model", "runs"), [("lama", 6), ("tfidf-svm", 3)])  # the second depends on no seed
def test_every_seed_and_fold_is_a_run(model, runs):
    row, column = Row("of-ours", "ours", model=model), Column("r8", "r8", "r8", folds="dev")
    protocol = PROTOCOL | {"seeds": {"r8": [1, 2]}, "folds": {"r8": 3}}
    assert cell_seconds(row, column, protocol, MEASURED) == runs * cell_seconds(row, column, PROTOCOL, MEASURED)


def test_the_trials_of_a_search_are_runs_too_unless_they_are_banked(monkeypatch):
    def seconds(name):
        row = Row("lama", "LAMA", model="lama", trials=name)
        return cell_seconds(row, Column("r8", "r8", "r8"), PROTOCOL | {"epochs": 1}, MEASURED)

    banked = {number: {"dev": 0.5, "options": {}} for number in range(1, COUNT + 1)}
    monkeypatch.setattr(trials, "trials_of", lambda table: {("lama", "r8"): banked if table == "banked" else {}})
    assert seconds("new") == (1 + COUNT) * seconds("")
    assert seconds("banked") == seconds("")


def test_the_bank_tells_rates_and_words(tmp_path):
    measured = read_measured(BANK)
    assert measured.rate("tfidf-svm") > 10 * measured.rate("transformer-f") > 0
    assert 4e6 < measured.corpora["imdb"]["splits"]["train"]["texts"] * 228 < 6e6
    (tmp_path / "corpora.json").write_text("{}")
    assert read_measured(tmp_path).rate("lama") == float("inf")
