"""SST-1 with phrases: its sentences, and for training the phrases of its training sentences, in the same five grades.

The phrases are the nodes of the treebank's trees below their roots, in lower case as SST-1 is, each once per grade, and
are numbered after the sentences. The trees are the authors' later edition, which cuts words at hyphens.
"""

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from retable.corpora.readers import broken, identity, lines
from retable.corpora.sst_1 import CORPUS as SENTENCES
from retable.corpora.sst_1 import FILES, NAMES, read_sentences
from retable.declaration import Corpus, Defect, Example, github

TREES = "train.txt"
TREEBANK = "stanfordnlp/sentiment-treebank/fa0a89e0cabf5eac3ff4e1d27551fad4046ec012/fiveclass"
OF_TRAIN = {TREES: (2_169_471, "8ef6b014514150f6f988fe8c5767564b07633bc9bbfa07ef47ac6218b1b1f274")}
PARTS = re.compile(r"\([^() ]*|\)|[^() ]+")  # where a node begins, with its grade; where it ends; a word


def read(corpus: Corpus, folder: Path) -> Iterator[Example]:
    """Yield the sentences of train, their phrases, then the sentences of dev and test."""
    sentences = list(read_sentences(corpus, folder, splits={"train": FILES["train"]}))
    yield from sentences
    for number, (text, label) in enumerate(dict.fromkeys(read_phrases(corpus, folder / TREES)), len(sentences)):
        yield Example(identity(corpus, "train", number), "train", text, label)
    yield from read_sentences(corpus, folder, splits={split: FILES[split] for split in ("dev", "test")})


def read_phrases(corpus: Corpus, path: Path) -> Iterator[tuple[str, str]]:
    """Yield the text and the label of every node below the root, of every tree of a file."""
    for number, tree in enumerate(lines(path, corpus.encoding)):
        try:
            yield from nodes(tree.lower())[:-1]
        except ValueError as error:
            broken(
                path,
                number,
                f"{error}; a tree is one node, and a node is a grade, {', '.join(NAMES)}, with words or nodes",
            )


def nodes(tree: str) -> list[tuple[str, str]]:
    """Return the text and the label of every node, children first. Raises: ValueError, with what is wrong."""
    words: list[str] = []
    begun: list[tuple[str, int]] = []  # label and first word
    found = []
    parts = PARTS.findall(tree)
    for place, part in enumerate(parts, start=1):
        if part.startswith("("):
            if part[1:] not in NAMES:
                raise ValueError(f'a node has the grade "{part[1:]}"')
            begun.append((NAMES[part[1:]], len(words)))
        elif not begun:
            raise ValueError(f'"{part}" is in no node')
        elif part == ")":
            label, first = begun.pop()
            if first == len(words):
                raise ValueError("a node has no word")
            found.append((" ".join(words[first:]), label))
        else:
            words.append(part)
        if not begun and place < len(parts):
            raise ValueError("the root ends before the line")
    if begun or not found:
        raise ValueError("the root has no end")
    return found


CORPUS = replace(
    SENTENCES,
    name="sst-1-phrases",
    title="SST-1 with the phrases of its training sentences",
    texts={**SENTENCES.texts, "train": (7_212, 27_638, 80_133, 33_219, 9_298)},
    files={
        **SENTENCES.files,
        **github(TREEBANK, OF_TRAIN, mirror="sst_trees"),
    },
    read=read,
    same_texts_as="sst-1",
    pooled=False,
    note="the trees are a later edition of the 8,544 sentences, 8,527 of them, with words cut at hyphens and slashes: "
    "409 words of the sentences are in no phrase; dev and test are sst-1's sentences; the phrases are also in "
    "sentences of mr and sst-2, which those corpora may hold out",
    defects=(
        Defect("texts with two labels", 593, "judged in different sentences; published splits are kept unchanged"),
        Defect("copies in train", 615, "mostly those with two labels; published splits are kept unchanged"),
        Defect("copies in dev", 1, "sst-1's"),
        Defect("texts in train and dev", 3, "sst-1's, and two phrases; they are not clean"),
        Defect("texts in train and test", 2, "sst-1's; they are not clean"),
    ),
)
