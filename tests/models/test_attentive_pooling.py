"""Attentive pooling, dos Santos et al. 2016."""

import math

import pytest
import torch
from torch import Tensor, eye, tensor
from torch.testing import assert_close

from retable.layers.embedding import WordEmbedding
from retable.models.attentive_pooling import AttentivePooling
from retable.text.pairs import BETWEEN, FIRST, SECOND
from tests.models.declared import CLASSES, DIM, Case, Declared, gates, with_random_weights
from tests.models.test_lstm import slow_states

H = 8
LINES = 2 * (CLASSES - 1)


def multiply_adds(t: float, *, encoder: str, width: int = 3, **_: object) -> float:
    """Count the encoder at every word, U at the words of one text, G, two weighted sums, the cosine, the lines."""
    a_word = width * DIM * H if encoder == "cnn" else 2 * gates(4, DIM, H // 2)
    return t * a_word + t / 2 * H**2 + (t / 2) ** 2 * H + t * H + 3 * H + CLASSES - 1


BILSTM = 2 * (4 * 4 * (DIM + 4) + 2 * 4 * 4)
EVERY_MODEL = Declared(
    cases=[
        Case("attentive-pooling", BILSTM + H**2 + LINES, {"encoder": "bilstm", "hidden": H}),
        Case("attentive-pooling", 3 * DIM * H + H + H**2 + LINES, {"encoder": "cnn", "hidden": H}),
        Case("attentive-pooling", 2 * DIM * H + H + H**2 + LINES, {"encoder": "cnn", "hidden": H, "width": 2}),
    ],
    dropped=lambda **_: [],
    multiply_adds=multiply_adds,
    refused=[
        ({"encoder": "gru"}, 'encoder is "gru"; allowed: bilstm, cnn'),
        ({"encoder": "cnn", "hidden": 0}, "hidden is 0; allowed: hidden >= 1"),
        ({"encoder": "bilstm", "hidden": 7}, "hidden is 7; allowed: even numbers from 2"),
        ({"width": 0}, "width is 0; allowed: width >= 1"),
    ],
)

PAIRS = [([3, 4, 5, 6, 7], [5, 6]), ([8], [9]), ([2, 2], [3, 4, 5, 6, 7, 8]), ([10, 11, 12], [2])]


def small_network(**options) -> AttentivePooling:
    """Return the network in float64, with weights and biases large enough to matter, in evaluation mode."""
    torch.manual_seed(5)
    network = AttentivePooling(WordEmbedding(torch.randn(20, 3), tuned=20), 3, **({"hidden": 4} | options))
    return with_random_weights(network.double(), std=0.6)


def batch_of(pairs: list[tuple[list[int], list[int]]], width: int) -> tuple[Tensor, Tensor, Tensor]:
    """Return words, mask and sides of pairs, with the mark (word 19) between the two texts and random padding."""
    words, sides = torch.randint(2, 19, (len(pairs), width)), torch.full((len(pairs), width), SECOND)
    mask = torch.zeros(len(pairs), width, dtype=torch.bool)
    for row, (first, second) in enumerate(pairs):
        joined = [*first, 19, *second]
        words[row, : len(joined)], mask[row, : len(joined)] = tensor(joined), True
        sides[row, : len(first)], sides[row, len(first)] = FIRST, BETWEEN
    return words, mask, sides


def slow_encoder(network: AttentivePooling, text: list[int]) -> list[Tensor]:
    """Return the states of one text's words: of both directions, or W z + b of the window around each word."""
    vectors = list(network.embedding(tensor([text]))[0])
    if isinstance(network.encoder, torch.nn.LSTM):
        ahead = slow_states(network.encoder, vectors, "l0")
        back = slow_states(network.encoder, vectors[::-1], "l0_reverse")[::-1]
        return [torch.cat(both) for both in zip(ahead, back, strict=True)]
    weight = network.encoder.weight.unflatten(1, (3, network.width))  # (H, D, w)
    states = []
    for place in range(len(vectors)):
        state = network.encoder.bias
        for column in range(network.width):
            word = place + column - (network.width - 1) // 2
            if 0 <= word < len(vectors):
                state = state + weight[:, :, column] @ vectors[word]
        states.append(state)
    return states


def slow_sum(best: list[Tensor], states: list[Tensor]) -> Tensor:
    """Return the states weighted by the softmax of their best matches."""
    total = sum(one.exp() for one in best)
    return sum(one.exp() / total * state for one, state in zip(best, states, strict=True))


def slow_logits(network: AttentivePooling, first: list[int], second: list[int]) -> Tensor:
    """Return the logits of one pair, computed word by word from the equations."""
    q, a = slow_encoder(network, first), slow_encoder(network, second)
    u = network.similarity.weight.t()
    g = [[torch.tanh(x @ u @ y) for y in a] for x in q]
    r_q = slow_sum([max(row) for row in g], q)
    r_a = slow_sum([max(row[n] for row in g) for n in range(len(a))], a)
    cosine = (r_q @ r_a) / (r_q.norm() * r_a.norm())
    lines = [w * cosine + b for w, b in zip(network.output.weight, network.output.bias, strict=True)]
    return torch.stack([torch.zeros_like(cosine), *lines])


@pytest.mark.parametrize(
    "options",
    [{"encoder": "bilstm"}, {"encoder": "cnn"}, {"encoder": "cnn", "width": 2}, {"encoder": "cnn", "width": 1}],
)
def test_fast_form_matches_the_equations_word_by_word(options):
    """Check padded pairs with arbitrary words in the padding; it fails without any one of the masks."""
    network = small_network(**options)
    logits = network(*batch_of(PAIRS, width=11))
    for row, (first, second) in enumerate(PAIRS):
        assert_close(logits[row], slow_logits(network, first, second))


def network_of_unit_words() -> AttentivePooling:
    """Words 1 to 3 are unit vectors and their own states; U is ln 9 times the identity, so its tanh is 40 / 41."""
    embedding = WordEmbedding(torch.cat((torch.zeros(1, 3), eye(3))), tuned=0)
    network = AttentivePooling(embedding, 2, encoder="cnn", hidden=3, width=1)
    with torch.no_grad():
        network.encoder.weight.copy_(eye(3))
        network.encoder.bias.zero_()
        network.similarity.weight.copy_(math.log(9) * eye(3))
        network.output.weight.fill_(1.0)
        network.output.bias.zero_()
    return network.eval()


def test_pooling_by_hand():
    """The text (1 2) with (1, 3): word 1 matches, by (81 - 1) / (81 + 1); 2 and 3 match nothing, by 0."""
    words, sides = tensor([[1, 2, 0, 1, 3]]), tensor([[FIRST, FIRST, BETWEEN, SECOND, SECOND]])
    shared = math.exp(40 / 41) / (math.exp(40 / 41) + 1)
    cosine = shared**2 / (shared**2 + (1 - shared) ** 2)
    found = network_of_unit_words()(words, torch.ones(1, 5, dtype=torch.bool), sides)
    assert found[0].tolist() == pytest.approx([0.0, cosine])


def test_nothing_in_common_is_pooled_to_means():
    """If U is 0, every match is 0 and all weights are equal."""
    network = small_network(encoder="cnn")
    torch.nn.init.zeros_(network.similarity.weight)
    q, a = (torch.stack(slow_encoder(network, text)).mean(dim=0) for text in PAIRS[0])
    cosine = torch.cosine_similarity(q, a, dim=0)
    found = network(*batch_of(PAIRS[:1], 8))[0]
    assert_close(found[1:], network.output.weight * cosine + network.output.bias)


def test_first_logits_are_ten_times_the_cosine():
    network = AttentivePooling(WordEmbedding(torch.randn(20, 3), tuned=0), 2, encoder="cnn", hidden=4)
    with torch.no_grad():
        network.similarity.weight.copy_(eye(4))
    same = network(*batch_of([([3, 4, 5], [3, 4, 5])], 7))
    assert_close(same, tensor([[0.0, 10.0]]))  # of a text with itself, under a symmetric U
