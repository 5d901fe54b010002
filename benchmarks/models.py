"""Time the training of models against the plain torch layer at the same shapes.

Each network is built and trained as its preset says, in float32, on texts of a corpus from its tables. The plain layer
gets vectors of the shapes that the model's own layer reads, (B, T, D) with padding, and is trained on the mean of its
output: forward, backward (to its input too, as words are trained) and Adam. Masks, word vectors, dropout, pooling and
classifier are what a model does in addition. FCSR has its own group, and `headlines` covers other models.
"""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from benchmarks.inputs import Prepared, first, prepared, split_of, vectors_of
from benchmarks.loop import training_rows
from benchmarks.report import Row
from benchmarks.timing import training_epoch
from retable.experiments.scale import model_preset
from retable.training.batches import BatchMaker, shuffled_batches

Section = Mapping[str, Any]
SST, AG = ("sst-2", "pool-en.word2vec-300"), ("ag-news-5k", "pool-en.word2vec-300")
R8, CED = ("r8", "r8.word2vec-100"), ("ced", "pool-zh.word2vec-characters-300")
BAG, LSTM, GRU, ENCODER = "nn.EmbeddingBag", "nn.LSTM", "nn.GRU", "nn.TransformerEncoderLayer"
# Model -> corpus and its word vectors, texts per epoch (half a second to a second on two cores), plain layer.
ASKED = {
    "avg-embedding": (SST, 6000, BAG),
    "lstm": (SST, 2000, LSTM),
    "bilstm": (SST, 2000, LSTM),
    "cspan": (AG, 500, LSTM),
    "structured-self-attention": (AG, 1000, LSTM),
    "bigru": (R8, 640, GRU),
    "lama": (R8, 640, GRU),
    "transformer": (CED, 60, ENCODER),
    "transformer-f": (CED, 60, ENCODER),
    "universal-transformer": (CED, 60, ENCODER),
}
QUICK_TEXTS, REPEATS = 8, 3


def measure(quick: bool) -> list[Row]:
    """Return two rows per model."""
    return [row for model in ASKED for row in rows_of(model, quick=quick)]


def rows_of(model: str, *, quick: bool) -> list[Row]:
    """Train one model and its plain layer."""
    (corpus, vectors), count, layer = ASKED[model]
    preset = model_preset(model)
    if corpus == "ced":
        preset["embedding"]["unit"] = "characters"
    if quick:
        preset["model"] |= {size: 1 for size in ("layers", "steps") if size in preset["model"]}
    texts = first(split_of(corpus, "train", quick=quick), QUICK_TEXTS if quick else count)
    given = prepared(preset, texts, vectors_of(vectors, quick=quick))
    return training_rows(
        f"{model}, {corpus}",
        given,
        preset["training"],
        repeats=1 if quick else REPEATS,
        peer=epoch_of_layer(layer, model, preset, given),
        peer_name=f"{layer} alone",
        multiplies=layer != BAG,
    )


def epoch_of_layer(name: str, model: str, preset: Section, given: Prepared) -> Callable[[], None]:
    """Return an epoch of a plain layer on batches of the model's shapes."""
    batches = shuffled_batches(given.texts.lengths, preset["training"]["batch_size"], np.random.default_rng(1))
    maker = BatchMaker(given.texts, torch.device("cpu"))
    words = [maker(batch).words for batch in batches]
    layer: nn.Module
    if name == BAG:
        layer, inputs = nn.EmbeddingBag(given.vocabulary.tuned, given.dim, mode="mean", padding_idx=0), words
    else:
        layer = Encoder(given.dim, preset["model"]) if name == ENCODER else recurrent(model, given.dim, preset["model"])
        inputs = [torch.randn(*each.shape, given.dim, requires_grad=True) for each in words]

    def loss(x: Tensor) -> Tensor:
        x.grad = None
        output = layer(x)
        mean: Tensor = (output[0] if isinstance(output, tuple) else output).mean()
        return mean

    optimiser = torch.optim.Adam(layer.parameters(), lr=1e-4, fused=True)
    return training_epoch(loss, optimiser, [(each,) for each in inputs])


def recurrent(model: str, dim: int, section: Section) -> nn.LSTM | nn.GRU:
    """Return the plain layer for a recurrent model's states, including padding."""
    kind, sides = nn.GRU if model in ("bigru", "lama") else nn.LSTM, 1 if model == "lstm" else 2
    side = (dim if model == "cspan" else section["hidden"]) // sides
    return kind(dim, side, num_layers=section.get("layers", 1), batch_first=True, bidirectional=sides == 2)


class Encoder(nn.Module):
    """Stack torch's encoder layers, or repeat one of them if the model counts steps."""

    def __init__(self, dim: int, model: Section) -> None:
        super().__init__()
        size, self.steps = model["size"], model.get("steps", 1)
        self.projection = nn.Linear(dim, size) if dim != size else nn.Identity()
        self.layers = nn.ModuleList(
            nn.TransformerEncoderLayer(size, model["heads"], 4 * size, dropout=model["dropout"], batch_first=True)
            for _ in range(model.get("layers", 1))
        )

    def forward(self, x: Tensor) -> Tensor:
        """Map (B, T, D) to (B, T, size)."""
        x = self.projection(x)
        for layer in [*self.layers] * self.steps:
            x = layer(x)
        return x
