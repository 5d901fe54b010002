"""Checks of constructor options; each error says what the value was and what is allowed."""

from collections.abc import Iterable, Sequence


def check_choice(option: str, value: str, allowed: Iterable[str]) -> None:
    """Raise ValueError unless the value is allowed."""
    names = list(allowed)
    if value not in names:
        raise ValueError(f'{option} is "{value}"; allowed: {", ".join(names)}')


def check_at_least(option: str, value: float, least: float) -> None:
    """Raise ValueError unless value >= least."""
    if not value >= least:
        raise ValueError(f"{option} is {value}; allowed: {option} >= {least}")


def check_above_zero(option: str, value: float) -> None:
    """Raise ValueError unless value > 0."""
    if not value > 0:
        raise ValueError(f"{option} is {value}; allowed: above 0")


def check_odd(option: str, value: int) -> None:
    """Raise ValueError unless the value is an odd number from 1."""
    if value < 1 or value % 2 == 0:
        raise ValueError(f"{option} is {value}; allowed: odd numbers from 1")


def check_counts(option: str, values: Sequence[int]) -> None:
    """Raise ValueError unless there is a value, and each is at least 1."""
    if min(values, default=0) < 1:
        raise ValueError(f"{option} is {list(values)}; allowed: one or more whole numbers >= 1")


def check_share(option: str, value: float) -> None:
    """Raise ValueError unless 0 <= value < 1."""
    if not 0 <= value < 1:
        raise ValueError(f"{option} is {value}; allowed: 0 <= {option} < 1")


def check_encoder(layers: int, size: int, heads: int, dropout: float) -> None:
    """Raise ValueError unless a Transformer encoder can have these options."""
    check_at_least("layers", layers, 1)
    check_at_least("heads", heads, 1)
    if size < 2 or size % 2 or size % heads:
        raise ValueError(f"size is {size}; allowed: even numbers from 2 divisible by heads ({heads})")
    check_share("dropout", dropout)
