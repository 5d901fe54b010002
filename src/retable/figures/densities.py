"""Densities: the distribution of a word's attention weight over the texts of each class; one panel per word."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from matplotlib.axes import Axes

from retable.figures.figure import Lines, Plot, WeightsFigure, csv_line
from retable.figures.measured import Measured
from retable.figures.networks import Networks
from retable.figures.style import each_once, line_looks
from retable.figures.words import shares_of

FEWEST = 5  # occurrences of a word in a class; with fewer, no density is drawn
PLACES = 128
NONE = ((None, None),)  # place and density of a class without a density


@dataclass(frozen=True)
class Shares:
    """The weights of a word in the texts of a class, times each text's number of words; epochs of the network."""

    label: str
    values: tuple[float, ...]
    epochs: int

    @property
    def is_drawn(self) -> bool:
        """Return whether there are enough occurrences, not all equal."""
        return len(self.values) >= FEWEST and bool(np.std(self.values) > 0)


@dataclass(frozen=True)
class WordWeightsFigure(WeightsFigure[Shares]):
    """The attention weights of some words by the class of the text, for a single row; needs kept weights."""

    words: tuple[str, ...] = ()
    legend: ClassVar[str | None] = "class of the text"

    def plots(self, measured: Measured, networks: Networks) -> list[Plot[Shares]]:
        """Return a panel per word, from the first run of the single row; words too rare in every class have none."""
        for _, of_rows in self.runs_of(measured):
            run = next(iter(of_rows.values()))[0]
            texts = networks.texts(run)
            found = {label: shares_of(texts, label) for label in networks.labels(run)}
            plots = [
                Plot(word, tuple(Shares(label, tuple(of.get(word, ())), run.epochs_run) for label, of in found.items()))
                for word in self.words
            ]
            if drawn := [plot for plot in plots if any(shares.is_drawn for shares in plot.marks)]:
                return drawn
        return []

    def inches(self, plots: Sequence[Plot[Shares]]) -> tuple[float, float]:
        """Return width and height of a panel."""
        return 2.5, 1.9

    def draw(self, place: Axes, plot: Plot[Shares], plots: Sequence[Plot[Shares]]) -> None:
        """Draw one line per class."""
        looks, where = line_looks(each_once([shares.label for each in plots for shares in each.marks])), places_of(plot)
        for shares in plot.marks:
            if shares.is_drawn:
                place.plot(where, density(np.array(shares.values), where), label=shares.label, **looks[shares.label])
        place.set(xlabel="weight × words of the text", ylabel="density")
        place.set_ylim(bottom=0)

    def csv_lines(self, plots: Sequence[Plot[Shares]]) -> Lines:
        """Return word, class, a point of its density, and occurrences; for a class with too few, only these."""
        lines = []
        for plot in plots:
            where = places_of(plot)
            for shares in plot.marks:
                counts = {"occurrences": len(shares.values), "epochs": shares.epochs}
                points = zip(where, density(np.array(shares.values), where), strict=True) if shares.is_drawn else NONE
                cells = {"word": plot.title, "class": shares.label}
                lines += [csv_line({**cells, "weight": x, "density": y, **counts}) for x, y in points]
        return lines

    def remarks(self, lines: Lines) -> Iterator[str]:
        """Yield the epochs, and which words are not drawn if some are not."""
        yield from super().remarks(lines)
        if lines and ({line["word"] for line in lines} < {*self.words} or not all(line["density"] for line in lines)):
            yield f"Not drawn: a word with fewer than {FEWEST} occurrences in a class."


def density(values: np.ndarray, places: np.ndarray) -> np.ndarray:
    """Return a sum of normal densities around the values, with a width by Silverman's rule.

    Args:
        values: (n,), not all equal.
        places: where to evaluate the density, (p,).
    Returns: (p,), area one.
    """
    low, high = np.percentile(values, [25, 75])
    spread = min(values.std(ddof=1), (high - low) / 1.349 or np.inf)
    width = 0.9 * spread * len(values) ** -0.2
    distances = (places[:, None] - values[None, :]) / width
    return np.exp(-0.5 * distances**2).sum(axis=1) / (len(values) * width * np.sqrt(2 * np.pi))


def places_of(plot: Plot[Shares]) -> np.ndarray:
    """Return where a panel's densities are evaluated: a little past the weights, without their top percent."""
    drawn = np.concatenate([shares.values for shares in plot.marks if shares.is_drawn])
    low, high = drawn.min(), np.percentile(drawn, 99)
    return np.linspace(max(0.0, low - 0.1 * (high - low)), high + 0.1 * (high - low), PLACES)
