"""The bank: lines that are only added, never changed, and predictions without texts."""

import json
import re
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest

from retable.commands.bank import copies_of_tests
from retable.errors import InputError
from retable.files import read_json, write_json
from retable.runs.bank import add_to_bank, read_bank, repeats
from retable.runs.predictions import PREDICTED
from retable.runs.record import read_run
from retable.text.splits import CLEAN, LABEL, read_columns, read_facts
from tests.results.records import with_metrics
from tests.tracking.conftest import write_run


@pytest.fixture
def run(tmp_path):
    return read_run(write_run(tmp_path / "runs/fcsr-table-3/a"))


def test_a_run_is_banked_once_whole_and_without_texts(tmp_path, run):
    bank = tmp_path / "bank"
    assert read_bank(bank) == []
    assert add_to_bank(bank, [run], "me") == 1
    before = (bank / "fcsr-table-3.jsonl").read_bytes()
    assert add_to_bank(bank, [run], "you") == 0
    assert (bank / "fcsr-table-3.jsonl").read_bytes() == before
    (banked,) = read_bank(bank)
    assert (banked.metrics, banked.cost, banked.who, banked.folder) == (run.metrics, run.cost, "me", None)
    assert banked.curve == pytest.approx(run.curve, abs=1e-4)
    assert banked.answers()[0].tolist() == run.answers()[0].tolist()
    assert banked.answers()[1] == pytest.approx(run.answers()[1], abs=1e-3)
    table = pq.read_table(banked.predictions)
    assert table.column_names == ["id", "label", "predicted", "clean", "probabilities"]
    for name in ("id", "label", "predicted", "clean"):  # the predicted labels come from the unrounded probabilities
        assert table.column(name).to_pylist() == pq.read_table(run.predictions).column(name).to_pylist()


def test_a_correlation_below_0_is_banked_and_read_again(tmp_path, run):
    scores = run.metrics["dev"] | {"pearson": -0.015, "spearman": -0.02, "mse": 1.5}
    add_to_bank(tmp_path / "bank", [replace(with_metrics(run, dev=scores), curve=(-1.5, 40.0))], "me")
    (banked,) = read_bank(tmp_path / "bank")
    assert banked.curve == (-1.5, 40.0)
    assert banked.metrics["dev"]["pearson"] == -0.015


def test_a_second_run_of_a_cell_stands_beside_the_first(tmp_path, run):
    bank = tmp_path / "bank"
    again = with_metrics(run, date="2026-12-01", test=run.metrics["test"] | {"accuracy": 0.5})
    assert [add_to_bank(bank, [each], "me") for each in (run, again, run, again)] == [1, 1, 0, 0]
    first, second = read_bank(bank)
    assert (first.accuracy, second.accuracy) == (run.accuracy, 50.0)
    assert first.predictions != second.predictions
    assert second.predictions.exists()
    assert repeats([first, second]) == [(first, second)]
    assert repeats([first]) == []


def test_times_of_a_machine_with_other_work_are_not_kept(tmp_path, run):
    add_to_bank(tmp_path / "bank", [run], "me", times=False)
    (banked,) = read_bank(tmp_path / "bank")
    assert run.cost.keys() - banked.cost.keys() == {"seconds", "seconds_per_epoch", "words_per_second"}


@pytest.mark.parametrize("who", ["Ada <ada@example.org>", "Ada\nBob", "a" * 400])
def test_a_name_that_the_bank_could_not_hold_is_refused_before_anything_is_written(tmp_path, run, who):
    with pytest.raises(InputError, match=r"the name of who banks the runs.*give another with --who"):
        add_to_bank(tmp_path / "bank", [run], who)
    assert not (tmp_path / "bank").exists()


def test_a_name_with_a_line_end_of_unicode_is_read_again(tmp_path, run):
    add_to_bank(tmp_path / "bank", [run], "Ada\u2028Bob")
    assert [banked.who for banked in read_bank(tmp_path / "bank")] == ["Ada\u2028Bob"]


def test_a_damaged_line_is_named_by_file_and_number(tmp_path, run):
    add_to_bank(tmp_path / "bank", [run], "me")
    path = tmp_path / "bank/fcsr-table-3.jsonl"
    damages = {
        "<<<<<<< HEAD": ", is not a valid run",
        '{"metrics": 1': ", is not a valid run",
        "[]": r" contains \[\]; allowed: an object with metrics, curve",
        '{"cost": {}}': " lacks metrics",
        '{"metrics": 1}': r"metrics is 1 in .*; allowed: an object; `git checkout",
    }
    for damage, sentence in damages.items():
        path.write_text(path.read_text().splitlines()[0] + "\n" + damage + "\n")
        with pytest.raises(InputError, match=r"fcsr-table-3\.jsonl, line 2") as refused:
            read_bank(tmp_path / "bank")
        assert re.search(sentence, str(refused.value))


def test_a_value_of_another_kind_is_named_and_no_word_of_python_is_said(tmp_path, run):
    add_to_bank(tmp_path / "bank", [run], "me")
    path = tmp_path / "bank/fcsr-table-3.jsonl"
    whole = json.loads(path.read_text())
    for name, value in {"curve": None, "predictions": 5, "metrics": None}.items():
        path.write_text(json.dumps(whole | {name: value}) + "\n")
        with pytest.raises(InputError, match=f"{name} is {value} in .*line 1; allowed: an? "):
            read_bank(tmp_path / "bank")


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("cost.json", None, "lacks cost.json"),
        ("metrics.json", "{", "is not valid JSON"),
        ("metrics.json", "[]", "not an object"),
        ("metrics.json", "{}", "lacks chosen, column"),
        ("cost.json", "\udc80", "is not valid JSON"),
        ("metrics.json", "[" * 100_000, "is not valid JSON"),
    ],
)
def test_a_damaged_run_is_refused_with_its_file(run, name, content, message):
    path = run.folder / name
    if content is None:
        path.unlink()
    else:
        path.write_bytes(content.encode("utf-8", "surrogateescape"))
    with pytest.raises(InputError, match=message):
        read_run(run.folder)


def scores_of_answers(path):
    """Return what metrics.py computes of right and wrong answers, on all texts and on the clean ones."""
    labels = pa.array(read_facts(path).labels)
    table = read_columns(path, [LABEL, PREDICTED, CLEAN])
    true, answered = (
        pc.index_in(table.column(name).cast(pa.string()), labels).to_numpy() for name in ("label", "predicted")
    )
    pairs, clean = true * len(labels) + answered, table.column("clean").to_numpy()
    return {"test": scores_of_pairs(pairs, len(labels)), "test_clean": scores_of_pairs(pairs[clean], len(labels))}


def scores_of_pairs(found, classes):
    pairs = np.bincount(found, minlength=classes**2).reshape(classes, classes)  # (true class, answer)
    right, texts = pairs.diagonal(), pairs.sum()
    precision, recall, f1 = (
        right / np.maximum(of, 0.5) for of in (pairs.sum(0), pairs.sum(1), (pairs.sum(0) + pairs.sum(1)) / 2)
    )
    accuracy = right.sum() / texts
    return {"texts": texts, "accuracy": accuracy, "error_rate": 1 - accuracy, "micro_f1": accuracy} | {
        "precision": precision.mean(), "recall": recall.mean(), "macro_f1": f1.mean(),
    }  # fmt: skip


def test_every_banked_score_is_that_of_its_answers():
    from retable.project.paths import BANK

    for run in read_bank(BANK):
        for section, scores in scores_of_answers(run.predictions).items():
            told = {name: run.metrics[section][name] for name in scores}
            assert told == pytest.approx(scores, abs=1e-9), (run.name, run.predictions, section)


def test_every_banked_run_of_the_repository_is_whole():
    from retable.project.paths import BANK
    from retable.runs.provenance import hash_of_parameters, run_key

    runs = read_bank(BANK)
    assert len(runs) > 300
    for run in runs:
        assert run.hashes["parameters"] == hash_of_parameters(run.metrics["parameters"]), run.name
        assert run.key == run_key(**run.hashes), run.name
        assert run.predictions.exists(), run.name
    assert len({run.predictions for run in runs}) == len(runs)
    corpora = read_json(BANK / "corpora.json")
    assert {run.metrics["corpus"] for run in runs} <= corpora.keys()


def test_copies_among_test_texts_are_banked_and_those_in_train_are_not(tmp_path):
    (tmp_path / "r8").mkdir()
    clusters = [["r8/train/1", "r8/test/2"], ["r8/train/3", "r8/test/4", "r8/test/5"], ["r8/dev/1", "r8/test/1"]]
    write_json(tmp_path / "r8/copies.json", clusters)
    (tmp_path / "mr").mkdir()
    write_json(tmp_path / "mr/copies.json", [["mr/1", "mr/2"]])  # our own splits: any text may be tested
    assert copies_of_tests(tmp_path) == {"mr": [["mr/1", "mr/2"]], "r8": [["r8/test/4", "r8/test/5"]]}


def test_the_banks_copies_are_texts_of_its_predictions():
    from retable.project.paths import BANK
    from retable.runs.predictions import read_predictions

    copies = read_json(BANK / "copies.json")
    tested = {run.metrics["corpus"]: run.predictions for run in read_bank(BANK)}
    for corpus in ("r8", "imdb"):
        _, ids, *_ = read_predictions(tested[corpus])
        texts = {text for cluster in copies[corpus] for text in cluster}
        assert texts
        assert texts <= set(ids)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"test": {"accuracy": float("nan"), "macro_f1": 0.5, "texts": 9}}, "accuracy is nan in .*metrics.json"),
        ({"test": {"accuracy": 1.5, "macro_f1": 0.5, "texts": 9}}, "accuracy is 1.5 in .* from 0 to 1"),
        ({"test": {"accuracy": 0.5, "loss": float("inf"), "texts": 9}}, "loss is inf in .*finite number from 0;"),
        ({"test": {"accuracy": "0.5", "texts": 9}}, "accuracy is '0.5' in"),
        ({"dev": {"accuracy": None}}, "accuracy is None in"),
        ({"test": None}, "test is None in"),
        ({"domains": {"books": {"test": {"accuracy": -1}}}}, "accuracy is -1 in"),
        ({"model": "bilstm"}, "model is 'bilstm', but its parameters say 'fcsr'"),
        ({"corpus": "mr"}, "corpus is 'mr', but its parameters say 'sst-2'"),
        ({"seed": 2}, "seed is 2, but its parameters say 1"),
        ({"seed": True}, "seed is True in .*allowed: a whole number"),
        ({"fold": 1}, "fold is 1, but its parameters say None"),
        ({"parameters": []}, r"parameters is \[\] in .*allowed: an object"),
    ],
)
def test_a_score_or_a_name_that_cannot_be_is_refused_in_a_folder_and_in_the_bank(tmp_path, run, change, message):
    add_to_bank(tmp_path / "bank", [with_metrics(run, **change)], "me")
    with pytest.raises(InputError, match=message.replace("metrics.json", "line 1")):
        read_bank(tmp_path / "bank")
    path = run.folder / "metrics.json"
    write_json(path, read_json(path) | change)
    with pytest.raises(InputError, match=message):
        read_run(run.folder)


@pytest.mark.parametrize("seed", [-1, 2**32, True, [1], 1.0])
def test_a_seed_that_is_none_is_refused(run, seed):
    path = run.folder / "metrics.json"
    metrics = read_json(path)
    write_json(path, metrics | {"seed": seed, "parameters": metrics["parameters"] | {"seed": seed}})
    with pytest.raises(InputError, match=r"seed is .* in .*metrics\.json; allowed: a whole number"):
        read_run(run.folder)
