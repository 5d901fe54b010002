"""Split a user's own texts into words: Chinese with jieba, all others with one regular expression, without spaCy.

The words are nearly those of GloVe and of the pipeline's corpora: "don't" is "do" and "n't", and each punctuation
mark is a word.
"""

import re
import unicodedata
from collections.abc import Sequence
from importlib.util import find_spec

import pyarrow as pa

from retable.errors import lacks
from retable.text.parts.chinese import chinese_words
from retable.text.splits import TOKENS

# Python's \w lacks vowel signs and accents that are separate characters, so it would break Hindi words apart.
MARKS = "".join(chr(code) for code in range(0x300, 0x10000) if unicodedata.category(chr(code)).startswith("M"))
LETTER = rf"[\w{MARKS}]"
WORD = re.compile(
    rf"\d+(?:[.,:]\d+)+|{LETTER}+?(?=n['\u2019]t\b)|n['\u2019]t\b|['\u2019](?:s|m|d|re|ve|ll)\b|{LETTER}+|[^\s\w]",
    re.IGNORECASE,
)


def words_of(texts: Sequence[str], language: str) -> pa.ListArray:
    """Return the words of texts, list<string> (text,).

    Raises: InputError if the texts are Chinese and jieba is not installed.
    """
    if language == "zh":
        for module in ("jieba", "numba"):
            if find_spec(module) is None:
                raise lacks(module, "splitting Chinese texts into words")
        return chinese_words(texts)
    return pa.array([WORD.findall(text) for text in texts], TOKENS.type)
