"""Errors reported in one sentence: suggestions of similar names."""

import pytest

from retable.errors import unknown_name


@pytest.mark.parametrize(
    ("asked", "near"),
    [
        ("Sample-EN", '; did you mean "sample-en"?'),
        ("polarty", '; did you mean "Polarity"?'),
        ("GLOVE", '; did you mean "glove"?'),
        ("nothing like it", "."),
    ],
)
def test_the_nearest_name_is_found_whatever_its_capitals(asked: str, near: str) -> None:
    known = ["sample-zh", "sample-en", "Polarity", "glove"]
    assert str(unknown_name("corpus.name", asked, known)).startswith(f'unknown corpus.name: "{asked}"{near} Known: ')
