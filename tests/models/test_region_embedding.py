"""Region embedding, Qiao et al. 2018."""

from itertools import product

import pytest
import torch
from torch import Tensor, arange, tensor
from torch.testing import assert_close

from retable.layers.embedding import WordEmbedding
from retable.models.region_embedding import ContextUnits, RegionEmbedding
from tests.models.declared import DIM, OUTPUT, TUNED, Case, Declared, with_random_weights

VIEWS = ("word-context", "context-word")

EVERY_MODEL = Declared(
    cases=[
        Case("region-embedding", TUNED * 7 * DIM + OUTPUT),
        Case("region-embedding", TUNED * 3 * DIM + OUTPUT, {"region": 3, "view": "context-word"}),
        Case("region-embedding", TUNED * DIM + OUTPUT, {"region": 1}),
    ],
    dropped=lambda **_: [],
    multiply_adds=lambda t, region=7, **_: t * region * DIM + OUTPUT - 3,
    refused=[
        ({"region": 4}, "region is 4; allowed: odd numbers from 1"),
        ({"region": -1}, "region is -1; allowed: odd numbers from 1"),
        ({"view": "both"}, 'view is "both"; allowed: word-context, context-word'),
    ],
)


def small_network(tuned: int = 20, **options) -> RegionEmbedding:
    """Return the network in float64, with weights, units and biases large enough to matter, in evaluation mode."""
    torch.manual_seed(3)
    network = RegionEmbedding(WordEmbedding(torch.randn(20, 4), tuned=tuned), 2, **({"region": 5} | options))
    return with_random_weights(network.double(), std=0.7)


def slow_logits(network: RegionEmbedding, words: list[int]) -> Tensor:
    """Return the logits of one unpadded text, number by number; an untuned word has the unit of row 1."""
    vectors, reach = network.embedding(tensor([words]))[0].tolist(), network.region // 2
    table = network.units.weight.unflatten(1, (network.region, -1)).tolist()
    units = [table[word if word < len(table) else 1] for word in words]
    text = [0.0] * len(vectors[0])
    for i, d in product(range(len(words)), range(len(text))):
        places = [t for t in range(-reach, reach + 1) if 0 <= i + t < len(words)]
        if network.view == "word-context":
            text[d] += max(units[i][reach + t][d] * vectors[i + t][d] for t in places)
        else:
            text[d] += max(units[i + t][reach + t][d] * vectors[i][d] for t in places)
    return network.output.weight @ tensor(text, dtype=torch.float64) + network.output.bias


@pytest.mark.parametrize(("view", "region", "tuned"), [*product(VIEWS, (1, 5), (20, 12)), ("word-context", 3, 0)])
def test_fast_form_matches_the_equations_number_by_number(view, region, tuned):
    """Check padded texts with arbitrary words in the padding; the region is wider than some texts.

    It fails if a place outside the text counts as zero, with places in reverse order, and without each mask.
    """
    network = small_network(view=view, region=region, tuned=tuned)
    words, lengths = torch.randint(2, 20, (6, 9)), (9, 1, 2, 3, 5, 8)
    logits = network(words, arange(9) < tensor(lengths).unsqueeze(1))
    for text, length in enumerate(lengths):
        assert_close(logits[text], slow_logits(network, words[text, :length].tolist()), msg=f"{length} words")


def by_hand(view: str) -> list[float]:
    """Return the sum of the region embeddings of words 2 and 3, vectors 1 and -2, with units of three places."""
    embedding = WordEmbedding(tensor([[0.0], [0.0], [1.0], [-2.0]]), tuned=4)
    network = RegionEmbedding(embedding, 2, region=3, view=view)
    with torch.no_grad():
        network.units.weight.copy_(tensor([[0.0] * 3, [0.0] * 3, [5.0, 3.0, -4.0], [6.0, 1.0, 9.0]]))
        network.output.weight.copy_(tensor([[1.0], [0.0]]))
        network.output.bias.zero_()
    return network(tensor([[2, 3]]), tensor([[True, True]]))[0].tolist()


def test_word_context_by_hand():
    """Word 2: 3 x 1 and -4 x -2, most 8. Word 3: 6 x 1 and 1 x -2, most 6."""
    assert by_hand("word-context") == [14.0, 0.0]


def test_context_word_by_hand():
    """Word 2 sees 3 of its own and 9 of word 3, times 1: 9. Word 3 sees 5 of word 2 and its own 1, times -2: -2."""
    assert by_hand("context-word") == [7.0, 0.0]


@pytest.mark.parametrize("view", VIEWS)
def test_units_of_ones_give_the_sum_of_maxima_or_of_the_words(view):
    """The middle word takes the maximum over its neighbours, which leave it unchanged."""
    network = small_network(view=view, region=3)
    torch.nn.init.ones_(network.units.weight)
    words = tensor([[4, 9, 7]])
    first, second, third = network.embedding(words)[0]
    pair, other = torch.maximum(first, second), torch.maximum(second, third)
    most = pair + torch.maximum(pair, third) + other
    text = most if view == "word-context" else first + second + third
    assert_close(network(words, torch.ones(1, 3, dtype=torch.bool))[0], network.output(text))


@pytest.mark.parametrize("view", VIEWS)
def test_the_two_views_of_a_region_of_one_word_are_the_same(view):
    network, words, mask = small_network(region=1), torch.randint(2, 20, (3, 6)), arange(6) < tensor([[6], [1], [4]])
    assert_close(small_network(region=1, view=view)(words, mask), network(words, mask))


def test_order_matters_within_a_region_alone():
    """Texts 2 3 and 3 2 differ with regions of three words, and are the same bag with regions of one."""
    one, other, mask = tensor([[2, 3]]), tensor([[3, 2]]), tensor([[True, True]])
    for view in VIEWS:
        wide, single = small_network(region=3, view=view), small_network(region=1, view=view)
        assert not torch.allclose(wide(one, mask), wide(other, mask))
        assert_close(single(one, mask), single(other, mask))


def test_gradients_hold_the_units_of_the_batch_alone():
    """The rows of words 5 and 7, and the unknown word's for the untuned word 15; padding's stays at zero."""
    network = small_network(tuned=12)
    network(tensor([[5, 15, 7, 0]]), tensor([[True, True, True, False]])).sum().backward()
    gradient = network.units.weight.grad.coalesce()
    rows = gradient.indices()[0][gradient.values().any(dim=1)]
    assert rows.tolist() == [1, 5, 7]


def test_first_units_have_the_spread_of_the_authors_code():
    torch.manual_seed(1)
    units = ContextUnits(2000, 7, 30)
    assert float(units.weight.detach().std()) == pytest.approx((2 / 14000) ** 0.5, rel=0.02)
    assert units(tensor([[4, 2000]])).shape == (1, 2, 7, 30)
