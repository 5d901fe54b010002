"""Say what a reader must know of a figure as it is drawn: sentences made from the lines of its CSV."""

from collections.abc import Callable, Iterator

from retable.figures.left_out import Key, Lines, Tables, not_drawn
from retable.figures.lines import far_lines, span_of
from retable.figures.style import each_once
from retable.papers.figures import AttentionFigure, EpochFigure, Figure, ParameterFigure, SizeFigure

SAME = 1e-3  # weights that differ less, as a share of the even one, are equal
INTERVALS = (
    "Bars are 95% intervals of one more run, beside each other where they share a place: of a single run the sampling "
    "of the test texts, with the spread between seeds where that is known."
)


def remarks(figure: Figure, tables: Tables, lines: Lines, why: Callable[[Key], str] = lambda key: "") -> str:
    """Return all sentences about a figure, what is not drawn last; arguments as those of `not_drawn`."""
    sentences = [*of_bars(figure, lines), *of_far_lines(figure, lines), *of_epochs(lines), *of_weights(figure, lines)]
    return " ".join([*sentences, not_drawn(figure, tables, lines, why)]).strip()


def of_bars(figure: Figure, lines: Lines) -> Iterator[str]:
    """Yield a sentence on what bars are, where there are any."""
    is_of_scores = isinstance(figure, SizeFigure) or getattr(figure, "measure", "") == "accuracy"
    if is_of_scores and any(line["low"] != line["high"] for line in lines):
        yield INTERVALS


def of_far_lines(figure: Figure, lines: Lines) -> Iterator[str]:
    """Yield the lines that are told at the border, with their scores."""
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


def of_epochs(lines: Lines) -> Iterator[str]:
    """Yield a sentence on how long the networks were trained whose weights are shown."""
    epochs = {line.get("panel") or line.get("column", ""): line.get("epochs", "") for line in lines}
    counts = set(epochs.values())
    if counts == {"1"}:
        yield "Trained for one epoch."
    elif len(counts) == 1 and counts != {""}:
        yield f"Trained for {counts.pop()} epochs."
    elif any(counts):
        yield f"Epochs of training: {'; '.join(f'{name} ({count})' for name, count in epochs.items())}."


def of_weights(figure: Figure, lines: Lines) -> Iterator[str]:
    """Yield a sentence on which models attend to all words alike, or with every word alike."""
    for panel in each_once([line["panel"] for line in lines]) if isinstance(figure, AttentionFigure) else ():
        of_words: dict[str, list[float]] = {}
        for line in lines:
            if line["panel"] == panel:
                of_words.setdefault(line["to"], []).append(float(line["weight"]))
        allowed = SAME / len(of_words)
        every = [weight for weights in of_words.values() for weight in weights]
        if max(every) - min(every) <= allowed:
            yield f"The weights of {panel} are uniform: every weight is 1/{len(of_words)}."
        elif all(max(weights) - min(weights) <= allowed for weights in of_words.values()):
            yield f"In {panel} every word attends alike: all lines of the map are equal."
