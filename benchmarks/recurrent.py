"""A recurrent layer over texts of different lengths: ours, packed by torch, and torch's plain layer on the padding.

Forward and backward to a maximum over the words. The plain layer, whose backward direction starts in the padding, is
the limit.
"""

from collections.abc import Callable

import torch
from torch import Tensor, nn

from benchmarks.rows import Row
from benchmarks.timing import rates
from retable.layers.recurrent import _packed, states_of_words

SHAPES = (  # layer, texts, words, vector, states a side
    (nn.LSTM, 50, 20, 300, 150),
    (nn.LSTM, 50, 120, 300, 150),
    (nn.LSTM, 50, 300, 300, 150),
    (nn.GRU, 32, 100, 100, 50),
    (nn.GRU, 32, 250, 100, 50),
)
REPEATS = 3


def measure(quick: bool) -> list[Row]:
    """A row a shape."""
    torch.manual_seed(0)
    shapes = [(nn.LSTM, 4, 6, 8, 4)] if quick else SHAPES
    return [row_of(*shape, repeats=1 if quick else REPEATS) for shape in shapes]


def row_of(kind: type[nn.LSTM | nn.GRU], texts: int, longest: int, size: int, side: int, *, repeats: int) -> Row:
    """Words a second of the three ways."""
    lengths = torch.randint(int(0.9 * longest), longest + 1, (texts, 1))
    mask = torch.arange(int(lengths.max())) < lengths
    words, layer = torch.randn(*mask.shape, size), kind(size, side, batch_first=True, bidirectional=True)
    ways: dict[str, Callable[[], None]] = {
        "ours": lambda: backward(states_of_words(layer, leaf(words), mask), mask),
        "packed": lambda: backward(_packed(layer, leaf(words), mask, 0.0), mask),
        "plain": lambda: backward(layer(leaf(words))[0], mask),
    }
    speed = rates(ways, float(mask.sum()), repeats)
    return Row(
        f"{kind.__name__}, {texts} x {longest} words, {size} to 2 x {side}",
        "words/s",
        speed["ours"],
        speed["packed"],
        "torch's packed layer, same run",
        speed["plain"],
        "the plain layer on padded texts",
        "",
    )


def leaf(words: Tensor) -> Tensor:
    """Words that are asked for a gradient."""
    return words.clone().requires_grad_()


def backward(states: Tensor, mask: Tensor) -> None:
    """The gradient of the maximum over each text's words."""
    states.masked_fill(~mask.unsqueeze(2), -torch.inf).amax(dim=1).sum().backward()  # type: ignore[no-untyped-call]
