import pyarrow as pa
import pytest

from retable.text.sentence_ends import sentence_of_words


def numbers(*texts):
    tokens = pa.array([text.split() for text in texts], pa.list_(pa.string()))
    return sentence_of_words(tokens).tolist()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("one", [0]),
        ("good film . buy it", [0, 0, 0, 1, 1]),
        ("good ! ! ! buy .", [0, 0, 0, 0, 1, 1]),
        (". good", [0, 1]),
        ("3.14 and etc.", [0, 0, 0]),
        ("好 。 买 ？ 不", [0, 0, 1, 1, 2]),
    ],
)
def test_a_run_of_marks_ends_a_sentence(text, expected):
    assert numbers(text) == expected


def test_every_text_begins_at_zero():
    assert numbers("a . b .", "c", "d ? e") == [0, 0, 1, 1, 0, 0, 0, 1]


def test_a_slice_of_texts_is_numbered_like_the_texts():
    tokens = pa.array([["a", ".", "b"], ["c", "!", "d"], ["e"]], pa.list_(pa.string()))
    assert sentence_of_words(tokens.slice(1)).tolist() == [0, 0, 1, 0]
