"""What `make env` would install, checked without installing."""

import subprocess

import pytest

from retable.project.paths import ROOT


def planned(*words):
    """Return the commands of `make env` in a folder whose environment does not exist yet."""
    done = subprocess.run(
        ["make", "-n", "env", "VENV=no-such-environment", *words], cwd=ROOT, capture_output=True, text=True, check=True
    )
    return done.stdout


@pytest.mark.parametrize(
    ("words", "installed"),
    [
        ((), "torch.json torch==2.13.0\n"),
        (("TORCH=cpu",), "torch.json torch==2.13.0 --index-url https://download.pytorch.org/whl/cpu\n"),
        (("TORCH=torch==2.13.0 --index-url x",), "torch.json torch==2.13.0 --index-url x\n"),
    ],
)
def test_the_build_of_torch_is_one_word_away(words, installed):
    said = planned(*words)
    assert installed in said
    assert "TORCH=cpu" in said
