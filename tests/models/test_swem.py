"""SWEM, Shen et al. 2018."""

import pytest
import torch
from torch import Tensor, tensor
from torch.testing import assert_close

from retable.layers.embedding import WordEmbedding
from retable.models.swem import SWEM, means_of_windows
from tests.models.declared import CLASSES, DIM, Case, Declared, texts, with_random_weights, words

POOLS = ("mean", "max", "concat", "hierarchical")
REFINED = DIM**2 + DIM


def mlp(size: int, hidden: int) -> int:
    """Count weights and biases of the classifier."""
    return size * hidden + hidden + hidden * CLASSES + CLASSES if hidden else size * CLASSES + CLASSES


def size_of(pool: str) -> int:
    """Return the size of a text vector."""
    return 2 * DIM if pool == "concat" else DIM


def multiply_adds(t: int, *, pool: str = "concat", window: int = 5, refined: bool = False, mlp_hidden: int) -> float:
    """Count one addition per word for a mean, n for windows; the refining layer per word; the classifier per text."""
    a_word = {"mean": DIM, "max": 0, "concat": DIM, "hierarchical": window * DIM}[pool] + (DIM**2 if refined else 0)
    size = size_of(pool)
    return t * a_word + (size * mlp_hidden + mlp_hidden * CLASSES if mlp_hidden else size * CLASSES)


EVERY_MODEL = Declared(
    cases=[
        Case("swem", mlp(2 * DIM, 7), {"mlp_hidden": 7}),
        Case("swem", mlp(DIM, 7), {"pool": "mean", "mlp_hidden": 7}),
        Case("swem", mlp(DIM, 0), {"pool": "max", "mlp_hidden": 0}),
        Case("swem", mlp(DIM, 7), {"pool": "hierarchical", "window": 3, "mlp_hidden": 7}),
        Case("swem", REFINED + mlp(2 * DIM, 7), {"refined": True, "mlp_hidden": 7}),
    ],
    dropped=lambda *, mlp_hidden, pool="concat", **_: [words(DIM), texts(mlp_hidden or size_of(pool))],
    multiply_adds=multiply_adds,
    refused=[
        ({"pool": "aver"}, 'pool is "aver"; allowed: mean, max, concat, hierarchical'),
        ({"window": 0}, "window is 0; allowed: window >= 1"),
        ({"mlp_hidden": -1}, "mlp_hidden is -1; allowed: mlp_hidden >= 0"),
        ({"dropout_words": 1.0}, "dropout_words is 1.0; allowed: 0 <= dropout_words < 1"),
        ({"dropout": -0.5}, "dropout is -0.5; allowed: 0 <= dropout < 1"),
    ],
)


def small_network(**options) -> SWEM:
    """Return the network in float64, with weights and biases large enough to matter, in evaluation mode."""
    torch.manual_seed(7)
    network = SWEM(WordEmbedding(torch.randn(20, 4), tuned=20), 2, **({"mlp_hidden": 3} | options))
    return with_random_weights(network.double(), std=0.7)


def slow_pooled(pool: str, vectors: list[Tensor], window: int) -> Tensor:
    """Compute z of one text, component by component, by section 3.3."""
    if pool == "concat":
        return torch.cat([slow_pooled(each, vectors, window) for each in ("mean", "max")])
    if pool == "hierarchical":
        size = min(window, len(vectors))
        begins = range(len(vectors) - size + 1)
        return slow_pooled("max", [sum(vectors[i : i + size]) / size for i in begins], window)
    if pool == "mean":
        return sum(vectors) / len(vectors)
    return torch.stack([max(component) for component in zip(*vectors, strict=True)])


def slow_logits(network: SWEM, numbers: Tensor) -> Tensor:
    """Return the logits of one unpadded text, word by word."""
    vectors = list(network.embedding(numbers.unsqueeze(0))[0])
    if network.refinement is not None:
        layer = network.refinement
        vectors = [(layer.weight @ vector + layer.bias).clamp(min=0) for vector in vectors]
    hidden, output = network.classifier[0], network.classifier[-1]
    z = slow_pooled(network.pool, vectors, network.window)
    return output.weight @ (hidden.weight @ z + hidden.bias).clamp(min=0) + output.bias


@pytest.mark.parametrize("refined", [False, True])
@pytest.mark.parametrize("pool", POOLS)
def test_fast_form_matches_the_equations_word_by_word(pool, refined):
    """Check padded texts, shorter and longer than a window, with arbitrary words in the padding."""
    network = small_network(pool=pool, refined=refined, window=4)
    numbers, lengths = torch.randint(2, 20, (5, 9)), (9, 1, 3, 4, 6)
    logits = network(numbers, torch.arange(9) < tensor(lengths).unsqueeze(1))
    for text, length in enumerate(lengths):
        assert_close(logits[text], slow_logits(network, numbers[text, :length]))


@pytest.mark.parametrize(
    ("pool", "expected"),
    [("mean", [1, -2]), ("max", [5, -1]), ("concat", [1, -2, 5, -1]), ("hierarchical", [2, -1.5])],
)
def test_each_pooling_by_hand(pool, expected):
    """Words (5, -4), (-1, -1), (-3, -2), (3, -1); windows of two have the means (2, -2.5), (-2, -1.5), (0, -1.5)."""
    x = tensor([[[5.0, -4.0], [-1.0, -1.0], [-3.0, -2.0], [3.0, -1.0], [9.0, 9.0]]])
    mask = tensor([[True, True, True, True, False]])
    assert_close(small_network(pool=pool, window=2).pooled(x, mask), tensor([expected], dtype=torch.float32))


def test_windows_of_a_text_by_hand():
    """From 1, 2, 6: two windows of two words, one of three; a one-word text is a window of any size."""
    x, mask = tensor([[[1.0], [2.0], [6.0]], [[7.0], [8.0], [8.0]]]), tensor([[True] * 3, [True, False, False]])
    means, inside = means_of_windows(x, mask, 2)
    assert inside.tolist() == [[True, True, False], [True, False, False]]
    assert means[inside].flatten().tolist() == [1.5, 4.0, 7.0]
    means, inside = means_of_windows(x, mask, 3)
    assert inside.tolist() == [[True, False, False], [True, False, False]]
    assert_close(means[inside].flatten(), tensor([3.0, 7.0]))


def test_windows_of_one_word_are_the_maximum_and_windows_of_the_text_the_mean():
    """The two limits of SWEM-hier."""
    x, mask = torch.randn(3, 6, 4), torch.arange(6) < tensor([[6], [1], [4]])
    pooled = {pool: small_network(pool=pool).pooled(x, mask) for pool in ("mean", "max")}
    assert_close(small_network(pool="hierarchical", window=1).pooled(x, mask), pooled["max"])
    assert_close(small_network(pool="hierarchical", window=6).pooled(x, mask), pooled["mean"])


@pytest.mark.parametrize("pool", POOLS)
def test_the_order_of_words_counts_for_windows_alone(pool):
    network, numbers, mask = small_network(pool=pool, window=2), tensor([[2, 3, 4, 5, 6]]), torch.ones(1, 5).bool()
    same = torch.allclose(network(numbers, mask), network(tensor([[2, 4, 6, 3, 5]]), mask))
    assert same == (pool != "hierarchical")


@pytest.mark.parametrize("pool", POOLS)
def test_a_column_of_padding_alone_changes_nothing(pool):
    network, numbers = small_network(pool=pool), tensor([[2, 3], [4, 0]])
    mask = tensor([[True, True], [True, False]])
    wider = (torch.nn.functional.pad(each, (0, 3)) for each in (numbers, mask))
    assert_close(network(*wider), network(numbers, mask))
