"""FDU-MTL: reviews in sixteen domains, positive or negative, each domain a separate corpus.

A train file holds what the paper calls train and dev: its last 200 lines are dev, the usual reading (the paper does not
say which 200). The unlabelled texts of the fourteen Amazon domains are raw, while all labelled ones are tokenised and
lower-case. Counts and known defects of the domains are in fdu.csv, size and SHA-256 of the files in fdu_files.csv.
"""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from retable.corpora.readers import SENTIMENT, identity, read_labelled_lines, read_unlabelled_lines, table_rows
from retable.declaration import Corpus, Defect, Example, github

SPLITS = ("train", "dev", "test")
DEV = 200  # lines at the end of a train file
PLACE = "ccsasuke/man/b57b4c14340db1ca7bffb5d9737b7c2601dc8df2/data/fdu-mtl"
FILES = {row["file"]: (int(row["bytes"]), row["sha256"]) for row in table_rows("fdu_files.csv")}
NOTE = f"the last {DEV} lines of the train file are dev (the paper does not say which are)"

REASONS = {
    "texts that are empty": "a training text of sports without words; it is dropped",
    "lines that are not UTF-8": "the files of this domain are latin-1 (actually Windows-1252)",
    "texts with C1 controls": "Windows-1252 punctuation; cleaning corrects it",
    "texts with U+FFFD": "characters that were lost before publication",
    "texts with markup": "entities and a few tags that the collector left in, nearly all in unlabelled texts",
    "copies in train": "reviews that the shop listed under several products; published splits are kept unchanged",
    "copies in dev": "the same",
    "copies in test": "the same",
    "copies in unlabelled": "the same",
    "texts in train and dev": "the same; they are not clean",
    "texts in train and test": "the same; they are not clean",
    "texts in dev and test": "the same; no dev text is trained on",
}
PARTICULARS: dict[str, dict[str, Any]] = {
    "dvd": {"undecodable": "replace"},
    "imdb": {"raw_unlabelled": False},
    "mr": {
        "encoding": "latin-1",
        "raw_unlabelled": False,
        "pooled": False,
        "note": f"{NOTE}; all its texts are in mr, so no pool may contain it",
    },
}


def read(corpus: Corpus, folder: Path) -> Iterator[Example]:
    """Yield the train file (dev at its end), the test file, the unlabelled texts."""
    yield from read_labelled(corpus, folder)
    yield from read_unlabelled_lines(corpus, folder, file=[*corpus.files][2])


def read_labelled(corpus: Corpus, folder: Path) -> Iterator[Example]:
    """Yield the train file (dev at its end) and the test file."""
    splits = dict(zip(("train", "test"), corpus.files, strict=False))
    examples = list(read_labelled_lines(corpus, folder, splits=splits, separator="\t", names=SENTIMENT))
    first_dev = sum(example.split == "train" for example in examples) - DEV
    for number, example in enumerate(examples):
        if example.split == "train" and number >= first_dev:
            example = example._replace(id=identity(corpus, "dev", number), split="dev")
        yield example


def declare(row: Mapping[str, str]) -> Corpus:
    """Return the corpus of a row of fdu.csv."""
    files = [f"{row['stem']}.task.{kind}" for kind in ("train", "test", "unlabel")]
    texts = {split: tuple(int(row[f"{split} {label}"]) for label in SENTIMENT.values()) for split in SPLITS}
    corpus = Corpus(
        name=f"fdu-{row['domain']}",
        language="en",
        title=f"reviews of {row['reviews of']}, positive or negative",
        labels=tuple(SENTIMENT.values()),
        texts=texts,
        unlabelled=int(row["unlabelled"]),
        files=github(PLACE, {file: FILES[file] for file in files}, mirror="fdu_mtl"),
        read=read,
        tokenised=True,
        raw_unlabelled=True,
        source="https://nlp.fudan.edu.cn/data/",
        paper="Liu, Qiu and Huang, Adversarial Multi-task Learning for Text Classification, ACL 2017",
        licence="none stated; the Amazon reviews are for research use (Blitzer et al., ACL 2007)",
        note=NOTE,
        defects=tuple(Defect(what, int(row[what]), REASONS[what]) for what in row if what in REASONS and row[what]),
    )
    return replace(corpus, **PARTICULARS.get(row["domain"], {}))


CORPORA = {corpus.name: corpus for corpus in map(declare, table_rows("fdu.csv"))}
