"""Count what is wrong in a corpus as published, so that the registry's list of known defects can be checked."""

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from itertools import combinations
from pathlib import Path

from retable.declaration import UNLABELLED, Corpus, Example

C1_CONTROL = re.compile("[\x80-\x9f]")
MARKUP = re.compile(r"</?\w+[^<>]*>|&#?\w+;")


def find_defects(corpus: Corpus, examples: Sequence[Example], folder: Path) -> dict[str, int]:
    """Return every kind of defect that occurs, with its count.

    Args:
        examples: the raw texts (`corpus.examples(folder)`).
        folder: data/raw/<corpus>/.
    """
    labels, splits = defaultdict(set), defaultdict(set)
    for example in examples:
        splits[example.text].add(example.split)
        if example.label:
            labels[example.text].add(example.label)
    names = [*corpus.texts, *([UNLABELLED] if corpus.unlabelled else [])]
    counts = {
        "lines that are not UTF-8": sum(lines_not_utf8(folder / file) for file in corpus.files),
        "texts that are empty": sum(not example.text.strip() for example in examples),
        "texts with C1 controls": count(C1_CONTROL, examples),
        "texts with U+FFFD": sum("\ufffd" in example.text for example in examples),
        "texts with markup": count(MARKUP, examples),
        "texts with two labels": sum(len(found) > 1 for found in labels.values()),
    }
    for split in names:
        texts = [example.text for example in examples if example.split == split]
        counts[f"copies in {split}"] = len(texts) - len(set(texts))
    for first, second in combinations(names, 2):
        counts[f"texts in {first} and {second}"] = sum({first, second} <= found for found in splits.values())
    return {what: number for what, number in counts.items() if number}


def count(pattern: re.Pattern[str], examples: Iterable[Example]) -> int:
    """Return how many texts hold a match."""
    return sum(pattern.search(example.text) is not None for example in examples)


def lines_not_utf8(path: Path) -> int:
    """Return how many lines of a file cannot be decoded as UTF-8."""
    wrong = 0
    with path.open("rb") as file:
        for line in file:
            try:
                line.decode("utf-8")
            except UnicodeDecodeError:
                wrong += 1
    return wrong
