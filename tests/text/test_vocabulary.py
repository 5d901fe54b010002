import numpy as np
import pyarrow as pa
import pytest

from retable.errors import InputError
from retable.text.splits import Facts, Split
from retable.text.units import in_unit
from retable.text.vocabulary import NO_PART, build_vocabulary, count_words, encode, part_names

FACTS = Facts("made-up", "en", ("no", "yes"))


def split(*texts):
    tokens = pa.array([text.split() for text in texts], pa.list_(pa.string()))
    count = len(texts)
    return Split(
        FACTS, [f"made-up/{n}" for n in range(count)], tokens, None, np.zeros(count, np.int64), np.ones(count, bool)
    )


def tagged(*texts):
    """Return texts from "word/part" tokens."""
    words, parts = (
        pa.array([[token.split("/")[place] for token in text.split()] for text in texts], pa.list_(pa.string()))
        for place in (0, 1)
    )
    count = len(texts)
    ids = [f"made-up/{n}" for n in range(count)]
    return Split(FACTS, ids, words, parts, np.zeros(count, np.int64), np.ones(count, bool))


def test_words_of_training_come_first_and_rare_ones_without_a_vector_are_unknown():
    counts = count_words(split("A b b", "b c d d").tokens, lowercase=True)
    vocabulary = build_vocabulary(counts, ["c", "zebra", "b"], min_count=2, lowercase=True)
    assert vocabulary.words == ["<padding>", "<unknown>", "b", "d", "c", "zebra"]
    assert vocabulary.tuned == 5


def test_encode_replaces_words_and_reads_others_as_unknown():
    vocabulary = build_vocabulary({"b": 3, "d": 2}, ["zebra"], min_count=1, lowercase=True)
    encoded = encode(split("B never", "zebra d d"), vocabulary)
    assert encoded.words.tolist() == [2, 1, 4, 3, 3]
    assert encoded.offsets.tolist() == [0, 2, 5]


def test_case_is_kept_where_asked():
    vocabulary = build_vocabulary({"b": 3}, [], min_count=1, lowercase=False)
    assert encode(split("B b"), vocabulary).words.tolist() == [1, 2]


def test_a_slice_of_a_column_is_read_from_its_own_start():
    whole = split("a a a", "b", "a b")
    part = Split(FACTS, whole.ids[1:], whole.tokens[1:], None, whole.classes[1:], whole.clean[1:])
    vocabulary = build_vocabulary({"a": 1, "b": 1}, [], min_count=1, lowercase=True)
    assert encode(part, vocabulary).words.tolist() == [3, 2, 3]


def test_long_texts_are_cut():
    vocabulary = build_vocabulary({"a": 1, "b": 1}, [], min_count=1, lowercase=True)
    encoded = encode(split("a a a", "b", "a b"), vocabulary, max_words=2)
    assert encoded.words.tolist() == [2, 2, 3, 2, 3]
    assert encoded.lengths.tolist() == [2, 1, 2]


def test_a_text_without_words_is_named():
    vocabulary = build_vocabulary({"a": 1}, [], min_count=1, lowercase=True)
    with pytest.raises(InputError, match="made-up/1"):
        encode(split("a", ""), vocabulary)


def test_parts_are_those_of_training_and_others_are_unknown():
    names = part_names(tagged("基金/n 的/uj", "控制/v"))
    assert names == [NO_PART, "n", "uj", "v"]
    vocabulary = build_vocabulary({"的": 1}, [], min_count=1, lowercase=True, parts=names)
    encoded = encode(tagged("的/uj 好/a 控制/v", "基金/n"), vocabulary, max_words=2)
    assert encoded.parts.tolist() == [2, 0, 1]
    assert encoded.words.tolist() == [2, 1, 1]


def test_a_network_that_reads_no_parts_gets_none():
    vocabulary = build_vocabulary({"的": 1}, [], min_count=1, lowercase=True)
    assert encode(tagged("的/uj"), vocabulary).parts is None


def test_a_split_without_parts_is_refused_with_what_to_do():
    plain = split("的")
    with pytest.raises(InputError, match=r"set corpora\.made-up\.parts to context or table in params\.yaml"):
        part_names(plain)
    with pytest.raises(InputError, match="made-up was tagged without"):
        encode(plain, build_vocabulary({"的": 1}, [], min_count=1, lowercase=True, parts=[NO_PART, "n"]))


def test_characters_are_counted_encoded_and_cut_and_keep_their_words_parts():
    texts = tagged("基金/n 的/uj", "控制/v 基/ng")
    counts = count_words(in_unit(texts, "characters").tokens, lowercase=True)
    assert counts == {"基": 2, "金": 1, "的": 1, "控": 1, "制": 1}
    vocabulary = build_vocabulary(counts, [], min_count=1, lowercase=True, unit="characters", parts=part_names(texts))
    assert vocabulary.words[2] == "基"
    encoded = encode(texts, vocabulary)
    assert encoded.lengths.tolist() == [3, 3]
    assert [vocabulary.words[row] for row in encoded.words] == list("基金的控制基")
    assert [vocabulary.parts[part] for part in encoded.parts] == ["n", "n", "uj", "v", "v", "ng"]
    assert [vocabulary.words[row] for row in encode(texts, vocabulary, max_words=2).words] == list("基金控制")


def test_sentences_are_numbered_where_a_network_reads_them_and_cut_like_words():
    texts = split("a . b", "b . . c ! d")
    for sentences, expected in ((True, [0, 0, 1, 0, 0, 0, 1]), (False, None)):
        vocabulary = build_vocabulary({"a": 1}, [], min_count=1, lowercase=True, sentences=sentences)
        found = encode(texts, vocabulary, max_words=4).sentences
        assert (None if found is None else found.tolist()) == expected
