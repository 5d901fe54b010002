"""The progress display of a training."""

from collections.abc import Iterator
from contextlib import contextmanager
from math import prod
from typing import Any

from retable.project.progress import Bar, progress
from retable.text.choosing import dev_score, dev_score_name
from retable.text.splits import Split
from retable.text.units import in_unit


@contextmanager
def display(what: str, parameters: dict[str, Any], train: Split) -> Iterator[Bar]:
    """Show a progress bar over the words of all planned epochs; for a linear model, over its candidates."""
    model, training = parameters["model"], parameters["training"]
    if "epochs" in training:
        unit = parameters["embedding"]["unit"]
        total = len(in_unit(train, unit).tokens.flatten()) * training["epochs"]
    else:
        total, unit = prod(len(each) for each in model.values() if isinstance(each, list)), "candidates"
    with progress(what, total, unit) as bar:
        yield bar


def show_pass(bar: Bar, number: int, share: float) -> None:
    """Show how far a pretraining is, whose words are not counted."""
    bar.advance(0, f"pretraining, pass {number}: {share:.0%}")


def show_line(bar: Bar, line: dict[str, Any]) -> None:
    """Show an epoch, whose words are already counted, or a candidate."""
    bar.advance(0 if "epoch" in line else 1, note_of_line(line))


def note_of_line(line: dict[str, Any]) -> str:
    """Return the note that the display shows after an epoch or a candidate, with the score that chooses it."""
    score, name = dev_score(line), dev_score_name(line)
    shown = f"{score:.3f}" if name == "correlation" else f"{100 * score:.1f}%"
    dev = f"dev {shown}" + ("" if name == "accuracy" else f" {name}")
    if "epoch" in line:
        return f"epoch {line['epoch']} done, {dev}"
    cost = f", C {line['cost']:g}" if "cost" in line else ""
    return f"{line['features']}{cost}: {dev}"
