"""Show a user's labels, and find those that may be mistakes: one label written in two ways, or a missing value."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping

from retable.errors import shortened

MOST_COUNTED = 10  # labels that are shown with their counts
MOST_NAMED = 5  # in a warning
MISSING = frozenset(("na", "n/a", "#n/a", "<na>", "nan", "none", "null"))  # folded; "none" may be meant
NUMBER = re.compile(r"([+-]?)0*(\d+)(?:\.(\d*?)0*)?")


def sentence_of_labels(counts: Mapping[str, int]) -> str:
    """Return the labels with their numbers of texts, most frequent first."""
    ordered = sorted(counts, key=lambda label: (-counts[label], label))
    listed = ", ".join(f"{shortened(label)} ({counts[label]:,})" for label in ordered[:MOST_COUNTED])
    if len(ordered) <= MOST_COUNTED:
        return f"Labels: {listed}."
    fewest = counts[ordered[-1]]
    return f"The {MOST_COUNTED} most frequent of {len(ordered):,} labels: {listed}; the rarest has {fewest:,}."


def warning_of_labels(labels: Iterable[str]) -> str:
    """Return one sentence about labels that may be one label, or missing values; "" if there are none."""
    names = sorted(labels)
    times = Counter(map(folded, names))
    alike = sorted((name for name in names if times[folded(name)] > 1), key=folded)
    missing = [name for name in names if folded(name) in MISSING]
    said = [
        f"{what}: {', '.join(map(shortened, found[:MOST_NAMED]))}{', ...' * (len(found) > MOST_NAMED)} ({advice})"
        for what, found, advice in (
            ("differ only in how they are written", alike, "if they mean the same, write them alike"),
            ("look like missing values", missing, "if they are, leave out their rows"),
        )
        if found
    ]
    return f"Warning: some labels {'; some '.join(said)}." if said else ""


def folded(label: str) -> str:
    """Return a label without case and needless spaces; a number without needless zeros: "1" for "01" and "1.0"."""
    name = " ".join(label.casefold().split())
    number = NUMBER.fullmatch(name)
    if not number:
        return name
    sign, whole, part = number.groups(default="")
    return f"{sign.strip('+')}{whole}{'.' if part else ''}{part}"
