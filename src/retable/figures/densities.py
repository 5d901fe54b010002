"""Densities: how the attention weight of a word is distributed over the texts of each class; a panel a word."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import matplotlib as mpl
import numpy as np

from retable.figures.style import STYLE, Format, each_once, legend_below, line_looks, number_text, panel_axes, saved

FEWEST = 5  # occurrences of a word in a class; of fewer no density is drawn
PLACES = 128


@dataclass(frozen=True)
class DensityPanel:
    """The weights of one word by the class of the text, in the order of the classes."""

    title: str
    weights: Mapping[str, Sequence[float]]

    def drawn(self) -> dict[str, np.ndarray]:
        """Return the classes with enough occurrences that are not all equal."""
        of_classes = {label: np.asarray(values, dtype=float) for label, values in self.weights.items()}
        return {label: values for label, values in of_classes.items() if len(values) >= FEWEST and values.std() > 0}


def density(values: np.ndarray, places: np.ndarray) -> np.ndarray:
    """Return a sum of normal densities around the values; Silverman's rule gives their width.

    Args:
        values: (n,), not all equal.
        places: where the density is wanted, (p,).
    Returns: (p,), area one.
    """
    low, high = np.percentile(values, [25, 75])
    spread = min(values.std(ddof=1), (high - low) / 1.349 or np.inf)
    width = 0.9 * spread * len(values) ** -0.2
    distances = (places[:, None] - values[None, :]) / width
    return np.exp(-0.5 * distances**2).sum(axis=1) / (len(values) * width * np.sqrt(2 * np.pi))


def places_of(panel: DensityPanel) -> np.ndarray:
    """Return where a panel's densities are given: a little past the weights, without the last hundredth of them."""
    drawn = np.concatenate(list(panel.drawn().values()))
    low, high = drawn.min(), np.percentile(drawn, 99)
    return np.linspace(max(0.0, low - 0.1 * (high - low)), high + 0.1 * (high - low), PLACES)


def densities_picture(panels: Sequence[DensityPanel], label: str, form: Format) -> bytes:
    """Return a line a class; a panel without a class that has enough occurrences must not be among them."""
    looks = line_looks(each_once([name for panel in panels for name in panel.weights]))
    with mpl.rc_context(STYLE):
        figure, places = panel_axes(len(panels), 2.5, 1.9)
        for panel, place in zip(panels, places, strict=True):
            where = places_of(panel)
            for name, values in panel.drawn().items():
                place.plot(where, density(values, where), label=name, **looks[name])
            place.set(title=panel.title, xlabel=label, ylabel="density")
            place.set_ylim(bottom=0)
        legend_below(figure, places, "class of the text")
        return saved(figure, form)


def density_rows(panels: Sequence[DensityPanel], epochs: int) -> list[dict[str, str]]:
    """Return the CSV: word, class, a point of its density, number of occurrences; of a class with too few, the number.

    Args:
        epochs: of the network; in every line.
    """
    rows = []
    for panel in panels:
        drawn, where = panel.drawn(), places_of(panel)
        for label, values in panel.weights.items():
            of_class = {"word": panel.title, "class": label}
            counts = {"occurrences": str(len(values)), "epochs": str(epochs)}
            if label not in drawn:
                rows.append(of_class | {"weight": "", "density": ""} | counts)
                continue
            rows += [
                of_class | {"weight": number_text(x), "density": number_text(y)} | counts
                for x, y in zip(where, density(drawn[label], where), strict=True)
            ]
    return rows
