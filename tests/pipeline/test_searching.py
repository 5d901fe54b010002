"""A search gives every row equally many trials, reads no test text, and decides before the first run."""

from collections import Counter
from contextlib import nullcontext
from unittest.mock import MagicMock

import pytest

from retable.errors import InputError
from retable.experiments import resuming, searching, training
from retable.experiments.scale import model_preset, scale_preset
from retable.files import read_json, sha256_of_value, write_json
from retable.models import TRAINERS
from retable.papers import paper, trials
from retable.papers.parameters import folds_of, row_parameters
from retable.papers.trials import COUNT, GRID, bank_trials, chosen_options, options_of_trial, trials_of
from retable.results.resolving import NOT_SEARCHED, Resolver
from retable.runs.provenance import versions
from retable.training.run import Trained

TABLE = paper("bench").results[0]
ROW, COLUMN = TABLE.row("cnn"), TABLE.column("covid-sentiment")
PROTOCOL = {"folds": {"covid-sentiment": 10}, "epochs": 0, "device": "cpu", "precision": "float32"}
CELL = {"row": "cnn", "column": "covid-sentiment", "model": "textcnn", "corpus": "covid-sentiment", "vectors": "some"}


@pytest.fixture(autouse=True)  # real searches of the row must not affect the tests
def places(monkeypatch, tmp_path):
    monkeypatch.setattr(trials, "BANK", tmp_path / "bank")
    for module in (trials, searching):
        monkeypatch.setattr(module, "TRIALS", tmp_path / "trials")
    return tmp_path


@pytest.fixture
def trained(places, monkeypatch):
    """Search with made-up trainings; return the numbers of those that ran. The identity covers parameters only."""
    ran = []

    def train(what, parameters, inputs, kept):
        ran.append(int(what.rpartition(" ")[2]))
        (kept.folder / "state").touch()
        dev = [0.5, 0.9, 0.7, 0.9, 0.1, 0.2, 0.3, 0.4][ran[-1] - 1]

        class Trained:
            curve = [{"dev_accuracy": 0.0}, {"dev_accuracy": dev}]
            epochs = {"run": 2}
            cost = {"seconds": 1.0, "device": "none", "threads": 1}

        return Trained()

    monkeypatch.setattr(resuming, "STATES", places / "states")
    monkeypatch.setattr(searching, "read_inputs", lambda parameters: None)
    monkeypatch.setattr(searching, "train_on", train)
    monkeypatch.setattr(
        searching,
        "identity",
        lambda parameters, *data: {
            "key": sha256_of_value(parameters), "parameters": parameters, "hashes": {}, "model": "textcnn",
            "corpus": parameters["corpus"]["name"], "seed": parameters["seed"],
            "fold": parameters["corpus"].get("fold"),
        },
    )  # fmt: skip
    return ran


def parameters(row=ROW):
    return row_parameters(model_preset(row.model), row, COLUMN, PROTOCOL, vectors="some", seed=2)


def parameters_of_fold(number):
    return folds_of(COLUMN, PROTOCOL)[number - 1].parameters["fold"]


def search(row=ROW):
    searching.search(row, COLUMN, CELL, PROTOCOL)


def test_no_two_trials_are_one_also_for_a_row_without_dropout_and_given_vectors():
    assert COUNT == 8
    plain = {"model": {}, "training": {"learning_rate": 0.1, "batch_size": 50}, "embedding": {"vectors": "none"}}
    asked = [options_of_trial(number, plain) for number in range(1, COUNT + 1)]
    assert asked[0] == {}
    pairs = [(0.1, 50), *((each["training"]["learning_rate"], each["training"]["batch_size"]) for each in asked[1:])]
    assert max(Counter(pairs).values()) == 1
    assert all(set(each) == {"training"} for each in asked[1:])


@pytest.mark.parametrize("number", [2, 3, 8])
def test_a_trial_changes_what_its_line_says_and_nothing_else(number):
    change, before = GRID[number - 2], parameters()
    options = options_of_trial(number, before)
    assert options["training"]["learning_rate"] == pytest.approx(change.rate * 0.001, rel=1e-2)
    assert options["model"] == {"dropout": change.dropout}
    assert options["embedding"] == {"tune": change.tune}
    assert set(options["training"]) == {"learning_rate", "batch_size"}


def test_every_row_that_is_trained_has_as_many_trials_and_any_other_says_why_not():
    for row in TABLE.rows:
        if not row.model:
            assert row.reason, row.id
        elif row.model in TRAINERS:
            options = model_preset(row.model)["model"] | row.overrides["model"]
            assert len(options["features"]) * len(options["costs"]) == COUNT, row.id
        else:
            assert row.trials == TABLE.name, row.id


def test_the_first_of_the_best_trials_is_chosen_and_runs_have_its_options(trained):
    assert parameters()["training"]["batch_size"] == model_preset("textcnn")["training"]["batch_size"]
    search()
    assert trained == list(range(1, COUNT + 1))
    assert chosen_options(TABLE.name, "cnn", "covid-sentiment")["training"]["batch_size"] == GRID[0].batch_size
    assert parameters()["training"]["learning_rate"] == pytest.approx(0.003)
    assert parameters()["seed"] == 2
    folds = {str(trial["fold"]) for trial in trials_of(TABLE.name)["cnn", "covid-sentiment"].values()}
    assert folds == {str(parameters_of_fold(1))}
    search()
    assert len(trained) == COUNT  # none again


def test_a_row_that_two_tables_show_is_searched_once_for_both(trained):
    """Trials were kept under the table that was run, and the row's runs had the options of none."""
    (table,) = [table for table in paper("bench").results if table.name != TABLE.name]
    search(table.row("cnn"))
    assert parameters(table.row("cnn")) == parameters()
    assert parameters()["training"]["learning_rate"] == pytest.approx(0.003)
    search()
    assert len(trained) == COUNT


def test_nothing_is_chosen_before_all_trials_are_there(trained, places):
    search()
    (places / f"trials/{TABLE.name}/cnn.covid-sentiment.8.json").unlink()
    assert chosen_options(TABLE.name, "cnn", "covid-sentiment") == {}
    search()
    assert trained[COUNT:] == [8]


def test_a_run_that_a_row_would_have_without_its_search_fills_no_cell_before_it(trained):
    """Unsearched, the row may equal another table's row, whose runs are available."""
    plan = scale_preset("measure")
    filled, reason, _ = Resolver(plan).runs_of(TABLE, CELL)
    assert (filled, reason) == ([], NOT_SEARCHED)
    search()
    assert Resolver(plan).runs_of(TABLE, CELL).reason != NOT_SEARCHED


def test_a_trial_of_other_data_or_code_is_trained_again_and_a_banked_one_is_not(trained, places):
    search()
    files = sorted((places / f"trials/{TABLE.name}").iterdir())
    for _ in range(2):
        bank_trials(places / "bank", places / "trials")
    assert len((places / f"bank/trials/{TABLE.name}.jsonl").read_text(encoding="utf-8").splitlines()) == COUNT
    stale = read_json(files[0]) | {"key": "of before"}
    for path in files:
        path.unlink()
    search()
    assert len(trained) == COUNT
    write_json(files[0], stale)
    search()
    assert trained[COUNT:] == [stale["trial"]]


def test_no_test_text_is_read(monkeypatch):
    read, shown, written = [], MagicMock(), []
    monkeypatch.setattr(searching, "Kept", MagicMock())
    monkeypatch.setattr(training, "splits_of_run", lambda *_, compared: ("train", "dev", lambda: read.append("test")))
    monkeypatch.setattr(training, "checked_vectors", lambda _: None)
    monkeypatch.setattr(training, "display", lambda *_: nullcontext(shown))
    monkeypatch.setattr(training, "train_classifier", lambda *given: read.extend(given[1:3]) or "trained")
    monkeypatch.setattr(searching, "write_trial", lambda *given: written.append(given[-1]))
    facts = {"key": "k", "parameters": parameters(), "row": "cnn", "column": "covid-sentiment", "trial": 1}
    searching.train_trial(TABLE.name, facts)
    assert written == ["trained"]
    assert read == ["train", "dev"]
    shown.finish.assert_called_once()


def test_a_search_that_dies_before_a_finished_trial_is_written_keeps_its_state(trained, places, monkeypatch):
    """The state was removed first, so a kill in between lost the whole training."""
    monkeypatch.setattr(searching, "write_json", MagicMock(side_effect=KeyboardInterrupt))
    with pytest.raises(KeyboardInterrupt):
        search()
    assert len(list((places / "states").glob("*/state"))) == 1
    monkeypatch.setattr(searching, "write_json", write_json)
    search()
    assert not list((places / "states").iterdir())


def test_a_trial_that_another_process_has_trained_meanwhile_is_not_trained_again(trained, places, monkeypatch):
    """A search waited for the other one, and then trained the same trial."""
    search()
    for path in (folder := places / f"trials/{TABLE.name}").iterdir():
        path.rename(places / path.name)

    def waited(kept):
        for path in places.glob("*.json"):
            path.rename(folder / path.name)

    monkeypatch.setattr(searching.Kept, "lock_others_out", waited)
    search()
    assert len(trained) == COUNT


def test_a_trial_of_a_ranked_corpus_is_judged_by_its_mean_average_precision(places):
    """It was by accuracy, of which the epoch is not chosen there."""
    curve = [{"dev_accuracy": 0.9, "dev_map": 0.1}, {"dev_accuracy": 0.8, "dev_map": 0.6}]
    made = Trained(None, curve, {"run": 2}, {}, {"seconds": 1.0, "device": "none", "threads": 1})
    facts = dict.fromkeys(("row", "column", "corpus", "model", "trial", "options", "fold", "seed", "key", "hashes"))
    searching.write_trial(places / "trials/ranked.json", facts, made)
    assert read_json(places / "trials/ranked.json")["dev"] == 0.6


def test_a_damaged_line_of_the_bank_is_told(places):
    (places / "bank/trials").mkdir(parents=True)
    (places / f"bank/trials/{TABLE.name}.jsonl").write_text("{\n", encoding="utf-8")
    with pytest.raises(InputError, match="not a trial"):
        trials_of(TABLE.name)


def test_versions_stand_in_a_trial(trained, places):
    search()
    kept = read_json(places / f"trials/{TABLE.name}/cnn.covid-sentiment.1.json")
    assert kept["versions"] == versions()
    assert kept["dev"] == 0.5
