"""HLAN, Gong et al. 2019: our reading of its abstract, eq. A-E of the module."""

import math

import pytest
import torch
from torch import Tensor, tensor
from torch.testing import assert_close

from retable.layers.embedding import WordEmbedding
from retable.layers.positions import sinusoidal_positions
from retable.models.hlan import HLAN, LabelAttention, Level
from tests.models.declared import CLASSES, DIM, Case, Declared, texts, with_random_weights, words
from tests.models.test_han import TEXTS, batch


def of_level(dim: int, size: int) -> int:
    """Count the projection, queries, keys and values, their output, the norm, the map into the labels' space."""
    projection = dim * size if dim != size else 0
    return projection + 3 * (size**2 + size) + (size**2 + size) + 2 * size + (size**2 + size)


def multiply_adds(t: int, *, size: int, **_: object) -> float:
    """Count self-attention of a sentence of 16 words and of the sentences, all labels' scores, the weighted sum."""

    def each(length: float) -> float:
        return 5 * size**2 + 2 * length * size + CLASSES * size + size

    projection = DIM * size if size != DIM else 0
    return t * (projection + each(16)) + t / 16 * each(t / 16) + size * CLASSES


LABELS = CLASSES * 8 + 8 * CLASSES + CLASSES
EVERY_MODEL = Declared(
    cases=[
        Case("hlan", of_level(DIM, 8) + of_level(8, 8) + LABELS, {"size": 8, "heads": 2}),
        Case("hlan", 2 * of_level(6, 6) + 2 * CLASSES * 6 + CLASSES, {"size": 6, "heads": 1, "class_loss": 0}),
    ],
    dropped=lambda *, size, **_: [words(DIM), texts(size)],
    multiply_adds=multiply_adds,
    refused=[
        ({"size": 8, "heads": 3}, "size is 8; allowed: even numbers from 2 divisible by heads (3)"),
        ({"heads": 0}, "heads is 0; allowed: heads >= 1"),
        ({"class_loss": -1}, "class_loss is -1; allowed: class_loss >= 0"),
        ({"dropout_words": 1.0}, "dropout_words is 1.0; allowed: 0 <= dropout_words < 1"),
        ({"dropout": 1.0}, "dropout is 1.0; allowed: 0 <= dropout < 1"),
    ],
)


def small_network(**options) -> HLAN:
    """Return the network in float64, with weights and biases large enough to matter, in evaluation mode."""
    torch.manual_seed(7)
    network = HLAN(WordEmbedding(torch.randn(20, 4), tuned=20), 3, **({"size": 6, "heads": 3} | options))
    return with_random_weights(network.double(), std=0.7)


def softmax(scores: list[float]) -> list[float]:
    """Return weights that sum to one."""
    total = sum(math.exp(score) for score in scores)
    return [math.exp(score) / total for score in scores]


def slow_states(level: Level, vectors: list[Tensor]) -> list[Tensor]:
    """Compute eq. A place by place and head by head."""
    inputs, attention, size, heads = level.inputs, level.attention, level.inputs.size, level.attention.heads
    positions = sinusoidal_positions(len(vectors), size).to(vectors[0].dtype)
    x = [inputs.projection(v) * math.sqrt(size) + p for v, p in zip(vectors, positions, strict=True)]
    queries, keys, values = zip(*(attention.projections(word).chunk(3) for word in x), strict=True)
    states = []
    for word, query in zip(x, queries, strict=True):
        parts = []
        for head in range(heads):
            part = slice(head * size // heads, (head + 1) * size // heads)
            scores = [(query[part] @ key[part]).item() / math.sqrt(size // heads) for key in keys]
            parts.append(sum(w * value[part] for w, value in zip(softmax(scores), values, strict=True)))
        states.append(level.norm(word + attention.output(torch.cat(parts))))
    return states


def slow_compressed(attention: LabelAttention, states: list[Tensor], labels: Tensor) -> Tensor:
    """Compute eq. B-D head by head and label by label."""
    width, parts = labels.shape[1] // attention.heads, []
    for head in range(attention.heads):
        part = slice(head * width, (head + 1) * width)
        fits = [[(attention.joint(h).tanh()[part] @ e[part]).item() for e in labels] for h in states]
        weights = softmax([max(of_labels) for of_labels in fits])
        parts.append(sum(w * state[part] for w, state in zip(weights, states, strict=True)))
    return torch.cat(parts)


def slow_logits(network: HLAN, sentences: list[list[int]]) -> Tensor:
    """Return the logits of one text, one sentence after the other."""
    vectors = []
    for sentence in sentences:
        states = slow_states(network.of_words, [*network.embedding(tensor([sentence]))[0]])
        vectors.append(slow_compressed(network.of_words.label_attention, states, network.labels))
    states = slow_states(network.of_sentences, vectors)
    return network.output(slow_compressed(network.of_sentences.label_attention, states, network.labels))


@pytest.mark.parametrize(("extra", "heads"), [(0, 1), (3, 3)])
def test_fast_form_matches_the_equations_word_by_word(extra, heads):
    """Check padded texts of sentences of different lengths, with arbitrary words in the padding."""
    network = small_network(heads=heads)
    expected = torch.stack([slow_logits(network, sentences) for sentences in TEXTS])
    assert_close(network(*batch(TEXTS, extra)), expected)


def test_label_attention_by_hand():
    """States with tanh 0 and 1/2; labels -2 and 2 ln 3: compatibilities 0 and ln 3, weights 1/4 and 3/4."""
    attention = LabelAttention(1, 1)
    with torch.no_grad():
        attention.joint.weight.fill_(1.0)
        attention.joint.bias.zero_()
    states = tensor([[[0.0], [math.atanh(0.5)]]])
    found = attention(states, torch.ones(1, 2, dtype=torch.bool), tensor([[-2.0], [2 * math.log(3)]]))
    assert found.item() == pytest.approx(0.75 * math.atanh(0.5))


def test_each_head_weighs_its_own_slice():
    """The label attends only in the first slice: the second one is the plain mean."""
    attention, states = small_network(size=4, heads=2).of_words.label_attention, torch.randn(1, 5, 4).double()
    found = attention(states, torch.ones(1, 5, dtype=torch.bool), tensor([[3.0, -3.0, 0.0, 0.0]]).double())
    assert_close(found[0, 2:], states[0, :, 2:].mean(dim=0))
    assert not torch.allclose(found[0, :2], states[0, :, :2].mean(dim=0))


def test_labels_of_zeros_give_the_mean_of_the_states():
    attention, states = small_network().of_words.label_attention, torch.randn(2, 4, 6).double()
    real = tensor([[True] * 4, [True] * 2 + [False] * 2])
    found = attention(states, real, torch.zeros(3, 6).double())
    assert_close(found, torch.stack((states[0].mean(dim=0), states[1, :2].mean(dim=0))))


def test_class_loss_is_that_of_the_labels_vectors_as_texts():
    """Logits of e_0 and e_1 by hand: (1, 0) and (0, 0)."""
    network = small_network(size=2, heads=1, class_loss=0.5)
    with torch.no_grad():
        network.labels.copy_(tensor([[1.0, 0.0], [0.0, 0.0], [0.0, 0.0]]))
        network.output.weight.copy_(tensor([[1.0, 0.0], [0.0, 0.0], [0.0, 0.0]]))
        network.output.bias.zero_()
    expected = (math.log(math.e + 2) - 1 + 2 * math.log(3)) / 3
    assert network.auxiliary_loss(tensor([0])).item() == pytest.approx(0.5 * expected)
    assert small_network(class_loss=0).auxiliary_loss(tensor([0])) is None


def test_where_a_sentence_ends_and_the_order_of_words_and_sentences_count():
    network, plain = small_network(), [[2, 3, 4], [5, 6]]
    logits = network(*batch([plain]))
    for other in ([[2, 3], [4, 5, 6]], [[3, 2, 4], [5, 6]], [[5, 6], [2, 3, 4]]):
        assert not torch.allclose(network(*batch([other])), logits, atol=1e-3)
