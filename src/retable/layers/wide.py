"""Numbers that a forward pass in bfloat16 leaves too coarse for sums of squares, distances and losses."""

import torch
from torch import Tensor


def at_least_float32(x: Tensor) -> Tensor:
    """Return x in float32 where autocast made it narrower."""
    return x.to(torch.promote_types(x.dtype, torch.float32))
