"""Texts, vectors and networks of the benchmarks: of the pipeline's data/ or, to be quick, of the sample corpora."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
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


@dataclass(frozen=True)
class Prepared:
    """A network as a run builds it, and the texts in its numbers."""

    network: Network
    texts: Encoded
    vocabulary: Vocabulary
    dim: int  # numbers in a word's vector


def split_of(name: str, part: str, *, quick: bool) -> Split:
    """One split of a corpus; of the sample of its language where it is to be quick.

    Raises: InputError if the corpus is not prepared, with the stage that prepares it.
    """
    if quick:
        return sample_split(SAMPLES[corpus(name).language], part)
    if not (TAGGED / name / f"{part}.parquet").exists():
        raise InputError(f"data/tagged/{name} is missing; `dvc repro tag@{name}` makes it, or `make tables`.")
    return read_split(TAGGED / name, part)


def sample_split(name: str, part: str) -> Split:
    """A split of a sample corpus, from its lines "label<tab>text"; a word is what white space parts, or a character."""
    declared = corpus(name)
    lines = (SAMPLE / name / f"{part}.txt").read_text(encoding="utf-8").splitlines()
    labels, texts = zip(*(line.split("\t", 1) for line in lines), strict=True)
    words = [[*text.replace(" ", "")] if declared.language == "zh" else text.split() for text in texts]
    tokens = pa.array(words, pa.list_(pa.string()))
    parts = pa.array([["NOUN"] * len(text) for text in words], pa.list_(pa.string()))
    classes = np.array([declared.labels.index(label) for label in labels], dtype=np.int64)
    ids = [f"{name}/{number}" for number in range(len(texts))]
    facts = Facts(name, declared.language, tuple(declared.labels))
    return Split(facts, ids, tokens, parts, classes, np.ones(len(texts), dtype=bool))


def first(split: Split, count: int) -> Split:
    """The first texts of a split."""
    parts = None if split.parts is None else split.parts[:count]
    return replace(
        split,
        ids=split.ids[:count],
        tokens=split.tokens[:count],
        parts=parts,
        classes=split.classes[:count],
        clean=split.clean[:count],
    )


def vectors_of(name: str, *, quick: bool) -> WordVectors:
    """Word vectors; none where it is to be quick.

    Raises: InputError if they are not made, with the stage that makes them.
    """
    if quick or name == "none":
        return NO_VECTORS
    if not (VECTORS / name / "vectors.json").exists():
        raise InputError(
            f"{(VECTORS / name).relative_to(ROOT)} is missing; `dvc repro embed@{name}` makes it, or `make tables`."
        )
    return read_vectors(VECTORS / name)


def prepared(preset: Mapping[str, Any], train: Split, vectors: WordVectors, *, seed: int = 1) -> Prepared:
    """Network, row numbers and vocabulary of a preset on these texts, as a run has them."""
    network, vocabulary = untrained_network(
        train, vectors, model=preset["model"], embedding=preset["embedding"], seed=seed
    )
    texts = encode(train, vocabulary, max_words=preset["training"]["max_words"])
    dim = next(module.dim for module in network.modules() if isinstance(module, WordEmbedding))
    return Prepared(network, texts, vocabulary, dim)


def padded_batches(lengths: np.ndarray, batches: list[np.ndarray]) -> tuple[int, int]:
    """Words, and places including padding, of all batches of texts of these lengths."""
    return int(lengths.sum()), sum(len(batch) * int(lengths[batch].max()) for batch in batches)
