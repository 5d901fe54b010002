"""How often jieba is right: its words and parts of speech against a treebank's universal ones.

The two cut and classify differently. A word counts as found if both have its two borders. jieba's flag of a found word
is right if the treebank's part is one of those that the flag stands for (`STANDS_FOR`): jieba knows no auxiliaries, no
determiners and one kind of conjunction. Whether a word is a content word is asked of every character, as a model of
characters reads it; there the borders do not matter.
"""

from collections.abc import Sequence

import pyarrow as pa

from retable.declaration import Sentence
from retable.text.parts.content import is_content
from retable.text.units import characters_of

# The class, or the flag where it differs from its class, to universal parts.
STANDS_FOR = {
    "n": ("NOUN", "PROPN"), "t": ("NOUN",), "s": ("NOUN",), "f": ("NOUN", "ADP"),
    "q": ("NOUN",), "m": ("NUM",), "mq": ("NUM", "NOUN"),
    "v": ("VERB", "AUX"), "vn": ("VERB", "NOUN"), "vd": ("VERB", "ADV"),
    "a": ("ADJ",), "an": ("ADJ", "NOUN"), "ad": ("ADJ", "ADV"), "b": ("ADJ",), "z": ("ADJ", "ADV"),
    "d": ("ADV", "SCONJ"),  # the treebank has 也, 都, 就 as SCONJ
    "r": ("PRON", "DET"), "p": ("ADP",), "c": ("CCONJ", "SCONJ"), "u": ("PART", "AUX", "SCONJ"), "y": ("PART",),
    "e": ("INTJ",), "o": ("INTJ",), "h": ("PART",), "k": ("PART",),
    "i": ("NOUN", "VERB", "ADJ"), "l": ("NOUN", "VERB", "ADJ"), "j": ("NOUN", "PROPN"), "g": ("NOUN", "VERB", "ADJ"),
    "x": ("PUNCT", "SYM", "X"), "eng": ("X", "PROPN"),
}  # fmt: skip
# Content words as docs/readings.md has them for Chinese ("POS weights"), in universal parts: pronouns are among them.
CONTENT_PARTS = ("NOUN", "PROPN", "VERB", "ADJ", "ADV", "NUM", "PRON", "DET")


def is_right(flag: str, universal: str) -> bool:
    """Whether jieba's flag can stand for a universal part of speech."""
    return universal in STANDS_FOR.get(flag, STANDS_FOR.get(flag[0], ()))


def accuracy(
    sentences: Sequence[Sentence], words: pa.ListArray, parts: pa.ListArray, content: Sequence[str]
) -> dict[str, float]:
    """Words and parts of speech of sentences against the treebank's.

    Args:
        sentences: of the treebank; the text of each is its words without spaces.
        words, parts: what jieba made of these texts, list<string> (sentence,).
        content: jieba's parts of content words.
    Returns: the number of the treebank's words, F1 of jieba's, the share of right parts among the found ones, and the
        share of characters whose word is a content word in both or in neither.
    """
    found = right = 0
    for sentence, own_words, own_parts in zip(sentences, words.to_pylist(), parts.to_pylist(), strict=True):
        gold = dict(zip(_borders(sentence.words), sentence.upos, strict=True))
        for place, flag in zip(_borders(own_words), own_parts, strict=True):
            if place in gold:
                found += 1
                right += is_right(flag, gold[place])
    gold_words = pa.array([sentence.words for sentence in sentences])
    gold_parts = pa.array([sentence.upos for sentence in sentences])
    verdicts = [part in CONTENT_PARTS for part in _of_characters(gold_words, gold_parts)]
    own_verdicts = [is_content(part, content) for part in _of_characters(words, parts)]
    same = sum(map(bool.__eq__, verdicts, own_verdicts))
    return {
        "words": len(gold_words.flatten()),
        "found_f1": 2 * found / (len(gold_words.flatten()) + len(words.flatten())),
        "right_part": right / found,
        "same_verdict": same / len(verdicts),
    }


def _of_characters(words: pa.ListArray, parts: pa.ListArray) -> list[str]:
    """The part of every character's word, all texts one after another."""
    of_characters: pa.ListArray = characters_of(words, parts)[1]
    flags: list[str] = of_characters.flatten().to_pylist()
    return flags


def _borders(words: Sequence[str]) -> list[tuple[int, int]]:
    """Where each word begins and ends in the text, in characters."""
    borders, end = [], 0
    for word in words:
        borders.append((end, end + len(word)))
        end += len(word)
    return borders
