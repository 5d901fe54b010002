"""What a paper's table of corpora prints, and what it should."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from retable.corpora.declaration import Corpus, Example
from retable.text.cleaning import Removed
from retable.text.leakage import Leaks


def corpus_statistics(
    corpus: Corpus,
    read: Sequence[Example],
    splits: Mapping[str, Sequence[Example]],
    removed: Sequence[Removed],
    leaks: Mapping[tuple[str, str], Leaks],
) -> dict[str, Any]:
    """What stats.json holds, but for the digests of the files.

    Args:
        read: the texts as published.
        splits: the texts that are left.
        removed: the texts that are not.
        leaks: per pair (known, asked) which texts of `asked` occur in `known`.
    """
    left = [example for split in splits.values() for example in split]
    whole = split_statistics(left, corpus.labels)
    return {
        "corpus": corpus.name,
        "language": corpus.language,
        "labels": list(corpus.labels),
        "split": corpus.split,
        "classes": len(corpus.labels),
        "instances": whole["texts"],
        "instances-published": len(read),
        "average-length": whole["average-length"],
        "average-length-characters": whole["average-length-characters"],
        "vocabulary": whole["vocabulary"],
        "vocabulary-train": len(vocabulary(splits["train"])),
        "removed": dict(sorted(Counter(text.reason for text in removed).items())),
        "splits": {name: split_statistics(split, corpus.labels) for name, split in splits.items()},
        "leakage": {
            f"{asked}-in-{known}": {"exact": int(leak.exact.sum()), "near": int(leak.near.sum())}
            for (known, asked), leak in leaks.items()
        },
    }


def split_statistics(examples: Sequence[Example], labels: Sequence[str]) -> dict[str, Any]:
    """Counts of one split; average lengths in words (separated by white space) and in characters."""
    found = Counter(example.label for example in examples)
    return {
        "texts": len(examples),
        "labels": {label: found[label] for label in labels},
        "average-length": average(len(example.text.split()) for example in examples),
        "average-length-characters": average(len(example.text) for example in examples),
        "vocabulary": len(vocabulary(examples)),
        "copies": copies(examples),
        "contradicting-labels": contradictions(examples),
    }


def vocabulary(examples: Iterable[Example]) -> set[str]:
    """The distinct lower-cased words."""
    return {word for example in examples for word in example.text.lower().split()}


def copies(examples: Sequence[Example]) -> int:
    """How many texts repeat an earlier one."""
    return len(examples) - len({example.text for example in examples})


def contradictions(examples: Iterable[Example]) -> int:
    """How many distinct texts occur with more than one label."""
    labels = Counter(text for text, _ in {(example.text, example.label) for example in examples})
    return sum(count > 1 for count in labels.values())


def average(values: Iterable[int]) -> float:
    """The mean, rounded to four digits after the point; 0 of nothing."""
    numbers = list(values)
    return round(sum(numbers) / max(len(numbers), 1), 4)
