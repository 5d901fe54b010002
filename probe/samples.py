"""Made-up corpora for the probe: a few dozen texts of 1 to 70 words, with parts of speech, copies and domains.

They use the names of declared corpora in data/tagged/ of the probe's own worktree, which contains nothing else.
"""

import random
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from retable.files import sha256_of_value
from retable.text.pairs import MARK
from retable.text.splits import SPLITS, Facts, clean_schema, tagged_schema
from retable.text.trees import BEGIN, END
from retable.vectors.store import NO_VECTORS, WordVectors, write_vectors

PLAIN, WITH_DOMAINS, TWO_LABELS, GROUPED = "mr", "fdu-16", "sst-2", "ced-grouped"  # declared names
WITH_SENTENCES, OF_PAIRS, OF_TREES, GRADED = "imdb", "wikiqa", "sst-1-trees", "sick-relatedness"
VECTORS, VECTORS_OF_FOLDS = "probe.file-20", "probe.folds-20"
FOLDS, CANDIDATES = 3, 4
LENGTHS = (1, 2, 3, 4, 5, 7, 9, 12, 17, 24, 31, 33, 40, 55, 64, 65, 70)
COUNTS = {"train": 44, "dev": 18, "test": 20}
LABELS = ("bad", "good", "so-so")
DOMAINS = ("books", "music", "films")
WORDS = [f"Word{number}" if number % 7 == 0 else f"word{number}" for number in range(90)]
GIVEN = [word.lower() for word in WORDS[:70]]  # words with a vector
PARTS = ("NOUN", "VERB", "ADJ", "DET", "ADP")
CORPORA = {
    PLAIN: Facts(PLAIN, "en", LABELS),
    WITH_DOMAINS: Facts(WITH_DOMAINS, "en", LABELS, DOMAINS),  # a joint corpus
    TWO_LABELS: Facts(TWO_LABELS, "en", LABELS[:2]),  # including words absent from its training texts
    GROUPED: Facts(GROUPED, "en", LABELS),  # folds keep its near copies together
    WITH_SENTENCES: Facts(WITH_SENTENCES, "en", LABELS),  # a seventh of its words are full stops
    OF_PAIRS: Facts(OF_PAIRS, "en", LABELS[:2], ranked=True),  # four candidates per question
    OF_TREES: Facts(OF_TREES, "en", LABELS),
    GRADED: Facts(GRADED, "en", ("1", "2", "3"), graded=True),
}

Rows = dict[str, list[Any]]  # column of a split -> its values


def write_samples(clean: Path, tagged: Path, vectors: Path) -> None:
    """Write the corpora, the vectors of most of their words, a set of folds, and the empty set."""
    for name, facts in CORPORA.items():
        for folder in (clean, tagged):
            (folder / name).mkdir(parents=True, exist_ok=True)
        for split, rows in rows_of(name).items():
            texts = {column: rows[column] for column in ("id", "label", "clean")}
            texts["text"] = [f"{' '.join(words)}!" for words in rows["tokens"]]
            pq.write_table(pa.table(texts, schema=clean_schema(facts)), clean / name / f"{split}.parquet")
            pq.write_table(pa.table(rows, schema=tagged_schema(facts, parts=True)), tagged / name / f"{split}.parquet")
    folds = [f"{VECTORS_OF_FOLDS}/fold-{number}-of-{FOLDS}" for number in range(1, FOLDS + 1)]
    held = {name: given_vectors(seed) for seed, name in enumerate((VECTORS, VECTORS_OF_FOLDS, *folds), start=5)}
    for name, each in (held | {"none": NO_VECTORS}).items():
        (vectors / name).mkdir(parents=True, exist_ok=True)
        write_vectors(vectors / name, name, each)


def given_vectors(seed: int) -> WordVectors:
    """Return vectors of most words."""
    numbers = np.random.default_rng(seed).standard_normal((len(GIVEN), 20)).astype(np.float32) / 4
    return WordVectors(GIVEN, numbers, {"unit": "words", "language": "en"})


@cache
def digest_of_sample(name: str) -> str:
    """Return the digest of a corpus: other texts are another input."""
    return sha256_of_value(rows_of(name))


def rows_of(name: str) -> dict[str, Rows]:
    """Return the splits of a corpus; a fifth of the dev and test texts is not clean."""
    draw = random.Random(name)
    facts = CORPORA[name]
    found = {}
    for split in SPLITS:
        rows: Rows = {column: [] for column in ("id", "tokens", "parts", "label", "clean")}
        for number in range(COUNTS[split]):
            label = number % len(facts.labels)
            length = LENGTHS[number % len(LENGTHS)]
            common = WORDS[label * 20 : label * 20 + 40]
            words = [draw.choice(common if draw.random() < 0.7 else WORDS) for _ in range(length)]
            parts = [PARTS[int(word[4:]) % len(PARTS)] for word in words]
            if name == WITH_SENTENCES:
                words = ["." if draw.random() < 1 / 7 else word for word in words]
            domain = f"{facts.domains[number % len(facts.domains)]}/" if facts.domains else ""
            rows["id"].append(f"{domain}{split}-{number}")
            rows["parts"].append(parts)
            rows["label"].append(facts.labels[label])
            if name == GRADED:
                rows["label"][-1] = f"{(1.0, 1.6, 2.0, 2.2, 2.9)[number % 5]}"
            rows["clean"].append(split == "train" or draw.random() < 0.8)
            if name == GROUPED and number % 3:
                words = [*rows["tokens"][-1][:-1], words[-1]]
                rows["parts"][-1] = [PARTS[int(word[4:]) % len(PARTS)] for word in words]
            if name == TWO_LABELS:
                words, rows["parts"][-1] = rare(words, rows["parts"][-1], split, number)
            if name == OF_PAIRS:
                asked = WORDS[number // CANDIDATES :][:2]
                words, rows["parts"][-1] = [*asked, MARK, *words], [*PARTS[:3], *parts]
            if name == OF_TREES:
                words = tree_over(words, draw)
                rows["parts"][-1] = [PARTS[0]] * len(words)
            rows["tokens"].append(words)
        found[split] = rows
    return found


def tree_over(words: list[str], draw: random.Random) -> list[str]:
    """Return the tokens of a random binary tree over words."""
    if len(words) == 1:
        return words
    middle = draw.randrange(1, len(words))
    return [BEGIN, *tree_over(words[:middle], draw), *tree_over(words[middle:], draw), END]


def rare(words: list[str], parts: list[str], split: str, number: int) -> tuple[list[str], list[str]]:
    """Return a text with words that occur once in train (in train), or never, with and without a vector (in dev, test).

    Every fifth word of WORDS is in no training text. Some test words have a part of speech that train lacks.
    """
    if split == "train":
        return [f"Rare{number}" if int(word[4:]) % 5 == 0 else word for word in words], parts
    words = [f"New{place}" if place % 6 == 5 else word for place, word in enumerate(words)]
    return words, ["INTJ" if word.startswith("New") else part for word, part in zip(words, parts, strict=True)]
