"""word2vec: nothing of a long text is silently dropped, every word is reported (more in test_trainers.py)."""

import pytest

from retable.errors import InputError
from retable.text import splits
from retable.vectors import token_lists
from retable.vectors.token_lists import TokenLists
from retable.vectors.word2vec import train_word2vec
from tests.vectors.conftest import WORD2VEC, written


def test_progress_adds_up_and_the_words_are_told(planted):
    counts = []
    vectors = train_word2vec(planted.texts, on_words=counts.append, **WORD2VEC)
    assert sum(counts) == WORD2VEC["epochs"] * vectors.facts["training_words"] == 4 * 5 * 8_000


def test_a_long_text_comes_in_pieces(tmp_path, monkeypatch):  # gensim would drop everything after 10,000 words
    monkeypatch.setattr(token_lists, "LONGEST_SENTENCE", 3)
    lists = TokenLists(written(tmp_path / "t", [list("abcdefg"), ["h"]]), lowercase=False)
    assert list(lists) == [["a", "b", "c"], ["d", "e", "f"], ["g"], ["h"]]
    assert list(lists) == list(lists)


def test_lists_are_the_texts_and_a_word_is_one_object(tmp_path, monkeypatch):  # gensim looks up by identity first
    texts = [["a", "B", "a"], [], ["b", "A"], ["c"], []]
    file = written(tmp_path / "t", texts)
    for texts_in_batch in (1, 2, 1000):
        monkeypatch.setattr(splits, "TEXTS_IN_BATCH", texts_in_batch)
        assert list(TokenLists(file, lowercase=False)) == [text for text in texts if text]
        assert list(TokenLists(file, lowercase=True)) == [["a", "b", "a"], ["b", "a"], ["c"]]
    first, second, _ = TokenLists(file, lowercase=True)
    assert first[0] is first[2] is second[1]


def test_what_cannot_be_trained(planted):
    with pytest.raises(InputError, match='unknown algorithm of word vectors: "skipgram"; did you mean "skip-gram"'):
        train_word2vec(planted.texts, **WORD2VEC | {"algorithm": "skipgram"})
