import numpy as np
import pyarrow as pa
import pytest

from retable.errors import InputError
from retable.text.splits import Facts, Split
from retable.text.vocabulary import build_vocabulary, count_words, encode

FACTS = Facts("made-up", "en", ("no", "yes"))


def split(*texts):
    tokens = pa.array([text.split() for text in texts], pa.list_(pa.string()))
    count = len(texts)
    return Split(
        FACTS, [f"made-up/{n}" for n in range(count)], tokens, None, np.zeros(count, np.int64), np.ones(count, bool)
    )


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
