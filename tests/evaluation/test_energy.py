import shutil
import subprocess
import sys
import threading
from pathlib import Path
from types import SimpleNamespace

import pytest

from retable.evaluation import energy
from retable.evaluation.energy import Counter, gpu_of, gpu_of_uuid, metered, opened_zones

RANGE = 262_143_328_850  # microjoules, as servers have it
NVML = """
typedef unsigned long long u64;
static u64 counted = 5000;
int nvmlInit_v2(void) { return 0; }
int nvmlDeviceGetHandleByUUID(const char *uuid, void **device) {
    const char *known = "GPU-1234";
    for (int i = 0; i < 9; i++) if (uuid[i] != known[i]) return 6;
    *device = (void *)42;
    return 0;
}
int nvmlDeviceGetTotalEnergyConsumption(void *device, u64 *millijoules) {
    if (device != (void *)42) return 2;
    *millijoules = counted;
    counted += 2500;
    return 0;
}
"""  # a driver's library that counts 2.5 J between two readings


def write_zone(powercap: Path, zone: str, name: str, microjoules: int, range_uj: int = RANGE) -> Path:
    """A zone as sysfs has it."""
    folder = powercap / zone
    folder.mkdir(parents=True, exist_ok=True)
    for file, value in (("name", name), ("energy_uj", microjoules), ("max_energy_range_uj", range_uj)):
        (folder / file).write_text(f"{value}\n")
    return folder


def count(zone: Path, microjoules: int) -> None:
    """What the machine does: the counter now stands here, and no reader sees half of it."""
    (zone / "new").write_text(f"{microjoules}\n")
    (zone / "new").replace(zone / "energy_uj")


@pytest.fixture
def powercap(tmp_path):
    """Two packages with cores and memory, the whole platform, and another kind of control."""
    write_zone(tmp_path, "intel-rapl", "", 0)
    for number in (0, 1):
        write_zone(tmp_path, f"intel-rapl:{number}", f"package-{number}", 1_000_000)
        write_zone(tmp_path, f"intel-rapl:{number}:0", "core", 7)
        write_zone(tmp_path, f"intel-rapl:{number}:1", "dram", 0)
    write_zone(tmp_path, "intel-rapl:2", "psys", 9)
    write_zone(tmp_path, "dtpm:0", "package-9", 9)
    return tmp_path


def test_packages_and_memory_are_added_and_nothing_is_counted_twice(powercap):
    with metered(powercap=powercap) as meter:
        count(powercap / "intel-rapl:0", 3_500_000)
        count(powercap / "intel-rapl:1", 2_000_000)
        count(powercap / "intel-rapl:1:1", 250_000)
        for other in ("intel-rapl:0:0", "intel-rapl:2", "dtpm:0"):
            count(powercap / other, 10**9)
    assert meter.cost() == {"joules_processor": pytest.approx(2.5 + 1.0 + 0.25), "joules_gpu": None}


def test_a_counter_that_began_again_by_hand(tmp_path):  # 10 to the end and 4 from the start, in J
    zone = write_zone(tmp_path, "intel-rapl:0", "package-0", RANGE - 10_000_000)
    with metered(powercap=tmp_path) as meter:
        count(zone, 4_000_000)
    assert meter.processor_joules == pytest.approx(14.0)


def test_a_counter_that_goes_round_thrice_matches_the_sum_of_its_steps(tmp_path):
    zone = write_zone(tmp_path, "intel-rapl:0", "package-0", 0, range_uj=1000)
    counter, told = Counter.opened(zone), 0
    for step in range(1, 12):
        told += 300
        count(zone, told % 1000)
        counter.step()
        assert counter.microjoules == 300 * step


def test_a_long_run_is_read_while_it_lasts(tmp_path, monkeypatch):
    zone = write_zone(tmp_path, "intel-rapl:0", "package-0", 900, range_uj=1000)
    was_read, step = threading.Event(), energy.Meter.step

    def told(meter):
        step(meter)
        was_read.set()

    monkeypatch.setattr(energy.Meter, "step", told)
    with metered(powercap=tmp_path, interval_s=0.01) as meter:
        for place in (700, 500):  # twice round, which two readings alone cannot tell
            was_read.clear()
            count(zone, place)
            assert was_read.wait(10)
            was_read.clear()
            assert was_read.wait(10)  # the reading that may have begun before the write is over
    assert meter.processor_joules == pytest.approx(1600e-6)
    assert "energy" not in [thread.name for thread in threading.enumerate()]


@pytest.mark.parametrize("broken", ["energy_uj", "max_energy_range_uj", "name"])
def test_a_machine_that_does_not_tell_one_package_tells_none(powercap, broken):
    (powercap / "intel-rapl:1" / broken).unlink()
    assert opened_zones(powercap) == []
    with metered(powercap=powercap) as meter:
        pass
    assert meter.cost() == {"joules_processor": None, "joules_gpu": None}


def test_a_machine_without_counters_tells_none(tmp_path):
    with metered(powercap=tmp_path / "absent") as meter:
        pass
    assert meter.cost() == {"joules_processor": None, "joules_gpu": None}


def test_a_counter_that_goes_away_is_not_told_in_part(powercap):
    with metered(powercap=powercap) as meter:
        count(powercap / "intel-rapl:0", 5_000_000)
        (powercap / "intel-rapl:1/energy_uj").write_text("")
    assert meter.processor_joules is None


def test_an_error_of_the_block_is_the_blocks_own(powercap):
    with pytest.raises(KeyError), metered(powercap=powercap):
        raise KeyError("its own")


@pytest.fixture
def driver(tmp_path):
    """A library in C with NVML's names: it shows that the calls are right, not what a GPU counts."""
    compiler = shutil.which("cc") or shutil.which("gcc")
    if compiler is None:
        pytest.skip("no C compiler for a stand-in of the driver's library")
    (tmp_path / "nvml.c").write_text(NVML)
    subprocess.run([compiler, "-shared", "-fPIC", "-o", tmp_path / "nvml.so", tmp_path / "nvml.c"], check=True)
    return str(tmp_path / "nvml.so")


@pytest.mark.parametrize("uuid", ["1234", "GPU-1234"])
def test_a_gpus_joules_are_the_difference_of_two_readings(driver, uuid, tmp_path):
    gpu = gpu_of_uuid(uuid, driver)
    with metered(gpu, powercap=tmp_path / "absent") as meter:
        pass
    assert meter.cost() == {"joules_processor": None, "joules_gpu": pytest.approx(2.5)}


def test_without_the_gpu_its_driver_or_its_counter_nothing_is_told(driver):
    assert gpu_of_uuid("another", driver) is None
    assert gpu_of_uuid("1234", "libno-such-driver.so.1") is None
    assert gpu_of_uuid("1234", "libc.so.6") is None
    assert gpu_of(SimpleNamespace(type="cpu"), driver) is None


@pytest.mark.gpu
@pytest.mark.skipif(not Path("/dev/nvidiactl").exists(), reason="needs a CUDA device")
def test_a_real_gpu_counts_more_while_it_works():
    import torch  # takes seconds, and no other test here asks it

    gpu = gpu_of(torch.device("cuda", 0))
    if gpu is None or gpu.joules() is None:
        pytest.skip("this GPU does not count")
    with metered(gpu) as meter:
        x = torch.randn(8192, 8192, device="cuda")
        for _ in range(100):
            x = torch.tanh(x @ x)
        torch.cuda.synchronize()
    assert meter.gpu_joules > 1.0


def test_training_does_not_import_it():  # its digest would become a part of every run's identity
    code = "import retable.training.run, sys; print('retable.evaluation.energy' in sys.modules)"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "False"
