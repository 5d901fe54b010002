"""Compute the corpus statistics that papers print, and those that they should.

stats.json holds two kinds of figures: those of the texts as used here (cleaned, without removed texts), and those
called published-..., of the labelled texts exactly as published, which is what papers count. If a corpus has unlabelled
texts, with-unlabelled-... covers all its published texts.
"""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from retable.declaration import UNLABELLED, Corpus, Example
from retable.text.clean.sentences import split_sentences
from retable.text.splits import SPLITS

LETTER_OR_DIGIT = re.compile(r"[^\W_]")
WORD_OR_MARK = re.compile(r"\w+|[^\w\s]")
SPACE_BEFORE_MARKS = re.compile(r"\s+(?=(?:[\W_]+|'\w*|n't)(?:\s|$))")


def published_statistics(read: Sequence[Example]) -> dict[str, Any]:
    """Count the texts as published, with the keys of stats.json.

    Args:
        read: all texts of a corpus, including unlabelled ones.
    """
    texts = [example.text for example in read if example.split != UNLABELLED]
    return {
        "instances-published": len(texts),
        **{f"published-{split}": count for split, count in Counter(example.split for example in read).items()},
        **lengths_as_published(texts),
        **(lengths_with_unlabelled([example.text for example in read]) if len(texts) < len(read) else {}),
    }


def lengths_as_published(texts: Sequence[str]) -> dict[str, Any]:
    """Measure lengths and vocabularies of labelled texts.

    Words are separated by white space (not meaningful for Chinese); words-and-marks counts every punctuation mark
    separately, as tokenisers do. Vocabularies are of lower-cased words and of unchanged characters.
    """
    lengths = {
        "words": [len(text.split()) for text in texts],
        "words-and-marks": [len(WORD_OR_MARK.findall(text)) for text in texts],
        "characters": [len(text) for text in texts],
        "sentences": [len(split_sentences(text)) for text in texts],
    }
    return {
        **{f"published-average-{unit}": average(found) for unit, found in lengths.items()},
        **{f"published-max-{unit}": max(found, default=0) for unit, found in lengths.items()},
        "published-vocabulary-words": len(vocabulary(texts)),
        "published-vocabulary-characters": len(set().union(*texts)),
    }


def lengths_with_unlabelled(texts: Sequence[str]) -> dict[str, Any]:
    """Count labelled and unlabelled texts together, some tokenised and some not.

    `words` are tokens with a letter or a digit; `vocabulary-untokenised` is of the words before marks ("," or "'s")
    were split off: each is rejoined to the word before it.
    """
    tokens = Counter(token for text in texts for token in text.split())
    words = sum(count for token, count in tokens.items() if LETTER_OR_DIGIT.search(token))
    return {
        "with-unlabelled-average-tokens": round(tokens.total() / len(texts), 4),
        "with-unlabelled-average-words": round(words / len(texts), 4),
        "with-unlabelled-vocabulary": len(tokens),
        "with-unlabelled-vocabulary-untokenised": len(
            {word for text in texts for word in SPACE_BEFORE_MARKS.sub("", text).split()}
        ),
    }


def corpus_statistics(
    corpus: Corpus, splits: Mapping[str, Sequence[Example]], removed: Iterable[str]
) -> dict[str, Any]:
    """Count the remaining texts, with the keys of stats.json.

    Args:
        splits: the texts of every split, including "unlabelled" if the corpus has such texts.
        removed: the reason for each removed text.
    """
    left = [example.text for split in SPLITS for example in splits[split]]
    return {
        "corpus": corpus.name,
        "language": corpus.language,
        "labels": list(corpus.labels),
        "split": corpus.split,
        "classes": len(corpus.labels),
        "instances": len(left),
        **lengths_and_vocabulary(left),
        "vocabulary-train": len(vocabulary(example.text for example in splits["train"])),
        "removed": Counter(removed),
        "splits": {name: split_statistics(examples, corpus) for name, examples in splits.items()},
        **{name: len(examples) for name, examples in splits.items()},
    }


def split_statistics(examples: Sequence[Example], corpus: Corpus) -> dict[str, Any]:
    """Count the texts of one split.

    `copies` are texts that repeat an earlier one, `contradicting-labels` distinct texts with more than one label.
    """
    found = Counter(corpus.label_of(example) for example in examples)
    texts = [example.text for example in examples]
    labels_of = Counter(text for text, _ in {(example.text, example.label) for example in examples})
    return {
        "texts": len(texts),
        "labels": {label: found[label] for label in corpus.labels},
        **lengths_and_vocabulary(texts),
        "copies": len(texts) - len(labels_of),
        "contradicting-labels": sum(count > 1 for count in labels_of.values()),
    }


def lengths_and_vocabulary(texts: Sequence[str]) -> dict[str, Any]:
    """Compute average lengths in words (separated by white space) and characters, and the number of distinct words."""
    return {
        "average-length": average(len(text.split()) for text in texts),
        "average-length-characters": average(len(text) for text in texts),
        "vocabulary": len(vocabulary(texts)),
    }


def vocabulary(texts: Iterable[str]) -> set[str]:
    """Return the distinct lower-cased words."""
    return {word for text in texts for word in text.lower().split()}


def average(values: Iterable[int]) -> float:
    """Return the mean, rounded to four decimals; 0 if there are no values."""
    numbers = list(values)
    return round(sum(numbers) / max(len(numbers), 1), 4)
