"""LEAM, Wang et al. 2018."""

import math

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor, tensor
from torch.testing import assert_close

from retable.layers.embedding import WordEmbedding
from retable.layers.network import Task
from retable.models.leam import LEAM
from retable.text.vocabulary import Vocabulary
from retable.training.network import rows_of_labels, untrained_network
from retable.vectors.store import NO_VECTORS
from tests.models.declared import CLASSES, DIM, OUTPUT, Case, Declared, texts, with_random_weights
from tests.training.conftest import make_split

MLP = 7
WITH_HIDDEN = DIM * MLP + MLP + MLP * CLASSES + CLASSES


def multiply_adds(t: int, *, radius: int, mlp_hidden: int, **_: object) -> float:
    """Count cosines with all labels, a window of each, the weighted sum; the classifier once."""
    classifier = DIM * mlp_hidden + mlp_hidden * CLASSES if mlp_hidden else DIM * CLASSES
    return t * (CLASSES * DIM + CLASSES * (2 * radius + 1) + DIM) + classifier


EVERY_MODEL = Declared(
    cases=[
        Case("leam", CLASSES * DIM + 55 + CLASSES + WITH_HIDDEN, {"radius": 27, "mlp_hidden": MLP}),
        Case("leam", CLASSES * DIM + 3 + CLASSES + OUTPUT, {"radius": 1, "mlp_hidden": 0}),
        Case("leam", CLASSES * DIM + 1 + CLASSES + OUTPUT, {"radius": 0, "mlp_hidden": 0, "label_weight": 0.1}),
    ],
    dropped=lambda mlp_hidden, **_: [texts(mlp_hidden or DIM), (CLASSES, mlp_hidden or DIM)],  # texts, then labels
    multiply_adds=multiply_adds,
    refused=[
        ({"radius": -1}, "radius is -1; allowed: radius >= 0"),
        ({"mlp_hidden": -1}, "mlp_hidden is -1; allowed: mlp_hidden >= 0"),
        ({"dropout": 1.0}, "dropout is 1.0; allowed: 0 <= dropout < 1"),
        ({"label_weight": -1.0}, "label_weight is -1.0; allowed: label_weight >= 0"),
    ],
)
LENGTHS = tensor([7, 1, 2, 5])
MASK = torch.arange(7) < LENGTHS.unsqueeze(1)
NO_ROWS = ((), (), ())


def small_network(**options) -> LEAM:
    """Return three labels in float64, with large enough weights and biases, in evaluation mode."""
    torch.manual_seed(3)
    network = LEAM(
        WordEmbedding(torch.randn(20, 4), tuned=20), 3, NO_ROWS, **({"radius": 1, "mlp_hidden": 5} | options)
    )
    return with_random_weights(network.double(), std=1.0)


def cosine(one: Tensor, other: Tensor) -> float:
    """Return their product divided by both lengths."""
    return (one @ other / (one @ one).sqrt() / (other @ other).sqrt()).item()


def slow_logits(network: LEAM, row: Tensor, radius: int) -> Tensor:
    """Return the logits of one unpadded text, word by word and label by label from the equations."""
    v, taps = network.embedding(row.unsqueeze(0))[0], network.window.weight.flatten().tolist()
    likeness = []
    for place in range(len(v)):
        u = []
        for label, bias in zip(network.labels, network.bias.tolist(), strict=True):
            near = [near for near in range(place - radius, place + radius + 1) if 0 <= near < len(v)]
            u.append(max(0.0, bias + sum(taps[near - place + radius] * cosine(v[near], label) for near in near)))
        likeness.append(max(u))
    total = sum(math.exp(m) for m in likeness)
    z = sum(math.exp(m) / total * word for m, word in zip(likeness, v, strict=True))
    first, last = network.classifier[0], network.classifier[3]
    return last(F.relu(first(z)))


@pytest.mark.parametrize("radius", [0, 1, 4])
def test_fast_form_matches_the_equations_word_by_word(radius):
    """Check padded texts with arbitrary words in the padding; it fails without the mask of cosines or of scores."""
    network, rows = small_network(radius=radius), torch.randint(2, 20, (4, 7))
    logits = network(rows, MASK)
    for text, length in enumerate(LENGTHS.tolist()):
        assert_close(logits[text], slow_logits(network, rows[text, :length], radius))


def test_weights_by_hand():
    """Labels along the axes, words along (3, 4), (0, 1) and (-1, -1), no neighbours: likeness 0.8, 1 and 0."""
    vectors = tensor([[0.0, 0.0], [0.0, 0.0], [3.0, 4.0], [0.0, 1.0], [-1.0, -1.0]])
    network = LEAM(WordEmbedding(vectors, tuned=5), 2, ((), ()), radius=0, mlp_hidden=0)
    with torch.no_grad():
        network.labels.copy_(tensor([[5.0, 0.0], [0.0, 0.5]]))
        network.window.weight.fill_(1.0)
    expected = [math.exp(0.8), math.exp(1.0), 1.0]
    found = network.attention(tensor([[2, 3, 4]]), torch.ones(1, 3, dtype=torch.bool))
    assert found.flatten().tolist() == pytest.approx([weight / sum(expected) for weight in expected])


def test_a_text_of_one_word_is_its_vector_whatever_the_labels():
    network = small_network()
    assert_close(network(tensor([[5]]), tensor([[True]])), network.classifier(network.embedding(tensor([[5]]))[:, 0]))


def test_without_a_window_a_text_is_the_mean_of_its_words():
    """Limiting case: with W_1 = 0 the largest b_1 remains for every word."""
    network, rows = small_network(), torch.randint(2, 20, (1, 6))
    torch.nn.init.zeros_(network.window.weight)
    mean = network.embedding(rows).mean(dim=1)
    assert_close(network(rows, torch.ones(1, 6, dtype=torch.bool)), network.classifier(mean))


def test_lengths_of_labels_do_not_matter_for_the_weights():
    network, rows = small_network(), torch.randint(2, 20, (4, 7))
    before = network.attention(rows, MASK)
    network.labels.data *= tensor([[0.1], [3.0], [10.0]])
    assert_close(network.attention(rows, MASK), before)


def test_labels_are_read_as_texts_of_their_own_classes():
    network = small_network(label_weight=0.5)
    logits = network.classifier(network.labels)
    expected = sum(logits[k].exp().sum().log() - logits[k, k] for k in range(3)) / 3
    assert_close(network.auxiliary_loss(tensor([1, 1])), 0.5 * expected)


def test_labels_start_as_the_mean_vector_of_their_names_words():
    """Labels of trained and fixed words alike; training changes the label but not the words it was initialised from."""
    embedding = WordEmbedding(torch.randn(6, 4), tuned=4)
    labels = ("science mathematics", "sports", "qqq")
    network = LEAM.build(embedding, Task(labels, label_rows=((2, 5), (3,), ())), {})
    assert_close(network.labels[0], (embedding.tuned[2] + embedding.fixed[1]) / 2)
    assert_close(network.labels[1], embedding.tuned[3])
    assert network.labels[2].any()
    assert network.labels.is_leaf
    network.labels.data.zero_()
    assert embedding.tuned[3].any()


def test_words_of_labels_are_runs_of_letters_that_the_vocabulary_has():
    labels = ("science_mathematics", "comp.sys.Mac", "money-fx", "4 stars", "none")
    vocabulary = Vocabulary(["<padding>", "<unknown>", "science", "mathematics", "mac", "money", "stars"], 3, True)
    assert rows_of_labels(labels, vocabulary) == ((2, 3), (4,), (5,), (6,), ())
    with_capitals = Vocabulary(["<padding>", "<unknown>", "mac", "Mac"], 3, False)
    assert rows_of_labels(labels[1:2], with_capitals) == ((3,),)


def test_each_domain_has_the_labels_of_all():
    task = Task(("bad", "good"), domains=("here", "there"), label_rows=((7,), (8,))).for_each_domain
    assert task.labels == ("here/bad", "here/good", "there/bad", "there/good")
    assert task.label_rows == ((7,), (8,), (7,), (8,))


def test_an_untrained_network_knows_the_words_of_its_labels():
    """Through the vocabulary of its training split, as a run builds it."""
    model = {"name": "leam", "radius": 1, "mlp_hidden": 0, "dropout": 0.0, "label_weight": 1.0}
    embedding = {"unit": "words", "lowercase": True, "min_count": 1, "size": 4, "spread": 0.1, "tune": True}
    train = make_split(["good film", "Bad"], [1, 0], names=("bad", "qqq good"))
    network, vocabulary = untrained_network(train, NO_VECTORS, model=model, embedding=embedding, seed=1)
    assert isinstance(network, LEAM)
    assert network.embedding.tuned is not None
    rows = [vocabulary.words.index(word) for word in ("bad", "good")]
    assert_close(network.labels, network.embedding.tuned[rows])
