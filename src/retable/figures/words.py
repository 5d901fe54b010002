"""Find what a network attends to: the weights of given words by class, and the words with the largest weights.

A weight is a share of its text, so that a longer text makes every weight smaller. Here it is always taken times the
words of its text: 1 is an even share.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

FEWEST_PLACES = 5  # of a word in the texts of a class


@dataclass(frozen=True)
class AttendedText:
    """A text as a network read it: its words, the attention weight of each (mean over the heads), its class's label."""

    words: tuple[str, ...]
    weights: np.ndarray
    label: str

    @property
    def shares(self) -> np.ndarray:
        """Weights times the words of the text."""
        return self.weights * len(self.words)


@dataclass(frozen=True)
class TopWord:
    """A word of a class: its place in the list, the mean of its shares, and how often it occurs."""

    label: str
    place: int
    word: str
    share: float
    occurrences: int


def shares_of_words(
    texts: Iterable[AttendedText], wanted: Sequence[str], labels: Sequence[str]
) -> dict[str, dict[str, list[float]]]:
    """Return word -> label -> the shares of all its occurrences; every wanted word and every label has its entry."""
    found: dict[str, dict[str, list[float]]] = {word: {label: [] for label in labels} for word in wanted}
    for text in texts:
        for word, share in zip(text.words, text.shares.tolist(), strict=True):
            if word in found:
                found[word][text.label].append(share)
    return found


def top_words(texts: Iterable[AttendedText], label: str, count: int, fewest: int = FEWEST_PLACES) -> list[TopWord]:
    """Return the words with the largest mean share in the texts of a class, among those with enough occurrences."""
    shares: dict[str, list[float]] = {}
    for text in texts:
        if text.label == label:
            for word, share in zip(text.words, text.shares.tolist(), strict=True):
                shares.setdefault(word, []).append(share)
    means = {word: float(np.mean(found)) for word, found in shares.items() if len(found) >= fewest}
    best = sorted(means, key=lambda word: (-means[word], word))[:count]
    return [TopWord(label, place, word, means[word], len(shares[word])) for place, word in enumerate(best, start=1)]


def top_word_rows(of_columns: Mapping[str, Sequence[TopWord]], epochs: Mapping[str, int]) -> list[dict[str, str]]:
    """Return the CSV: column, class, place, word, mean share, occurrences, epochs of the column's network."""
    return [
        {
            "column": column,
            "class": top.label,
            "place": str(top.place),
            "word": top.word,
            "share": f"{top.share:.6g}",
            "occurrences": str(top.occurrences),
            "epochs": str(epochs[column]),
        }
        for column, words in of_columns.items()
        for top in words
    ]
