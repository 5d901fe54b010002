"""Heat maps: how much every word of one text attends to every other, a panel a model."""

import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

import matplotlib as mpl
import numpy as np
from matplotlib.font_manager import fontManager

from retable.figures.style import SHADES, STYLE, Format, number_text, panel_axes, saved

CHINESE_FONTS = (
    "Noto Sans CJK SC", "Noto Sans CJK JP", "Source Han Sans SC", "WenQuanYi Zen Hei", "WenQuanYi Micro Hei",
    "PingFang SC", "Hiragino Sans GB", "Microsoft YaHei", "SimHei", "Droid Sans Fallback",
)  # fmt: skip


@dataclass(frozen=True)
class HeatPanel:
    """Attention weights of a text: matrix (T, T), rows attend to columns and sum to one; epochs of the network."""

    title: str
    words: tuple[str, ...]
    matrix: np.ndarray
    epochs: int


def heat_picture(panels: Sequence[HeatPanel], form: Format) -> bytes:
    """Return the darker the larger; each panel has its own scale, from 0 to its largest weight."""
    font = chinese_font()
    with mpl.rc_context(STYLE | ({"font.family": [font, "DejaVu Sans"]} if font else {})), quiet_about_glyphs():
        count = max(len(panel.words) for panel in panels)
        side = min(1.2 + 0.17 * count, 6.0)
        figure, places = panel_axes(len(panels), side + 0.5, side)
        for panel, place in zip(panels, places, strict=True):
            mesh = place.pcolormesh(panel.matrix, cmap=SHADES, vmin=0, vmax=panel.matrix.max())
            place.invert_yaxis()
            place.grid(visible=False)
            place.spines[:].set_visible(False)
            place.tick_params(length=0)
            ticks, labels = np.arange(len(panel.words)) + 0.5, tick_labels(panel.words, form, font)
            place.set_xticks(ticks, labels, rotation=90 if max(map(len, labels)) > 2 else 0)
            place.set_yticks(ticks, labels)
            place.set(title=panel.title, xlabel="attended word", ylabel="attending word", aspect="equal")
            bar = figure.colorbar(mesh, ax=place, label="weight", shrink=0.8)
            bar.outline.set_visible(False)
        return saved(figure, form)


def tick_labels(words: Sequence[str], form: Format, font: str | None) -> list[str]:
    """Return the words; in a PNG without a font for them their numbers, which the CSV has beside the words."""
    if form == "svg" or font or all(word.isascii() for word in words):
        return list(words)
    return [str(number) for number in range(1, len(words) + 1)]


def chinese_font() -> str | None:
    """Return a font of this machine that has Chinese characters, if there is one; an SVG takes the page's."""
    known = {font.name for font in fontManager.ttflist}
    return next((name for name in CHINESE_FONTS if name in known), None)


@contextmanager
def quiet_about_glyphs() -> Iterator[None]:
    """Silence the warning of missing glyphs: an SVG keeps its text as text, so that the fonts here lack a character
    does not matter.
    """
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Glyph .* missing from font")
        yield


def heat_rows(panels: Sequence[HeatPanel]) -> list[dict[str, str]]:
    """Return the CSV: panel, number and name of the attending and of the attended word, weight, epochs."""
    return [
        {
            "panel": panel.title,
            "from": str(row + 1),
            "from_word": panel.words[row],
            "to": str(column + 1),
            "to_word": panel.words[column],
            "weight": number_text(weight),
            "epochs": str(panel.epochs),
        }
        for panel in panels
        for (row, column), weight in np.ndenumerate(panel.matrix)
    ]
