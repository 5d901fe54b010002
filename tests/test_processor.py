"""Check what Linux tells of the processor."""

from retable.machine import processor
from retable.machine.processor import processor_fact

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
