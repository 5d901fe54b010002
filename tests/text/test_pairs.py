import numpy as np
import pytest

from retable.errors import InputError
from retable.text.pairs import MARK, joined, questions_of, side_of_words
from retable.text.vocabulary import build_vocabulary, count_words, encode
from tests.training.conftest import make_split


def pairs(*texts):
    return make_split([joined(*text) for text in texts], [0] * len(texts))


def test_words_before_the_mark_are_the_first_text_and_those_behind_it_the_second():
    split = pairs(("who wrote it", "she did"), ("why", "because of rain"))
    assert side_of_words(split).tolist() == [0, 0, 0, 1, 2, 2, 0, 1, 2, 2, 2]


@pytest.mark.parametrize("text", ["one text", f"{MARK} second alone", f"first alone {MARK}", f"a {MARK} b {MARK} c"])
def test_what_is_no_pair_is_named(text):
    split = make_split([joined("a", "b"), text], [0, 0])
    with pytest.raises(InputError, match="text made-up/1 of made-up is not a pair of texts"):
        side_of_words(split)


def test_candidates_of_one_question_share_its_number():
    split = pairs(("who", "she"), ("why", "rain"), ("who", "he"))
    assert questions_of(split.tokens).tolist() == [0, 1, 0]


def test_a_slice_of_texts_keeps_its_sides():
    whole = pairs(("a b", "c"), ("d", "e f"))
    part = pairs(("d", "e f"))
    assert side_of_words(whole)[-4:].tolist() == side_of_words(part).tolist()


def test_a_vocabulary_of_pairs_encodes_sides_and_refuses_to_cut():
    split = pairs(("who wrote it", "she did"))
    words = count_words(split.tokens, lowercase=True)
    vocabulary = build_vocabulary(words, [], min_count=1, lowercase=True, sides=True)
    encoded = encode(split, vocabulary)
    assert np.array_equal(encoded.sides, [0, 0, 0, 1, 2, 2])
    assert encoded.questions is None
    with pytest.raises(InputError, match="max_words is 3; a pair of texts is not cut"):
        encode(split, vocabulary, max_words=3)
