"""What a paper's table of corpora prints, and what it should.

Two kinds of figures stand in stats.json: those of the texts as we use them (cleaned, without those that we took out),
and those called published-..., of the labelled texts exactly as they were published, which is what papers count. Where
a corpus has unlabelled texts, with-unlabelled-... are of all its published texts.
"""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from retable.corpora.declaration import Corpus, Example
from retable.text.cleaning import Removed
from retable.text.clusters import repeated
from retable.text.leakage import Leaks, Places
from retable.text.sentences import split_sentences
from retable.text.splits import SPLITS, UNLABELLED

LETTER_OR_DIGIT = re.compile(r"[^\W_]")
WORD_OR_MARK = re.compile(r"\w+|[^\w\s]")
SPACE_BEFORE_MARKS = re.compile(r"\s+(?=(?:[\W_]+|'\w*|n't)(?:\s|$))")


def corpus_statistics(
    corpus: Corpus,
    read: Sequence[Example],
    splits: Mapping[str, Sequence[Example]],
    removed: Sequence[Removed],
    leaks: Mapping[tuple[str, str], Leaks],
    clusters: Places,
) -> dict[str, Any]:
    """What stats.json holds, but for the digests of the files.

    Args:
        read: the texts as published, unlabelled ones too.
        splits: the texts that are left.
        removed: the texts that are not.
        leaks: per pair (known, asked) which texts of `asked` occur in `known`.
        clusters: the near-duplicate cluster of every labelled text that is left.
    """
    labelled = [example for example in read if example.split != UNLABELLED]
    left = [example for split in SPLITS for example in splits[split]]
    whole = split_statistics(left, corpus.labels)
    return {
        "corpus": corpus.name,
        "language": corpus.language,
        "labels": list(corpus.labels),
        "split": corpus.split,
        "classes": len(corpus.labels),
        "instances": whole["texts"],
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
        "near-duplicates": repeated(clusters),
        **{name: len(split) for name, split in splits.items()},
        "instances-published": len(labelled),
        **{f"published-{name}": count for name, count in Counter(example.split for example in read).items()},
        **published_statistics([example.text for example in labelled]),
        **(statistics_with_unlabelled([example.text for example in read]) if len(labelled) < len(read) else {}),
    }


def published_statistics(texts: Sequence[str]) -> dict[str, Any]:
    """Lengths and vocabularies of texts as published.

    Words are what white space separates (of Chinese that is no word); words-and-marks are counted with every
    punctuation mark by itself, as tokenisers do. Vocabularies are of lower-cased words and of characters as they are.
    """
    lengths = {
        "words": [len(text.split()) for text in texts],
        "words-and-marks": [sum(1 for _ in WORD_OR_MARK.finditer(text)) for text in texts],
        "characters": [len(text) for text in texts],
        "sentences": [len(split_sentences(text)) for text in texts],
    }
    return {
        **{f"published-average-{unit}": average(found) for unit, found in lengths.items()},
        **{f"published-max-{unit}": max(found, default=0) for unit, found in lengths.items()},
        "published-vocabulary-words": len({word for text in texts for word in text.lower().split()}),
        "published-vocabulary-characters": len(set().union(*texts)),
    }


def statistics_with_unlabelled(texts: Sequence[str]) -> dict[str, Any]:
    """Counts over labelled and unlabelled texts together, of which some are tokenised and some are not.

    `words` are tokens that hold a letter or a digit; `vocabulary-untokenised` is of the words as they stood before
    marks ("," or "'s") were cut off: each is put back to the word before it.
    """
    tokens = Counter(token for text in texts for token in text.split())
    words = sum(count for token, count in tokens.items() if LETTER_OR_DIGIT.search(token))
    untokenised = {word for text in texts for word in SPACE_BEFORE_MARKS.sub("", text).split()}
    return {
        "with-unlabelled-average-tokens": round(tokens.total() / len(texts), 4),
        "with-unlabelled-average-words": round(words / len(texts), 4),
        "with-unlabelled-vocabulary": len(tokens),
        "with-unlabelled-vocabulary-untokenised": len(untokenised),
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
