"""Lists of names below the panels of a figure, for points that have a number in place of a name."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.text import Text

from retable.figures.names import SIZE, WIDER

LINE, GAP, BESIDE = 0.13, 0.06, 0.15  # inches: height of a line, distance from the panel, distance between columns


@dataclass(frozen=True)
class Key:
    """The names below a panel, in columns of this width in inches; none if no point of it has a number."""

    place: Axes
    texts: Sequence[Text]
    columns: int
    width: float

    @classmethod
    def of_names(cls, figure: Figure, place: Axes, names: Sequence[str]) -> "Key":
        """Build the list of a panel from its names, in the order of their numbers."""
        inches = figure.dpi_scale_trans
        texts = [
            figure.text(0, 0, f"{number}  {name}", fontsize=SIZE, va="top", transform=inches)
            for number, name in enumerate(names, 1)
        ]
        widest = max((text.get_window_extent().width / figure.dpi for text in texts), default=0.0)
        width = WIDER * widest + BESIDE
        return cls(place, texts, max(1, int(place.get_position().width * figure.get_figwidth() / width)), width)

    @property
    def lines(self) -> int:
        """Return how many lines the longest column has."""
        return math.ceil(len(self.texts) / self.columns)

    @property
    def height(self) -> float:
        """Return the height of the list, in inches."""
        return GAP + LINE * self.lines if self.texts else 0.0

    def put(self, left: float, upper: float) -> None:
        """Move the names to below a height, right of a place, both in inches."""
        for index, text in enumerate(self.texts):
            column, line = divmod(index, self.lines)
            text.set_position((left + column * self.width, upper - GAP - line * LINE))


def put_keys(figure: Figure, keys: Sequence[Key]) -> None:
    """Make the figure higher by the height of all lists, and write each below its panel.

    Args:
        figure: already laid out, and no longer by an engine.
        keys: of all panels, from the top.
    """
    width, before = figure.get_figwidth(), figure.get_figheight()
    after = before + sum(key.height for key in keys)
    lower = [lower_end(figure, key.place) for key in keys]
    figure.set_figheight(after)
    for number, key in enumerate(keys):
        up = sum(each.height for each in keys[number:])
        left, bottom, *size = key.place.get_position().bounds
        key.place.set_position((left, (bottom * before + up) / after, size[0], size[1] * before / after))
        key.put(left * width, lower[number] + up)


def lower_end(figure: Figure, place: Axes) -> float:
    """Return where a panel and its labels end, in inches."""
    box = place.get_tightbbox()
    assert box is not None  # only an invisible panel has none
    return float(box.y0) / figure.dpi
