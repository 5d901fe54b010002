"""The corpora that the project made: small, and the same bytes whenever they are made again."""

import re
import runpy
from collections import Counter
from pathlib import Path

import pytest

from retable.corpora import corpus
from retable.text.parts.chinese import chinese_words_and_parts

SAMPLE = Path(__file__).resolve().parents[2] / "data/sample"


def test_the_generator_writes_the_committed_bytes(tmp_path):
    runpy.run_path(str(SAMPLE / "make.py"))["make"](tmp_path)
    made = sorted(path.relative_to(tmp_path) for path in tmp_path.rglob("*.*"))
    assert len(made) == 9
    assert all((tmp_path / path).read_bytes() == (SAMPLE / path).read_bytes() for path in made)
    assert sum((SAMPLE / path).stat().st_size for path in made) < 300_000


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


def test_jieba_reads_the_chinese_reviews_as_they_were_written():
    source = corpus("sample-zh")
    words, _ = chinese_words_and_parts([example.text for example in source.examples(SAMPLE / "sample-zh")])
    found = Counter(words.flatten().to_pylist())
    rules = runpy.run_path(str(SAMPLE / "make.py"))
    for kind in ("CHINESE_GOOD", "CHINESE_BAD", "CHINESE_LIKE", "CHINESE_DISLIKE"):
        assert all(found[word] >= 5 for word in rules[kind]), kind
