"""What a reader must know of a figure as it is drawn: sentences made from the lines of its CSV."""

from collections.abc import Callable, Iterator

from retable.figures.left_out import Key, Lines, Tables, not_drawn
from retable.figures.lines import far_lines, span_of
from retable.figures.style import each_once
from retable.papers.figures import EpochFigure, Figure, ParameterFigure, SizeFigure

INTERVALS = (
    "Bars are 95% intervals of one more run, beside each other where they share a place: of a single run the sampling "
    "of the test texts, with the spread between seeds where that is known."
)


def remarks(figure: Figure, tables: Tables, lines: Lines, why: Callable[[Key], str] = lambda key: "") -> str:
    """All sentences about a figure, what is not drawn last; arguments as those of `not_drawn`."""
    sentences = [*of_bars(figure, lines), *of_far_lines(figure, lines)]
    return " ".join([*sentences, not_drawn(figure, tables, lines, why)]).strip()


def of_bars(figure: Figure, lines: Lines) -> Iterator[str]:
    """What bars are, where there are any."""
    is_of_scores = isinstance(figure, SizeFigure) or getattr(figure, "measure", "") == "accuracy"
    if is_of_scores and any(line["low"] != line["high"] for line in lines):
        yield INTERVALS


def of_far_lines(figure: Figure, lines: Lines) -> Iterator[str]:
    """The lines that are told at the border, with their scores."""
    score = "dev_accuracy" if isinstance(figure, EpochFigure) else "accuracy"
    if not isinstance(figure, EpochFigure | ParameterFigure) or not all(score in line for line in lines):
        return
    told = []
    for panel in each_once([line["panel"] for line in lines]):
        values: dict[str, list[float]] = {}
        for line in lines:
            if line["panel"] == panel:
                values.setdefault(line["line"], []).append(float(line[score]))
        told += [f"{name} on {panel} ({span_of(values[name])})" for name in far_lines(values)]
    if told:
        yield f"Too far from the others for one axis, told at its border: {'; '.join(told)}."
