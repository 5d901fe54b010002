"""Time 10,000 THUCNews headlines in characters: our models against those of the public toolkit, at its sizes.

Ours       the presets with the toolkit's sizes, trained by `fit`, in batches of 128 headlines of similar length, with
           vectors of 300 random numbers (their values do not affect time). The linear model trains and predicts dev.
Peer       benchmarks/toolkit.py, on the same headlines padded or cut to 32 characters; every batch has one shape, so
           only some of the 79 are timed and the rest extrapolated. For the linear model, scikit-learn's own classes.
Unlike     att-blstm has the paper's one layer, the toolkit two; our fasttext has one table of 250,499 rows for
           bigrams and trigrams, the toolkit two and a hidden layer. The toolkit's transformer is left out: `models`
           covers the encoders.
"""

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.pipeline import make_pipeline
from sklearn.svm import LinearSVC
from torch import Tensor

from benchmarks.inputs import Prepared, first, prepared, split_of
from benchmarks.loop import training_rows
from benchmarks.report import Row, timed_row
from benchmarks.timing import in_turns, training_epoch
from benchmarks.toolkit import BATCH, CHARACTERS, DIM, MODELS, FastText
from retable.experiments.scale import model_preset
from retable.models.linear import joined_texts, train_tfidf_svm
from retable.text.splits import Split
from retable.text.vocabulary import Encoded
from retable.vectors.store import NO_VECTORS

CORPUS, HEADLINES, QUICK_TEXTS, QUICK_BUCKETS = "thucnews-45k", 10_000, 8, 1000
REPEATS, PEER_BATCHES = 3, 8  # batches of the peer after each epoch of ours
# Model -> the sizes that differ from the preset, and the goal.
ASKED: dict[str, tuple[dict[str, Any], str]] = {
    "textcnn": ({"widths": [2, 3, 4], "filters": 256}, ">= 3x the peer"),
    "bilstm": ({"layers": 2, "hidden": 256, "pool": "last"}, ">= 2x the peer"),
    "att-blstm": ({}, ">= 2x the peer"),
    "dpcnn": ({"shared": True}, ">= 2x the peer"),
    "fasttext": ({"ngrams": 3, "buckets": 250_499}, ">= 3x the peer"),
}


def measure(quick: bool) -> list[Row]:
    """Return two rows per model, and one for the linear model."""
    train, dev = (split_of(CORPUS, part, quick=quick) for part in ("train", "dev"))
    headlines = first(train, QUICK_TEXTS if quick else HEADLINES)
    rows = [row for model in ASKED for row in rows_of(model, headlines, quick=quick)]
    return [*rows, linear_row(first(train, HEADLINES), dev, repeats=1 if quick else REPEATS)]


def rows_of(model: str, headlines: Split, *, quick: bool) -> list[Row]:
    """Train one model and the toolkit's."""
    sizes, goal = ASKED[model]
    preset = model_preset(model)
    preset["model"] |= sizes | ({"buckets": QUICK_BUCKETS} if quick and "buckets" in sizes else {})
    preset["embedding"] |= {"vectors": "none", "unit": "characters", "size": DIM, "min_count": 1}
    preset["training"]["batch_size"] = BATCH
    ours = prepared(preset, headlines, NO_VECTORS)
    peer, share = peer_epoch(model, ours, len(headlines.facts.labels), quick=quick)
    return training_rows(
        f"{model}, {len(headlines.ids):,} headlines",
        ours,
        preset["training"],
        repeats=1 if quick else REPEATS,
        peer=peer,
        peer_name="the toolkit's model",
        share=share,
        multiplies=model != "fasttext",
        goal=goal,
    )


def peer_epoch(model: str, given: Prepared, classes: int, *, quick: bool) -> tuple[Callable[[], None], float]:
    """Return some batches of the toolkit's model, and their share of an epoch."""
    words, labels = padded(given.texts)
    build = partial(FastText, buckets=QUICK_BUCKETS) if quick and model == "fasttext" else MODELS[model]
    network = build(len(given.vocabulary.words), classes)
    count = 1 if quick else PEER_BATCHES // 4 if model == "fasttext" else PEER_BATCHES
    batches = list(zip(torch.split(words, BATCH)[:count], torch.split(labels, BATCH)[:count], strict=True))
    optimiser = torch.optim.Adam(network.parameters(), lr=1e-3)
    epoch = training_epoch(lambda x, y: F.cross_entropy(network(x), y), optimiser, batches)
    return epoch, count / -(-len(words) // BATCH)


def padded(texts: Encoded) -> tuple[Tensor, Tensor]:
    """Return all texts as row numbers, padded or cut to 32 characters, int64 (text, 32), and their classes."""
    place = texts.offsets[:-1, None] + np.arange(CHARACTERS)
    inside = np.arange(CHARACTERS) < texts.lengths[:, None]
    words = np.where(inside, texts.words[np.minimum(place, len(texts.words) - 1)], 0)
    return torch.from_numpy(words.astype(np.int64)), torch.from_numpy(texts.classes)


def linear_row(train: Split, dev: Split, *, repeats: int) -> Row:
    """Train tf-idf + SVM on single characters and character bigrams, and predict dev."""

    def ours() -> None:
        model, _ = train_tfidf_svm(
            train, dev, lowercase=True, seed=1, unit="characters", features=["words-2"], costs=[1.0]
        )
        model.probabilities(dev)

    def peer() -> None:
        ngrams = TfidfVectorizer(tokenizer=str.split, token_pattern=None, ngram_range=(1, 2), sublinear_tf=True)
        model = make_pipeline(ngrams, LinearSVC(random_state=1))
        texts, asked = (joined_texts(split, "characters", lowercase=True) for split in (train, dev))
        model.fit(texts, train.classes).predict(asked)

    path = f"tf-idf + SVM, {len(train.ids):,} headlines, one C"
    return timed_row(path, "s", in_turns({"ours": ours, "peer": peer}, repeats), peer="scikit-learn's classes")
