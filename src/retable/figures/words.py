"""The words that a network attends to most in the texts of a class."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from retable.figures.figure import Drawn, Plot, WeightsFigure
from retable.figures.measured import AttendedText, Measured
from retable.figures.networks import Networks

FEWEST_PLACES = 5  # occurrences of a word in the texts of a class


@dataclass(frozen=True)
class TopWord:
    """A word of a class: its rank, the mean of its shares, its occurrences; epochs of the network."""

    label: str
    place: int
    word: str
    share: float
    occurrences: int
    epochs: int


@dataclass(frozen=True)
class TopWords(WeightsFigure[TopWord]):
    """The words that a network attends to most in the texts of some classes, for a single row; needs kept weights.

    `classes` holds (column, label). There is no picture, only the list of words.
    """

    classes: tuple[tuple[str, str], ...] = ()
    count: int = 20
    panel_column: ClassVar[str] = "column"

    def drawn(self, measured: Measured, networks: Networks) -> Drawn | None:
        """Return the lists alone."""
        found = super().drawn(measured, networks)
        return replace(found, picture=None) if found else None

    def plots(self, measured: Measured, networks: Networks) -> list[Plot[TopWord]]:
        """Return one list per column, from the first run of the single row."""
        found = []
        for panel, of_rows in self.runs_of(measured):
            run = next(iter(of_rows.values()))[0]
            texts = networks.texts(run)
            of_classes = [
                top_words(texts, label, self.count, run.epochs_run)
                for column, label in self.classes
                if column == panel.column
            ]
            found.append(Plot(measured.title(panel), tuple(top for words in of_classes for top in words)))
        return found if any(plot.marks for plot in found) else []

    def csv_cells(self, mark: TopWord) -> Iterable[Mapping[str, Any]]:
        """Return class, rank, word, mean share to two decimals, occurrences, epochs of the column's network."""
        own = {name: value for name, value in vars(mark).items() if name != "label"}
        return [{"class": mark.label, **own, "share": f"{mark.share:.2f}"}]


def shares_of(texts: Iterable[AttendedText], label: str) -> dict[str, list[float]]:
    """Return word -> the shares of all its occurrences in the texts of a class."""
    found: dict[str, list[float]] = {}
    for text in texts:
        if text.label == label:
            for word, share in zip(text.words, text.shares.tolist(), strict=True):
                found.setdefault(word, []).append(share)
    return found


def top_words(
    texts: Iterable[AttendedText], label: str, count: int, epochs: int, fewest: int = FEWEST_PLACES
) -> list[TopWord]:
    """Return the words with the largest mean share in the texts of a class, among those with enough occurrences."""
    shares = shares_of(texts, label)
    means = {word: float(np.mean(found)) for word, found in shares.items() if len(found) >= fewest}
    best = sorted(means, key=lambda word: (-means[word], word))[:count]
    return [TopWord(label, place, word, means[word], len(shares[word]), epochs) for place, word in enumerate(best, 1)]
