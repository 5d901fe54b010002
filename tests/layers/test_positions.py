import math

import pytest
import torch
from torch.testing import assert_close

from retable.layers.positions import sinusoidal_positions


def test_positions_by_hand():  # Vaswani et al., 3.5, size 4: angles t and t / 100
    rows = sinusoidal_positions(3, 4)
    assert rows[0].tolist() == [0, 1, 0, 1]
    assert rows[2].tolist() == pytest.approx([math.sin(2), math.cos(2), math.sin(0.02), math.cos(0.02)])


def test_every_component_follows_the_formula():
    rows = sinusoidal_positions(50, 6)
    for place in (1, 17, 49):
        for component in range(6):
            angle = place / 10_000 ** (2 * (component // 2) / 6)
            expected = math.cos(angle) if component % 2 else math.sin(angle)
            assert rows[place, component].item() == pytest.approx(expected, abs=1e-7)


def test_places_a_step_apart_differ_by_a_rotation():  # the same at every place, as the paper argues
    first, second = sinusoidal_positions(20, 8), sinusoidal_positions(21, 8)[1:]
    assert_close((first * second).sum(dim=1), torch.full((20,), (first[0] * second[0]).sum().item()))
