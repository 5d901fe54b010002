import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from retable.errors import InputError
from retable.project.launch import Place, first_host, followed, launcher_command, place, start_under_launcher

ROOT = Path(__file__).parents[2]
SLURM = {
    "SLURM_PROCID": "5", "SLURM_STEP_NUM_TASKS": "8", "SLURM_LOCALID": "1", "SLURM_STEP_NODELIST": "gpu[003-004]",
    "SLURM_JOB_ID": "41234",
}  # fmt: skip


def test_torchrun_or_slurm_below_our_own_launch_says_where_a_process_is():
    assert place({}) == Place(0, 1, 0)
    assert place({"RANK": "3", "WORLD_SIZE": "4", "LOCAL_RANK": "1"}) == Place(3, 4, 1, "env://")
    assert place(SLURM) == Place()  # a batch script: one process, whatever the job has
    assert place(SLURM | {"RETABLE_LAUNCHED": "1"}) == Place(5, 8, 1, "tcp://gpu003:21234")


@pytest.mark.parametrize(
    ("hosts", "first"),
    [
        ("gpu7", "gpu7"), ("gpu7,gpu9", "gpu7"), ("gpu[003-005,9],login", "gpu003"), ("rack[2,4]-ib", "rack2-ib"),
        ("127.0.0.1", "127.0.0.1"),
    ],
)  # fmt: skip
def test_the_first_host_of_a_list(hosts, first):
    assert first_host(hosts) == first


def test_torchrun_is_told_that_a_program_is_started():
    tail = [sys.executable, "-m", "retable.stages.run", "a", "b"]
    assert launcher_command(["srun", "--gpus=1"], "retable.stages.run", ["a", "b"]) == ["srun", "--gpus=1", *tail]
    torchrun = ["/x/torchrun", "--no-python", "--nproc-per-node=2"]
    assert launcher_command(torchrun, "retable.stages.run", ["a", "b"]) == [*torchrun, *tail]
    assert launcher_command(["torchrun"], "retable.stages.run", ["a", "b"]) == ["torchrun", "--no-python", *tail]


def test_without_a_launcher_or_below_one_nothing_is_started(monkeypatch):
    for name in ("RETABLE_LAUNCHER", "RETABLE_LAUNCHED", "RANK"):
        monkeypatch.delenv(name, raising=False)
    start_under_launcher("no.such.module", [])
    monkeypatch.setenv("RETABLE_LAUNCHER", "false")
    for name in ("RETABLE_LAUNCHED", "RANK"):
        monkeypatch.setenv(name, "0")
        start_under_launcher("no.such.module", [])
        monkeypatch.delenv(name)
    with pytest.raises(SystemExit) as ended:
        start_under_launcher("no.such.module", [])
    assert ended.value.code == 1


def test_a_launcher_that_is_not_there_is_refused(monkeypatch):
    monkeypatch.setenv("RETABLE_LAUNCHER", "torchrunn -n 2")
    with pytest.raises(InputError, match='RETABLE_LAUNCHER is "torchrunn -n 2", but there is no command "torchrunn"'):
        start_under_launcher("retable.stages.run", [])


def test_the_status_of_a_launcher():
    assert followed(["sh", "-c", "exit 3"]) == 3
    assert followed(["sh", "-c", 'test "$RETABLE_LAUNCHED" = 1']) == 0
    assert followed(["sh", "-c", "kill -9 $$"]) == 137


@pytest.mark.parametrize(("number", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_reaches_the_launcher_once_and_its_end_is_waited_for(tmp_path, number, status):
    end = f"kill $!; sleep 2; echo ended >> {tmp_path}/said; exit 0"
    script = f"trap '{end}' TERM; echo > {tmp_path}/begun; sleep 600 & wait $!"
    code = f"import sys; from retable.project.launch import followed; sys.exit(followed(['sh', '-c', {script!r}]))"
    environment = os.environ | {"PYTHONPATH": f"{ROOT / 'src'}{os.pathsep}{ROOT}"}
    process = subprocess.Popen([sys.executable, "-c", code], env=environment)
    while not (tmp_path / "begun").exists():
        assert process.poll() is None
        time.sleep(0.05)
    for _ in range(2):
        process.send_signal(number)
        time.sleep(0.1)
    assert process.wait(timeout=60) == status
    assert (tmp_path / "said").read_text() == "ended\n"
