"""Run folders as the pipeline writes them, small but complete, without training."""

import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from retable.files import read_json, sha256_of_value, write_json
from retable.runs.folder import scores_of_splits, write_cost, write_curve
from retable.runs.predictions import write_predictions
from retable.runs.provenance import hash_of_parameters, run_key
from retable.runs.record import run_folder
from retable.text.splits import Facts, Split
from retable.tracking.found import PLACE
from retable.tracking.store import Store, connect

CELLS = (("fcsr", "sst-2", 1), ("fcsr", "sst-2", 2), ("fcsr", "covid-sentiment", 1), ("tfidf-svm", "sst-2", 1))
LABELS = {"sst-2": ("negative", "positive"), "covid-sentiment": ("sad", "joy", "fear", "anger")}


def some_answers(labels: tuple[str, ...], texts: int, seed: int) -> tuple[np.ndarray, Split]:
    """Return probabilities of a model that is mostly right, and the split that it predicts."""
    chance = np.random.default_rng(seed)
    classes = chance.integers(len(labels), size=texts)
    logits = chance.normal(size=(texts, len(labels)))
    logits[np.arange(texts), classes] += 1.6
    probabilities = np.exp(logits) / np.exp(logits).sum(axis=1, keepdims=True)
    facts = Facts("made-up", "en", labels)
    split = Split(facts, [f"text-{i}" for i in range(texts)], None, None, classes, chance.random(texts) > 0.1)
    return probabilities, split


def epoch_lines(seed: int, epochs: int = 6) -> list[dict[str, Any]]:
    """Return a curve that turns after the fourth epoch."""
    chance = np.random.default_rng(seed)
    return [
        {
            "epoch": epoch, "learning_rate": 0.001, "train_loss": 0.7 / epoch, "train_accuracy": 1 - 0.4 / epoch,
            "dev_loss": 0.4 + 0.02 * abs(epoch - 4), "dev_accuracy": 0.84 - abs(epoch - 4 + chance.random() / 9) / 100,
            "seconds": 10.0 + epoch / 8,
        }
        for epoch in range(1, epochs + 1)
    ]  # fmt: skip


def candidate_lines() -> list[dict[str, Any]]:
    """Return the curve of a linear model."""
    return [
        {"features": features, "cost": cost, "dev_accuracy": 0.8 + 0.005 * index + 0.01 * cost}
        for index, features in enumerate(("words-1", "words-2", "characters-5"))
        for cost in (0.1, 0.3, 1.0)
    ]


def write_run(
    folder: Path, *, row: str = "fcsr", column: str = "sst-2", table: str = "fcsr-table-3", seed: int = 1,
    texts: int = 400, alpha: float = 0.2, recipe: str = "loop 1.0", scale: str = "cpu",
) -> Path:  # fmt: skip
    """Write a run's folder; `alpha` and `code` change its key."""
    linear, name = row.endswith("svm"), {"cnn": "textcnn"}.get(row, row)
    labels = LABELS[column]
    model = {"name": name, "costs": [0.1, 0.3, 1.0]} if linear else {"name": name, "alpha": alpha}
    parameters = {
        "corpus": {"name": column}, "model": model, "embedding": {"vectors": "pool-en.word2vec-300", "size": 300},
        "training": {} if linear else {"epochs": 6, "learning_rate": 0.001, "batch_size": 50},
        "seed": seed, "device": "cpu", "precision": "float32",
    }  # fmt: skip
    hashes = {"data": sha256_of_value(column), "recipe": recipe, "parameters": hash_of_parameters(parameters)}
    lines = candidate_lines() if linear else epoch_lines(seed)
    answers, dev = some_answers(labels, texts, seed), some_answers(labels, texts // 2, seed + 100)
    epochs = {"run": None, "chosen": None, "turned": None} if linear else {"run": 6, "chosen": 4, "turned": True}
    metrics = {
        "key": run_key(**hashes), "paper": table.partition("-table-")[0],
        "table": table, "row": row, "column": column, "model": name, "corpus": column, "seed": seed, "fold": None,
        "scale": scale, "parameters": parameters, "hashes": hashes,
        "vectors": None if linear else {"name": "pool-en.word2vec-300", "words_covered": 0.91, "tokens_covered": 0.98},
        **scores_of_splits(dev, answers), "epochs": epochs,
        "chosen": {"features": "words-2", "cost": 1.0} if linear else {}, "git_commit": "0" * 40,
        "versions": {"python": "3.11.2", "torch": "2.13.0"}, "device": "cpu", "threads": 2, "date": "2026-11-20",
    }  # fmt: skip
    write_cost(
        folder / "cost.json",
        {
            "parameters": 1_234_567, "parameters_tuned_words": 5_000_000, "flops_per_word": 2.2e6,
            "seconds_per_epoch": 10.4, "words_per_second": 7214.3, "seconds": 66.5, "peak_memory_mb": 812.5,
            "device": "AMD EPYC", "threads": 2,
        },
    )  # fmt: skip
    write_curve(folder / "curve.csv", lines)
    write_predictions(folder / "predictions.parquet", answers[1], answers[0])
    write_json(folder / "metrics.json", metrics)
    return folder


def write_placed_run(results: Path, *, table: str = "fcsr-table-3", **given: Any) -> Path:
    """Write a run's folder where its key belongs."""
    folder = write_run(results / "written", table=table, **given)
    place = run_folder(results / "runs", table, read_json(folder / "metrics.json")["key"])
    place.parent.mkdir(parents=True, exist_ok=True)
    return shutil.move(folder, place)


def write_results(results: Path) -> Path:
    """Return three cells, one with two seeds, one of four classes; and a focus run."""
    for row, column, seed in CELLS:
        write_run(results / f"runs/fcsr-table-3/{row}-{column}-{seed}", row=row, column=column, seed=seed)
    write_run(results / "focus", alpha=0.3)
    return results


def tree(folder: Path) -> dict[str, bytes]:
    """Return every file below a folder with its bytes."""
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def store_at(folder: Path) -> Store:
    """Return a sqlite store in a folder, not created yet."""
    return Store(f"sqlite:///{folder}/mlflow.db", folder / "mlartifacts")


def copy_of(store: Store, folder: Path) -> Store:
    """Return a copy of an empty store in a folder."""
    copy = store_at(folder)
    shutil.copy(store.sqlite_file or "", copy.sqlite_file or "")
    return copy


@pytest.fixture(scope="session")
def empty_store(tmp_path_factory: pytest.TempPathFactory) -> Store:
    """Return an empty store to copy from; creating one takes seconds."""
    store = store_at(tmp_path_factory.mktemp("empty"))
    connect(store)
    return store


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory, empty_store: Store) -> Store:
    """Return a store for the tests of one file."""
    return copy_of(empty_store, tmp_path_factory.mktemp("store"))


@pytest.fixture
def no_pictures(monkeypatch: pytest.MonkeyPatch) -> None:
    """Replace pictures, which take most of a record's time and are tested elsewhere."""
    monkeypatch.setattr("retable.figures.pictures.pictures_of_run", lambda folder: {"roc": b""})


@pytest.fixture(scope="session")
def results(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_results(tmp_path_factory.mktemp("results"))


def run_at(client: Any, experiment: str, place: str) -> Any:
    """Return the one run of a place."""
    number = client.get_experiment_by_name(experiment).experiment_id
    runs = client.search_runs([number], f"tags.`{PLACE}` = '{place}'")
    assert len(runs) == 1
    return runs[0]
