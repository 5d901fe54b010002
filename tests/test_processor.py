"""Check what Linux reports about the processor, and how threads wait on it."""

import subprocess
import sys

import pytest

from retable.machine import processor
from retable.machine.processor import processor_fact
from retable.project.paths import ROOT

CPU_INFO = """processor\t: 0
vendor_id\t: AuthenticAMD
model\t\t: 17
model name\t: AMD EPYC: a processor

processor\t: 1
vendor_id\t: another
"""


def test_a_fact_is_that_of_the_first_processor(monkeypatch, tmp_path):
    path = tmp_path / "cpuinfo"
    path.write_text(CPU_INFO)
    monkeypatch.setattr(processor, "CPU_INFO", path)
    assert processor_fact("vendor_id") == "AuthenticAMD"
    assert processor_fact("model name") == "AMD EPYC: a processor"
    assert processor_fact("model") == "17"
    assert processor_fact("colour") == ""


def test_where_the_system_tells_nothing_a_fact_is_empty(monkeypatch, tmp_path):
    monkeypatch.setattr(processor, "CPU_INFO", tmp_path / "missing")
    assert processor_fact("vendor_id") == ""


@pytest.mark.parametrize(
    ("environment", "expected"),
    [({}, "30000"), ({"GOMP_SPINCOUNT": "5"}, "5"), ({"OMP_WAIT_POLICY": "active"}, "None")],
)
def test_waiting_threads_sleep_soon_unless_the_environment_says_otherwise(environment, expected):
    program = "import os, retable; print(os.environ.get('GOMP_SPINCOUNT'))"
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT / "src", env=environment, check=True, capture_output=True, text=True
    )
    assert done.stdout.strip() == expected
