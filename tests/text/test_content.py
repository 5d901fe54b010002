"""Content words: the classes in the list, including jieba's subclasses."""

import pytest

from retable.text.parts.content import CONTENT, is_content


@pytest.mark.parametrize(
    "tag", ["n", "nr", "nrt", "v", "vn", "a", "ad", "d", "m", "mq", "q", "r", "rr", "NOUN", "PROPN", "ADV"]
)
def test_content_words(tag):
    assert is_content(tag, CONTENT)


# eng and x would otherwise count as e (interjections) and x; a capital tag never counts by its first letter.
@pytest.mark.parametrize("tag", ["x", "eng", "uj", "ul", "p", "c", "y", "e", "o", "k", "h", "AUX", "ADP", "PUNCT", "X"])
def test_other_words(tag):
    assert not is_content(tag, CONTENT)


def test_the_list_is_a_parameter():
    assert is_content("nr", ["n"])
    assert not is_content("n", ["nr"])
    assert not is_content("eng", ["e"])
    assert is_content("eng", ["eng"])
    assert is_content("x", ["x"])
    assert not is_content("NOUN", ["N"])
