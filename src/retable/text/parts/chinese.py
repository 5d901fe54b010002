"""Chinese text: jieba's words and their parts of speech.

jieba looks words up in its dictionary of 349,045 and takes the likeliest way through a text. What stays a run of
single characters goes through a hidden Markov model, of which there are two. That of `jieba.posseg` finds words and
their parts at once; that of plain segmentation finds words alone. They cut four or five words in a hundred
differently. The words of a Chinese corpus are those of posseg, so that they stay the same when parts are asked for;
what is looked up in the comparison table is cut by plain segmentation. Both are done by `segmentation.py`, whose words
and parts are jieba's own.

Parts are jieba's own flags as they are: n, nr, v, vn, x, eng ... A word of two characters or more that the dictionary
has gets the dictionary's part wherever it stands (but for 5 in 10,000); context decides on the others. White space is
no word; nothing else is left out.
"""

from collections.abc import Sequence
from typing import NamedTuple

import pyarrow as pa

from retable.text.segmentation.jieba_tables import cutter, dictionary_lines


class Neighbours(NamedTuple):
    """A word between its neighbours; "" at an end of the text."""

    before: str
    word: str
    after: str


def chinese_words(texts: Sequence[str]) -> pa.ListArray:
    """Return the words of texts, as `chinese_words_and_parts` finds them."""
    return chinese_words_and_parts(texts)[0]


def chinese_words_and_parts(texts: Sequence[str]) -> tuple[pa.ListArray, pa.ListArray]:
    """Return the words of texts and their parts of speech in context, one a word."""
    words, parts = cutter().cut(texts, tagged=True)
    return words, parts


def plain_words(texts: Sequence[str]) -> pa.ListArray:
    """Return the words of plain segmentation, which knows nothing of parts of speech."""
    return cutter().cut(texts, tagged=False)[0]


def parts_in_context(cases: Sequence[Neighbours]) -> list[str]:
    """Return the part of speech of words between their neighbours, whichever way the texts were cut.

    Where posseg cuts a word in pieces, the piece with most of its characters decides, the last one of equals.
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
    """Return the part of the word that has most of the characters from `first` to `last`."""
    most, part, end = 0, "x", 0
    for word, flag in zip(words, parts, strict=True):
        begin, end = end, end + len(word)
        shared = min(end, last) - max(begin, first)
        if shared > 0 and shared >= most:
            most, part = shared, flag
    return part


def _were_apart(word: str, following: str) -> bool:
    """Return whether there was white space between two words: two of Latin letters or digits would else be one."""
    return word[-1:].isascii() and following[:1].isascii()
