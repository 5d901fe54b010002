"""Detect the language of texts as far as it affects how they are split into words: English, Chinese, others."""

import re
from collections.abc import Sequence

LANGUAGES = ("en", "zh", "other")
SEEN = 1_000  # number of texts used
WORDS_SEEN, CHARACTERS_SEEN = 200, 2_000  # of each text, so that a single long one does not decide
HAN = re.compile(r"[\u3400-\u4dbf\u4e00-\u9fff]")
KANA = re.compile(r"[\u3040-\u30ff]")  # Japanese also uses Han characters
LETTER = re.compile(r"[^\W\d_]")
# The most frequent English words that few other languages share.
ENGLISH = frozenset((
    "the", "and", "of", "to", "is", "it", "that", "was", "for", "with", "you", "this", "are", "have", "be",
    "not", "but", "they", "his", "from", "which"
))  # fmt: skip
LEAST_HAN = 0.3  # share of the letters
LEAST_ENGLISH = 0.08  # share of the words; running English has a quarter, titles and tweets have fewer


def language_of(texts: Sequence[str]) -> str:
    """Return en, zh or other, based on the beginnings of the first thousand texts."""
    seen = " ".join(map(beginning, texts[:SEEN])).lower()
    letters = len(LETTER.findall(seen))
    if letters and len(HAN.findall(seen)) >= LEAST_HAN * letters and not KANA.search(seen):
        return "zh"
    words = re.findall(r"[^\W\d_]+", seen)
    found = sum(word in ENGLISH for word in words)
    return "en" if words and found >= LEAST_ENGLISH * len(words) else "other"


def beginning(text: str) -> str:
    """Return the part of a text that is looked at."""
    return " ".join(text[:CHARACTERS_SEEN].split()[:WORDS_SEEN])
