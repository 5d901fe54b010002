"""Cut people's own texts into words: Chinese ones by jieba, all others by one expression, without spaCy.

The words are nearly those that GloVe and the pipeline's corpora have: "don't" is "do" and "n't", and every mark of
punctuation is a word.
"""

import re
import unicodedata
from collections.abc import Sequence
from importlib.util import find_spec

import pyarrow as pa

from retable.errors import lacks
from retable.text.parts.chinese import chinese_words
from retable.text.splits import TOKENS

# Python's \w lacks the vowel signs and accents that are characters of their own, so it would cut Hindi to pieces.
MARKS = "".join(chr(code) for code in range(0x300, 0x10000) if unicodedata.category(chr(code)).startswith("M"))
LETTER = rf"[\w{MARKS}]"
WORD = re.compile(
    rf"\d+(?:[.,:]\d+)+|{LETTER}+?(?=n['\u2019]t\b)|n['\u2019]t\b|['\u2019](?:s|m|d|re|ve|ll)\b|{LETTER}+|[^\s\w]",
    re.IGNORECASE,
)


def words_of(texts: Sequence[str], language: str) -> pa.ListArray:
    """Return the words of texts, list<string> (text,).

    Raises: InputError if they are Chinese and jieba is not installed.
    """
    if language == "zh":
        for module in ("jieba", "numba"):
            if find_spec(module) is None:
                raise lacks(module, "cutting Chinese texts into words")
        return chinese_words(texts)
    return pa.array([WORD.findall(text) for text in texts], TOKENS.type)
