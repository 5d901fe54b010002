"""Words around numbers and names."""

from collections.abc import Sequence

ONE = {"copies": "copy", "corpora": "corpus", "entries": "entry"}  # plurals that are more than an s


def number_of(count: float, things: str) -> str:
    """Return a number and what it counts: "1 table", "2,000 tables".

    Args:
        count: the number, shown without decimals.
        things: their plural.
    """
    number = f"{count:,.0f}"
    return f"{number} {ONE.get(things, things.removesuffix('s')) if number == '1' else things}"


def listed(names: Sequence[str]) -> str:
    """Return "MR, SST-2 and R8", or "MR; SST-2; and AG, a sample" if a name has a comma; empty for no name."""
    if len(names) > 1 and "," in "".join(names if len(names) > 2 else names[:1]):
        return "; ".join([*names[:-1], f"and {names[-1]}"])
    return " and ".join(part for part in (", ".join(names[:-1]), *names[-1:]) if part)
