"""BiMPM, Wang et al. 2017: states of two texts matched in four ways under many weightings."""

import math

import pytest
import torch
from torch import Tensor, eye, tensor
from torch.testing import assert_close

from retable.layers.embedding import WordEmbedding
from retable.models.bimpm import ALL, BiMPM, best_perspectives, mean_of_states, perspectives
from tests.models.declared import CLASSES, DIM, Case, Declared, gates, texts, with_random_weights
from tests.models.test_abcnn import batch
from tests.models.test_lstm import slow_states

SIZES = {"hidden": 4, "perspectives": 2, "mlp_hidden": 7}


def parameters(matchings: int) -> int:
    """Count the parameters: both LSTMs, W of every matching in two directions, the classifier on four states."""
    lstms = sum(2 * (4 * 4 * (size + 4) + 2 * 4 * 4) for size in (DIM, 2 * 2 * matchings))
    return lstms + matchings * 2 * 2 * 4 + 4 * 4 * 7 + 7 + 7 * CLASSES + CLASSES


def multiply_adds(t: float, *, matching: tuple[str, ...] = ALL, **_: object) -> float:
    """Count the LSTMs at every word and, in each direction, the matchings of either text's states with the other's."""
    pairs, square = (t / 2) ** 2, 4 + 2 * 4  # components and their two weightings
    a_direction = 2 * pairs * 4 + 2 * t * 4  # cosines of all pairs of words, for both texts
    a_direction += (2 * t * square + 2 * square) * ("full" in matching)
    a_direction += (t * 2 * 4 + 2 * pairs * 2 * 4 + 2 * t * square) * ("maxpooling" in matching)
    a_direction += (3 * t * square + 2 * pairs * 4) * ("attentive" in matching)
    a_direction += 3 * t * square * ("max-attentive" in matching)
    lstms = 2 * gates(4, DIM, 4) + 2 * gates(4, 2 * 2 * len(matching), 4)
    return t * lstms + 2 * a_direction + 4 * 4 * 7 + 7 * CLASSES


def dropped(*, matching: tuple[str, ...] = ALL, **_: object) -> list[tuple[int, ...]]:
    """Return the shapes of words and states per text, matchings, last states, hidden layer; texts of three words."""
    return [(8, 3, DIM), (8, 3, 8)] * 2 + [(8, 3, 2 * 2 * len(matching))] * 2 + [texts(16), texts(7)]


EVERY_MODEL = Declared(
    cases=[
        Case("bimpm", parameters(4), SIZES),
        Case("bimpm", parameters(2), {"matching": ("full", "attentive"), **SIZES}),
        Case("bimpm", parameters(1), {"matching": ("maxpooling",), **SIZES}),
    ],
    dropped=dropped,
    multiply_adds=multiply_adds,
    refused=[
        ({"hidden": 0}, "hidden is 0; allowed: hidden >= 1"),
        ({"perspectives": 0}, "perspectives is 0; allowed: perspectives >= 1"),
        ({"mlp_hidden": 0}, "mlp_hidden is 0; allowed: mlp_hidden >= 1"),
        ({"matching": []}, "matching is []; allowed: one or more of full, maxpooling, attentive, max-attentive"),
        ({"matching": ["full", "full"]}, "matching is ['full', 'full']; allowed: one or more of full"),
        ({"matching": ["mean"]}, 'matching is "mean"; allowed: full, maxpooling, attentive, max-attentive'),
        ({"dropout": 1.0}, "dropout is 1.0; allowed: 0 <= dropout < 1"),
    ],
)

PAIRS = [([2, 3, 4, 5, 6, 7], [8, 9]), ([10], [11]), ([3, 4, 3], [3, 4, 3]), ([12, 2], [5, 6, 7, 8, 9, 10])]


def small_network(**options) -> BiMPM:
    """Return the network in float64, with weights and biases large enough to matter, in evaluation mode."""
    torch.manual_seed(4)
    options = {"hidden": 3, "perspectives": 2, "mlp_hidden": 5} | options
    return with_random_weights(BiMPM(WordEmbedding(torch.randn(20, 4), tuned=20), 2, **options).double(), std=0.7)


def both_directions(lstm, inputs: list[Tensor]) -> tuple[list[Tensor], list[Tensor]]:
    return slow_states(lstm, inputs, "l0"), slow_states(lstm, inputs[::-1], "l0_reverse")[::-1]


def cosine(x: Tensor, y: Tensor) -> Tensor:
    return x @ y / (x.norm() * y.norm())


def under(weights: Tensor, x: Tensor, y: Tensor) -> Tensor:
    """Compute m_k = cosine(W_k * v_1, W_k * v_2)."""
    return torch.stack([cosine(row * x, row * y) for row in weights])


def slow_matching(name: str, x: Tensor, others: list[Tensor], last: Tensor, weights: Tensor) -> Tensor:
    scores = [cosine(x, y) for y in others]
    if name == "full":
        return under(weights, x, last)
    if name == "maxpooling":
        return torch.stack([under(weights, x, y) for y in others]).amax(dim=0)
    if name == "attentive":
        return under(weights, x, sum(a * y for a, y in zip(scores, others, strict=True)) / sum(scores))
    return under(weights, x, others[max(range(len(others)), key=scores.__getitem__)])


def slow_logits(network: BiMPM, *pair: list[int]) -> Tensor:
    """Return the logits of one unpadded pair, state by state from the equations."""
    p, q = (both_directions(network.context, list(network.embedding(tensor([text]))[0])) for text in pair)
    ends = []
    for own, other in ((p, q), (q, p)):
        lasts = other[0][-1], other[1][0]
        inputs = [
            torch.cat(
                [
                    slow_matching(name, own[side][i], other[side], lasts[side], network.weights[number, side])
                    for side in (0, 1)
                    for number, name in enumerate(network.matching)
                ]
            )
            for i in range(len(own[0]))
        ]
        ahead, back = both_directions(network.aggregation, inputs)
        ends += [ahead[-1], back[0]]
    return network.output(torch.tanh(network.hidden(torch.cat(ends))))


@pytest.mark.parametrize("matching", [ALL, *((name,) for name in ALL)], ids="+".join)
def test_fast_form_matches_the_equations_state_by_state(matching):
    """Check equal texts, texts of one word, and words in the padding."""
    network = small_network(matching=matching)
    logits = network(*batch(*PAIRS))
    for row, pair in enumerate(PAIRS):
        assert_close(logits[row], slow_logits(network, *pair))


def test_perspectives_by_hand():
    """(1, 1) and (1, -1) under weights (1, 1), (2, 1) and (1, 0): 0, (4 - 1) / 5 and 1."""
    x, y = tensor([[[1.0, 1.0]]]), tensor([[[1.0, -1.0]]])
    weights = tensor([[1.0, 1.0], [2.0, 1.0], [1.0, 0.0]])
    assert_close(perspectives(x, y, weights), tensor([[[0.0, 0.6, 1.0]]]))


def test_best_perspectives_by_hand():
    """Each weighting picks its own best valid state: (1, -1) and (-1, 0), not (1, 1)."""
    x, y = tensor([[[1.0, 1.0]]]), tensor([[[1.0, -1.0], [-1.0, 0.0], [1.0, 1.0]]])
    weights, real = tensor([[1.0, 2.0], [2.0, 1.0]]), tensor([[[True, True, False]]])
    first = max(-3 / 5, -1 / math.sqrt(5))
    assert_close(best_perspectives(x, y, real, weights), tensor([[[first, 0.6]]]))


def test_means_of_states_by_hand():
    """Scores 1 and 3 give the direction of 0.25 and 0.75; for -1 and -3 the sign of the sum cancels."""
    scores = tensor([[[1.0, 3.0], [-1.0, -3.0]]])
    assert_close(mean_of_states(scores, eye(2).unsqueeze(0)), tensor([[[1.0, 3.0], [1.0, 3.0]]]))


def test_lengths_of_states_do_not_matter():
    network, mask = small_network(), torch.ones(1, 3, dtype=torch.bool)
    p, q = torch.randn(2, 1, 3, 6, dtype=torch.float64)
    assert_close(network.matched(5 * p, 0.1 * q, mask), network.matched(p, q, mask))


def test_a_text_of_one_word_is_matched_alike_in_all_four_ways():
    """There is only one state to take, so equal weights give equal numbers."""
    network = small_network()
    with torch.no_grad():
        network.weights.copy_(network.weights[:1].expand_as(network.weights))
    p, q = torch.rand(2, 1, 1, 6, dtype=torch.float64)  # above 0: a weighted mean has the direction of a state
    found = network.matched(p, q, torch.ones(1, 1, dtype=torch.bool)).view(2, 4, 2)
    assert_close(found, found[:, :1].expand(2, 4, 2))


def test_gradients_are_numbers_with_padding_and_a_text_without_words():
    network = BiMPM(WordEmbedding(eye(4), tuned=4), 2).train()
    mask, sides = tensor([[True, False], [True, True]]), tensor([[0, 0], [0, 2]])
    network(tensor([[2, 0], [3, 2]]), mask, sides).sum().backward()
    assert all(parameter.grad.isfinite().all() for parameter in network.parameters())
