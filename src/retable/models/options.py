"""Checks of constructor options; each error says what the value was and what is allowed."""

from collections.abc import Iterable


def check_choice(option: str, value: str, allowed: Iterable[str]) -> None:
    """Raise ValueError unless the value is allowed."""
    names = list(allowed)
    if value not in names:
        raise ValueError(f'{option} is "{value}"; allowed: {", ".join(names)}')


def check_at_least(option: str, value: float, least: float) -> None:
    """Raise ValueError unless value >= least."""
    if not value >= least:
        raise ValueError(f"{option} is {value}; allowed: {option} >= {least}")


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
