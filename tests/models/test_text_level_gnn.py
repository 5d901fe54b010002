"""Text-level GNN, Huang et al. 2019."""

import math

import pytest
import torch
from torch import Tensor, nn, tensor
from torch.testing import assert_close

from retable.layers.embedding import WordEmbedding
from retable.models.text_level_gnn import PUBLIC, TextLevelGNN, edges_of_pairs
from retable.text.vocabulary import UNKNOWN
from tests.models.declared import CLASSES, DIM, OUTPUT, TUNED, Case, Declared, texts, with_random_weights

BUCKETS = 50


def multiply_adds(t: int, *, reach: int, **_: object) -> float:
    """Count components of every word's edges, to itself and to its neighbours, of M and of r; the classifier."""
    edges = sum(min(i + reach, t - 1) - max(i - reach, 0) + 1 for i in range(t))
    return (edges + 2 * t) * DIM + DIM * CLASSES


EVERY_MODEL = Declared(
    cases=[
        Case("text-level-gnn", 1 + BUCKETS + TUNED + OUTPUT, {"reach": 3, "buckets": BUCKETS}),
        Case("text-level-gnn", 1 + 7 + TUNED + OUTPUT, {"reach": 10, "buckets": 7}),
    ],
    dropped=lambda **_: [texts(DIM)],
    multiply_adds=multiply_adds,
    refused=[
        ({"reach": -1}, "reach is -1; allowed: reach >= 0"),
        ({"buckets": 0}, "buckets is 0; allowed: buckets >= 1"),
        ({"dropout": 1.0}, "dropout is 1.0; allowed: 0 <= dropout < 1"),
    ],
)
VOCABULARY, KNOWN = 14, 11  # few words, so that texts repeat some; rows 11 to 13 are in no training text


def small_network(**options) -> TextLevelGNN:
    """Return the network in float64, with weights and biases large enough to matter, in evaluation mode."""
    torch.manual_seed(5)
    embedding = WordEmbedding(torch.randn(VOCABULARY, 4), tuned=KNOWN)
    network = TextLevelGNN(embedding, 2, **({"reach": 2, "buckets": 1000} | options))
    return with_random_weights(network.double(), std=1.0)


def slow_edge(network: TextLevelGNN, a: int, n: int) -> Tensor:
    """Return e_an; a hash of the pair, or the public edge."""
    if not (UNKNOWN < a < KNOWN and UNKNOWN < n < KNOWN):
        return network.edges[PUBLIC]
    return network.edges[edges_of_pairs(tensor([a]), tensor([n]), len(network.edges) - 1)[0]]


def slow_logits(network: TextLevelGNN, words: list[int]) -> Tensor:
    """Return the logits of one unpadded text, word by word and neighbour by neighbour from the equations."""
    r = dict(zip(words, network.embedding(tensor([words]))[0], strict=True))
    text = torch.zeros(4, dtype=torch.float64)
    for n in sorted(set(words)):
        near = set()
        for i in (place for place, word in enumerate(words) if word == n):
            near |= set(words[max(0, i - network.reach) : i + network.reach + 1])
        message = torch.stack([slow_edge(network, a, n) * r[a] for a in near]).amax(dim=0)
        eta = torch.sigmoid(network.kept[n if n < KNOWN else UNKNOWN])
        text = text + (1 - eta) * message + eta * r[n]
    return network.output.weight @ text.relu() + network.output.bias


@pytest.mark.parametrize("reach", [0, 1, 2, 20])
def test_fast_form_matches_the_equations_word_by_word(reach):
    """Check padded texts with arbitrary words in the padding; it fails with a mean, without loops, with e_na."""
    network = small_network(reach=reach)
    words, lengths = torch.randint(1, VOCABULARY, (6, 9)), (9, 1, 2, 5, 9, 7)
    logits = network(words, torch.arange(9) < tensor(lengths).unsqueeze(1))
    for text, length in enumerate(lengths):
        assert_close(logits[text], slow_logits(network, words[text, :length].tolist()))


def test_two_words_by_hand():
    """Words 2 and 3 of one component, 4 and -1; e of 2 to itself 1, 2 to 3 is -2, 3 to itself 3, 3 to 2 is -5."""
    network = TextLevelGNN(WordEmbedding(tensor([[0.0], [0.0], [4.0], [-1.0]]), tuned=4), 1, reach=1).eval()
    numbers = {(2, 2): 1.0, (2, 3): -2.0, (3, 3): 3.0, (3, 2): -5.0}
    with torch.no_grad():
        for (a, n), number in numbers.items():
            network.edges[edges_of_pairs(tensor([a]), tensor([n]), len(network.edges) - 1)] = number
        network.kept[2], network.kept[3] = math.log(3), 0.0  # eta 3/4 and 1/2
        network.output.weight.fill_(2.0)
        network.output.bias.fill_(1.0)
    # M_2 = max(1 * 4, -5 * -1) = 5, M_3 = max(3 * -1, -2 * 4) = -3
    kept = (5 / 4 + 3 / 4 * 4) + (-3 / 2 + 1 / 2 * -1)
    assert network(tensor([[2, 3]]), tensor([[True, True]])).item() == pytest.approx(2 * kept + 1)


def test_a_word_that_stands_twice_is_one_node():
    """With every word in reach and edges of 1, only the set of words in a text matters."""
    network = small_network(reach=20)
    once, often = tensor([[2, 3, 4]]), tensor([[3, 2, 3, 4, 4, 2]])
    assert_close(network(once, once > 0), network(often, often > 0))


def test_edges_of_one_at_first_give_the_largest_neighbour_and_eta_a_half():
    torch.manual_seed(0)
    network = TextLevelGNN(WordEmbedding(torch.randn(9, 4), tuned=9), 2, reach=1, buckets=30).eval()
    words = tensor([[2, 3, 4]])
    r = network.embedding(words)[0]
    messages = torch.stack([r[:2].amax(dim=0), r.amax(dim=0), r[1:].amax(dim=0)])
    assert_close(network(words, words > 0)[0], network.output(((messages + r) / 2).sum(dim=0).relu()))


def test_nodes_that_keep_all_of_themselves_need_no_neighbours():
    """eta = 1: the sum of the distinct words, in any order."""
    network, words = small_network(), tensor([[2, 5, 8, 5]])
    nn.init.constant_(network.kept, torch.inf)
    text = network.embedding(tensor([[2, 5, 8]]))[0].sum(dim=0)
    assert_close(network(words, words > 0)[0], network.output(text.relu()))


def test_words_of_no_training_text_share_the_public_edge_and_the_unknown_words_eta():
    """Then nothing else of the edges and of eta has a gradient."""
    network, words = small_network(), tensor([[11, UNKNOWN, 12, 13]])
    network(words, words > 0).sum().backward()
    assert network.edges.grad.nonzero().flatten().tolist() == [PUBLIC]
    assert network.kept.grad.nonzero().flatten().tolist() == [UNKNOWN]
    assert_close(network(words, words > 0)[0], slow_logits(network, words[0].tolist()))


def test_fixed_vectors_are_all_known():
    network = TextLevelGNN(WordEmbedding(torch.randn(9, 4), tuned=0), 2, buckets=1000)
    words = tensor([[2, 8]])
    network(words, words > 0).sum().backward()
    assert network.kept.shape == (9,)
    assert network.edges.grad[PUBLIC] == 0
    assert network.kept.grad[UNKNOWN] == 0


def test_pairs_of_words_are_spread_over_all_edges_and_have_a_direction():
    """Of 10,000 pairs in 100 buckets the public edge has none, and no bucket has twice its share."""
    sources, targets = torch.arange(2, 102).repeat(100), torch.arange(2, 102).repeat_interleave(100)
    edges = edges_of_pairs(sources, targets, 100)
    counts = edges.bincount(minlength=101)
    assert counts[PUBLIC] == 0
    assert counts[1:].min() > 0
    assert counts.max() < 200
    assert (edges != edges_of_pairs(targets, sources, 100)).float().mean() > 0.9
