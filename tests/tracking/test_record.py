import json
import shutil
import sqlite3
import subprocess
import sys
import textwrap
import time
from collections import Counter
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from retable.commands import ui
from retable.errors import InputError
from retable.files import read_json, write_json
from retable.project.paths import BANK
from retable.runs.record import FILES
from retable.tracking import entries, record
from retable.tracking.fetch import runs_from_store
from retable.tracking.found import DIGEST, PARENT, found
from retable.tracking.store import Store, answering, connect
from tests.tracking.conftest import copy_of, run_at, store_at, write_placed_run, write_run

STATISTICS = read_json(BANK / "corpora.json")
CELL, RUN = "runs/fcsr-table-3/fcsr/sst-2", "runs/fcsr-table-3/fcsr-sst-2"


@pytest.fixture(scope="module")
def client(store: Store, results: Path) -> Any:
    """Check a store with everything recorded: three cells and the focus run."""
    assert record.record(store, all_of(results)) == 4
    return connect(store)


def all_of(results: Path) -> list[entries.Entry]:
    focus = entries.focus_entry(results / "focus", "warm-owl")
    return [*entries.cells(results / "runs"), *([focus] if focus else [])]


def test_a_cell_is_the_parent_of_its_seeds_and_has_their_mean(client: Any):
    cell, second = run_at(client, "fcsr", CELL), run_at(client, "fcsr", f"{RUN}-2")
    assert (cell.info.run_name, second.info.run_name) == ("fcsr on sst-2 · fcsr-table-3", "seed 2")
    assert second.data.tags[PARENT] == cell.info.run_id
    assert {run.info.status for run in (cell, second)} == {"FINISHED"}
    seeds = [run_at(client, "fcsr", f"{RUN}-{seed}").data.metrics["test_accuracy"] for seed in (1, 2)]
    assert cell.data.metrics["test_accuracy"] == pytest.approx(sum(seeds) / 2)
    assert cell.data.metrics["runs"] == 2
    assert "seed" not in cell.data.params


def test_a_run_can_be_filtered_by_what_it_is(client: Any):
    number = client.get_experiment_by_name("fcsr").experiment_id
    wanted = "tags.`table` = 'fcsr-table-3' AND tags.`row` = 'fcsr' AND tags.`column` = 'sst-2' AND tags.kind = 'run'"
    assert {run.info.run_name for run in client.search_runs([number], wanted)} == {"seed 1", "seed 2"}
    tags = run_at(client, "fcsr", f"{RUN}-1").data.tags
    assert (tags["scale"], tags["device"], tags["commit"]) == ("cpu", "cpu", "0" * 40)
    assert len(tags["data_hash"]) == 64
    assert tags["recipe"] == "loop 1.0"


def test_metrics_parameters_and_data_stand_in_the_run(client: Any, results: Path):
    run = run_at(client, "fcsr", f"{RUN}-1")
    metrics = json.loads((results / f"{RUN}-1/metrics.json").read_text())
    assert run.data.metrics["test_accuracy"] == metrics["test"]["accuracy"]
    assert run.data.metrics["test_clean_accuracy"] == metrics["test_clean"]["accuracy"]
    assert run.data.metrics["cost_words_per_second"] == 7214.3
    assert run.data.params["training.learning_rate"] == "0.001"
    assert run.data.params["model.alpha"] == "0.2"
    data = run.inputs.dataset_inputs[0]
    assert data.dataset.name == "sst-2"
    assert metrics["hashes"]["data"].startswith(data.dataset.digest)
    assert {tag.key: tag.value for tag in data.tags}["sha256"] == metrics["hashes"]["data"]


def test_a_curve_has_a_point_an_epoch_and_the_final_metrics_are_not_among_them(client: Any):
    run = run_at(client, "fcsr", f"{RUN}-1")
    history = client.get_metric_history(run.info.run_id, "epoch/dev_accuracy")
    assert [point.step for point in history] == [1, 2, 3, 4, 5, 6]
    times = [point.timestamp for point in history]
    assert times == sorted(times)
    assert times[-1] <= run.info.end_time
    assert run.data.metrics["dev_accuracy"] != run.data.metrics["epoch/dev_accuracy"]


def test_a_linear_model_has_a_point_a_candidate(client: Any):
    run = run_at(client, "fcsr", "runs/fcsr-table-3/tfidf-svm-sst-2-1")
    history = client.get_metric_history(run.info.run_id, "candidate/dev_accuracy")
    assert [point.step for point in history] == list(range(1, 10))
    assert run.data.params["chosen.features"] == "words-2"


def test_files_and_pictures_are_artifacts(client: Any):
    run = run_at(client, "fcsr", f"{RUN}-1")
    names = {file.path for file in client.list_artifacts(run.info.run_id)}
    assert names == {*FILES, "pictures"}
    pictures = {file.path: file.file_size for file in client.list_artifacts(run.info.run_id, "pictures")}
    assert set(pictures) == {"pictures/roc.png", "pictures/confusion.png", "pictures/curve.png"}
    assert min(pictures.values()) > 5_000
    second = run_at(client, "fcsr", f"{RUN}-2").info.run_id  # of the same cell: its first run is drawn alone
    assert {file.path for file in client.list_artifacts(second)} == set(FILES)


def test_the_focus_run_is_named_by_what_differs_from_its_models_preset(client: Any):
    run = run_at(client, "focus", "focus")
    assert run.info.run_name == "fcsr on sst-2, alpha 0.3, epochs 6, learning_rate 0.001"
    assert run.data.tags["dvc_experiment"] == "warm-owl"


def test_a_cell_has_the_deviation_of_its_runs_and_one_of_a_single_run_has_none(client: Any, results: Path):
    accuracies = [
        json.loads((results / f"{RUN}-{seed}/metrics.json").read_text())["test"]["accuracy"] for seed in (1, 2)
    ]
    found = run_at(client, "fcsr", CELL).data.metrics
    assert found["test_accuracy_sd"] == pytest.approx(abs(accuracies[0] - accuracies[1]) / 2**0.5)
    assert "test_texts_sd" not in found
    assert not [
        name for name in run_at(client, "fcsr", "runs/fcsr-table-3/tfidf-svm/sst-2").data.metrics if "_sd" in name
    ]


def test_an_experiment_says_what_it_holds_and_keeps_our_view_of_it(client: Any, store: Store):
    experiment = client.get_experiment_by_name("focus")
    assert "one run per `dvc exp run`" in experiment.tags["mlflow.note.content"]
    view = json.loads(experiment.tags["mlflow.sharedViewState.retable"])
    assert view["selectedColumns"][:2] == ["metrics.`dev_accuracy`", "metrics.`test_accuracy`"]
    fcsr = client.get_experiment_by_name("fcsr").tags
    assert "FCSR" in fcsr["mlflow.note.content"]
    assert json.loads(fcsr["mlflow.sharedViewState.retable"])["columnOrder"][1] == "metrics.`test_accuracy`"
    shown = ui.links(client, store, "http://127.0.0.1:5000")
    assert [line.split()[0] for line in shown] == ["fcsr", "focus"]
    assert shown[1].endswith(
        f"/#/experiments/{experiment.experiment_id}/runs?workflowType=machine_learning&viewStateShareKey=retable"
    )


@pytest.mark.usefixtures("client")
def test_a_complete_record_is_seen_without_mlflow(store: Store, results: Path):
    code = f"""
        import sys
        from pathlib import Path
        from retable.tracking.entries import cells, focus_entry
        from retable.tracking.record import is_recorded
        from retable.tracking.store import Store
        store = Store({store.uri!r}, Path({str(store.artifacts)!r}))
        results = Path({str(results)!r})
        print(is_recorded(store, [*cells(results / "runs"), focus_entry(results / "focus", None)]))
        print(sorted({{"mlflow", "numpy", "matplotlib", "sklearn"}} & set(sys.modules)))
    """
    done = subprocess.run([sys.executable, "-c", textwrap.dedent(code)], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == ["True", "[]"]


@pytest.mark.usefixtures("client")
def test_a_second_record_writes_nothing(store: Store, results: Path):
    before = found(store, ["fcsr", "focus"])
    assert record.record(store, all_of(results)) == 0
    assert found(store, ["fcsr", "focus"]) == before


@pytest.mark.parametrize("lost", [f"{RUN}-2", CELL])
def test_a_deleted_run_or_cell_comes_back_and_each_child_has_its_parent(
    store: Store, client: Any, results: Path, lost: str
):
    client.delete_run(before := run_at(client, "fcsr", lost).info.run_id)
    assert record.record(store, all_of(results)) == 1
    assert run_at(client, "fcsr", lost).info.run_id != before
    parent = run_at(client, "fcsr", CELL).info.run_id
    assert {run_at(client, "fcsr", f"{RUN}-{seed}").data.tags[PARENT] for seed in (1, 2)} == {parent}


def test_a_deleted_experiment_is_restored(store: Store, client: Any, results: Path):
    client.delete_experiment(client.get_experiment_by_name("focus").experiment_id)
    record.record(store, all_of(results))
    assert run_at(client, "focus", "focus").data.metrics["test_accuracy"] > 0.5


def lose_artifacts(store: Store, run_id: str) -> None:
    shutil.rmtree(next(store.artifacts.glob(f"*/{run_id}")))


def lose(statement: str) -> Callable[[Store, str], None]:
    """Return a function that changes the rows of a run in the database by hand."""

    def change(store: Store, run_id: str) -> None:
        with closing(sqlite3.connect(store.sqlite_file or "")) as database, database:
            assert database.execute(f"{statement} run_uuid = ?", (run_id,)).rowcount

    return change


LOSSES = {
    "metrics": lose("DELETE FROM metrics WHERE"),
    "latest metrics": lose("DELETE FROM latest_metrics WHERE"),
    "one metric": lose("DELETE FROM latest_metrics WHERE key = 'test_accuracy' AND"),
    "params": lose("DELETE FROM params WHERE"),
    "artifacts": lose_artifacts,
    "status": lose("UPDATE runs SET status = 'RUNNING' WHERE"),
}


@pytest.mark.usefixtures("no_pictures")
@pytest.mark.parametrize(
    ("place", "loss"),
    [(place, loss) for place in (RUN + "-2", CELL, "focus") for loss in LOSSES if (place, loss) != (CELL, "artifacts")],
)
def test_an_entry_that_lost_a_part_is_recorded_again(store: Store, client: Any, results: Path, place: str, loss: str):
    run = run_at(client, "focus" if place == "focus" else "fcsr", place)
    LOSSES[loss](store, run.info.run_id)
    assert not record.is_recorded(store, all_of(results))
    assert record.record(store, all_of(results)) == 1
    assert record.is_recorded(store, all_of(results))
    again = run_at(client, "focus" if place == "focus" else "fcsr", place)
    assert again.info.status == "FINISHED"
    assert (again.data.metrics, again.data.params) == (run.data.metrics, run.data.params)


@pytest.mark.usefixtures("no_pictures")
class TestChanges:
    """Each has its own results, all in one store."""

    def test_another_seed_joins_its_cell_and_the_mean_follows(self, store: Store, client: Any, tmp_path: Path):
        cell, runs = "runs/growing-table-1/fcsr/sst-2", "runs/growing-table-1"
        write_run(tmp_path / runs / "1", table="growing-table-1", seed=1)
        record.record(store, all_of(tmp_path))
        first = run_at(client, "growing", cell)
        write_run(tmp_path / runs / "2", table="growing-table-1", seed=2)
        record.record(store, all_of(tmp_path))
        grown = run_at(client, "growing", cell)
        assert grown.info.run_id == first.info.run_id
        values = [run_at(client, "growing", f"{runs}/{seed}").data.metrics["test_accuracy"] for seed in (1, 2)]
        assert values[0] != values[1]
        assert grown.data.metrics["test_accuracy"] == pytest.approx(sum(values) / 2)
        shutil.rmtree(tmp_path / runs / "2")
        record.record(store, all_of(tmp_path))
        assert run_at(client, "growing", cell).data.metrics["test_accuracy"] == values[0]

    def test_a_run_made_again_replaces_the_old_one(self, store: Store, client: Any, tmp_path: Path):
        place = "runs/again-table-1/1"
        write_run(tmp_path / place, table="again-table-1")
        record.record(store, all_of(tmp_path))
        write_run(tmp_path / place, table="again-table-1", texts=300)
        record.record(store, all_of(tmp_path))
        assert run_at(client, "again", place).data.metrics["test_texts"] == 300

    def test_other_parameters_make_another_cell_beside_the_old_one(self, store: Store, client: Any, tmp_path: Path):
        for alpha in (0.2, 0.3):
            write_run(tmp_path / f"runs/other-table-1/{alpha}", table="other-table-1", alpha=alpha)
            record.record(store, all_of(tmp_path))
        number = client.get_experiment_by_name("other").experiment_id
        names = Counter(run.info.run_name for run in client.search_runs([number]))
        assert names == {"seed 1": 2, "fcsr on sst-2 · other-table-1": 2}

    def test_killed_at_any_call_the_next_record_ends_the_same(
        self, store: Store, client: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ):
        place = "runs/killed-table-1/1"
        write_run(tmp_path / place, table="killed-table-1")
        for lost in (False, True):
            if lost:
                client.delete_run(run_at(client, "killed", place).info.run_id)
            for calls in range(1, 100):
                monkeypatch.setattr(record, "connect", lambda store, calls=calls: KillingClient(client, calls))
                try:
                    record.record(store, all_of(tmp_path))
                except KeyboardInterrupt:
                    continue
                break
            assert 10 < calls < 99
        run = run_at(client, "killed", place)
        assert run_at(client, "killed", "runs/killed-table-1/fcsr/sst-2").info.run_id == run.data.tags[PARENT]
        assert [point.step for point in client.get_metric_history(run.info.run_id, "epoch/dev_loss")] == [
            1, 2, 3, 4, 5, 6,
        ]  # fmt: skip
        assert run.data.tags[DIGEST]

    @pytest.mark.parametrize("changes", [{"test": {"accuracy": 0.99, "texts": 400}}, {"row": "cnn"}])
    def test_a_run_that_contradicts_its_answers_or_its_table_is_not_recorded(
        self, store: Store, client: Any, tmp_path: Path, changes: dict[str, Any]
    ):
        folder = write_run(tmp_path / "runs/fcsr-table-3/1", seed=7)
        write_json(folder / "metrics.json", read_json(folder / "metrics.json") | changes)
        before = found(store, ["fcsr"])
        with pytest.raises(InputError, match=r"gives accuracy|model is 'fcsr' in .*, but cnn on sst-2"):
            record.record(store, all_of(tmp_path))
        assert found(store, ["fcsr"]) == before

    def test_a_copied_run_is_not_recorded_twice(self, tmp_path: Path):
        folder = write_placed_run(tmp_path)
        shutil.copytree(folder, tmp_path / "runs/fcsr-table-3/copy")
        with pytest.raises(InputError, match=f"are the same run; remove the copy: .* is named {folder.name}, in that"):
            all_of(tmp_path)

    def test_a_long_parameter_is_cut_and_says_so(self):
        cut = entries.parameters({"parameters": {"model": {"words": "x" * 10_000}}})["model.words"]
        assert len(cut) == entries.LONGEST_VALUE
        assert cut.endswith("(cut: 10,000 characters; metrics.json has all of it)")

    def test_statistics_of_a_corpus_are_recorded_once_and_again_when_they_change(
        self, store: Store, client: Any, tmp_path: Path
    ):
        path = tmp_path / "stats.json"
        for vocabulary in (100, 100, 200):
            write_json(path, STATISTICS["mr"] | {"vocabulary": vocabulary, "removed": {"wrong, label": 3}})
            record.record(store, [entries.file_entry("corpus", "mr", "clean/mr", path)])
        number = client.get_experiment_by_name("corpora").experiment_id
        runs = client.search_runs([number], "tags.corpus = 'mr'")
        assert sorted(run.data.metrics["vocabulary"] for run in runs) == [100, 200]
        assert runs[0].data.metrics["removed/wrong_ label"] == 3


@pytest.mark.usefixtures("no_pictures")
def test_an_unverified_run_and_its_cell_are_tagged_until_a_verified_copy_comes(tmp_path: Path, empty_store: Store):
    store, folder = copy_of(empty_store, tmp_path), write_placed_run(tmp_path)
    verified = read_json(folder / "metrics.json")
    for told, mark in ((verified | {"unverified": True}, "yes"), (verified, "no")):
        write_json(folder / "metrics.json", told)
        record.record(store, entries.cells(tmp_path / "runs"))
        client = connect(store)
        number = client.get_experiment_by_name("fcsr").experiment_id
        assert [run.data.tags["unverified"] for run in client.search_runs([number])] == [mark] * 2


class KillingClient:
    """An MLflow client that stops its process at the given write call."""

    def __init__(self, client: Any, calls: int) -> None:
        self.client, self.left = client, calls

    def __getattr__(self, name: str) -> Any:
        if name.startswith(("get_", "search_")):
            return getattr(self.client, name)
        self.left -= 1
        if self.left == 0:
            raise KeyboardInterrupt
        return getattr(self.client, name)


def test_a_run_that_is_not_whole_is_refused(tmp_path: Path):
    (write_run(tmp_path / "runs/t-table-1/1") / "cost.json").unlink()
    with pytest.raises(InputError, match=r"has no cost\.json"):
        all_of(tmp_path)


def test_a_copied_store_writes_beside_itself_and_reads_its_own_files(empty_store: Store, tmp_path: Path):
    (tmp_path / "old").mkdir()
    old, new = store_at(tmp_path / "old"), store_at(tmp_path / "new")
    shutil.copy(empty_store.sqlite_file or "", old.sqlite_file or "")
    first = write_placed_run(tmp_path / "results", table="moved-table-1")
    record.record(old, entries.cells(tmp_path / "results/runs"))
    shutil.copytree(tmp_path / "old", tmp_path / "new")
    shutil.rmtree(tmp_path / "old/mlartifacts")
    second = write_placed_run(tmp_path / "results", table="moved-table-1", seed=2)
    record.record(new, entries.cells(tmp_path / "results/runs"))
    assert not (tmp_path / "old/mlartifacts").exists()
    assert set(runs_from_store(new, tmp_path / "out")) == {f"runs/moved-table-1/{run.name}" for run in (first, second)}


def test_a_store_whose_file_is_a_folder_is_refused_in_seconds(tmp_path: Path):
    (tmp_path / "mlflow.db").mkdir()
    began = time.monotonic()
    with pytest.raises(InputError, match="unable to open database file"):
        connect(store_at(tmp_path))
    assert time.monotonic() - began < 60  # MLflow itself retries for two minutes


def test_a_damaged_store_is_one_sentence(tmp_path: Path):
    store = store_at(tmp_path)
    (tmp_path / "mlflow.db").write_text("not a database" * 100)
    with pytest.raises(InputError, match="cannot be read"), answering(store):
        found(store, ["fcsr"])
