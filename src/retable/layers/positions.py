"""Sinusoidal positions: the place of a word in its text, encoded by waves of different lengths.

Source     Vaswani et al., "Attention Is All You Need", 2017, section 3.5.
"""

import torch
from torch import Tensor

LONGEST = 10_000.0  # longest wavelength over 2 pi, in words


def sinusoidal_positions(length: int, size: int, device: torch.device | None = None) -> Tensor:
    """Return sin(t / 10000^(i / size)) for even components i, and the cosine of the same angle for the next one.

    Args:
        length: words of the longest text.
        size: components, an even number.
    Returns: (length, size) in the default dtype; row t is for the word at place t, from 0.
    """
    places = torch.arange(length, dtype=torch.float64, device=device).unsqueeze(1)
    components = torch.arange(0, size, 2, dtype=torch.float64, device=device)
    angles = places / LONGEST ** (components / size)  # (T, size / 2)
    return torch.stack((angles.sin(), angles.cos()), dim=2).flatten(1).to(torch.get_default_dtype())
