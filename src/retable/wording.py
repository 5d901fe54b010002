"""Words around numbers."""

ONE = {"copies": "copy", "corpora": "corpus", "entries": "entry"}  # plurals that are more than an s


def number_of(count: float, things: str) -> str:
    """Return a number and what it counts: "1 table", "2,000 tables".

    Args:
        count: the number, shown without decimals.
        things: their plural.
    """
    number = f"{count:,.0f}"
    return f"{number} {ONE.get(things, things.removesuffix('s')) if number == '1' else things}"
