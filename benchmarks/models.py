"""Training of every model but FCSR: beside the plain torch layer at the same shapes, what the loop adds, and padding.

Each network is built and trained as its preset says, in float32, on texts of a corpus whose tables have it. Three rows
a model: words/s; the share of an epoch outside forward, backward and step (benchmarks/loop.py); the share of places
that are padding, over the batches of a whole training split. The limit is the matrix product of this run at the model's
FLOPs.
"""

from collections.abc import Callable, Mapping
from statistics import median
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn

from benchmarks.inputs import Prepared, first, padded_batches, prepared, split_of, vectors_of
from benchmarks.loop import real_words, train_beside, training_flops
from benchmarks.plain_layers import PLAIN, plain_step, rows_step
from benchmarks.rows import Row
from retable.experiments.scale import model_preset
from retable.layers.network import Task
from retable.text.splits import Split
from retable.text.units import in_unit
from retable.training.batches import Batch, BatchMaker, shuffled_batches
from retable.training.network import build_network

# Model -> corpus, its word vectors, texts of an epoch: about half a second to a second of two cores.
ASKED = {
    "avg-embedding": ("sst-2", "pool-en.word2vec-300", 6000),
    "fasttext": ("sst-2", "none", 6000),
    "textcnn": ("sst-2", "pool-en.word2vec-300", 3000),
    "dpcnn": ("sst-2", "pool-en.word2vec-300", 1920),
    "lstm": ("sst-2", "pool-en.word2vec-300", 2000),
    "bilstm": ("sst-2", "pool-en.word2vec-300", 2000),
    "att-blstm": ("sst-2", "pool-en.word2vec-300", 1920),
    "fcsr-fp": ("sst-2", "pool-en.word2vec-300", 200),
    "cspan": ("ag-news-5k", "pool-en.word2vec-300", 500),
    "structured-self-attention": ("ag-news-5k", "pool-en.word2vec-300", 1000),
    "bigru": ("r8", "r8.word2vec-100", 640),
    "lama": ("r8", "r8.word2vec-100", 640),
    "transformer": ("ced", "pool-zh.word2vec-characters-300", 60),
    "transformer-f": ("ced", "pool-zh.word2vec-characters-300", 60),
    "universal-transformer": ("ced", "pool-zh.word2vec-characters-300", 60),
}
QUICK_TEXTS = 8
REPEATS = 3
LIMIT = "matrix products of this run"


def measure(quick: bool) -> list[Row]:
    """Three rows a model.

    Raises: InputError if a corpus or set of vectors is not made.
    """
    return [row for model in ASKED for row in rows_of(model, quick=quick)]


def rows_of(model: str, *, quick: bool) -> list[Row]:
    """The rows of one model."""
    name, vectors_name, count = ASKED[model]
    preset = preset_of(model, name)
    if quick:
        preset["model"] |= {size: 1 for size in ("layers", "steps") if size in preset["model"]}
    train = split_of(name, "train", quick=quick)
    vectors = vectors_of(vectors_name, quick=quick)
    few = prepared(preset, first(train, QUICK_TEXTS if quick else count), vectors)
    words = real_words(few.texts)
    peer_name, peer = peer_of(model, preset, few)
    found = train_beside(few.network, few.texts, preset["training"], repeats=1 if quick else REPEATS, beside=peer)
    flops = training_flops(few.network, words / len(few.texts))
    return [
        Row(
            f"{model} training, {name}",
            "words/s",
            words / found.seconds,
            words / median(found.beside),
            f"{peer_name} alone, same shapes and run",
            None if model in ("fasttext", "avg-embedding") else found.rate / flops,
            "" if model in ("fasttext", "avg-embedding") else LIMIT,
            "",
        ),
        Row(
            f"{model}, around forward, backward, step",
            "% of the epoch",
            100 * found.overhead,
            None,
            "",
            None,
            "",
            "<= 5 %",
        ),
        Row(f"{model}, padding, {name}", "% of places", padding(preset, train), None, "", None, "", "<= 10 %"),
    ]


def preset_of(model: str, corpus: str) -> dict[str, Any]:
    """A model's preset; Chinese in characters."""
    preset = model_preset(model)
    if corpus == "ced":
        preset["embedding"]["unit"] = "characters"
    return preset


def padding(preset: Mapping[str, Any], train: Split) -> float:
    """Share of places that are padding in an epoch over a whole training split, in %."""
    lengths = np.diff(in_unit(train, preset["embedding"]["unit"]).tokens.offsets.to_numpy())
    if preset["training"]["max_words"]:
        lengths = np.minimum(lengths, preset["training"]["max_words"])
    batches = shuffled_batches(lengths, preset["training"]["batch_size"], np.random.default_rng(1))
    words, places = padded_batches(lengths, batches)
    return 100 * (1 - words / places)


def peer_of(model: str, preset: Mapping[str, Any], given: Prepared) -> tuple[str, Callable[[], None]]:
    """Name of the plain layer, and an epoch of it on batches of the same shapes."""
    batches = shuffled_batches(given.texts.lengths, preset["training"]["batch_size"], np.random.default_rng(1))
    maker = BatchMaker(given.texts, torch.device("cpu"))
    dim = given.dim
    if model in PLAIN:
        kind, build = PLAIN[model]
        layer = build(dim, preset["model"])
        shapes = [maker(batch).words.shape for batch in batches]
        return kind, epoch_of(plain_step(layer), [torch.randn(*shape, dim, requires_grad=True) for shape in shapes])
    if model == "fcsr-fp":
        step = network_step(
            build_network(model_preset("fcsr")["model"], Task(("one", "other")), torch.randn(4000, dim), tuned=4000)
        )
        return "one FCSR", epoch_of(step, [maker(batch)._replace(words=maker(batch).words % 4000) for batch in batches])
    sparse = model == "fasttext"
    rows = given.vocabulary.tuned + (preset["model"]["buckets"] if sparse else 0)  # the words of training
    numbers = [maker(batch).words for batch in batches]
    if sparse:  # as many n-grams as words, anywhere in the table
        numbers = [torch.cat([x, torch.randint(1, rows, x.shape) * (x > 0)], dim=1) for x in numbers]
    return "nn.EmbeddingBag", epoch_of(rows_step(rows, dim, sparse=sparse), numbers)


def network_step(network: nn.Module) -> Callable[[Batch], None]:
    """A step of Adam on a batch."""
    optimiser = torch.optim.Adam(network.parameters(), lr=1e-4, fused=True)

    def step(batch: Batch) -> None:
        optimiser.zero_grad()
        F.cross_entropy(network(*batch.inputs), batch.classes).backward()  # type: ignore[no-untyped-call]
        optimiser.step()

    return step


def epoch_of(step: Callable[[Any], None], batches: list[Any]) -> Callable[[], None]:
    """A step on every batch; once before, so that the optimiser's memory is there."""
    step(batches[0])

    def epoch() -> None:
        for batch in batches:
            step(batch)

    return epoch
