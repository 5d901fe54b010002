"""Chinese text: jieba's words and their parts of speech.

jieba looks up words in its dictionary of 349,045 and takes the likeliest way through a text. Remaining runs of single
characters go through one of two hidden Markov models. That of `jieba.posseg` finds words and their parts jointly; that
of plain segmentation finds only words. They differ on four or five words in a hundred. The words of a Chinese corpus
are those of posseg, so that they do not depend on whether parts are requested; lookups in the comparison table use
plain segmentation. Both are implemented in `segmenter.py`, with exactly jieba's words and parts.

Parts are jieba's own flags, unchanged: n, nr, v, vn, x, eng ... A dictionary word of two or more characters gets the
dictionary's part everywhere (except 5 in 10,000); context decides the others. White space is not a word; nothing else
is left out.
"""

from collections.abc import Sequence
from typing import NamedTuple

import pyarrow as pa

from retable.text.segmentation.jieba_tables import cutter, dictionary_lines


class Neighbours(NamedTuple):
    """A word with its neighbours; "" at either end of the text."""

    before: str
    word: str
    after: str


def chinese_words(texts: Sequence[str]) -> pa.ListArray:
    """Return the words of texts, like `chinese_words_and_parts`."""
    return chinese_words_and_parts(texts)[0]


def chinese_words_and_parts(texts: Sequence[str]) -> tuple[pa.ListArray, pa.ListArray]:
    """Return the words of texts and their parts of speech in context, one per word."""
    words, parts = cutter().cut(texts, tagged=True)
    return words, parts


def plain_words(texts: Sequence[str]) -> pa.ListArray:
    """Return the words of plain segmentation, which ignores parts of speech."""
    return cutter().cut(texts, tagged=False)[0]


def parts_in_context(cases: Sequence[Neighbours]) -> list[str]:
    """Return the part of speech of words given their neighbours, however the texts were segmented.

    If posseg splits a word, the piece with most of its characters decides, ties going to the last.
    """
    around = [
        (
            "" if _were_apart(case.before, case.word) else case.before,
            case.word,
            "" if _were_apart(case.word, case.after) else case.after,
        )
        for case in cases
    ]
    words, parts = chinese_words_and_parts(["".join(texts) for texts in around])
    return [
        _part_of(found, flags, len(before), len(before) + len(word))
        for (before, word, _), found, flags in zip(around, words.to_pylist(), parts.to_pylist(), strict=True)
    ]


def dictionary_parts() -> dict[str, str]:
    """Return every word of jieba's dictionary and its part of speech."""
    return {word: part for word, _, part in dictionary_lines()}


def _part_of(words: Sequence[str], parts: Sequence[str], first: int, last: int) -> str:
    """Return the part of the word that covers most of the characters from `first` to `last`."""
    most, part, end = 0, "x", 0
    for word, flag in zip(words, parts, strict=True):
        begin, end = end, end + len(word)
        shared = min(end, last) - max(begin, first)
        if shared > 0 and shared >= most:
            most, part = shared, flag
    return part


def _were_apart(word: str, following: str) -> bool:
    """Return whether white space separated two words: adjacent Latin letters or digits would otherwise be one word."""
    return word[-1:].isascii() and following[:1].isascii()
