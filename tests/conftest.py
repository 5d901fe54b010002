"""Use one thread per process of the suite: two workers then share two cores, and equal seeds give equal numbers.

The variables are read once, when torch, numpy and numba are loaded, so they are set before any test module loads.
"""

import os
from importlib import import_module

import pytest

for library in ("OMP", "MKL", "OPENBLAS", "NUMBA"):
    os.environ[f"{library}_NUM_THREADS"] = "1"
os.environ["OMP_WAIT_POLICY"] = "passive"  # threads that a test starts must not spin


@pytest.fixture
def scale_cpu(tmp_path, monkeypatch):
    """Use params.yaml at scale cpu, whatever the checkout's is at: `make tables SCALE=smoke` rewrites that."""
    for module in ("experiments.params_file", "project.params", "commands.run"):
        monkeypatch.setattr(f"retable.{module}.PARAMS", tmp_path / "params.yaml")
    import_module("retable.experiments.params_file").write_scale("cpu")


@pytest.fixture(autouse=True, scope="session")
def digests_of_its_own(tmp_path_factory):
    """Keep the digests of made-up data out of the checkout's lock file."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("retable.experiments.lock.DIGESTS", tmp_path_factory.mktemp("digests") / "digests.json")
        yield
