"""Torch's deterministic algorithms, for the duration of a block."""

import pytest
import torch

from retable.training.determinism import deterministic


def test_deterministic_algorithms_are_taken_and_given_back(monkeypatch):
    monkeypatch.delenv("CUBLAS_WORKSPACE_CONFIG", raising=False)

    def asked():
        cudnn = torch.backends.cudnn
        return torch.are_deterministic_algorithms_enabled(), cudnn.deterministic, cudnn.benchmark

    def interrupted():
        with deterministic(True):
            assert asked() == (True, True, False)
            raise KeyError

    before = asked()
    with deterministic(False):
        assert asked() == before
    with pytest.raises(KeyError):
        interrupted()
    assert asked() == before
