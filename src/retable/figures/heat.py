"""Heat maps: how much every word of one text attends to every other; one panel per model."""

import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.font_manager import fontManager

from retable.figures.figure import Lines, Plot, WeightsFigure
from retable.figures.measured import Measured
from retable.figures.networks import Networks
from retable.figures.style import SHADES, bare, each_once

CHINESE_FONTS = (
    "Noto Sans CJK SC", "Noto Sans CJK JP", "Source Han Sans SC", "WenQuanYi Zen Hei", "WenQuanYi Micro Hei",
    "PingFang SC", "Hiragino Sans GB", "Microsoft YaHei", "SimHei", "Droid Sans Fallback",
)  # fmt: skip
SAME = 1e-3  # weights that differ by less, relative to the uniform weight, count as equal


@dataclass(frozen=True)
class HeatMap:
    """Attention weights of a text: matrix (T, T), rows attend to columns and sum to one; epochs of the network."""

    words: tuple[str, ...]
    matrix: np.ndarray
    epochs: int


@dataclass(frozen=True)
class AttentionFigure(WeightsFigure[HeatMap]):
    """One heat map per row, of the first test text that contains all of `wanted`; needs kept weights."""

    wanted: tuple[str, ...] = ()
    longest: int = 40

    def plots(self, measured: Measured, networks: Networks) -> list[Plot[HeatMap]]:
        """Return a panel per row, from the first run on the first column where enough rows have such a text."""
        for panel, of_rows in self.runs_of(measured):
            found = {row: networks.matrix(runs[0], self.wanted, self.longest) for row, runs in of_rows.items()}
            plots = [
                Plot(measured.name(panel, row), (HeatMap(*text, of_rows[row][0].epochs_run),))
                for row, text in found.items()
                if text
            ]
            if len(plots) >= self.fewest:
                return plots
        return []

    def inches(self, plots: Sequence[Plot[HeatMap]]) -> tuple[float, float]:
        """Return width and height of a panel: larger for more words."""
        side = min(1.2 + 0.17 * max(len(plot.marks[0].words) for plot in plots), 6.0)
        return side + 0.5, side

    def picture(self, plots: Sequence[Plot[HeatMap]]) -> bytes:
        """Return the maps, laid out in a font that covers their characters if there is one."""
        font = chinese_font()
        with mpl.rc_context({"font.family": [font, "DejaVu Sans"]} if font else {}), warnings.catch_warnings():
            warnings.filterwarnings("ignore", message="Glyph .* missing from font")
            return super().picture(plots)

    def draw(self, place: Axes, plot: Plot[HeatMap], plots: Sequence[Plot[HeatMap]]) -> None:
        """Draw darker cells for larger weights; each panel is scaled from 0 to its largest weight."""
        (text,) = plot.marks
        mesh = place.pcolormesh(text.matrix, cmap=SHADES, vmin=0, vmax=text.matrix.max())
        place.invert_yaxis()
        bare(place)
        ticks = np.arange(len(text.words)) + 0.5
        place.set_xticks(ticks, text.words, rotation=90 if max(map(len, text.words)) > 2 else 0)
        place.set_yticks(ticks, text.words)
        if is_uniform(text.matrix.ravel(), len(text.words)):
            middle, side = len(text.words) / 2, len(text.words)
            place.text(middle, middle, f"all weights 1/{side}", color="white", ha="center", va="center", fontsize=9)
        place.set(xlabel="attended word", ylabel="attending word", aspect="equal")
        bar = place.figure.colorbar(mesh, ax=place, label="weight", shrink=0.8)
        bar.outline.set_visible(False)

    def csv_cells(self, mark: HeatMap) -> Iterable[Mapping[str, Any]]:
        """Yield number and name of the attending and the attended word, weight, epochs."""
        for (row, column), weight in np.ndenumerate(mark.matrix):
            attending = {"from": row + 1, "from_word": mark.words[row]}
            attended = {"to": column + 1, "to_word": mark.words[column]}
            yield {**attending, **attended, "weight": weight, "epochs": mark.epochs}

    def remarks(self, lines: Lines) -> Iterator[str]:
        """Yield the epochs, and which models attend uniformly, or identically from every word."""
        yield from super().remarks(lines)
        for panel in each_once([line["panel"] for line in lines]):
            of_words: dict[str, list[float]] = {}
            for line in lines:
                if line["panel"] == panel:
                    of_words.setdefault(line["to"], []).append(float(line["weight"]))
            allowed = SAME / len(of_words)
            every = [weight for weights in of_words.values() for weight in weights]
            if is_uniform(every, len(of_words)):
                yield f"The weights of {panel} are uniform: every weight is 1/{len(of_words)}."
            elif all(max(weights) - min(weights) <= allowed for weights in of_words.values()):
                yield f"In {panel} all words attend alike: all rows of the map are equal."


def is_uniform(weights: Sequence[float] | np.ndarray, words: int) -> bool:
    """Return whether all weights of a text with `words` words are equal."""
    return float(max(weights) - min(weights)) <= SAME / words


def chinese_font() -> str | None:
    """Return a local font with Chinese characters, if there is one; an SVG uses the page's font."""
    known = {font.name for font in fontManager.ttflist}
    return next((name for name in CHINESE_FONTS if name in known), None)
