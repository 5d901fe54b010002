"""Check that the project's own corpora have the intended features: word order that matters, mixed Chinese posts."""

import re
from pathlib import Path

import pytest

from retable.corpora import corpus

SAMPLE = Path(__file__).resolve().parents[2] / "data/sample"


@pytest.mark.parametrize(
    ("name", "phrases"),
    [("sample-en", ("not ", "never ", "but ", "although ")), ("sample-zh", ("不", "并不", "虽然", "但是", "可是"))],
)
def test_word_order_can_matter(name, phrases):
    texts = [example.text for example in corpus(name).examples(SAMPLE / name)]
    assert all(sum(phrase in text for text in texts) > 20 for phrase in phrases)


def test_chinese_reviews_are_mixed_as_real_posts_are():
    texts = [example.text for example in corpus("sample-zh").examples(SAMPLE / "sample-zh")]
    mixed = "[0-9]+元", "[A-Za-z]{2,}", "http://", "@[\u4e00-\u9fff]+", "#[\u4e00-\u9fff]+#", "%", "Ｖ", "[，。！]"
    assert all(any(re.search(kind, text) for text in texts) for kind in mixed)
    assert sum(" " not in text for text in texts) > 400
