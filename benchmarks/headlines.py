"""An epoch of 10,000 THUCNews headlines in characters: our models beside those of the public toolkit, at its sizes.

Ours       the presets with the toolkit's sizes, trained by `fit`, in batches of 128 headlines of about equal length;
           vectors of 300 random numbers (their values cost nothing).
Peer       benchmarks/toolkit.py, on the same headlines padded or cut to 32 characters; every batch has one shape, so
           that some of the 79 are timed and the rest counted. A second row has the toolkit's own epoch on the machine
           of 195 GFLOP/s, scaled.
Unlike     att-blstm is the paper's one layer, the toolkit has two; our transformer's feed-forward layer has 1,200
           units, the toolkit's 1,024; our fasttext has one table of 250,499 rows for bigrams and trigrams, the toolkit
           two and a hidden layer.
"""

from collections.abc import Callable
from functools import partial
from statistics import median
from typing import Any

import numpy as np
import torch
from torch import Tensor

from benchmarks.inputs import first, prepared, split_of
from benchmarks.loop import real_words, train_beside, training_flops
from benchmarks.rows import Row
from benchmarks.timing import scaled_s
from benchmarks.toolkit import BATCH, CHARACTERS, MODELS, FastText, toolkit_step
from retable.experiments.scale import model_preset
from retable.text.vocabulary import Encoded
from retable.vectors.store import NO_VECTORS

HEADLINES, QUICK_TEXTS, QUICK_BUCKETS = 10_000, 8, 1000
REPEATS, PEER_BATCHES = 3, 8  # of the peer after each epoch of ours
# Model -> the sizes that are not the preset's; the toolkit's seconds an epoch; the goal.
ASKED: dict[str, tuple[dict[str, Any], float, str]] = {
    "textcnn": ({"widths": [2, 3, 4], "filters": 256}, 17.7, ">= 3x the peer"),
    "bilstm": ({"layers": 2, "hidden": 256, "pool": "last"}, 16.9, ">= 2x the peer"),
    "att-blstm": ({}, 15.9, ">= 2x the peer"),
    "dpcnn": ({"shared": True}, 23.0, ">= 2x the peer"),
    "transformer": ({"layers": 2, "size": 300, "heads": 5}, 34.0, ">= 2x the peer"),
    "fasttext": ({"ngrams": 3, "buckets": 250_499}, 80.0, ">= 3x the peer"),
}


def measure(quick: bool) -> list[Row]:
    """Two rows a model.

    Raises: InputError if the headlines are not prepared.
    """
    return [row for model in ASKED for row in rows_of(model, quick=quick)]


def rows_of(model: str, *, quick: bool) -> list[Row]:
    """An epoch of one model beside the plain peer of this run, and beside the toolkit's scaled figure."""
    sizes, toolkit_s, goal = ASKED[model]
    preset = preset_of(model, sizes | ({"buckets": QUICK_BUCKETS} if quick and "buckets" in sizes else {}))
    headlines = first(split_of("thucnews-45k", "train", quick=quick), QUICK_TEXTS if quick else HEADLINES)
    ours = prepared(preset, headlines, NO_VECTORS)
    peer, batches = peer_epoch(model, ours.texts, len(ours.vocabulary.words), len(headlines.facts.labels), quick=quick)
    found = train_beside(ours.network, ours.texts, preset["training"], repeats=1 if quick else REPEATS, beside=peer)
    limit = None
    if model != "fasttext":
        per_text = real_words(ours.texts) / len(ours.texts)
        limit = training_flops(ours.network, per_text) * real_words(ours.texts) / found.rate
    share = -(-len(ours.texts) // BATCH) / batches
    path, limit_name = f"{model}, {len(ours.texts):,} headlines", "matrix products of this run" if limit else ""
    return [
        Row(
            path,
            "s an epoch",
            found.seconds,
            share * median(found.beside),
            "the toolkit's model on torch, same run",
            limit,
            limit_name,
            goal,
        ),
        Row(
            path,
            "s an epoch",
            found.seconds,
            scaled_s(toolkit_s * len(ours.texts) / HEADLINES, found.rate),
            f"the toolkit: {'over ' if model == 'fasttext' else ''}{toolkit_s:g} s elsewhere, scaled",
            limit,
            limit_name,
            goal,
        ),
    ]


def preset_of(model: str, sizes: dict[str, Any]) -> dict[str, Any]:
    """A model's preset with the toolkit's sizes: characters of 300 random numbers, batches of 128."""
    preset = model_preset(model)
    preset["model"] |= sizes
    preset["embedding"] |= {"vectors": "none", "unit": "characters", "size": 300, "min_count": 1}
    preset["training"]["batch_size"] = BATCH
    return preset


def peer_epoch(
    model: str, texts: Encoded, vocabulary: int, classes: int, *, quick: bool
) -> tuple[Callable[[], None], int]:
    """Some batches of the toolkit's model, and how many; one step was made before."""
    words, labels = padded(texts)
    build = partial(FastText, buckets=QUICK_BUCKETS) if quick and model == "fasttext" else MODELS[model]
    step = toolkit_step(build(vocabulary, classes))
    batches = 1 if quick else PEER_BATCHES // 4 if model == "fasttext" else PEER_BATCHES
    shapes = [(words[at : at + BATCH], labels[at : at + BATCH]) for at in range(0, batches * BATCH, BATCH)]
    step(*shapes[0])

    def epoch() -> None:
        for batch in shapes:
            step(*batch)

    return epoch, batches


def padded(texts: Encoded) -> tuple[Tensor, Tensor]:
    """All texts in row numbers, padded or cut to 32 characters, int64 (text, 32), and their classes."""
    place = texts.offsets[:-1, None] + np.arange(CHARACTERS)
    inside = np.arange(CHARACTERS) < texts.lengths[:, None]
    words = np.where(inside, texts.words[np.minimum(place, len(texts.words) - 1)], 0)
    return torch.from_numpy(words.astype(np.int64)), torch.from_numpy(texts.classes)
