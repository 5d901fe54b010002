"""Made-up corpora for the probe: a few dozen texts of 1 to 70 words, with parts of speech, copies and domains.

They lie under the names of declared corpora in data/tagged/ of a worktree of the probe's own, where nothing else is.
"""

import random
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from retable.text.splits import SPLITS, Facts, tagged_schema
from retable.vectors.store import NO_VECTORS, WordVectors, write_vectors

PLAIN, WITH_DOMAINS, WITH_SENTENCES = "mr", "fdu-16", "imdb"  # declared names: the second is a joint corpus
VECTORS = "probe.file-20"
LENGTHS = (1, 2, 3, 4, 5, 7, 9, 12, 17, 24, 31, 33, 40, 55, 64, 65, 70)
COUNTS = {"train": 44, "dev": 18, "test": 20}
LABELS = ("bad", "good", "so-so")
DOMAINS = ("books", "music", "films")
WORDS = [f"Word{number}" if number % 7 == 0 else f"word{number}" for number in range(90)]
PARTS = ("NOUN", "VERB", "ADJ", "DET", "ADP")


def write_samples(tagged: Path, vectors: Path) -> None:
    """Write the corpora, the vectors of most of their words, and the empty set."""
    for name, domains in ((PLAIN, ()), (WITH_DOMAINS, DOMAINS), (WITH_SENTENCES, ())):
        write_corpus(tagged / name, Facts(name, "en", LABELS, domains), marks=0.15 * (name == WITH_SENTENCES))
    numbers = np.random.default_rng(5).standard_normal((70, 20)).astype(np.float32) / 4
    given = WordVectors([word.lower() for word in WORDS[:70]], numbers, {"unit": "words", "language": "en"})
    for name, held in ((VECTORS, given), ("none", NO_VECTORS)):
        (vectors / name).mkdir(parents=True, exist_ok=True)
        write_vectors(vectors / name, name, held)


def write_corpus(folder: Path, facts: Facts, *, marks: float) -> None:
    """Write three splits; a fifth of the dev and test texts is not clean, and some train texts stand there twice.

    Args:
        marks: share of the words in whose place a full stop stands.
    """
    draw = random.Random(facts.corpus)
    folder.mkdir(parents=True, exist_ok=True)
    for split in SPLITS:
        rows: dict[str, list[object]] = {name: [] for name in ("id", "tokens", "parts", "label", "clean")}
        for number in range(COUNTS[split]):
            label = number % len(LABELS)
            length = LENGTHS[number % len(LENGTHS)]
            common = WORDS[label * 20 : label * 20 + 40]
            words = [draw.choice(common if draw.random() < 0.7 else WORDS) for _ in range(length)]
            words = ["." if marks and draw.random() < marks else word for word in words]
            domain = f"{facts.domains[number % len(facts.domains)]}/" if facts.domains else ""
            rows["id"].append(f"{domain}{split}-{number}")
            rows["tokens"].append(words)
            rows["parts"].append(["PUNCT" if word == "." else PARTS[int(word[4:]) % len(PARTS)] for word in words])
            rows["label"].append(LABELS[label])
            rows["clean"].append(split == "train" or draw.random() < 0.8)
        pq.write_table(pa.table(rows, schema=tagged_schema(facts, parts=True)), folder / f"{split}.parquet")
