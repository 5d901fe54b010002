"""Texts, vectors and networks of the benchmarks: of the pipeline's data/ or, to be quick, of the sample corpora."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pyarrow as pa
from torch import nn

from pipeline.paths import ROOT, SAMPLE, TAGGED, VECTORS
from retable.corpora import corpus
from retable.errors import InputError
from retable.text.splits import Facts, Split, read_split
from retable.text.units import in_unit
from retable.text.vocabulary import Encoded, Vocabulary, build_vocabulary, count_words, encode, part_names
from retable.training.network import build_network, first_vectors, reads_parts
from retable.training.seeds import seed_everything
from retable.vectors.store import NO_VECTORS, WordVectors, read_vectors

SAMPLES = {"en": "sample-en", "zh": "sample-zh"}


@dataclass(frozen=True)
class Prepared:
    """A network as a run builds it, and the texts in its numbers."""

    network: nn.Module
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
    """Vocabulary, row numbers and network of a preset on these texts, step by step as `train_network` does it."""
    seed_everything(seed)
    embedding, model = preset["embedding"], preset["model"]
    vocabulary = build_vocabulary(
        count_words(in_unit(train, embedding["unit"]).tokens, lowercase=embedding["lowercase"]),
        vectors.words,
        min_count=embedding["min_count"],
        lowercase=embedding["lowercase"],
        unit=embedding["unit"],
        parts=part_names(train) if reads_parts(model["name"]) else (),
    )
    texts = encode(train, vocabulary, max_words=preset["training"]["max_words"])
    rows = first_vectors(vocabulary, vectors, size=embedding["size"], spread=embedding["spread"])
    tuned = vocabulary.tuned if embedding["tune"] else 0
    network = build_network(model, len(train.facts.labels), rows, tuned=tuned, parts=vocabulary.parts)
    return Prepared(network, texts, vocabulary, rows.shape[1])


def padded_batches(lengths: np.ndarray, batches: list[np.ndarray]) -> tuple[int, int]:
    """Words, and places including padding, of all batches of texts of these lengths."""
    return int(lengths.sum()), sum(len(batch) * int(lengths[batch].max()) for batch in batches)
