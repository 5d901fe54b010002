"""Read curve.csv of a run: a line per epoch of a network, or per candidate of a linear model."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from retable.errors import InputError
from retable.files import read_csv
from retable.forms import Form, Number, Section, Text, check
from retable.text.choosing import dev_score
from retable.wording import number_of

ADVICE = "remove its folder, or copy it again"
PERCENT = 100.0
SHARE = Number(0, 1 + 1e-9)
CORRELATION = Number(-1 - 1e-9, 1 + 1e-9)
ANY_LOSS = Number(-1e12, 1e12)  # an objective may be below 0
EPOCH = Section(
    {"epoch": Number(1, whole=True), "learning_rate": Number(0, 1e12), "train_loss": ANY_LOSS, "train_accuracy": SHARE}
    | {"dev_loss": ANY_LOSS, "dev_accuracy": SHARE, "seconds": Number(0, 1e9)},
    {"dev_map": SHARE, "dev_pearson": CORRELATION},
    closed=True,
)
CANDIDATE = Section(
    {"features": Text(), "dev_accuracy": SHARE}, {"cost": Number(0, 1e12), "dev_map": SHARE}, closed=True
)
MOST_LINES = 10_000  # a picture shows every line


def read_curve(folder: Path, epochs: int | None = None) -> list[dict[str, str]]:
    """Return the lines of curve.csv of a run, checked.

    Args:
        epochs: how many the run has, if it is known.
    Raises: InputError.
    """
    path = folder / "curve.csv"
    lines = read_csv(path)
    if not 1 <= len(lines) <= MOST_LINES:
        raise InputError(f"{path} has {len(lines):,} lines; allowed: 1 to {MOST_LINES:,}; {ADVICE}.")
    form = EPOCH if "epoch" in lines[0] else CANDIDATE
    for number, line in enumerate(lines, start=1):
        where = f"{path}, line {number + 1}"
        check(values_of(line, form), form, where, ADVICE)
        if form is EPOCH and int(line["epoch"]) != number:
            raise InputError(f"epoch is {line['epoch']} in {where}; allowed: {number}; {ADVICE}.")
    found = len(lines) if form is EPOCH else 0
    if epochs is not None and found != epochs:
        raise InputError(f"{path} has {number_of(found, 'epochs')}, but metrics.json says {epochs}; {ADVICE}.")
    return lines


def values_of(line: Mapping[str, str], form: Section) -> dict[str, Any]:
    """Return the fields of a line, as numbers where the form has numbers and they are some."""
    fields = {**form.fields, **(form.more or {})}
    return {name: value_of(text, fields.get(name)) for name, text in line.items()}


def value_of(text: str, form: Form | None) -> str | int | float:
    """Return a field as the number that its form wants; as it is if it is none."""
    if not isinstance(form, Number):
        return text
    try:
        return int(text) if form.whole else float(text)
    except ValueError:
        return text


def dev_scores(lines: Sequence[Mapping[str, str]]) -> tuple[float, ...]:
    """Return the score on dev after each epoch, in percent; empty for a linear model."""
    return tuple(PERCENT * dev_score(line) for line in lines if "epoch" in line)
