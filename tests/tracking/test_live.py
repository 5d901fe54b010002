import time
from pathlib import Path
from typing import Any

import pytest

from retable.errors import InputError
from retable.files import read_json
from retable.tracking import checkout
from retable.tracking.entries import Entry, focus_entry
from retable.tracking.found import found
from retable.tracking.live import LiveRun
from retable.tracking.record import record
from retable.tracking.store import Store, connect
from tests.tracking.conftest import epoch_lines, write_run

AFTER = {
    "test", "test_clean", "dev", "epochs", "chosen", "vectors", "git_commit", "versions", "device", "threads", "date",
}  # fmt: skip


pytestmark = pytest.mark.usefixtures("no_pictures")


def focus(folder: Path, alpha: float) -> tuple[dict[str, Any], Entry]:
    """Return the facts about a focus run known before training, and those recorded after it."""
    metrics = read_json(write_run(folder, alpha=alpha) / "metrics.json")
    entry = focus_entry(folder, None)
    assert entry
    return {name: value for name, value in metrics.items() if name not in AFTER}, entry


def never(sentence: str) -> None:
    raise AssertionError(sentence)


def test_the_record_completes_the_run_that_was_logged_live(store: Store, tmp_path: Path):
    facts, entry = focus(tmp_path, 0.31)
    client = connect(store)
    with LiveRun(store, facts, never) as live:
        for line in epoch_lines(1)[:4]:  # the last two are lost, as if the disk were full
            live.log_line(line)
        assert client.get_run(live.run_id).info.status == "RUNNING"
        assert client.get_run(live.run_id).data.params["model.alpha"] == "0.31"
    record(store, [entry])
    (run,) = [run for run in found(store, ["focus"]) if run.key == facts["key"]]
    assert run.run_id == live.run_id
    assert run.digest == entry.digest
    history = client.get_metric_history(run.run_id, "epoch/dev_accuracy")
    assert sorted(point.step for point in history) == [1, 2, 3, 4, 5, 6]
    assert "test_accuracy" in client.get_run(run.run_id).data.metrics
    assert record(store, [entry]) == 0


@pytest.mark.parametrize(("error", "status"), [(KeyboardInterrupt, "KILLED"), (RuntimeError, "FAILED")])
def test_a_stopped_run_says_so_and_the_next_one_takes_its_place(
    store: Store, tmp_path: Path, error: type[BaseException], status: str
):
    facts, _ = focus(tmp_path, 0.32)
    client = connect(store)
    with pytest.raises(error), LiveRun(store, facts, never) as live:
        raise error
    assert client.get_run(live.run_id).info.status == status
    with LiveRun(store, facts, never) as second:
        pass
    assert [run.run_id for run in found(store, ["focus"]) if run.key == facts["key"]] == [second.run_id]


def test_a_rerun_under_the_same_key_replaces_the_finished_run(store: Store, tmp_path: Path):
    facts, entry = focus(tmp_path, 0.33)
    record(store, [entry])
    with LiveRun(store, facts, never) as live:
        assert entry.identity in [run.identity for run in found(store, ["focus"])]  # until another one is complete
    write_run(tmp_path, alpha=0.33, texts=300)  # with other scores
    again = focus_entry(tmp_path, None)
    assert again
    record(store, [again])
    assert [run.run_id for run in found(store, ["focus"]) if run.key == facts["key"]] == [live.run_id]


def test_a_rerun_that_gives_the_same_bytes_is_there_once(store: Store, tmp_path: Path):
    facts, entry = focus(tmp_path, 0.35)
    record(store, [entry])
    with LiveRun(store, facts, never):
        pass
    assert record(store, [entry]) == 1
    assert [run.identity for run in found(store, ["focus"]) if run.key == facts["key"]] == [entry.identity]
    assert record(store, [entry]) == 0


def test_the_lines_of_a_linear_model_are_logged_too(store: Store, tmp_path: Path):
    facts, _ = focus(tmp_path, 0.34)
    with LiveRun(store, facts, never) as live:
        live.log_line({"features": "words-1", "cost": 0.1, "dev_accuracy": 0.8})
        live.log_line({"features": "words-2", "cost": 0.1, "dev_accuracy": 0.9})
    history = connect(store).get_metric_history(live.run_id, "candidate/dev_accuracy")
    assert [(point.step, point.value) for point in history] == [(1, 0.8), (2, 0.9)]


@pytest.mark.parametrize("uri", ["http://127.0.0.1:1", "postgresql://me:secret@127.0.0.1:1/runs"])
def test_a_store_that_does_not_answer_is_refused_before_training(tmp_path: Path, uri: str):
    facts, _ = focus(tmp_path / "focus", 0.35)
    start = time.monotonic()
    with (
        pytest.raises(InputError, match=r"the MLflow store .*127\.0\.0\.1:1.* cannot be used") as raised,
        LiveRun(Store(uri, tmp_path), facts, never),
    ):
        raise AssertionError("trained all the same")
    assert "secret" not in str(raised.value)
    assert "unset MLFLOW_TRACKING_URI" in str(raised.value)
    assert time.monotonic() - start < 20


def test_a_store_that_goes_away_does_not_stop_the_training(store: Store, tmp_path: Path):
    facts, _ = focus(tmp_path, 0.36)
    messages: list[str] = []
    with LiveRun(store, facts, messages.append) as live:
        live.client.delete_run(live.run_id)  # MLflow refuses to log to it from now on
        for line in epoch_lines(1):
            live.log_line(line)
    assert len(messages) == 1
    assert "training continues" in messages[0]


def test_the_focus_run_has_its_test_scores_as_soon_as_it_is_evaluated(store: Store, tmp_path: Path, monkeypatch):
    facts, _ = focus(tmp_path, 0.37)
    monkeypatch.setattr(checkout, "FOCUS", tmp_path)
    monkeypatch.setattr(checkout, "the_store", lambda: store)
    checkout.record_focus()
    (run,) = [run for run in found(store, ["focus"]) if run.key == facts["key"]]
    assert "test_accuracy" in connect(store).get_run(run.run_id).data.metrics


def test_an_evaluated_run_stays_whole_where_the_store_does_not_answer(tmp_path: Path, monkeypatch, capsys):
    focus(tmp_path, 0.38)
    monkeypatch.setattr(checkout, "FOCUS", tmp_path)
    monkeypatch.setattr(checkout, "the_store", lambda: Store("http://localhost:1", tmp_path))
    checkout.record_focus()
    assert "`retable record` records it" in capsys.readouterr().err
