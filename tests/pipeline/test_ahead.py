import os
import subprocess
import sys
import time

import pytest

from retable.experiments import ahead, resuming
from retable.experiments.ahead import Ahead, AheadCell, ahead_cells, default_jobs, start_cell
from retable.experiments.resuming import Kept, TrainedElsewhereError
from retable.training.parallel import ALONE

CELLS = {
    "fcsr": {
        "fcsr-table-3": {
            "cnn.sst-2": {"row": "cnn", "column": "sst-2", "model": "textcnn", "corpus": "sst-2", "vectors": "v"},
            "tfidf-svm.mr": {
                "row": "tfidf-svm",
                "column": "mr",
                "model": "tfidf-svm",
                "corpus": "mr",
                "vectors": "none",
            },
        }
    }
}
CNN, SVM = "pipeline/fcsr/dvc.yaml:fcsr-table-3@cnn.sst-2", "pipeline/fcsr/dvc.yaml:fcsr-table-3@tfidf-svm.mr"


@pytest.fixture
def started(monkeypatch):
    """The cells that were started, each a process that ends at once, or fails where it is named to."""
    cells = []

    def start(cell, environment):
        cells.append(cell.stage)
        return subprocess.Popen([sys.executable, "-c", f"raise SystemExit({cell.column == 'broken'})"])

    monkeypatch.setattr(ahead, "start_cell", start)
    monkeypatch.setattr(ahead, "POLL_S", 0.01)
    return cells


def worked(cells, done, *, current="", is_current=lambda cell: False, wait=lambda took: took):
    """What the cells that were trained took, and what was told."""
    took, told = {}, []
    options = {"environment": {}, "jobs": 1, "took": took, "tell": told.append}
    with Ahead(cells, done, lambda: current, is_current, **options):
        end = time.monotonic() + 20
        while not wait(took) and time.monotonic() < end:
            time.sleep(0.01)
    return took, told


def test_a_cell_needs_its_texts_and_vectors():
    cells = {cell.stage: cell for cell in ahead_cells(CELLS, {CNN: 9.0})}
    assert cells[CNN].needs == ("code", "tag@sst-2", "embed@v")
    assert cells[SVM].needs == ("code", "tag@mr", "no-vectors")
    assert (cells[CNN].seconds, cells[SVM].seconds) == (9.0, 0.0)


def test_only_cells_whose_data_are_made_are_started(started):
    took, told = worked(ahead_cells(CELLS, {}), {"code", "tag@sst-2", "tag@mr", "no-vectors"})
    assert started == [SVM] == list(took)
    assert told == ["ahead: fcsr-table-3 · tfidf-svm · mr, 0 s"]


def test_the_longest_cell_comes_first(started):
    everything = {"code", "tag@sst-2", "tag@mr", "no-vectors", "embed@v"}
    worked(ahead_cells(CELLS, {CNN: 5.0, SVM: 9.0}), everything, wait=lambda took: len(took) == 2)
    assert started == [SVM, CNN]


@pytest.mark.parametrize("why", ["done", "running", "current"])
def test_a_cell_that_dvc_has_come_to_or_need_not_run_is_left(started, why):
    done = {"code", "tag@mr", "no-vectors"} | ({SVM} if why == "done" else set())
    start = time.monotonic()
    worked(
        ahead_cells(CELLS, {}),
        done,
        current=SVM if why == "running" else "",
        is_current=lambda cell: why == "current",
        wait=lambda took: time.monotonic() > start + 0.3,
    )
    assert started == []


def test_a_cell_that_fails_is_left_to_dvc_and_not_told_as_done(started):
    broken = AheadCell("a", "t", "r.broken", "r", "broken", (), 9.0)
    fine = AheadCell("b", "t", "r.fine", "r", "fine", (), 1.0)
    took, told = worked([broken, fine], set())
    assert started == ["a", "b"]
    assert list(took) == ["b"]
    assert len(told) == 1


def test_a_run_that_still_goes_on_is_stopped_at_the_end(monkeypatch):
    monkeypatch.setattr(ahead, "POLL_S", 0.01)
    running = []

    def start(cell, environment):
        running.append(subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"]))
        return running[0]

    monkeypatch.setattr(ahead, "start_cell", start)
    took, _ = worked([AheadCell("a", "t", "r.c", "r", "c", (), 1.0)], set(), wait=lambda took: running)
    assert took == {}
    assert running[0].returncode is not None


def test_a_cell_has_the_threads_that_dvcs_stages_have(tmp_path, monkeypatch):
    monkeypatch.setattr(ahead, "LOGS", tmp_path)
    monkeypatch.setattr(ahead, "RUN", ["-c", "import os; print('threads', os.environ['OMP_NUM_THREADS'])"])
    cell = AheadCell("a", "t", "r.c", "r", "c", (), 1.0)
    start_cell(cell, os.environ | {"OMP_NUM_THREADS": "7"}).wait()
    assert (tmp_path / "t.r.c.log").read_text() == "threads 7\n"


def test_a_run_is_trained_by_one_process(tmp_path, monkeypatch):
    monkeypatch.setattr(resuming, "STATES", tmp_path)
    first = Kept("key", ALONE)
    assert not first.take_finished(tmp_path / "here")
    with pytest.raises(TrainedElsewhereError):
        Kept("key", ALONE, waits=False).take_finished(tmp_path / "there")
    (tmp_path / "here").mkdir()
    (tmp_path / "here/metrics.json").write_text("{}")
    first.keep_finished(tmp_path / "here")
    assert Kept("key", ALONE, waits=False).take_finished(tmp_path / "there")
    assert (tmp_path / "there/metrics.json").read_text() == "{}"


def test_dvc_waits_for_the_process_that_trains_its_run(tmp_path, monkeypatch, capfd):
    monkeypatch.setattr(resuming, "STATES", tmp_path)
    (tmp_path / "key").mkdir()
    program = (
        "import fcntl, pathlib, sys, time; folder = pathlib.Path(sys.argv[1]);"
        "lock = (folder / 'lock').open('wb'); fcntl.flock(lock, fcntl.LOCK_EX); print('held', flush=True);"
        "time.sleep(1); (folder / 'run').mkdir(); (folder / 'run/metrics.json').write_text('{}')"
    )
    other = subprocess.Popen([sys.executable, "-c", program, str(tmp_path / "key")], stdout=subprocess.PIPE)
    assert other.stdout.readline() == b"held\n"
    assert Kept("key", ALONE).take_finished(tmp_path / "taken")
    assert "waiting for it" in capfd.readouterr().err
    assert other.wait() == 0


def test_a_gpu_or_a_launcher_is_not_shared(monkeypatch, tmp_path):
    monkeypatch.setattr(ahead, "cores", lambda: 4)
    monkeypatch.setattr(ahead, "GPU", tmp_path / "none")
    monkeypatch.delenv("RETABLE_LAUNCHER", raising=False)
    assert default_jobs() == 2
    monkeypatch.setenv("RETABLE_LAUNCHER", "srun")
    assert default_jobs() == 1
    monkeypatch.delenv("RETABLE_LAUNCHER")
    monkeypatch.setattr(ahead, "GPU", tmp_path)
    assert default_jobs() == 1
