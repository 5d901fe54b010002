"""Tokens: a corpus's own are kept; spaCy's for all other texts, with case kept and white space dropped."""

import pytest

from retable.errors import InputError
from retable.text.parts import english
from retable.text.parts.chinese import chinese_words
from retable.text.parts.english import english_tokens
from retable.text.tokens import own_tokens, tokeniser_for


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("I don't know", ["I", "do", "n't", "know"]),
        ("It's Ann's", ["It", "'s", "Ann", "'s"]),
        ("They'll can't've", ["They", "'ll", "ca", "n't", "'ve"]),
        ("Great film, 10/10!", ["Great", "film", ",", "10/10", "!"]),
        ("love it😀👍", ["love", "it", "😀", "👍"]),
        ("a  b\u00a0c\u0085d", ["a", "b", "c", "d"]),
        ("so sad :( <3", ["so", "sad", ":(", "<3"]),
    ],
)
def test_english_tokens(text, expected):
    assert english_tokens([text]).to_pylist() == [expected]


def test_own_tokens_are_kept_as_they_came():
    assert own_tokens(["it 's n't-so bad-ish , 'tis !", " two  spaces "]).to_pylist() == [
        ["it", "'s", "n't-so", "bad-ish", ",", "'tis", "!"],
        ["two", "spaces"],
    ]


def test_a_corpus_that_comes_tokenised_needs_no_tokeniser_of_its_language():
    assert tokeniser_for("xx", tokenised=True) is own_tokens
    assert tokeniser_for("en", tokenised=False) is english_tokens
    assert tokeniser_for("zh", tokenised=False) is chinese_words


def test_an_unknown_language_is_named():
    with pytest.raises(InputError, match=r'unknown language of a corpus: "eo".*Known: en, other, zh'):
        tokeniser_for("eo", tokenised=False)


def test_forgetting_words_changes_no_token(monkeypatch):
    texts = [f"word{number} isn't w-{number}." for number in range(8)]
    remembered = english_tokens(texts)
    tokeniser = english._tokeniser("en")
    monkeypatch.setattr(english, "STRINGS_REMEMBERED", 10)
    assert [english_tokens([text]).to_pylist()[0] for text in texts] == remembered.to_pylist()
    assert english._tokeniser("en") is not tokeniser
