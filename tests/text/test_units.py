import numpy as np
import pyarrow as pa
import pytest

from retable.errors import InputError
from retable.text.splits import Facts, Split
from retable.text.units import characters_of, in_unit

LISTS = pa.list_(pa.string())
WORDS = [["广州", "三元里", "ok", "😀"], ["了"], ["ＡＢ", "é"]]
PARTS = [["ns", "ns", "eng", "x"], ["ul"], ["nr", "x"]]


def slow_characters(texts, parts):
    """By hand, word by word."""
    characters = [[character for word in words for character in word] for words in texts]
    of_words = [
        [part for word, part in zip(words, line, strict=True) for _ in word]
        for words, line in zip(texts, parts, strict=True)
    ]
    return characters, of_words


def test_every_character_carries_the_part_of_its_word():
    characters, parts = characters_of(pa.array(WORDS, LISTS), pa.array(PARTS, LISTS))
    assert characters.to_pylist()[:2] == [["广", "州", "三", "元", "里", "o", "k", "😀"], ["了"]]
    assert parts.to_pylist()[:2] == [["ns", "ns", "ns", "ns", "ns", "eng", "eng", "x"], ["ul"]]
    assert (characters.to_pylist(), parts.to_pylist()) == slow_characters(WORDS, PARTS)
    assert characters.type == parts.type == LISTS


def test_slices_empty_texts_and_empty_arrays_keep_their_places():
    tokens = pa.array([["不"], [], ["要", ""], ["这个"]], LISTS)
    assert characters_of(tokens[1:], None)[0].to_pylist() == [[], ["要"], ["这", "个"]]
    assert characters_of(tokens[:0], None)[0].to_pylist() == []
    assert characters_of(tokens[1:2], tokens[1:2])[1].to_pylist() == [[]]


def test_random_texts_match_the_slow_way():
    generator = np.random.default_rng(4)
    alphabet = list("aé里😀ß了𠮷 ́")
    texts = [
        ["".join(generator.choice(alphabet, size=generator.integers(0, 5))) for _ in range(generator.integers(0, 7))]
        for _ in range(200)
    ]
    parts = [[str(generator.integers(9)) for _ in words] for words in texts]
    found = characters_of(pa.array(texts, LISTS), pa.array(parts, LISTS))
    assert (found[0].to_pylist(), found[1].to_pylist()) == slow_characters(texts, parts)
    without = characters_of(pa.array(texts, LISTS), None)
    assert without == (found[0], None)


def split_of_words():
    facts = Facts("made-up", "zh", ("no", "yes"))
    return Split(facts, ["a", "b", "c"], pa.array(WORDS, LISTS), pa.array(PARTS, LISTS), np.zeros(3), np.ones(3, bool))


def test_a_split_in_characters_is_the_same_texts():
    split = split_of_words()
    assert in_unit(split, "words") is split
    characters = in_unit(split, "characters")
    assert characters.ids == split.ids
    assert (characters.tokens.to_pylist(), characters.parts.to_pylist()) == slow_characters(WORDS, PARTS)


def test_an_unknown_unit_is_named():
    with pytest.raises(InputError, match=r'unknown embedding\.unit: "letters"'):
        in_unit(split_of_words(), "letters")
