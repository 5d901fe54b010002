"""Rows of a table that many keys share by hash."""

from torch import Tensor

MULTIPLIER = 0x9E3779B97F4A7C15 - 2**64  # 2**64 over the golden ratio, as int64; products wrap around


def hashed_rows(products: Tensor, buckets: int) -> Tensor:
    """Return a row, 1 to buckets, for each product with the multiplier, int64, from its well mixed high bits."""
    return (products >> 32).remainder_(buckets).add_(1)
