"""Words around numbers."""

import pytest

from retable.wording import number_of


@pytest.mark.parametrize(
    ("count", "things", "shown"),
    [
        (1, "stages", "1 stage"),
        (0, "cells", "0 cells"),
        (2000, "texts", "2,000 texts"),
        (1, "entries", "1 entry"),
        (1, "corpora", "1 corpus"),
        (1.2, "MB", "1 MB"),
    ],
)
def test_one_thing_is_no_plural(count, things, shown):
    assert number_of(count, things) == shown
