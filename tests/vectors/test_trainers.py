"""Check what GloVe and word2vec share: vocabulary, characters, seeds, equal bytes, planted analogies, progress."""

import subprocess
import sys

import numpy as np
import pytest

from retable.errors import InputError
from retable.vectors.glove import train_glove
from retable.vectors.store import WordVectors
from retable.vectors.word2vec import train_word2vec
from tests.vectors.conftest import GLOVE, WORD2VEC, answered, written

CBOW = WORD2VEC | {"algorithm": "cbow"}
TRAINERS = pytest.mark.parametrize(
    ("train", "options"), [(train_glove, GLOVE), (train_word2vec, WORD2VEC)], ids=["glove", "word2vec"]
)


@pytest.mark.parametrize(
    ("train", "options"),
    [(train_glove, GLOVE), *((train_word2vec, options | {"epochs": 8, "window": 5}) for options in (WORD2VEC, CBOW))],
    ids=["glove", "skip-gram", "cbow"],
)
def test_planted_analogies_are_found(planted, train, options):
    vectors = train(planted.texts, **options)
    assert answered(vectors, planted.questions) > 0.9
    noise = np.random.default_rng(1).normal(size=vectors.matrix.shape).astype(np.float32)
    assert answered(WordVectors(vectors.words, noise, {}), planted.questions) < 0.3


@TRAINERS
def test_vocabulary_by_count_then_alphabet(tmp_path, train, options):
    file = written(tmp_path / "t", [["b", "A", "c", "a", "b"], ["c", "zz", "B"]])
    assert train(file, **options).words == ["b", "a", "c"]  # 3, 2, 2; "zz" occurs once
    cased = train(file, **options | {"lowercase": False, "min_count": 1})
    assert cased.words == ["b", "c", "A", "B", "a", "zz"]


@TRAINERS
def test_characters_of_a_pool_of_words(tmp_path, train, options):
    file, counts = written(tmp_path / "t", [["电影", "好看"], ["好", "电影"]]), []
    vectors = train(file, **options, unit="characters", on_words=counts.append)
    assert vectors.words == ["好", "影", "电"]  # twice each; "看" once
    assert vectors.facts["training_words"] == 7
    assert sum(counts) == 7 * (options["epochs"] if train is train_word2vec else 1)
    if train is train_glove:
        assert vectors.facts["cooccurrences"] == 6  # both texts contain each pair
    else:
        assert train(file, **options).words == ["电影"]


@TRAINERS
def test_another_seed_gives_other_vectors(planted, train, options):
    first, second = (train(planted.texts, **options | {"seed": seed, "epochs": 2}) for seed in (1, 2))
    assert first.words == second.words
    assert first.matrix.dtype == np.float32
    assert not np.allclose(first.matrix, second.matrix)


PROGRAM = f"""
import sys; sys.path[:0] = {sys.path!r}
from pathlib import Path
from retable.vectors.glove import train_glove
from retable.vectors.store import write_vectors
from retable.vectors.word2vec import train_word2vec
from tests.vectors.conftest import GLOVE, WORD2VEC
texts, short = Path(sys.argv[2]), {{"epochs": 2, "size": 100}}
write_vectors(Path(sys.argv[1]) / "glove", "v", train_glove(texts, **GLOVE | short))
for algorithm in ("skip-gram", "cbow"):
    vectors = train_word2vec(texts, **WORD2VEC | short | {{"algorithm": algorithm}})
    write_vectors(Path(sys.argv[1]) / algorithm, "v", vectors)
"""


def test_another_process_on_another_processor_gives_equal_bytes(tmp_path, planted):
    kinds, files = ("glove", "skip-gram", "cbow"), ("vectors.npy", "words.txt", "vectors.json")
    for seed, kernel in (("1", "Haswell"), ("2", "Nehalem")):  # as two processors would make OpenBLAS choose
        for kind in kinds:
            (tmp_path / seed / kind).mkdir(parents=True)
        environment = {"PYTHONHASHSEED": seed, "OPENBLAS_CORETYPE": kernel}
        subprocess.run([sys.executable, "-c", PROGRAM, tmp_path / seed, planted.texts], check=True, env=environment)
    for file in (f"{kind}/{file}" for kind in kinds for file in files):
        assert (tmp_path / "1" / file).read_bytes() == (tmp_path / "2" / file).read_bytes()


@TRAINERS
@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"unit": "character"}, 'unknown unit of word vectors: "character"; did you mean "characters"'),
        ({"min_count": 100_000}, r"no word of .*texts\.parquet occurs 100000 times"),
    ],
)
def test_what_neither_can_train(planted, train, options, change, message):
    with pytest.raises(InputError, match=message):
        train(planted.texts, **options | change)
