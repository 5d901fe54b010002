"""ABCNN, Yin et al. 2016: two texts that attend to each other around their convolutions."""

import math

import pytest
import torch
from torch import Tensor, eye, tensor
from torch.testing import assert_close

from retable.layers.embedding import WordEmbedding
from retable.models.abcnn import ABCNN, match_scores
from tests.models.declared import CLASSES, DIM, Case, Declared, with_random_weights

SMALL = {"filters": 4, "width": 3, "places": 5}


def parameters(layers: int, *, channels: int = 1, places: int = 0, scores: int = 1) -> int:
    """Count W, filters of width 3 and biases of every layer; the classifier on the scores of every block."""
    sizes = [DIM, *[4] * (layers - 1)]
    convolutions = sum(places * size + channels * size * 3 * 4 + 4 for size in sizes)
    return convolutions + (layers + 1) * scores * CLASSES + CLASSES


def multiply_adds(t: float, *, attention: str, layers: int, similarity: str = "cosine", **_: object) -> float:
    """Count words and windows of either text, pairwise distances, W times A, three products per cosine."""
    windows, compared = t / 2 + 2, {"cosine": 3, "euclidean": 1, "both": 4}[similarity]
    total = (t + compared) * DIM + (layers + 1) * (2 if similarity == "both" else 1) * CLASSES
    for layer in range(layers):
        size = 4 if layer else DIM
        attends, weighs = attention in {"input", "both"}, attention in {"pooling", "both"}
        total += (t / 2) ** 2 * size + t * min(t / 2, 5) * size if attends else 0
        total += 2 * windows * ((2 if attends else 1) * 3 * size * 4 + 4)
        total += windows**2 * 4 + 2 * windows * 4 if weighs else 0
        total += compared * 4 + (t * 3 * 4 if layer < layers - 1 else 0)
    return total


EVERY_MODEL = Declared(
    cases=[
        Case("abcnn", parameters(1, scores=2), {"attention": "none", "layers": 1, "similarity": "both", **SMALL}),
        Case("abcnn", parameters(2, channels=2, places=5), {"attention": "input", "layers": 2, **SMALL}),
        Case("abcnn", parameters(2), {"attention": "pooling", "layers": 2, **SMALL}),
        Case(
            "abcnn",
            parameters(2, channels=2, places=5, scores=2),
            {"attention": "both", "layers": 2, "similarity": "both", **SMALL},
        ),
    ],
    dropped=lambda **_: [],
    multiply_adds=multiply_adds,
    refused=[
        ({"attention": "output"}, 'attention is "output"; allowed: none, input, pooling, both'),
        ({"similarity": "dot"}, 'similarity is "dot"; allowed: cosine, euclidean, both'),
        ({"layers": 0}, "layers is 0; allowed: layers >= 1"),
        ({"filters": 0}, "filters is 0; allowed: filters >= 1"),
        ({"width": 0}, "width is 0; allowed: width >= 1"),
        ({"places": 0}, "places is 0; allowed: places >= 1"),
    ],
)

MARK = 19


def small_network(attention: str = "both", **options) -> ABCNN:
    """Return the network in float64, with weights and biases large enough to matter, in evaluation mode."""
    torch.manual_seed(5)
    options = {"filters": 3, "width": 3, "similarity": "both", "places": 4, "attention": attention} | options
    return with_random_weights(ABCNN(WordEmbedding(torch.randn(20, 4), tuned=20), 2, **options).double())


def batch(*pairs: tuple[list[int], list[int]], width: int = 14) -> tuple[Tensor, Tensor, Tensor]:
    """Return words, mask and sides of pairs, with other words in the padding."""
    words, sides = torch.randint(2, 19, (len(pairs), width)), torch.zeros(len(pairs), width, dtype=torch.int64)
    mask = torch.zeros(len(pairs), width, dtype=torch.bool)
    for row, (first, second) in enumerate(pairs):
        length = len(first) + 1 + len(second)
        words[row, :length] = tensor([*first, MARK, *second])
        sides[row, :length] = tensor([*[0] * len(first), 1, *[2] * len(second)])
        mask[row, :length] = True
    return words, mask, sides


def score(x: Tensor, y: Tensor) -> float:
    return 1 / (1 + math.sqrt(sum((a - b) ** 2 for a, b in zip(x.tolist(), y.tolist(), strict=True))))


def slow_windows(block, columns: list[Tensor], channels: list[list[Tensor]]) -> list[Tensor]:
    """Compute p_i = tanh(W c_i + b) for 0 < i < s + w, from words i - w + 1 to i, some of which do not exist."""
    width, weight = block.width, block.convolution.weight
    windows = []
    for end in range(len(columns) + width - 1):
        total = block.convolution.bias.clone()
        for offset in range(width):
            word = end - width + 1 + offset
            if 0 <= word < len(columns):
                total += weight[:, :, offset] @ torch.cat([channel[word] for channel in channels])
        windows.append(total.tanh())
    return windows


def slow_block(block, texts: list[list[Tensor]]) -> tuple[list[list[Tensor]], list[Tensor]]:
    """Return the columns after w-ap and the vectors after all-ap of two unpadded texts, column by column."""
    channels = [[text] for text in texts]
    if block.columns is not None:
        for side, (own, other) in enumerate([texts, texts[::-1]]):
            read = list(zip(other, block.columns, strict=False))  # at most as far as the shorter text
            attended = [sum(score(x, y) * weight for y, weight in read) for x in own]
            channels[side].append(attended)
    windows = [slow_windows(block, text, each) for text, each in zip(texts, channels, strict=True)]
    columns, vectors = [], []
    for own, other in (windows, windows[::-1]):
        weights = [sum(score(x, y) for y in other) for x in own] if block.weigh else None
        width, count = block.width, len(own) - block.width + 1
        shares, all_shares = weights or [1 / width] * len(own), weights or [1 / len(own)] * len(own)
        columns.append([sum(shares[k] * own[k] for k in range(j, j + width)) for j in range(count)])
        vectors.append(sum(share * x for share, x in zip(all_shares, own, strict=True)))
    return columns, vectors


def slow_logits(network: ABCNN, *pair: list[int]) -> Tensor:
    texts = [list(network.embedding(tensor([text]))[0]) for text in pair]
    vectors = [[sum(text) / len(text) for text in texts]]
    for block in network.blocks:
        texts, of_block = slow_block(block, texts)
        vectors.append(of_block)
    scores = []
    for u, v in vectors:
        scores += [u @ v / (u.norm() * v.norm()), tensor(score(u, v), dtype=u.dtype)]
    return network.output.weight @ torch.stack(scores) + network.output.bias


PAIRS = [([2, 3, 4, 5, 6, 7], [8, 9]), ([10], [11]), ([3, 4, 3], [3, 4, 3]), ([12, 2], [5, 6, 7, 8, 9, 10])]


@pytest.mark.parametrize("attention", ["none", "input", "pooling", "both"])
def test_fast_form_matches_the_equations_column_by_column(attention):
    """Check texts longer and shorter than `places`, equal texts, texts of one word, and words in the padding."""
    network = small_network(attention)
    logits = network(*batch(*PAIRS))
    for row, pair in enumerate(PAIRS):
        assert_close(logits[row], slow_logits(network, *pair))


def test_match_scores_by_hand():
    """Distances 5 and 0, then 0 after a text."""
    first, second = tensor([[[0.0, 0.0], [3.0, 4.0]]]), tensor([[[3.0, 4.0], [0.0, 0.0], [7.0, 7.0]]])
    masks = torch.ones(1, 2, dtype=torch.bool), tensor([[True, True, False]])
    assert_close(match_scores(first, second, masks), tensor([[[1 / 6, 1.0, 0.0], [1.0, 1 / 6, 0.0]]]))


def test_pooling_by_hand():
    """One filter of width 2 whose columns are tanh of the sum of two words, with and without attention."""
    network = small_network("none", filters=1, width=2, layers=1)
    block = network.blocks[0]
    with torch.no_grad():
        block.convolution.weight.fill_(1.0)
        block.convolution.bias.zero_()
    x = tensor([[[1.0, 0, 0, 0], [2.0, 0, 0, 0]]], dtype=torch.float64)
    y = tensor([[[3.0, 0, 0, 0]]], dtype=torch.float64)
    masks = torch.ones(1, 2, dtype=torch.bool), torch.ones(1, 1, dtype=torch.bool)
    a, b, c = math.tanh(1), math.tanh(3), math.tanh(2)  # windows of x: 1, 1 + 2, 2; those of y: 3, 3
    (columns, _), (vector, other) = block((x, y), masks)
    assert columns.flatten().tolist() == pytest.approx([(a + b) / 2, (b + c) / 2])
    assert [vector.item(), other.item()] == pytest.approx([(a + b + c) / 3, b])
    block.weigh = True
    weights = [2 / (1 + b - p) for p in (a, b, c)]
    (columns, _), (vector, other) = block((x, y), masks)
    assert columns.flatten().tolist() == pytest.approx(
        [weights[0] * a + weights[1] * b, weights[1] * b + weights[2] * c]
    )
    assert vector.item() == pytest.approx(weights[0] * a + weights[1] * b + weights[2] * c)
    assert other.item() == pytest.approx(sum(weights) / 2 * 2 * b)


def test_equal_texts_are_as_alike_as_can_be():
    """All cosines and all Euclidean scores are 1, whatever the weights."""
    network = small_network()
    found = network(*batch(([2, 3, 4], [2, 3, 4]), ([9], [9])))
    expected = network.output.weight.sum(dim=1) + network.output.bias
    assert_close(found, expected.expand(2, 2))


def test_the_order_of_the_texts_does_not_matter():
    network = small_network()
    assert_close(network(*batch(([2, 3, 4], [5]))), network(*batch(([5], [2, 3, 4]))))


def test_words_behind_places_send_no_attention():
    network = small_network("input", places=2, layers=1)
    block, mask = network.blocks[0], torch.ones(1, 3, dtype=torch.bool)
    x, y = torch.randn(2, 1, 3, 4, dtype=torch.float64)
    before, _ = block.with_attention((x, y), (mask, mask))
    y[:, 2] = 9.0
    assert block.with_attention((x, y), (mask, mask))[0].equal(before)


def test_a_batch_of_one_word_and_of_a_text_without_words_gives_numbers():
    network = ABCNN(WordEmbedding(eye(4), tuned=0), 2)
    one = torch.ones(2, 1, dtype=torch.bool)
    assert network(tensor([[2], [3]]), one, tensor([[0], [2]])).isfinite().all()
