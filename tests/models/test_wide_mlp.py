"""WideMLP, Galke and Scherp 2022."""

import pytest
import torch
from torch import Tensor, tensor
from torch.testing import assert_close

from retable.layers.embedding import WordEmbedding
from retable.models.wide_mlp import WideMLP
from tests.models.declared import CLASSES, DIM, OUTPUT, Case, Declared, texts, with_random_weights


def multiply_adds(t: int, *, hidden: int = 0, layers: int = 1, **_: object) -> float:
    """Count each word's row as added once; the matrices are per text."""
    width = hidden or DIM
    return t * DIM + DIM * hidden + (layers - 1) * width**2 + width * CLASSES


EVERY_MODEL = Declared(
    cases=[
        Case("wide-mlp", OUTPUT),
        Case("wide-mlp", DIM**2 + DIM + OUTPUT, {"pool": "sum", "layers": 2}),
        Case("wide-mlp", DIM * 9 + 9 + 9 * CLASSES + CLASSES, {"hidden": 9}),
    ],
    dropped=lambda *, hidden=0, layers=1, **_: [texts(hidden or DIM)] * layers,
    multiply_adds=multiply_adds,
    refused=[
        ({"pool": "max"}, 'pool is "max"; allowed: mean, sum'),
        ({"hidden": -1}, "hidden is -1; allowed: hidden >= 0"),
        ({"layers": 0}, "layers is 0; allowed: layers >= 1"),
        ({"dropout": 1.0}, "dropout is 1.0; allowed: 0 <= dropout < 1"),
    ],
)


def small_network(*, tuned: int = 20, **options) -> WideMLP:
    """Return the network in float64, with weights and biases large enough to matter, in evaluation mode."""
    torch.manual_seed(7)
    embedding = WordEmbedding(torch.randn(20, 4), tuned=tuned, sparse=True)
    return with_random_weights(WideMLP(embedding, 2, **options).double(), std=0.7)


def slow_logits(network: WideMLP, numbers: Tensor) -> Tensor:
    """Return the logits of one unpadded text: a vector of counts over the vocabulary times the matrix of all rows."""
    embedding = network.embedding
    rows = torch.cat((embedding.tuned, embedding.fixed))  # W
    counts = torch.zeros(len(rows), dtype=rows.dtype)
    for number in numbers.tolist():
        counts[number] += 1
    x = rows.T @ (counts / len(numbers) if network.pool == "mean" else counts)
    for layer in [layer for layer in (network.first, *network.deeper) if layer is not None]:
        x = layer.weight @ (x if layer is network.first else x.clamp(min=0)) + layer.bias
    return network.output.weight @ x.clamp(min=0) + network.output.bias


@pytest.mark.parametrize(
    "options",
    [{}, {"pool": "sum"}, {"layers": 3}, {"hidden": 5}, {"hidden": 5, "layers": 2, "pool": "sum"}, {"tuned": 9}],
)
def test_fast_form_matches_the_counts_times_the_matrix(options):
    """Check padded texts with arbitrary words in the padding, in which a few words are frequent."""
    network = small_network(**options)
    numbers, lengths = torch.randint(2, 14, (4, 30)), (30, 1, 2, 17)
    logits = network(numbers, torch.arange(30) < tensor(lengths).unsqueeze(1))
    for text, length in enumerate(lengths):
        assert_close(logits[text], slow_logits(network, numbers[text, :length]))


@pytest.mark.parametrize(("pool", "expected"), [("mean", 7 / 3 * 10 + 1), ("sum", 71.0)])
def test_a_text_by_hand(pool, expected):
    """Rows (1, -1) twice and (5, 1): (7, -1) in all, where the negative unit is cut off; U is (10, 100), c is 1."""
    network = WideMLP(WordEmbedding(tensor([[0, 0], [0, 0], [1, -1], [5, 1]]).float(), tuned=0), 1, pool=pool).eval()
    with torch.no_grad():
        network.output.weight.copy_(tensor([[10.0, 100.0]]))
        network.output.bias.fill_(1.0)
    found = network(tensor([[2, 3, 2, 3]]), tensor([[True, True, True, False]]))
    assert found.item() == pytest.approx(expected)


def test_the_first_layer_has_no_bias_where_rows_are_its_weights():
    """Zero rows give the logits of no units; a layer over given vectors has a bias, which they leave unchanged."""
    words, mask = tensor([[2, 3]]), tensor([[True, True]])
    for hidden in (0, 5):
        network = small_network(hidden=hidden)
        with torch.no_grad():
            network.embedding.tuned.zero_()
        unmoved = torch.allclose(network(words, mask)[0], network.output.bias)
        assert unmoved == (hidden == 0)


def test_the_order_of_words_does_not_count_and_how_often_they_stand_does():
    network, mask = small_network(), torch.ones(1, 3, dtype=torch.bool)
    assert_close(network(tensor([[2, 3, 3]]), mask), network(tensor([[3, 2, 3]]), mask))
    assert not torch.allclose(network(tensor([[2, 3, 3]]), mask), network(tensor([[2, 2, 3]]), mask))


def test_a_text_said_twice_is_the_same_share_and_twice_the_count():
    words, mask = tensor([[2, 3, 2, 3]]), torch.ones(1, 4, dtype=torch.bool)
    for pool in ("mean", "sum"):
        network = small_network(pool=pool)
        once, twice = network(words[:, :2], mask[:, :2]), network(words, mask)
        grown = once if pool == "mean" else 2 * (once - network.output.bias) + network.output.bias
        assert_close(twice, grown)


def test_gradients_of_rows_are_sparse_and_those_of_the_loop():
    network, words, mask = small_network(), tensor([[2, 3, 3, 9], [4, 8, 8, 8]]), tensor([[True] * 3 + [False]] * 2)
    sparse, *rest = torch.autograd.grad(network(words, mask).square().sum(), [*network.parameters()])
    plain = sum(slow_logits(network, text[:3]).square().sum() for text in words)
    dense, *others = torch.autograd.grad(plain, [*network.parameters()])
    assert sparse.coalesce().indices()[0].tolist() == [2, 3, 4, 8]
    assert_close(sparse.to_dense(), dense)
    for ours, theirs in zip(rest, others, strict=True):
        assert_close(ours, theirs)
