"""word2vec: equal bytes in two processes, words that stand together come close, nothing is dropped in silence."""

import random
import subprocess
import sys

import numpy as np
import pytest

from retable.errors import InputError
from retable.vectors import token_lists
from retable.vectors.token_lists import TokenLists
from retable.vectors.word2vec import train_word2vec
from tests.vectors.conftest import answered, written

SETTINGS = {
    "size": 16, "epochs": 4, "window": 3, "min_count": 2, "negative": 5, "sample": 0.01, "algorithm": "skip-gram",
    "lowercase": True, "seed": 1,
}  # fmt: skip
TEXTS = 3_000  # 36,000 words: several of gensim's jobs of 10,000


@pytest.fixture
def texts(tmp_path):
    """Texts on food or on ships, never both, and one word that occurs once."""
    draw = random.Random(1)
    topics = [[f"{topic}{number}" for number in range(20)] for topic in ("Food", "ship")]
    lists = [draw.choices(draw.choice(topics), k=12) for _ in range(TEXTS)] + [["once"]]
    return written(tmp_path / "texts.parquet", lists)


def test_words_of_one_topic_are_near(texts):
    vectors = train_word2vec(texts, **SETTINGS)
    unit = vectors.matrix / np.linalg.norm(vectors.matrix, axis=1, keepdims=True)
    is_food = np.array([word.startswith("food") for word in vectors.words])
    cosine = unit @ unit.T
    assert cosine[is_food][:, is_food].mean() > cosine[is_food][:, ~is_food].mean() + 0.3


@pytest.mark.parametrize("algorithm", ["skip-gram", "cbow"])
def test_planted_analogies_are_found_by_word2vec(planted, algorithm):
    vectors = train_word2vec(planted.texts, **SETTINGS | {"algorithm": algorithm, "epochs": 8, "window": 5})
    assert answered(vectors, planted.questions) > 0.9


def test_characters_of_a_pool_of_words_by_word2vec(tmp_path):
    file = written(tmp_path / "t", [["电影", "好看"], ["好", "电影"]])
    read = []
    vectors = train_word2vec(file, **SETTINGS, unit="characters", on_words=read.append)
    assert vectors.words == ["好", "影", "电"]  # twice each; "看" once
    assert vectors.facts["training_words"] == 7
    assert sum(read) == SETTINGS["epochs"] * 7
    assert train_word2vec(file, **SETTINGS, unit="words").words == ["电影"]
    with pytest.raises(InputError, match='unit of word vectors is "character"; did you mean "characters"'):
        train_word2vec(file, **SETTINGS, unit="character")


def test_vocabulary_by_count_then_alphabet(tmp_path):
    file = written(tmp_path / "t", [["b", "A", "c", "a", "b"], ["c", "zz", "B"]])
    assert train_word2vec(file, **SETTINGS).words == ["b", "a", "c"]  # 3, 2, 2; "zz" occurs once
    assert train_word2vec(file, **SETTINGS | {"lowercase": False, "min_count": 1}).words == [
        "b", "c", "A", "B", "a", "zz",
    ]  # fmt: skip


def test_another_process_on_another_processor_gives_equal_bytes(tmp_path, texts):
    settings = SETTINGS | {"size": 100}
    program = f"""
import sys; sys.path[:0] = {sys.path!r}
from pathlib import Path
from retable.vectors.store import write_vectors
from retable.vectors.word2vec import train_word2vec
for algorithm in ("skip-gram", "cbow"):
    folder = Path(sys.argv[1]) / algorithm
    folder.mkdir(parents=True)
    write_vectors(folder, "v", train_word2vec(Path(sys.argv[2]), **{settings!r} | {{"algorithm": algorithm}}))
"""
    for hash_seed, kernel in (("1", "Haswell"), ("2", "Nehalem")):  # as two processors would make OpenBLAS choose
        command = [sys.executable, "-c", program, tmp_path / hash_seed, texts]
        subprocess.run(command, check=True, env={"PYTHONHASHSEED": hash_seed, "OPENBLAS_CORETYPE": kernel})
    for file in (f"{name}/{part}" for name in ("skip-gram", "cbow") for part in ("vectors.npy", "words.txt")):
        assert (tmp_path / "1" / file).read_bytes() == (tmp_path / "2" / file).read_bytes()


def test_another_seed_gives_other_vectors(texts):
    first, second = (train_word2vec(texts, **SETTINGS | {"seed": seed}) for seed in (1, 2))
    assert first.words == second.words
    assert not np.allclose(first.matrix, second.matrix)


def test_progress_adds_up_and_the_words_are_told(texts):
    told = []
    vectors = train_word2vec(texts, on_words=told.append, **SETTINGS)
    assert sum(told) == SETTINGS["epochs"] * vectors.facts["training_words"] == 4 * (TEXTS * 12 + 1)


def test_a_long_text_comes_in_pieces(tmp_path, monkeypatch):  # gensim would drop what is beyond 10,000 words
    monkeypatch.setattr(token_lists, "LONGEST_SENTENCE", 3)
    lists = TokenLists(written(tmp_path / "t", [list("abcdefg"), ["h"]]), lowercase=False)
    assert list(lists) == [["a", "b", "c"], ["d", "e", "f"], ["g"], ["h"]]
    assert list(lists) == list(lists)


def test_lists_are_the_texts_and_a_word_is_one_object(tmp_path, monkeypatch):  # gensim looks up by identity first
    texts = [["a", "B", "a"], [], ["b", "A"], ["c"], []]
    file = written(tmp_path / "t", texts)
    for texts_in_batch in (1, 2, 1000):
        monkeypatch.setattr(token_lists, "TEXTS_IN_BATCH", texts_in_batch)
        assert list(TokenLists(file, lowercase=False)) == [text for text in texts if text]
        assert list(TokenLists(file, lowercase=True)) == [["a", "b", "a"], ["b", "a"], ["c"]]
    first, second, _ = TokenLists(file, lowercase=True)
    assert first[0] is first[2] is second[1]


def test_what_cannot_be_trained(texts):
    with pytest.raises(InputError, match='algorithm of word vectors is "skipgram"; did you mean "skip-gram"'):
        train_word2vec(texts, **SETTINGS | {"algorithm": "skipgram"})
    with pytest.raises(InputError, match=r"no word of .*texts\.parquet occurs 10000 times"):
        train_word2vec(texts, **SETTINGS | {"min_count": 10_000})
