"""BLSTM-2DCNN and BLSTM-2DPooling, Zhou et al. 2016."""

import math

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor, tensor
from torch.testing import assert_close

from retable.layers.embedding import WordEmbedding
from retable.models.blstm_2dcnn import BLSTM2DCNN
from tests.models.declared import CLASSES, DIM, Case, Declared, gates, texts, with_random_weights, words
from tests.models.test_lstm import slow_states

FRAMES = 12  # of the cases: 9 words are fewer, 64 more


def parameters(h: int, k: int, p: tuple[int, int], q: tuple[int, int], rows: int = FRAMES) -> int:
    """Count weights and biases: LSTM, filters, W on floor(...) values p of each filter."""
    pooled = (rows - p[0] + 1) // q[0] * ((h - p[1] + 1) // q[1])
    filters = k * (p[0] * p[1] + 1)
    return 2 * 4 * h * (DIM + h + 2) + filters + max(k, 1) * pooled * CLASSES + CLASSES


def multiply_adds(t: int, *, hidden: int, filters: int, frames: int, window=(3, 3), pool=(2, 2)) -> float:
    """Count multiply-adds: eight gates per word read, the filters at every place, W on each p that has a window."""
    t = min(t, frames)
    k, d = window if filters else (1, 1)
    rows = min(math.ceil((t - k + 1) / pool[0]), (frames - k + 1) // pool[0])
    values = rows * ((hidden - d + 1) // pool[1]) * max(filters, 1)
    return t * 2 * gates(4, DIM, hidden) + (t - k + 1) * (hidden - d + 1) * k * d * filters + values * CLASSES


def dropped(*, hidden: int, filters: int, window=(3, 3), pool=(2, 2), **_: object) -> list[tuple[int, ...]]:
    """Return the shapes of word vectors, H, and h* for nine words."""
    k, d = window if filters else (1, 1)
    values = math.ceil((9 - k + 1) / pool[0]) * ((hidden - d + 1) // pool[1])
    return [words(DIM), words(hidden), texts(max(filters, 1) * values)]


EVERY_MODEL = Declared(
    cases=[
        Case("blstm-2dcnn", parameters(7, 4, (3, 3), (2, 2)), {"hidden": 7, "filters": 4, "frames": FRAMES}),
        Case("blstm-2dcnn", parameters(6, 0, (1, 1), (2, 2)), {"hidden": 6, "filters": 0, "frames": FRAMES}),
        Case(
            "blstm-2dcnn",
            parameters(5, 3, (2, 1), (3, 2)),
            {"hidden": 5, "filters": 3, "frames": FRAMES, "window": [2, 1], "pool": [3, 2]},
        ),
    ],
    dropped=dropped,
    multiply_adds=multiply_adds,
    refused=[
        ({"filters": -1}, "filters is -1; allowed: filters >= 0"),
        ({"window": [3]}, "window is [3]; allowed: two whole numbers >= 1"),
        ({"window": [0, 3]}, "window is [0, 3]; allowed: two whole numbers >= 1"),
        ({"pool": [2, 0]}, "pool is [2, 0]; allowed: two whole numbers >= 1"),
        ({"frames": 3}, "frames is 3; allowed: frames >= 4"),
        ({"frames": 1, "filters": 0}, "frames is 1; allowed: frames >= 2"),
        ({"hidden": 3}, "hidden is 3; allowed: hidden >= 4"),
        ({"dropout_words": 1.0}, "dropout_words is 1.0; allowed: 0 <= dropout_words < 1"),
        ({"dropout_states": 1.0}, "dropout_states is 1.0; allowed: 0 <= dropout_states < 1"),
        ({"dropout": -0.5}, "dropout is -0.5; allowed: 0 <= dropout < 1"),
    ],
)


def small_network(**options) -> BLSTM2DCNN:
    """Return the network in float64, with weights and biases large enough to matter, in evaluation mode."""
    torch.manual_seed(7)
    options = {"hidden": 7, "filters": 3, "frames": 8} | options
    return with_random_weights(BLSTM2DCNN(WordEmbedding(torch.randn(20, 4), tuned=20), 2, **options).double(), std=0.5)


def slow_maps(network: BLSTM2DCNN, states: list[Tensor]) -> list[list[list[float]]]:
    """Return O of each filter, row by row and column by column; without filters, H."""
    if network.convolution is None:
        return [[state.tolist() for state in states]]
    k, d = network.window
    states = states + [torch.zeros(7, dtype=torch.float64)] * (k - len(states))
    h = torch.stack(states)
    return [
        [
            [max(0.0, ((m[0] * h[i : i + k, j : j + d]).sum() + b).item()) for j in range(7 - d + 1)]
            for i in range(len(h) - k + 1)
        ]
        for m, b in zip(network.convolution.weight, network.convolution.bias, strict=True)
    ]


def slow_logits(network: BLSTM2DCNN, words: Tensor) -> Tensor:
    """Return the logits of one unpadded text, value by value from the equations; h* has its full length."""
    vectors = list(network.embedding(words[: network.frames].unsqueeze(0))[0])
    ahead = slow_states(network.lstm, vectors, "l0")
    back = slow_states(network.lstm, vectors[::-1], "l0_reverse")[::-1]
    maps = slow_maps(network, [one + other for one, other in zip(ahead, back, strict=True)])
    p1, p2 = network.pool
    text = []
    for i in range(0, (network.frames - network.window[0] + 1) // p1 * p1, p1):
        for o in maps:
            for j in range(0, len(o[0]) // p2 * p2, p2):
                text.append(max((value for row in o[i : i + p1] for value in row[j : j + p2]), default=0.0))
    return network.output.weight @ tensor(text, dtype=torch.float64) + network.output.bias


@pytest.mark.parametrize(
    "options", [{}, {"filters": 0}, {"window": [2, 1], "pool": [3, 2]}, {"filters": 0, "pool": [3, 3]}], ids=str
)
def test_fast_form_matches_the_equations_value_by_value(options):
    """Check padded texts with arbitrary words in the padding, some cut and some shorter than a window."""
    network = small_network(**options)
    words, lengths = torch.randint(2, 20, (6, 10)), (10, 1, 2, 5, 3, 8)
    logits = network(words, torch.arange(10) < tensor(lengths).unsqueeze(1))
    for text, length in enumerate(lengths):
        assert_close(logits[text], slow_logits(network, words[text, :length]))


def test_pooling_of_states_by_hand():
    """Two texts of three words and one; negative values are largest where there are no others; no words give 0."""
    network = small_network(filters=0, frames=5, hidden=4)
    states = tensor([[[-1, -2, 5, 0], [-3, -4, 1, 6], [-7, -8, 2, -9]], [[-1, -5, -2, -3], [0, 0, 0, 0], [0, 0, 0, 0]]])
    mask = tensor([[True, True, True], [True, False, False]])
    found = network.pooled(states.double(), mask)
    assert found[:, :, 0].tolist() == [[[-1, 6], [-7, 2]], [[-1, -2], [0, 0]]]


def test_convolution_by_hand():
    """The filter [[1, 2]] over 1, 3, -4, 2 gives 7, -5, 0: with bias 1, 8 from the only pair; the second row has none
    above zero.
    """
    network = small_network(filters=1, frames=3, hidden=4, window=[1, 2], pool=[1, 2])
    with torch.no_grad():
        network.convolution.weight.copy_(tensor([[[[1.0, 2.0]]]]))
        network.convolution.bias.fill_(1.0)
    states = tensor([[[1.0, 3.0, -4.0, 2.0], [-3.0, -1.0, -1.0, 9.0]]]).double()
    assert network.pooled(states, tensor([[True, True]])).flatten().tolist() == [8, 0]


def test_words_behind_the_frames_are_not_read():
    network, words, mask = small_network(), torch.randint(2, 20, (2, 12)), torch.ones(2, 12, dtype=torch.bool)
    assert network(words, mask).equal(network(words[:, :8], mask[:, :8]))
    assert not network(words, mask).equal(network(words[:, :7], mask[:, :7]))


@pytest.mark.parametrize("options", [{}, {"filters": 0}], ids=str)
def test_what_pooling_leaves_out_has_no_part_in_the_answer(options):
    """Pairs of rows: with filters 7 frames leave the 5th outside any window, without filters the 7th."""
    network, states = small_network(frames=7, **options), torch.randn(1, 7, 7).double()
    mask = torch.ones(1, 7, dtype=torch.bool)
    before = network.pooled(states, mask)
    assert before.equal(network.pooled(states.index_fill(1, tensor([6]), 9.0), mask))
    assert not before.equal(network.pooled(states.index_fill(1, tensor([5]), 9.0), mask))


def test_a_filter_of_one_value_leaves_the_pooling_of_what_is_above_zero():
    network, plain = small_network(filters=1, window=[1, 1]), small_network(filters=0)
    with torch.no_grad():
        network.convolution.weight.fill_(1.0)
        network.convolution.bias.zero_()
    states, mask = torch.randn(2, 6, 7).double(), torch.arange(6) < tensor([[6], [3]])
    states = states * mask.unsqueeze(2)
    assert_close(network.pooled(states, mask), plain.pooled(states, mask).clamp(min=0))


@pytest.mark.parametrize("options", [{}, {"filters": 0}], ids=str)
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_columns_of_padding_alone_change_nothing(dtype, options):
    network, words = small_network(**options).to(dtype), torch.randint(2, 20, (2, 3))
    mask = tensor([[True, False, False], [True, False, False]])
    longer = network(F.pad(words, (0, 9), value=3), F.pad(mask, (0, 9)))
    assert longer.dtype == dtype
    assert_close(longer, network(words[:, :1], mask[:, :1]))
