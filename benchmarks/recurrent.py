"""Time a recurrent layer on texts of different lengths: ours, torch's packing, and torch's plain layer on padding.

Forward and backward through a maximum over the words. The limit is the plain layer, whose backward direction starts
in the padding.
"""

import torch
from torch import Tensor, nn

from benchmarks.report import Row, timed_row
from benchmarks.timing import in_turns
from retable.layers.recurrent import _packed, states_of_words

SHAPES = (  # layer, texts, words, vector size, states per direction
    (nn.LSTM, 50, 20, 300, 150),
    (nn.LSTM, 50, 120, 300, 150),
    (nn.LSTM, 50, 300, 300, 150),
    (nn.GRU, 32, 100, 100, 50),
    (nn.GRU, 32, 250, 100, 50),
)
REPEATS = 3


def measure(quick: bool) -> list[Row]:
    """Return one row per shape."""
    torch.manual_seed(0)
    shapes = [(nn.LSTM, 4, 6, 8, 4)] if quick else SHAPES
    return [row_of(*shape, repeats=1 if quick else REPEATS) for shape in shapes]


def row_of(kind: type[nn.LSTM | nn.GRU], texts: int, longest: int, size: int, side: int, *, repeats: int) -> Row:
    """Time the three ways."""
    lengths = torch.randint(int(0.9 * longest), longest + 1, (texts, 1))
    mask = torch.arange(int(lengths.max())) < lengths
    words, layer = torch.randn(*mask.shape, size), kind(size, side, batch_first=True, bidirectional=True)
    times = in_turns(
        {
            "ours": lambda: backward(states_of_words(layer, leaf(words), mask), mask),
            "peer": lambda: backward(_packed(layer, leaf(words), mask, 0.0), mask),
            "limit": lambda: backward(layer(leaf(words))[0], mask),
        },
        repeats,
    )
    return timed_row(
        f"{kind.__name__}, {texts} x {longest} words, {size} to 2 x {side}",
        "words/s",
        times,
        work=int(mask.sum()),
        peer="torch's packed layer",
        limit="the plain layer on padded texts",
    )


def leaf(words: Tensor) -> Tensor:
    """Return word vectors that require a gradient."""
    return words.clone().requires_grad_()


def backward(states: Tensor, mask: Tensor) -> None:
    """Compute the gradient of the maximum over each text's words."""
    states.masked_fill(~mask.unsqueeze(2), -torch.inf).amax(dim=1).sum().backward()  # type: ignore[no-untyped-call]
