"""Texts of corpora with the weights that kept networks give their words: for the site of this machine alone.

Many corpora may not be passed on: none of this is in git, and `retable site` makes it only if asked (--texts).
"""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.compute as pc

from retable.figures.networks import split_of, trained_network
from retable.runs.predictions import read_predictions
from retable.runs.record import RunRecord
from retable.text.folds import part
from retable.text.splits import Split

SHOWN, LONGEST = 20, 100  # texts answered correctly, and as many wrong ones; words of the longest that is shown
LAMA, TRANSFORMERS = ("lama",), ("transformer", "transformer-f")  # models with a weight per word, and per pair of words


def kept(runs: Iterable[RunRecord], tagged: Path) -> Iterator[RunRecord]:
    """Yield the runs whose network was kept, on corpora whose texts are here."""
    for run in runs:
        is_here = run.folder and (run.folder / "model").is_dir() and (tagged / run.metrics["corpus"]).is_dir()
        if is_here and run.metrics["model"] in LAMA + TRANSFORMERS:
            yield run


def texts_of(run: RunRecord) -> list[dict[str, Any]]:
    """Return some test texts with the weights of their words, those with a correct answer first."""
    from retable.figures.attention import attended_texts, receiving_texts  # torch takes seconds

    facts, ids, _, _, probabilities = read_predictions(run.predictions)
    answered = dict(zip(ids, probabilities.argmax(axis=1).tolist(), strict=True))
    split = chosen(split_of(run), answered)
    read = attended_texts if run.metrics["model"] in LAMA else receiving_texts
    return [
        {
            "corpus": run.metrics["corpus"],
            "language": facts.language,
            "id": identity,
            "unit": run.metrics["parameters"]["embedding"]["unit"],
            "label": text.label,
            "answer": facts.labels[answered[identity]],
            "words": text.words,
            "weights": text.weights.tolist(),
        }
        for identity, text in zip(split.ids, read(trained_network(run), split), strict=True)
    ]


def chosen(split: Split, answered: dict[str, int]) -> Split:
    """Return the first short texts of a split that were answered correctly, and the first that were not."""
    is_short = pc.list_value_length(split.tokens).to_numpy(zero_copy_only=False) <= LONGEST
    is_right = np.array([answered.get(identity, -1) for identity in split.ids]) == split.classes
    is_here = np.array([identity in answered for identity in split.ids])
    places = [np.flatnonzero(is_short & is_here & (is_right == right))[:SHOWN] for right in (True, False)]
    return part(split, np.concatenate(places))
