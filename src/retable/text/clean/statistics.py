"""What a paper's table of corpora prints, and what it should.

Two kinds of figures stand in stats.json: those of the texts as we use them (cleaned, without those that we took out),
and those called published-..., of the labelled texts exactly as they were published, which is what papers count. Where
a corpus has unlabelled texts, with-unlabelled-... are of all its published texts.
"""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from retable.declaration import Corpus, Example
from retable.text.clean.sentences import split_sentences
from retable.text.leaks.clusters import repeated
from retable.text.leaks.leakage import Digests, Leaks, Places, first_equal
from retable.text.splits import SPLITS, UNLABELLED

LETTER_OR_DIGIT = re.compile(r"[^\W_]")
WORD_OR_MARK = re.compile(r"\w+|[^\w\s]")
SPACE_BEFORE_MARKS = re.compile(r"\s+(?=(?:[\W_]+|'\w*|n't)(?:\s|$))")
WORDS_AT_ONCE = 1 << 16


class Distinct:
    """Counts distinct words in 8 bytes each: by Python's hash, whose 64 bits two of 5 million words share with
    probability 1e-6."""

    def __init__(self) -> None:
        self._hashes: npt.NDArray[np.int64] = np.empty(0, dtype=np.int64)
        self._fresh: set[str] = set()

    def add(self, words: Iterable[str]) -> None:
        """Take up words, known or not."""
        self._fresh.update(words)
        if len(self._fresh) > WORDS_AT_ONCE:
            self.hashes()

    def hashes(self) -> npt.NDArray[np.int64]:
        """The sorted hashes of all."""
        fresh = np.unique(np.fromiter(map(hash, self._fresh), np.int64, len(self._fresh)))
        self._fresh.clear()
        fresh = fresh[~np.isin(fresh, self._hashes, assume_unique=True)]
        # Two sorted runs are merged in one pass by a stable sort.
        self._hashes = np.sort(np.concatenate([self._hashes, fresh]), kind="stable")
        return self._hashes

    def __len__(self) -> int:
        return len(self.hashes())


@dataclass
class Lengths:
    """Sum, number and maximum of lengths."""

    total: int = 0
    texts: int = 0
    longest: int = 0

    def add(self, length: int) -> None:
        """One text more."""
        self.total += length
        self.texts += 1
        self.longest = max(self.longest, length)

    @property
    def average(self) -> float:
        """The mean, rounded to four digits after the point; 0 of nothing."""
        return round(self.total / max(self.texts, 1), 4)


@dataclass
class SplitStatistics:
    """Counts of one split as it is written, text after text."""

    words: Lengths = field(default_factory=Lengths)
    characters: Lengths = field(default_factory=Lengths)
    vocabulary: Distinct = field(default_factory=Distinct)

    def add(self, text: str) -> None:
        """One text more. Words are separated by white space; the vocabulary is of lower-cased ones."""
        words = text.lower().split()
        self.words.add(len(words))
        self.characters.add(len(text))
        self.vocabulary.add(words)


class PublishedStatistics:
    """Lengths and vocabularies of texts as published, text after text.

    Words are what white space separates (of Chinese that is no word); words-and-marks are counted with every
    punctuation mark by itself, as tokenisers do. Vocabularies are of lower-cased words and of characters as they are.
    """

    def __init__(self, *, unlabelled: bool) -> None:
        self.splits: Counter[str] = Counter()
        self._lengths = {unit: Lengths() for unit in ("words", "words-and-marks", "characters", "sentences")}
        self._words, self._characters = Distinct(), set[str]()
        self._together = StatisticsWithUnlabelled() if unlabelled else None

    def add(self, example: Example) -> None:
        """One text more."""
        self.splits[example.split] += 1
        if self._together:
            self._together.add(example.text)
        if example.split == UNLABELLED:
            return
        text, words = example.text, example.text.lower().split()
        self._lengths["words"].add(len(words))
        self._lengths["words-and-marks"].add(len(WORD_OR_MARK.findall(text)))
        self._lengths["characters"].add(len(text))
        self._lengths["sentences"].add(len(split_sentences(text)))
        self._words.add(words)
        self._characters.update(text)

    def values(self) -> dict[str, Any]:
        """The figures, under the names that they have in stats.json."""
        return {
            "instances-published": self.splits.total() - self.splits[UNLABELLED],
            **{f"published-{split}": count for split, count in self.splits.items() if count},
            **{f"published-average-{unit}": found.average for unit, found in self._lengths.items()},
            **{f"published-max-{unit}": found.longest for unit, found in self._lengths.items()},
            "published-vocabulary-words": len(self._words),
            "published-vocabulary-characters": len(self._characters),
            **(self._together.values() if self._together else {}),
        }


class StatisticsWithUnlabelled:
    """Counts over labelled and unlabelled texts together, of which some are tokenised and some are not.

    `words` are tokens that hold a letter or a digit; `vocabulary-untokenised` is of the words as they stood before
    marks ("," or "'s") were cut off: each is put back to the word before it.
    """

    def __init__(self) -> None:
        self._tokens, self._words = Lengths(), Lengths()
        self._vocabulary, self._untokenised = Distinct(), Distinct()

    def add(self, text: str) -> None:
        """One text more."""
        tokens = text.split()
        self._tokens.add(len(tokens))
        self._words.add(sum(1 for token in tokens if LETTER_OR_DIGIT.search(token)))
        self._vocabulary.add(tokens)
        self._untokenised.add(SPACE_BEFORE_MARKS.sub("", text).split())

    def values(self) -> dict[str, Any]:
        """The figures, under the names that they have in stats.json."""
        return {
            "with-unlabelled-average-tokens": self._tokens.average,
            "with-unlabelled-average-words": self._words.average,
            "with-unlabelled-vocabulary": len(self._vocabulary),
            "with-unlabelled-vocabulary-untokenised": len(self._untokenised),
        }


def corpus_statistics(
    corpus: Corpus,
    published: PublishedStatistics,
    splits: Mapping[str, Mapping[str, Any]],
    vocabularies: Mapping[str, Distinct],
    removed: Mapping[str, int],
    leaks: Mapping[tuple[str, str], Leaks],
    clusters: Places,
) -> dict[str, Any]:
    """What stats.json holds, but for the digests of the files.

    Args:
        published: of the texts as published, unlabelled ones too.
        splits: `split_statistics` of every split.
        vocabularies: of every split.
        removed: reason -> how many texts are not left.
        leaks: per pair (known, asked) which texts of `asked` occur in `known`.
        clusters: the near-duplicate cluster of every labelled text that is left.
    """
    texts = sum(splits[name]["texts"] for name in SPLITS)
    lengths = {
        name: round(sum(splits[split]["totals"][name] for split in SPLITS) / max(texts, 1), 4)
        for name in ("average-length", "average-length-characters")
    }
    together = np.concatenate([vocabularies[split].hashes() for split in SPLITS])
    return {
        "corpus": corpus.name,
        "language": corpus.language,
        "labels": list(corpus.labels),
        "split": corpus.split,
        "classes": len(corpus.labels),
        "instances": texts,
        **lengths,
        "vocabulary": len(np.unique(together)),
        "vocabulary-train": len(vocabularies["train"]),
        "removed": dict(sorted(removed.items())),
        "splits": {
            name: {what: value for what, value in found.items() if what != "totals"} for name, found in splits.items()
        },
        "leakage": {
            f"{asked}-in-{known}": {"exact": int(leak.exact.sum()), "near": int(leak.near.sum())}
            for (known, asked), leak in leaks.items()
        },
        "near-duplicates": repeated(clusters),
        **{name: found["texts"] for name, found in splits.items()},
        **published.values(),
    }


def split_statistics(
    counted: SplitStatistics, labels: Sequence[str], label_of: npt.NDArray[np.int16], texts: Digests
) -> dict[str, Any]:
    """Counts of one split; average lengths in words (separated by white space) and in characters.

    Args:
        counted: its texts.
        labels: names of the corpus's labels.
        label_of: of every text, a place in `labels`, -1 of a text without one, int16 (text,).
        texts: a digest of every text.
    Returns: with the sums of the lengths under `totals`.
    """
    found = np.bincount(label_of[label_of >= 0], minlength=len(labels))
    return {
        "texts": len(label_of),
        "labels": {label: int(count) for label, count in zip(labels, found, strict=True)},
        "average-length": counted.words.average,
        "average-length-characters": counted.characters.average,
        "vocabulary": len(counted.vocabulary),
        **repetitions(texts, label_of),
        "totals": {"average-length": counted.words.total, "average-length-characters": counted.characters.total},
    }


def repetitions(texts: Digests, label_of: npt.NDArray[np.int16]) -> dict[str, int]:
    """How many texts repeat an earlier one, and how many distinct texts occur with more than one label."""
    first = first_equal(texts)
    return {
        "copies": int((first != np.arange(len(first))).sum()),
        "contradicting-labels": len(np.unique(first[label_of != label_of[first]])),
    }
