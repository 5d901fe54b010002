"""OpenBLAS uses one kernel, whichever the processor or the environment would select."""

import subprocess
import sys

import pytest

from retable.machine.processor import processor_fact
from retable.project.paths import ROOT

PROGRAM = """
import retable, numpy, scipy.linalg
from threadpoolctl import threadpool_info
print(*{found["architecture"] for found in threadpool_info() if found["internal_api"] == "openblas"})
"""


@pytest.mark.skipif("avx2" not in processor_fact("flags").split(), reason="the processor has no AVX2")
@pytest.mark.parametrize("environment", [{}, {"OPENBLAS_CORETYPE": "Nehalem"}], ids=["none", "another"])
def test_every_stage_multiplies_with_the_same_kernel(environment):
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM], cwd=ROOT, env=environment, check=True, capture_output=True, text=True
    )
    assert done.stdout.split() == ["Haswell"]
