"""Points: the size of a model against its accuracy."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from matplotlib.axes import Axes
from matplotlib.transforms import ScaledTranslation

from retable.figures.figure import Figure, Lines, Plot, told_of_bars
from retable.figures.measured import Measured, OfRows, Panel
from retable.figures.style import each_once, line_looks, log_x
from retable.tables.run_result import mean

MARKERS = "osD^vP*X"
NEAR, APART = 1.05, 9.0  # ratio of two sizes that are nearly equal; distance in 1/72 inch


@dataclass(frozen=True)
class Point:
    """A model: its size and its accuracy with an interval, means over the runs."""

    model: str
    parameters: float
    accuracy: float
    low: float
    high: float
    runs: int


@dataclass(frozen=True)
class SizeFigure(Figure[Point]):
    """One point per row: trained parameters against accuracy.

    Word vectors are not counted; a model that trains nothing else is left out.
    """

    def marks(self, panel: Panel, of_rows: OfRows, measured: Measured) -> Iterable[Point]:
        """Yield a point for every row."""
        for row, runs in of_rows.items():
            if runs[0].weights > 0:
                size, accuracy = mean([run.weights for run in runs]), mean([run.accuracy for run in runs])
                yield Point(measured.name(panel, row), size, accuracy, *measured.interval(panel, row), len(runs))

    def draw(self, place: Axes, plot: Plot[Point], plots: Sequence[Plot[Point]]) -> None:
        """Draw a panel with a logarithmic x axis and a bar for each interval."""
        names = each_once([point.model for each in plots for point in each.marks])
        looks, sizes = line_looks(names), [point.parameters for point in plot.marks]
        for point, size, shift in zip(plot.marks, sizes, shifts(sizes), strict=True):
            place.update_datalim([(size, point.low), (size, point.high)])  # shifted points do not update the limits
            place.errorbar(
                size,
                point.accuracy,
                yerr=[[point.accuracy - point.low], [point.high - point.accuracy]],
                elinewidth=1,
                capsize=2,
                label=point.model,
                color=looks[point.model]["color"],
                linestyle="none",
                marker=MARKERS[names.index(point.model) % len(MARKERS)],
                markersize=6,
                transform=place.transData + ScaledTranslation(shift / 72, 0, place.figure.dpi_scale_trans),
            )
        place.set(xlabel="parameters, without word vectors", ylabel="accuracy on test, %")
        place.margins(0.15)
        log_x(place, sizes)

    def remarks(self, lines: Lines) -> Iterator[str]:
        """Yield what bars mean."""
        yield from told_of_bars(lines)


def shifts(sizes: Sequence[float]) -> list[float]:
    """Return the offset of each point from its place, in 1/72 inch, so that points of nearly equal size stay apart."""
    found = []
    for place, size in enumerate(sizes):
        near = [other for other, each in enumerate(sizes) if max(size, each) < NEAR * min(size, each)]
        found.append(APART * (near.index(place) - (len(near) - 1) / 2))
    return found
