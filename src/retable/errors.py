"""Mistakes that a user can make, each told in one sentence."""

import difflib
from collections.abc import Iterable


class InputError(ValueError):
    """A file, value or name from outside is wrong; the message says what it was, what is allowed and what to do."""


def unknown_name(where: str, name: object, known: Iterable[str]) -> InputError:
    """Return an error for a misspelt name, with the nearest known one.

    Args:
        where: what holds the name, as the user sees it ("model.name in params.yaml").
        name: what stood there.
        known: every name that is allowed.
    """
    names = sorted(known)
    near = difflib.get_close_matches(str(name), names, n=1)
    hint = f'; did you mean "{near[0]}"?' if near else "."
    return InputError(f'{where} is "{name}"{hint} Known: {", ".join(names) or "none"}.')
