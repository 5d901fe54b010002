"""Chinese text: jieba's words and their parts of speech.

jieba looks words up in its dictionary of 349,045 and takes the likeliest way through a text. What stays a run of
single characters goes through a hidden Markov model, of which there are two. That of `jieba.posseg` finds words and
their parts at once, about 40,000 characters a second; that of plain segmentation finds words alone, seven times as
fast. They cut four or five words in a hundred differently. The words of a Chinese corpus are those of posseg, so that
they stay the same when parts are asked for; what is looked up in the comparison table is cut by plain segmentation.

Parts are jieba's own flags as they are: n, nr, v, vn, x, eng ... A word of two characters or more that the dictionary
has gets the dictionary's part wherever it stands (but for 5 in 10,000); context decides on the others. White space is
no word; nothing else is left out.
"""

import warnings
from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING

import pyarrow as pa

from retable.text.splits import PARTS, TOKENS

if TYPE_CHECKING:
    from jieba.posseg import POSTokenizer


def chinese_words(texts: Sequence[str]) -> pa.ListArray:
    """The words of texts, as `chinese_words_and_parts` finds them."""
    return chinese_words_and_parts(texts)[0]


def chinese_words_and_parts(texts: Sequence[str]) -> tuple[pa.ListArray, pa.ListArray]:
    """The words of texts and their parts of speech in context, one a word."""
    tagger = _tagger()
    pairs = [[pair for pair in tagger.cut(text) if not pair.word.isspace()] for text in texts]
    words = pa.array([[pair.word for pair in text] for text in pairs], TOKENS.type)
    return words, pa.array([[pair.flag for pair in text] for text in pairs], PARTS.type)


def plain_words(texts: Sequence[str]) -> pa.ListArray:
    """The words of plain segmentation, which knows nothing of parts of speech."""
    cut = _tagger().tokenizer.cut
    return pa.array([[word for word in cut(text) if not word.isspace()] for text in texts], TOKENS.type)


def part_in_context(words: Sequence[str], place: int) -> str:
    """The part of speech of one word between its neighbours, whichever way the text was cut.

    Where posseg cuts the word in pieces, the piece with most of its characters decides, the last one of equals.

    Args:
        words: the words of the text.
        place: which one.
    """
    word = words[place]
    before = words[place - 1] if place > 0 and not _were_apart(words[place - 1], word) else ""
    after = words[place + 1] if place + 1 < len(words) and not _were_apart(word, words[place + 1]) else ""
    first, last = len(before), len(before) + len(word)
    most, part, end = 0, "x", 0
    for pair in _tagger().cut(before + word + after):
        begin, end = end, end + len(pair.word)
        shared = min(end, last) - max(begin, first)
        if shared > 0 and shared >= most:
            most, part = shared, pair.flag
    return part


def dictionary_parts() -> dict[str, str]:
    """Every word of jieba's dictionary and its part of speech."""
    return dict(_tagger().word_tag_tab)


def _were_apart(word: str, following: str) -> bool:
    """Whether there was white space between two words: two of Latin letters or digits would else be one."""
    return word[-1].isascii() and following[0].isascii()


@cache
def _tagger() -> "POSTokenizer":
    """jieba with its dictionary in memory (about a second): it never reads or writes its cache in the shared /tmp."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # with an older setuptools jieba imports pkg_resources, which warns of itself
        import jieba
        from jieba import posseg

    words = jieba.dt
    words.FREQ, words.total = words.gen_pfdict(words.get_dict_file())
    words.initialized = True
    return posseg.dt
