"""Word vectors for a user's own texts: published ones if available locally, else trained on the training texts.

Without gensim, which trains them, or without a word that occurs twice, networks start from random vectors.
"""

import tempfile
from importlib.util import find_spec
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from retable.errors import InputError
from retable.project.paths import VECTORS
from retable.text.splits import TOKENS, Split
from retable.text.vocabulary import count_words
from retable.vectors.store import NO_VECTORS, WordVectors, read_vectors
from retable.vectors.word2vec import train_word2vec

PUBLISHED = "glove.6b-100"  # for English
OWN = "own.word2vec-100"
AUTO, NONE = "auto", "none"
FEWEST = 2  # occurrences of a word that gets a vector


def no_own_vectors(train: Split) -> str:
    """Return a note that networks start from random vectors, and why; "" if vectors can be trained on these texts."""
    if not find_spec("gensim"):
        why = 'gensim is not installed (pip install "retable[vectors]")'
    elif max(count_words(train.tokens, lowercase=True).values()) < FEWEST:
        why = "no word occurs twice in the training texts"
    else:
        return ""
    return f"Networks started from random word vectors: {why}."


def check_vectors(asked: str) -> None:
    """Refuse a folder without word vectors, before linear models are trained. Raises: InputError."""
    if asked not in (AUTO, NONE) and not (Path(asked) / "vectors.json").is_file():
        raise InputError(
            f'the vectors are "{asked}", which contains no vectors.json; allowed: {AUTO}, {NONE}, or a folder '
            "of vectors (vectors.npy, words.txt, vectors.json), such as those in data/vectors/."
        )


def vectors_for(train: Split, asked: str, *, seed: int) -> WordVectors:
    """Return the word vectors that a network starts from.

    Args:
        train: the texts to train vectors on, if none are published for their language or available locally.
        asked: auto, none, or a folder of vectors (vectors.npy, words.txt, vectors.json).
        seed: of the training.
    Raises: InputError if the folder holds no vectors.
    """
    if asked == NONE:
        return NO_VECTORS
    if asked != AUTO:
        return read_vectors(Path(asked))
    if train.facts.language == "en" and (VECTORS / PUBLISHED / "vectors.json").is_file():
        return read_vectors(VECTORS / PUBLISHED)
    if no_own_vectors(train):
        return NO_VECTORS
    with tempfile.TemporaryDirectory() as folder:
        texts = Path(folder) / "texts.parquet"
        pq.write_table(pa.table({TOKENS.name: train.tokens}), texts)
        found = train_word2vec(
            texts, size=100, epochs=5, window=5, min_count=FEWEST, negative=5, sample=1e-3, algorithm="skip-gram",
            lowercase=True, seed=seed,
        )  # fmt: skip
    return WordVectors(found.words, found.matrix, found.facts | {"name": OWN})
