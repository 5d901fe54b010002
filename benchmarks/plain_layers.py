"""The plain torch layer at the heart of each model, alone: what a model's training is held beside.

A layer is given vectors of the shapes that the model's own layer reads, (B, T, D) with padding, and is trained on the
mean of its output: forward, backward (to its input too, as words learn) and Adam. Masks, word vectors, dropout, pooling
and classifier are what a model does beside it.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn

Section = Mapping[str, Any]


class Convolutions(nn.Module):
    """TextCNN's: a convolution of each width over the words."""

    def __init__(self, dim: int, model: Section) -> None:
        super().__init__()
        widths: Sequence[int] = model["widths"]
        self.layers = nn.ModuleList(nn.Conv1d(dim, model["filters"], width, padding=width - 1) for width in widths)

    def forward(self, x: Tensor) -> Tensor:
        """(B, T, D) to the means of all maps."""
        x = x.transpose(1, 2)
        return torch.stack([layer(x).mean() for layer in self.layers])


class Pyramid(nn.Module):
    """DPCNN's: a convolution to the maps, then two more on half as many places again and again."""

    def __init__(self, dim: int, model: Section) -> None:
        super().__init__()
        maps = model["maps"]
        self.region = nn.Conv1d(dim, maps, model["region"], padding=model["region"] // 2)
        self.pairs = nn.ModuleList(
            nn.Sequential(nn.Conv1d(maps, maps, 3, padding=1), nn.Conv1d(maps, maps, 3, padding=1))
            for _ in range(model["blocks"])
        )

    def forward(self, x: Tensor) -> Tensor:
        """(B, T, D) to the maps at the last places."""
        x = self.region(x.transpose(1, 2))
        for pair in self.pairs:
            x = pair(x)
            if x.shape[2] == 1:
                break
            x = F.max_pool1d(F.pad(x, (0, 1)), kernel_size=3, stride=2)
        return x


class Recurrent(nn.Module):
    """nn.LSTM or nn.GRU, padding and all."""

    def __init__(
        self, kind: type[nn.LSTM | nn.GRU], dim: int, states: int, *, layers: int = 1, both: bool = True
    ) -> None:
        super().__init__()
        self.layer = kind(dim, states, num_layers=layers, batch_first=True, bidirectional=both)

    def forward(self, x: Tensor) -> Tensor:
        """(B, T, D) to the states of all words."""
        states: Tensor = self.layer(x)[0]
        return states


class Encoder(nn.Module):
    """torch's encoder layers: scaled dot-product attention and feed-forward; the same one again where `shared`."""

    def __init__(self, dim: int, model: Section, *, steps: int, shared: bool = False) -> None:
        super().__init__()
        size = model["size"]
        self.projection = nn.Linear(dim, size) if dim != size else nn.Identity()
        self.layers = nn.ModuleList(
            nn.TransformerEncoderLayer(size, model["heads"], 4 * size, dropout=model["dropout"], batch_first=True)
            for _ in range(1 if shared else steps)
        )
        self.steps = steps

    def forward(self, x: Tensor) -> Tensor:
        """(B, T, D) to (B, T, size)."""
        x = self.projection(x)
        for step in range(self.steps):
            x = self.layers[step % len(self.layers)](x)
        return x


# Model -> what builds its plain layer from the width of the word vectors and the section `model`; how the row names it.
PLAIN: dict[str, tuple[str, Callable[[int, Section], nn.Module]]] = {
    "textcnn": ("Conv1d", Convolutions),
    "dpcnn": ("Conv1d", Pyramid),
    "bilstm": (
        "nn.LSTM",
        lambda dim, model: Recurrent(nn.LSTM, dim, model["hidden"] // 2, layers=model["layers"]),
    ),
    "lstm": (
        "nn.LSTM",
        lambda dim, model: Recurrent(nn.LSTM, dim, model["hidden"], layers=model["layers"], both=False),
    ),
    "att-blstm": ("nn.LSTM", lambda dim, model: Recurrent(nn.LSTM, dim, model["hidden"])),
    "structured-self-attention": ("nn.LSTM", lambda dim, model: Recurrent(nn.LSTM, dim, model["hidden"] // 2)),
    "cspan": ("nn.LSTM", lambda dim, model: Recurrent(nn.LSTM, dim, dim // 2, layers=model["layers"])),
    "bigru": ("nn.GRU", lambda dim, model: Recurrent(nn.GRU, dim, model["hidden"] // 2)),
    "lama": ("nn.GRU", lambda dim, model: Recurrent(nn.GRU, dim, model["hidden"] // 2)),
    "transformer": ("nn.TransformerEncoderLayer", lambda dim, model: Encoder(dim, model, steps=model["layers"])),
    "transformer-f": ("nn.TransformerEncoderLayer", lambda dim, model: Encoder(dim, model, steps=model["layers"])),
    "universal-transformer": (
        "nn.TransformerEncoderLayer",
        lambda dim, model: Encoder(dim, model, steps=model["steps"], shared=True),
    ),
}


def plain_step(layer: nn.Module) -> Callable[[Tensor], None]:
    """A step of training on vectors (B, T, D)."""
    optimiser = torch.optim.Adam(layer.parameters(), lr=1e-4, fused=True)

    def step(x: Tensor) -> None:
        optimiser.zero_grad()
        x.grad = None
        layer(x).mean().backward()
        optimiser.step()

    return step


def rows_step(rows: int, dim: int, *, sparse: bool) -> Callable[[Tensor], None]:
    """The same of nn.EmbeddingBag, on row numbers (B, T): what models without a layer of their own are held beside."""
    bag = nn.EmbeddingBag(rows, dim, mode="mean", sparse=sparse, padding_idx=0)
    kind = torch.optim.SparseAdam if sparse else partial(torch.optim.Adam, fused=True)
    optimiser: torch.optim.Optimizer = kind(bag.parameters())

    def step(words: Tensor) -> None:
        optimiser.zero_grad()
        bag(words).mean().backward()
        optimiser.step()

    return step
