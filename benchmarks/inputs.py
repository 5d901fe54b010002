"""Make texts, vectors and networks for the benchmarks, from the pipeline's data/ or, if quick, the sample corpora."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from retable.corpora import corpus
from retable.errors import InputError
from retable.layers.embedding import WordEmbedding
from retable.layers.network import Network
from retable.project.paths import ROOT, SAMPLE, TAGGED, VECTORS
from retable.text.splits import Facts, Split, read_split
from retable.text.vocabulary import Encoded, Vocabulary, encode
from retable.training.network import untrained_network
from retable.vectors.store import NO_VECTORS, WordVectors, read_vectors

SAMPLES = {"en": "sample-en", "zh": "sample-zh"}
DEV_TEXTS = 2  # not counted in the seconds of an epoch


@dataclass(frozen=True)
class Prepared:
    """Hold a network as a run builds it, and its texts as row numbers."""

    network: Network
    texts: Encoded
    dev: Encoded
    vocabulary: Vocabulary

    @property
    def words(self) -> int:
        """Count the words of all texts, without padding."""
        return int(self.texts.lengths.sum())

    @property
    def dim(self) -> int:
        """Count the numbers in a word's vector."""
        return next(module.dim for module in self.network.modules() if isinstance(module, WordEmbedding))


def made(path: Path, stage: str) -> Path:
    """Return a path in the pipeline's data.

    Raises: InputError if it does not exist, naming the stage that makes it.
    """
    if not path.exists():
        raise InputError(f"{path.relative_to(ROOT)} is missing; `dvc repro {stage}` makes it, or `make tables`.")
    return path


def split_of(name: str, part: str, *, quick: bool) -> Split:
    """Return one split of a corpus or, if quick, of the sample corpus of its language."""
    if quick:
        return sample_split(SAMPLES[corpus(name).language], part)
    return read_split(made(TAGGED / name, f"tag@{name}"), part)


def sample_lines(name: str, part: str) -> list[tuple[str, str]]:
    """Return labels and texts of a sample corpus."""
    lines = (SAMPLE / name / f"{part}.txt").read_text(encoding="utf-8").splitlines()
    return [(label, text) for label, _, text in (line.partition("\t") for line in lines)]


def sample_split(name: str, part: str) -> Split:
    """Return a split of a sample corpus; tokens are split at white space, or are characters."""
    declared = corpus(name)
    labels, texts = zip(*sample_lines(name, part), strict=True)
    words = [[*text.replace(" ", "")] if declared.language == "zh" else text.split() for text in texts]
    tokens = pa.array(words, pa.list_(pa.string()))
    parts = pa.array([["NOUN"] * len(text) for text in words], pa.list_(pa.string()))
    classes = np.array([declared.labels.index(label) for label in labels], dtype=np.int64)
    ids = [f"{name}/{number}" for number in range(len(texts))]
    facts = Facts(name, declared.language, tuple(declared.labels))
    return Split(facts, ids, tokens, parts, classes, np.ones(len(texts), dtype=bool))


def first(split: Split, count: int) -> Split:
    """Return the first texts of a split."""
    kept = slice(count)
    return replace(
        split,
        ids=split.ids[kept],
        tokens=split.tokens[kept],
        parts=None if split.parts is None else split.parts[kept],
        classes=split.classes[kept],
        clean=split.clean[kept],
    )


def vectors_of(name: str, *, quick: bool) -> WordVectors:
    """Return word vectors, or none if quick."""
    if quick or name == "none":
        return NO_VECTORS
    return read_vectors(made(VECTORS / name, f"embed@{name}"))


def prepared(preset: Mapping[str, Any], train: Split, vectors: WordVectors, *, seed: int = 1) -> Prepared:
    """Return a preset's network, row numbers and vocabulary on these texts, as a run builds them."""
    network, vocabulary = untrained_network(
        train, vectors, model=preset["model"], embedding=preset["embedding"], seed=seed
    )
    texts, dev = (
        encode(split, vocabulary, max_words=preset["training"]["max_words"])
        for split in (train, first(train, DEV_TEXTS))
    )
    return Prepared(network, texts, dev, vocabulary)
