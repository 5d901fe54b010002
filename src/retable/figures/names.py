"""Names of points: each where it covers no point, no other name and no line."""

from collections.abc import Iterator, Sequence
from textwrap import fill

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.transforms import Bbox, Transform

from retable.figures.style import INK

STEPS = (0.0, 1.0, 2.0, 3.0, 4.0, 5.5, 7.0, 9.0, 11.0)  # how far a name may stand from its point, in heights of a line
WIDER = 1.08  # a page's own font may be wider than the one that is measured here
LETTERS = 30  # of a line of a name


def put_names(figure: Figure, place: Axes, points: Sequence[tuple[str, float, float]], floor: float | None) -> None:
    """Put each name where it covers no point, no other name and not the floor's line, as near as there is room."""
    inside = place.get_window_extent()
    dots = [at(place.transData, x, y) for _, x, y in points]
    radius = figure.dpi * 3.5 / 72
    taken = [Bbox.from_extents(x - radius, y - radius, x + radius, y + radius) for x, y in dots]
    if floor is not None:
        _, level = at(place.transData, 1.0, floor)
        taken.append(Bbox.from_extents(inside.x0, level - 1, inside.x1, level + 1))
    for index in sorted(range(len(points)), key=lambda each: (-points[each][2], points[each][1])):
        name, *_ = points[index]
        text = place.text(0, 0, fill(name, LETTERS), transform=None, fontsize=6.5, va="center", ha="left")
        size = text.get_window_extent()
        best = min(
            boxes_near(*dots[index], WIDER * size.width, size.height, radius),
            key=lambda box: covered(box, taken) + outside(box, inside),
        )
        text.set_transform(place.transAxes)
        text.set_position(at(place.transAxes.inverted(), best.x0, (best.y0 + best.y1) / 2))
        join(place, dots[index], best, radius)
        taken.append(best)


def at(transform: Transform, x: float, y: float) -> tuple[float, float]:
    """Return where a place of one system stands in another."""
    found = transform.transform((x, y))
    return float(found[0]), float(found[1])


def boxes_near(x: float, y: float, width: float, height: float, radius: float) -> Iterator[Bbox]:
    """Yield where a name may stand, the best place first: right, left, above, below, then further off."""
    gap = 1.3 * radius
    for step in STEPS:
        for up in (step, -step) if step else (0.0,):
            for left in (x + gap, x - gap - width):
                yield Bbox.from_bounds(left, y + up * height - height / 2, width, height)
        for up in (step + 1.1, -step - 1.1):
            for left in (x - width / 2, x - 0.15 * width, x - 0.85 * width):
                yield Bbox.from_bounds(left, y + up * height - height / 2, width, height)


def covered(box: Bbox, taken: Sequence[Bbox]) -> float:
    """Return how much of what stands there already a box would cover."""
    return sum(area(common) for other in taken if (common := Bbox.intersection(box, other)) is not None)


def outside(box: Bbox, inside: Bbox) -> float:
    """Return how much of a box lies outside the panel."""
    common = Bbox.intersection(box, inside)
    return area(box) - (area(common) if common is not None else 0.0)


def area(box: Bbox) -> float:
    """Width times height."""
    return float(box.width * box.height)


def join(place: Axes, dot: tuple[float, float], box: Bbox, radius: float) -> None:
    """Draw a thin line from a point to a name that stands away from it."""
    end = (min(max(dot[0], box.x0), box.x1), min(max(dot[1], box.y0), box.y1))
    if abs(end[0] - dot[0]) + abs(end[1] - dot[1]) > 2.5 * radius:
        ends = place.transAxes.inverted().transform([dot, end])
        place.plot(ends[:, 0], ends[:, 1], color=INK, linewidth=0.5, alpha=0.6, transform=place.transAxes, zorder=1)
