"""Names of points: each beside its point where there is room, else a number, for a list below the panel (keys.py)."""

import math
from collections.abc import Container, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from textwrap import fill

import numpy as np
import numpy.typing as npt
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.text import Text
from matplotlib.transforms import Transform

from retable.figures.style import INK

Box = tuple[float, float, float, float]  # left, lower, right, upper end, in pixels
Dot = tuple[float, float]  # place of a point, in pixels
Boxes = npt.NDArray[np.float64]  # a box a row
Flags = npt.NDArray[np.bool_]
Point = tuple[str, float, float]  # name, x, y

NEAR = (0.0, 1.0, 2.0)  # distances of a name from its point, in line heights
AWAY = (3.0, 4.0, 5.5, 7.0, 9.0, 11.0)
STEPS = (*NEAR, *AWAY)  # of a number
WIDER = 1.08  # a page's own font may be wider than the one measured here
LETTERS = (40, 24)  # characters per line of a name: tried in this order
CLEAR = 1.5  # how much farther than its own point any other is from a name
UNCLEAR = 0.25  # share of a box that it may cover rather than be unclear
SIZE = 7.0  # of letters, in 1/72 inch


def put_names(
    figure: Figure,
    place: Axes,
    points: Sequence[Point],
    floor: float | None,
    front: Sequence[tuple[float, float]],
    wanted: Container[str] = (),
) -> list[str]:
    """Write the names near their points; where there is no room write a number, and return the names in its order.

    A name covers no point, no other name and no line, and no other point is as near to it. Names of points on the front
    come first, then the wanted ones, then those of the best.

    Args:
        figure, place: already laid out.
        points: name, x and y of each.
        floor: height of the floor's line; None if there is none.
        front: corners (x, y) of the line of steps, from the left.
        wanted: names that may stand away from their points rather than be a number.
    """
    dots = [at(place.transData, x, y) for _, x, y in points]
    radius = figure.dpi * 3.5 / 72
    room = Room(place, dots, radius, [(x - radius, y - radius, x + radius, y + radius) for x, y in dots])
    room.taken.extend(line_boxes(place, floor, front))
    ordered = sorted(range(len(points)), key=lambda each: rank(points[each], front, wanted))
    left = [index for index in ordered if not room.has_written(points[index][0], dots[index])]
    left = [
        index for index in left if points[index][0] not in wanted or not room.has_led(points[index][0], dots[index])
    ]
    left.sort(key=lambda each: (points[each][1], -points[each][2]))
    for numbers in one_place(left, dots, radius):
        room.write(number_label(numbers), dots[left[numbers[0] - 1]], STEPS, anyway=True)
    return [points[index][0] for index in left]


def rank(point: Point, front: Sequence[tuple[float, float]], wanted: Container[str]) -> tuple[bool, bool, float]:
    """Return what names are sorted by."""
    return point[1:] not in front, point[0] not in wanted, -point[2]


@dataclass(frozen=True)
class Room:
    """The space of a panel: its points, their radius, and the boxes that are taken, in pixels."""

    place: Axes
    dots: Sequence[Dot]
    radius: float
    taken: list[Box]

    def has_written(self, name: str, dot: Dot) -> bool:
        """Write a name near a point, in one line or in more, and return whether there was room."""
        return any(self.write(text, dot, NEAR) for text in forms_of(name))

    def has_led(self, name: str, dot: Dot) -> bool:
        """Write a name away from a point, to which a line leads, as above; return whether there was room."""
        return any(self.write(text, dot, AWAY, led=True) for text in forms_of(name))

    def write(self, text: str, dot: Dot, steps: Sequence[float], *, led: bool = False, anyway: bool = False) -> bool:
        """Write a text at one of some distances from a point if there is room, or `anyway`; return whether it is.

        Args:
            led: whether the text may be nearer to other points, because a line leads to its own.
        """
        label = self.place.text(0, 0, text, transform=None, fontsize=SIZE, va="center")
        boxes = list(boxes_near(dot, label, self.radius, steps))
        unclear = np.zeros(len(boxes), bool) if led else is_unclear(boxes, self.dots, dot, self.radius)
        box, is_free = best_box(self.place, boxes, self.taken, unclear)
        if is_free or anyway:
            self.taken.append(put(self.place, label, box, dot, self.radius))
        else:
            label.remove()
        return is_free or anyway


def forms_of(name: str) -> list[str]:
    """Return a name in one line or in more, without repeats."""
    return list(dict.fromkeys(in_lines(name, each) for each in LETTERS))


def in_lines(name: str, letters: int) -> str:
    """Return a name in as few lines as it takes, all about as long."""
    count = fill(name, letters).count("\n")
    return next(text for width in range(1, letters + 1) if (text := fill(name, width)).count("\n") == count)


def line_boxes(place: Axes, floor: float | None, front: Sequence[tuple[float, float]]) -> Iterator[Box]:
    """Yield what the line of the floor and the steps of the front cover."""
    if floor is not None:
        inside = place.get_window_extent()
        _, level = at(place.transData, 1.0, floor)
        yield inside.x0, level - 1, inside.x1, level + 1
    for (left, level), (right, upper) in pairwise(at(place.transData, x, y) for x, y in front):
        yield from ((left, level - 1, right, level + 1), (right - 1, level, right + 1, upper))


def at(transform: Transform, x: float, y: float) -> tuple[float, float]:
    """Convert a position from one coordinate system to another."""
    found = transform.transform((x, y))
    return float(found[0]), float(found[1])


def boxes_near(dot: Dot, text: Text, radius: float, steps: Sequence[float]) -> Iterator[Box]:
    """Yield possible boxes for a text at a point, best first: right, left, above, below, then further off."""
    (x, y), size, gap = dot, text.get_window_extent(), 1.3 * radius
    width, height, line = WIDER * size.width, size.height, size.height / (text.get_text().count("\n") + 1)
    beside = (x + gap, x - gap - width)
    above = (x - width / 2, x - 0.15 * width, x - 0.85 * width)
    for step in (line * step for step in steps):
        middle = y - height / 2
        levels = ((middle + step, beside), (middle - step, beside), (y + gap + step, above))
        for lower, lefts in (*levels, (y - gap - step - height, above)):
            yield from ((left, lower, left + width, lower + height) for left in lefts)


def best_box(place: Axes, boxes: Sequence[Box], taken: Sequence[Box], unclear: Flags) -> tuple[Box, bool]:
    """Return the first of the best boxes, and whether it covers nothing, is inside the panel, and is clear.

    Args:
        unclear: whether a box would be taken for the name of another point, (box,).
    """
    found = np.array(boxes)
    outside = areas(found) - covered(found, np.array([place.get_window_extent().extents]))
    cost = covered(found, np.array(taken)) + outside + UNCLEAR * unclear * areas(found)
    best = int(np.argmin(cost))
    return boxes[best], bool(cost[best] < 1)


def is_unclear(boxes: Sequence[Box], dots: Sequence[Dot], own: Dot, radius: float) -> Flags:
    """Return whether another point is about as near to a box as its own, (box,), if it does not touch its own."""
    others = [dot for dot in dots if math.dist(dot, own) >= 2 * radius]
    distances = distances_to(np.array(boxes), np.array([own, *others]))
    return np.any(distances[:, 1:] < CLEAR * distances[:, :1], axis=1)


def distances_to(boxes: Boxes, dots: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Return how far each point (dot, 2) is from each box, (box, dot); 0 inside."""
    ends = np.stack([boxes[:, None, :2] - dots[None], dots[None] - boxes[:, None, 2:]])
    found: npt.NDArray[np.float64] = np.hypot(*np.moveaxis(ends.max(axis=0).clip(min=0), 2, 0))
    return found


def put(place: Axes, text: Text, box: Box, dot: Dot, radius: float) -> Box:
    """Move a text into its box, with a thin line to its point if that is away from it; return the box."""
    left, lower, right, upper = box
    text.set_transform(place.transAxes)
    text.set_position(at(place.transAxes.inverted(), left, (lower + upper) / 2))
    end = (min(max(dot[0], left), right), min(max(dot[1], lower), upper))
    if abs(end[0] - dot[0]) + abs(end[1] - dot[1]) > 2.5 * radius:
        ends = place.transAxes.inverted().transform([dot, end])
        place.plot(ends[:, 0], ends[:, 1], color=INK, linewidth=0.5, alpha=0.6, transform=place.transAxes, zorder=1)
    return box


def one_place(left: Sequence[int], dots: Sequence[Dot], radius: float) -> list[list[int]]:
    """Return the numbers of points, those that cover one another together.

    Args:
        left: the points in the order of their numbers, which start at 1.
        dots: place of every point.
    """
    found: list[list[int]] = []
    for number, index in enumerate(left, 1):
        if found and math.dist(dots[index], dots[left[found[-1][0] - 1]]) < radius:
            found[-1].append(number)
        else:
            found.append([number])
    return found


def number_label(numbers: Sequence[int]) -> str:
    """Return "4", or "4–7" for the numbers of points at one place."""
    return f"{numbers[0]}–{numbers[-1]}" if len(numbers) > 1 else str(numbers[0])


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
