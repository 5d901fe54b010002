"""Decomposable attention, Parikh et al. 2016."""

import math

import pytest
import torch
from torch import Tensor, nn, tensor
from torch.testing import assert_close

from retable.layers.embedding import WordEmbedding
from retable.models.decomposable_attention import DecomposableAttention
from retable.text.pairs import BETWEEN, FIRST, SECOND
from tests.models.declared import CLASSES, DIM, Case, Declared, texts, with_random_weights

H = 16


def parameters(*, distance: int | None = None) -> int:
    """Count projection and NULL; F, G and H of two layers; the output; F_intra and the biases of distances."""
    size = H if distance is None else 2 * H
    second = H**2 + H
    networks = size * H + H + second + 2 * size * H + H + second + 2 * H * H + H + second
    intra = 0 if distance is None else 2 * second + 2 * distance + 3
    return DIM * H + H + networks + intra + H * CLASSES + CLASSES


def multiply_adds(t: float, *, intra_attention: bool = False, **_: object) -> float:
    """Count the projection of t words; F, G, F_intra at t + 2 words; m by m scores and sums; H and the classes."""
    m, size = t / 2 + 1, 2 * H if intra_attention else H
    pair = 2 * m * (size * H + H**2 + 2 * size * H + H**2) + m**2 * (H + 2 * size)
    if intra_attention:
        pair += 2 * m * 2 * H**2 + 2 * m**2 * 2 * H
    return t * DIM * H + pair + 2 * H * H + H**2 + H * CLASSES


def dropped(*, intra_attention: bool = False, **_: object) -> list[tuple[int, ...]]:
    """Return the shapes before both layers at three words and NULL: F_intra, F and G per text; H per pair."""
    size = 2 * H if intra_attention else H
    f_intra = [(8, 4, H), (8, 4, H)] if intra_attention else []
    f, g, h = [(8, 4, size), (8, 4, H)], [(8, 4, 2 * size), (8, 4, H)], [texts(2 * H), texts(H)]
    return f_intra * 2 + f * 2 + g * 2 + h


INTRA = {"hidden": H, "intra_attention": True, "distance": 2, "spread": 0.2}
EVERY_MODEL = Declared(
    cases=[
        Case("decomposable-attention", parameters(), {"hidden": H, "spread": 0.2}),
        Case("decomposable-attention", parameters(distance=2), INTRA),
    ],
    dropped=dropped,
    multiply_adds=multiply_adds,
    refused=[
        ({"hidden": 0}, "hidden is 0; allowed: hidden >= 1"),
        ({"distance": -1}, "distance is -1; allowed: distance >= 0"),
        ({"spread": 0.0}, "spread is 0.0; allowed: above 0"),
        ({"dropout": 1.0}, "dropout is 1.0; allowed: 0 <= dropout < 1"),
    ],
)


def small_network(**options) -> DecomposableAttention:
    """Return the network in float64, with weights and biases large enough to matter, in evaluation mode."""
    torch.manual_seed(7)
    network = DecomposableAttention(WordEmbedding(torch.randn(20, 4), tuned=20), 2, **({"hidden": 8} | options))
    return with_random_weights(network.double(), std=0.7)


def batch_of(pairs: list[tuple[list[int], list[int]]], width: int) -> tuple[Tensor, Tensor, Tensor]:
    """Return words, mask and sides of pairs, with the mark (word 19) between the two texts and random padding."""
    words, sides = torch.randint(2, 19, (len(pairs), width)), torch.full((len(pairs), width), SECOND)
    mask = torch.zeros(len(pairs), width, dtype=torch.bool)
    for row, (first, second) in enumerate(pairs):
        joined = [*first, 19, *second]
        words[row, : len(joined)], mask[row, : len(joined)] = tensor(joined), True
        sides[row, : len(first)], sides[row, len(first)] = FIRST, BETWEEN
    return words, mask, sides


PAIRS = [([3, 4, 5, 6, 7], [5, 6]), ([8], [9]), ([2, 2], [3, 4, 5, 6, 7, 8]), ([10, 11, 12], [2])]


def slow_network(network: nn.Sequential, x: Tensor) -> Tensor:
    """Apply two layers to one vector."""
    for layer in (network[1], network[4]):
        x = (layer.weight @ x + layer.bias).clamp(min=0)
    return x


def slow_sum(scores: list[Tensor], vectors: list[Tensor]) -> Tensor:
    """Return the sum of vectors, weighted by the softmax of their scores."""
    total = sum(score.exp() for score in scores)
    return sum(score.exp() / total * vector for score, vector in zip(scores, vectors, strict=True))


def slow_words(network: DecomposableAttention, text: list[int]) -> list[Tensor]:
    """Return NULL and the words of a text, with intra-sentence attention if the network has it."""
    vectors = network.embedding(tensor([text]))[0]
    x = [network.null] + [network.projection.weight @ (vector / vector.norm()) for vector in vectors]
    if network.intra is None:
        return x
    u, last = [slow_network(network.intra, word) for word in x], len(network.bias) // 2
    words = []
    for i, own in enumerate(u):
        scores = [own @ u[j] + network.bias[last + max(-last, min(last, i - j))] for j in range(len(u))]
        words.append(torch.cat((x[i], slow_sum(scores, x))))
    return words


def slow_logits(network: DecomposableAttention, first: list[int], second: list[int]) -> Tensor:
    """Return the logits of one pair, computed word by word from the equations."""
    a, b = slow_words(network, first), slow_words(network, second)
    e = [[slow_network(network.attend, x) @ slow_network(network.attend, y) for y in b] for x in a]  # eq. 1
    beta = [slow_sum(row, b) for row in e]  # eq. 2
    alpha = [slow_sum([row[j] for row in e], a) for j in range(len(b))]
    v1 = sum(slow_network(network.compare, torch.cat(both)) for both in zip(a, beta, strict=True))  # eq. 3-4
    v2 = sum(slow_network(network.compare, torch.cat(both)) for both in zip(b, alpha, strict=True))
    hidden = slow_network(network.aggregate, torch.cat((v1, v2)))  # eq. 5
    return network.output.weight @ hidden + network.output.bias


@pytest.mark.parametrize("options", [{}, {"intra_attention": True, "distance": 2}])
def test_fast_form_matches_the_equations_word_by_word(options):
    """Check padded pairs with arbitrary words in the padding; it fails without any one of the masks."""
    network = small_network(**options)
    logits = network(*batch_of(PAIRS, width=11))
    for row, (first, second) in enumerate(PAIRS):
        assert_close(logits[row], slow_logits(network, first, second))


def identity(network: nn.Sequential, *rows: list[float]) -> None:
    """Give the first layer these rows and make the second pass its input on."""
    with torch.no_grad():
        network[1].weight.copy_(tensor(rows))
        network[4].weight.copy_(torch.eye(len(rows)))
        network[1].bias.zero_()
        network[4].bias.zero_()


def test_alignment_by_hand():
    """Words of lengths 3 and 1 in one component both become 1 after scaling; NULL is 0: e is 0 with NULL, else 1.

    Each word, of 1, is aligned to e / (1 + e); NULL to 1 / 2. G adds the two: 1 + e / (1 + e) and 1 / 2 per text.
    """
    network = DecomposableAttention(WordEmbedding(tensor([[0.0], [0.0], [3.0], [1.0]]), tuned=0), 2, hidden=1).eval()
    identity(network.attend, [1.0])
    identity(network.compare, [1.0, 1.0])
    identity(network.aggregate, [1.0, 10.0])
    with torch.no_grad():
        network.projection.weight.fill_(1.0)
        network.null.zero_()
        network.output.weight.copy_(tensor([[1.0], [0.0]]))
        network.output.bias.zero_()
    words, mask = tensor([[2, 1, 3]]), torch.ones(1, 3, dtype=torch.bool)
    text = 1 + math.e / (1 + math.e) + 0.5
    found = network(words, mask, tensor([[FIRST, BETWEEN, SECOND]]))[0].tolist()
    assert found == pytest.approx([11 * text, 0.0])


def test_biases_of_distances_by_hand():
    """Without scores the weights are the softmax of d: any distance above one counts as two, on either side."""
    network = small_network(hidden=1, intra_attention=True, distance=1)
    with torch.no_grad():
        network.intra[4].weight.zero_()
        network.intra[4].bias.zero_()
        network.bias.copy_(tensor([1.0, 2.0, 3.0, 4.0, 5.0]).log())  # i - j from -2 to 2
    x = tensor([[[1.0], [10.0], [100.0], [1000.0]]], dtype=torch.float64)
    found = network.attended(x, torch.ones(1, 4, dtype=torch.bool)).flatten().tolist()
    assert found[0] == pytest.approx((3 * 1 + 2 * 10 + 1 * 100 + 1 * 1000) / 7)
    assert found[3] == pytest.approx((5 * 1 + 5 * 10 + 4 * 100 + 3 * 1000) / 17)


def test_order_of_words_matters_with_intra_attention_alone():
    """Without it a text is a set of words; with it each word depends on the words at each distance."""
    straight, turned = batch_of([([3, 4, 5], [6, 7])], 6), batch_of([([5, 3, 4], [6, 7])], 6)
    plain, intra = small_network(), small_network(intra_attention=True)
    assert_close(plain(*straight), plain(*turned))
    assert not torch.allclose(intra(*straight), intra(*turned))


def test_length_of_a_word_vector_does_not_matter():
    network, batch = small_network(), batch_of(PAIRS, 9)
    before = network(*batch)
    with torch.no_grad():
        network.embedding.tuned *= 3.0
    assert_close(network(*batch), before)


def test_first_weights_have_the_printed_deviation():
    network = DecomposableAttention(WordEmbedding(torch.randn(5, 50), tuned=5), 2, intra_attention=True)
    drawn = torch.cat([p.flatten() for name, p in network.named_parameters() if not name.startswith("embedding")])
    assert drawn.std().item() == pytest.approx(0.01, rel=0.02)
