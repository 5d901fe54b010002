"""Probe functions with branches that the small corpora of the other cases miss, each called with made-up data."""

import json
import random
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import get_args

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import torch

from probe.case import Arrays, Case, texts
from probe.samples import LENGTHS, WORDS
from retable.declaration import Example
from retable.runs.recipes import RECIPES
from retable.text.clean.cleaning import clean_text
from retable.text.clean.splitting import draw_splits
from retable.text.leaks.clusters import near_duplicate_clusters
from retable.text.leaks.leakage import fingerprints
from retable.text.leaks.overlaps import counts, matches
from retable.text.units import TokenUnit
from retable.text.vocabulary import Encoded
from retable.training.batches import (
    BATCHES_SORTED_TOGETHER,
    PLACES_AHEAD,
    BatchMaker,
    shuffled_batches,
    sorted_batches,
)
from retable.vectors.published import read_published
from retable.vectors.word2vec import ALGORITHMS, train_word2vec

MESSY = (
    "a<br />b &amp; c &lt;i&gt;",
    "caf\u00e9 cafe\u0301",
    "x\u0093y\u200bz\u00ad",
    " two\t words\n",
    "R&D <grin>",
    "&#8217;",
)
TEXTS = 1500


def direct_cases() -> Iterator[Case]:
    """Yield the cases."""
    cases: dict[str, tuple[tuple[str, ...], Callable[[Path], Arrays]]] = {
        "batches": (("batches",), batches),
        "published vectors": (("published-vectors",), published),
        "published vectors as JSON": (("published-vectors",), published_as_json),
        "word2vec, both algorithms": (("word2vec",), word2vec),
        "messy texts": (("clean",), messy),
        "drawn splits": (("clean",), drawn_splits),
        "copies of another corpus": (("overlap", "clean"), copies),
    }
    for name, (units, run) in cases.items():
        yield Case(name, {}, {unit: RECIPES[unit] for unit in units}, run)


def batches(scratch: Path) -> Arrays:
    """Return batches for more texts than are sorted together, and more words than are made in one go."""
    draw = np.random.default_rng(3)
    lengths = draw.choice(LENGTHS, size=TEXTS)
    offsets = np.concatenate([[0], np.cumsum(lengths)])
    words = draw.integers(2, 900, size=offsets[-1]).astype(np.int32)
    encoded = Encoded(words, offsets, draw.integers(0, 3, size=TEXTS), words % 7, draw.integers(0, 4, size=TEXTS))
    many = shuffled_batches(lengths, 8, np.random.default_rng(4))
    made = list(BatchMaker(encoded, torch.device("cpu"), reads=("parts", "domains")).batches(many))
    assert len(many) > BATCHES_SORTED_TOGETHER, "too few texts"
    assert sum(batch.words.numel() for batch in made) > PLACES_AHEAD, "too few words"
    columns = {"words": 0, "mask": 1, "parts": 2, "domains": 3}
    found = {
        name: torch.cat([batch.inputs[place].flatten() for batch in made]).numpy().astype(np.int64)
        for name, place in columns.items()
    }
    of_dev = list(sorted_batches(lengths, 8_000))
    return found | {
        "classes": torch.cat([batch.classes for batch in made]).numpy(),
        "order": np.concatenate(many),
        "order on dev": np.concatenate(of_dev),
        "sizes on dev": np.array([len(each) for each in of_dev]),
    }


def published(scratch: Path) -> Arrays:
    """Return what is read from vector files in every format."""
    numbers = np.random.default_rng(6).standard_normal((6, 4)).astype(np.float32)
    words = ["the", ". . .", "naïve", "the", "a\u00a0b", "x"]
    rows = "".join(f"{word} {' '.join(map(str, row))}\n" for word, row in zip(words, numbers.tolist(), strict=True))
    binary = b"".join(word.encode() + b" " + row.tobytes() for word, row in zip(words, numbers, strict=True))
    contents = {
        "glove": rows.encode(), "word2vec-text": f"6 4\n{rows}".encode(), "word2vec-binary": b"6 4\n" + binary,
    }  # fmt: skip
    found: Arrays = {}
    for form in contents:
        (scratch / form).write_bytes(contents[form])
        for wanted in (None, {"x", "naïve"}):
            read = read_published(scratch / form, form, wanted=wanted)
            what = f"{form}{', some' if wanted else ''}"
            found |= {f"{what} words": texts(read.words), f"{what} numbers": np.array(read.matrix)}
    return found


def published_as_json(scratch: Path) -> Arrays:
    """Return what is read from winkNLP's JSON; norm and place after the numbers are left out."""
    numbers = np.random.default_rng(6).standard_normal((3, 6)).astype(np.float32)
    words = ["the", "naïve", "x"]
    content = {"dimensions": 4, "words": words, "vectors": dict(zip(words, numbers.tolist(), strict=True))}
    (scratch / "wink").write_text(json.dumps(content), encoding="utf-8")
    read = read_published(scratch / "wink", "wink", wanted={"x", "naïve"})
    return {"words": texts(read.words), "numbers": np.array(read.matrix)}


def word2vec(scratch: Path) -> Arrays:
    """Return word and character vectors by both algorithms, with and without case, and with rare words left out."""
    draw = random.Random(7)
    path = scratch / "texts.parquet"
    lists = [[draw.choice(WORDS[: 10 + 4 * (number % 20)]) for _ in range(12)] for number in range(120)]
    pq.write_table(pa.table({"tokens": pa.array(lists, pa.list_(pa.string()))}), path)
    train = partial(train_word2vec, path, size=8, epochs=2, window=3, min_count=3, negative=3, sample=1e-2, seed=2)
    found: Arrays = {}
    for algorithm in ALGORITHMS:
        for unit in get_args(TokenUnit):
            made = train(algorithm=algorithm, unit=unit, lowercase=unit == "characters")
            found |= {f"{algorithm} {unit}": np.array(made.matrix), f"{algorithm} {unit} words": texts(made.words)}
    return found


def messy(scratch: Path) -> Arrays:
    """Return cleaned texts, with and without markup removal."""
    return {f"markup {markup}": texts([clean_text(text, markup=markup) for text in MESSY]) for markup in (False, True)}


def drawn_splits(scratch: Path) -> Arrays:
    """Return splits of texts, some of them published, and the clusters that stay together."""
    clusters = near_duplicate_clusters(fingerprints(sentences(300)))
    assert len(set(clusters.tolist())) < 300, "no text is a copy"
    whole = [Example(f"corpus/{number}", "all", "", str(number % 4)) for number in range(300)]
    dev_missing = [text._replace(split="test" if place < 60 else "train") for place, text in enumerate(whole)]
    drawn = {
        "all": draw_splits(whole),
        "dev": draw_splits(dev_missing),
        "counted": draw_splits(whole, test_texts=50),
        "clusters together": draw_splits(whole, clusters=clusters),
    }
    return {"clusters": clusters, **{name: splits.astype(np.int8) for name, splits in drawn.items()}}


def copies(scratch: Path) -> Arrays:
    """Return which texts of three groups of two corpora are exact or near copies of each other."""
    prints = fingerprints(sentences(240))
    groups = np.arange(240) % 3
    found = matches(prints, groups, (0, 0, 1))
    assert {match.exact for match in found} == {False, True}, "copies must be exact and near ones"
    places = np.array([[match.text, match.group, match.other, match.exact] for match in found], dtype=np.int64)
    counted = [[*pair, *numbers] for pair, numbers in sorted(counts(found, groups).items())]
    return {
        "counts": np.array(counted),
        "copies": places,
        "similarity": np.array([match.similarity for match in found], dtype=np.float64),
    }


def sentences(count: int) -> list[str]:
    """Return texts, some of which repeat an earlier one, exactly or with another ending."""
    draw = random.Random(8)
    made: list[str] = []
    for number in range(count):
        words = [draw.choice(WORDS) + draw.choice(("", "s", "ing")) for _ in range(draw.randint(2, 14))]
        earlier = draw.choice(made).split() if made and number % 3 == 0 else []
        kept = len(earlier) - draw.randint(0, 6) if earlier else 0
        made.append(" ".join(earlier[: max(kept, 0)] + (words[: len(earlier) - kept] if earlier else words)))
    return made
