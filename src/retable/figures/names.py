"""Labels of points, placed so that each covers no point, no other label and no line."""

from collections.abc import Iterator, Sequence
from itertools import pairwise
from textwrap import fill

import numpy as np
import numpy.typing as npt
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.transforms import Transform

from retable.figures.style import INK

Box = tuple[float, float, float, float]  # left, lower, right, upper end, in pixels
Boxes = npt.NDArray[np.float64]  # a box a row

STEPS = (0.0, 1.0, 2.0, 3.0, 4.0, 5.5, 7.0, 9.0, 11.0)  # distance of a name from its point, in line heights
WIDER = 1.08  # a page's own font may be wider than the one measured here
LETTERS = 30  # characters per line of a name


def put_names(
    figure: Figure,
    place: Axes,
    points: Sequence[tuple[str, float, float]],
    floor: float | None,
    front: Sequence[tuple[float, float]],
) -> None:
    """Place each name as near as there is room without covering a point, another name or a line.

    Args:
        figure, place: already laid out.
        points: name, x and y of each.
        floor: height of the floor's line; None if there is none.
        front: corners (x, y) of the line of steps, from the left.
    """
    inside = np.asarray(place.get_window_extent().extents)
    dots = [at(place.transData, x, y) for _, x, y in points]
    radius = figure.dpi * 3.5 / 72
    taken: list[Box] = [(x - radius, y - radius, x + radius, y + radius) for x, y in dots]
    if floor is not None:
        _, level = at(place.transData, 1.0, floor)
        taken.append((float(inside[0]), level - 1, float(inside[2]), level + 1))
    for (left, level), (right, upper) in pairwise(at(place.transData, x, y) for x, y in front):
        taken += [(left, level - 1, right, level + 1), (right - 1, level, right + 1, upper)]
    for index in sorted(range(len(points)), key=lambda each: (-points[each][2], points[each][1])):
        name, *_ = points[index]
        text = place.text(0, 0, fill(name, LETTERS), transform=None, fontsize=6.5, va="center", ha="left")
        size = text.get_window_extent()
        free = list(boxes_near(*dots[index], WIDER * size.width, size.height, radius))
        boxes = np.array(free)
        outside = areas(boxes) - covered(boxes, inside[None])
        best = free[int(np.argmin(covered(boxes, np.array(taken)) + outside))]
        left, lower, _, upper = best
        text.set_transform(place.transAxes)
        text.set_position(at(place.transAxes.inverted(), left, (lower + upper) / 2))
        join(place, dots[index], best, radius)
        taken.append(best)


def at(transform: Transform, x: float, y: float) -> tuple[float, float]:
    """Convert a position from one coordinate system to another."""
    found = transform.transform((x, y))
    return float(found[0]), float(found[1])


def boxes_near(x: float, y: float, width: float, height: float, radius: float) -> Iterator[Box]:
    """Yield possible boxes for a name, best first: right, left, above, below, then further off."""
    gap = 1.3 * radius
    beside = (x + gap, x - gap - width)
    above = (x - width / 2, x - 0.15 * width, x - 0.85 * width)
    for step in STEPS:
        ups = (step, -step) if step else (0.0,)
        for up, lefts in (*((up, beside) for up in ups), (step + 1.1, above), (-step - 1.1, above)):
            lower = y + up * height - height / 2
            yield from ((left, lower, left + width, lower + height) for left in lefts)


def covered(boxes: Boxes, taken: Boxes) -> npt.NDArray[np.float64]:
    """Return how much of the occupied boxes each box would cover, (box,)."""
    lower = np.maximum(boxes[:, None, :2], taken[None, :, :2])
    upper = np.minimum(boxes[:, None, 2:], taken[None, :, 2:])
    found: npt.NDArray[np.float64] = (upper - lower).clip(min=0).prod(axis=2).sum(axis=1)
    return found


def areas(boxes: Boxes) -> npt.NDArray[np.float64]:
    """Return width times height of each box, (box,)."""
    found: npt.NDArray[np.float64] = (boxes[:, 2:] - boxes[:, :2]).prod(axis=1)
    return found


def join(place: Axes, dot: tuple[float, float], box: Box, radius: float) -> None:
    """Draw a thin line from a point to a name placed away from it."""
    left, lower, right, upper = box
    end = (min(max(dot[0], left), right), min(max(dot[1], lower), upper))
    if abs(end[0] - dot[0]) + abs(end[1] - dot[1]) > 2.5 * radius:
        ends = place.transAxes.inverted().transform([dot, end])
        place.plot(ends[:, 0], ends[:, 1], color=INK, linewidth=0.5, alpha=0.6, transform=place.transAxes, zorder=1)
